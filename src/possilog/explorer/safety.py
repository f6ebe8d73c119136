"""What keeps an exploration to those that it is for: hosts, origins, tokens, sizes, times, and what a page may load."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from possilog.explorer.answering import JSON, as_bytes

__all__ = ["MOST_BYTES", "Access", "Refusal", "Safety", "is_loopback"]

MOST_BYTES = 2 * 2**20
"""Of a request."""

PATIENCE = 15.0
"""Seconds for a request to arrive."""

COOKIE = "possilog_token"

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Does only this machine reach it?

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """What is not let in, and why."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Access:
    """Who is let in."""

    host: str
    """That the server was bound to."""
    port: int
    token: str = ""
    """What everybody has to show; empty on loopback, where only this machine comes in."""

    @property
    def hosts(self) -> frozenset[str]:
        """The names under which it may be asked for; none for any, where a token is needed."""
        if self.token:
            return frozenset()
        return frozenset(f"{name}:{self.port}" for name in ("localhost", "127.0.0.1", "[::1]", self.host))

    def check(self, scope: Scope) -> str:
        """Refuse what does not come from where it may; the token, if it came in the address."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if self.hosts and host not in self.hosts:
            raise Refusal(421, "this host name is not one of the explorer's; use the address that it printed")
        self._check_origin(headers, host)
        return self._check_token(scope, headers) if self.token else ""

    def _check_origin(self, headers: MutableMapping[str, str], host: str) -> None:
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Refusal(403, "a page from elsewhere has no business here; open the explorer's own address")
        if headers.get("sec-fetch-site", "none") in ("cross-site", "same-site"):
            raise Refusal(403, "a page from elsewhere has no business here; open the explorer's own address")

    def _check_token(self, scope: Scope, headers: MutableMapping[str, str]) -> str:
        shown = [headers.get("authorization", "").removeprefix("Bearer "), _cookie(headers)]
        asked: str = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get("token", "")
        if any(_same(one, self.token) for one in shown):
            return ""
        if _same(asked, self.token):
            return asked
        raise Refusal(401, "a token is needed; use the address that the explorer printed, or Authorization: Bearer")


def _cookie(headers: MutableMapping[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else str(found.value)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


class Safety:
    """Stands before an application: refuses, bounds, and tells browsers what they may do."""

    def __init__(self, app: App, rules: Access) -> None:
        self._app, self._rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False
        new_token = ""

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message.get("headers", []), *_headers(new_token)]}
            await send(message)

        try:
            new_token = self._rules.check(scope)
            body = await _body(scope, receive)
            await self._app(scope, _replayed(body, receive), guarded)
        except Refusal as refusal:
            if not begun:
                await _refuse(refusal, guarded)


def _headers(new_token: str) -> list[tuple[bytes, bytes]]:
    found = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    if new_token:
        found.append((b"set-cookie", f"{COOKIE}={new_token}; HttpOnly; SameSite=Strict; Path=/".encode()))
    return found


async def _refuse(refusal: Refusal, send: Send) -> None:
    body = as_bytes({"error": refusal.reason})
    headers = [
        (b"content-type", JSON.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _body(scope: Scope, receive: Receive) -> bytes:
    """All of a request, if it is not too much and does not take too long."""
    said = dict(scope["headers"]).get(b"content-length", b"0")
    if not said.isdigit() or int(said) > MOST_BYTES:
        raise Refusal(413, f"a request has at most {MOST_BYTES:,} bytes; send less")
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return b"".join(parts)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MOST_BYTES:
                    raise Refusal(413, f"a request has at most {MOST_BYTES:,} bytes; send less")
                if not message.get("more_body"):
                    return b"".join(parts)
    except TimeoutError:
        raise Refusal(408, f"the request did not arrive in {PATIENCE:g} seconds; send it again") from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The request once more, for who comes after."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
