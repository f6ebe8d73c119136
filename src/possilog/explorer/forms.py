"""Forms of the pages, for those who correct without a program: each does one deed, and goes back to a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from possilog.explorer.deeds import DEEDS
from possilog.explorer.explorer import Explorer
from possilog.explorer.wishes import from_address

__all__ = ["form_fields", "form_routes"]

MOST_FIELDS = 50_000

WHO = "possilog_who"
"""The cookie with a person's name."""

Pairs = list[tuple[str, str]]
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Form:
    """Where a form goes, what it does, and where it leads; nowhere in particular means back."""

    path: str
    deed: str
    leads_to: str = ""


FORMS = (
    Form("/edit", "edit"),
    Form("/accept", "edit", "/history"),
    Form("/undo", "undo"),
    Form("/redo", "redo"),
    Form("/save", "save", "/history"),
    Form("/learn/start", "start_learning", "/learn"),
    Form("/learn/cancel", "cancel_learning", "/learn"),
    Form("/learn/accept", "accept_learned", "/history"),
)


def form_routes(explorer: Explorer) -> list[Route]:
    """What takes forms."""
    routes = [Route(form.path, _endpoint(explorer, form), methods=["POST"]) for form in FORMS]
    return [*routes, Route("/who", _name(explorer), methods=["POST"])]


def _endpoint(explorer: Explorer, form: Form) -> Endpoint:
    deed = DEEDS[form.deed]

    async def endpoint(request: Request) -> Response:
        pairs = _translated(await form_fields(explorer, request))
        if "who" in deed.asks.__dataclass_fields__:
            pairs.append(("who", who_is(request)))
        await deed.do(explorer, from_address(deed.asks, pairs))
        return RedirectResponse(form.leads_to or _back(request), 303)

    return endpoint


def _translated(pairs: Pairs) -> Pairs:
    """What buttons are called, in the words of the API."""
    found = []
    for name, value in pairs:
        if name == "verdict":
            found.append(("right", "true" if value == "right" else "false"))
        elif name in ("undo", "redo"):
            found.append(("number", value))
        else:
            found.append((name, value))
    return found


async def form_fields(explorer: Explorer, request: Request) -> Pairs:
    """The fields of a form that is one of ours."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "a form is asked for")
    text = (await request.body()).decode("utf-8", "replace")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise HTTPException(413, f"a form has at most {MOST_FIELDS:,} fields; send fewer") from None
    if dict(pairs).get("token") != explorer.form_token:
        raise HTTPException(403, "this form is not of this explorer, or of an earlier one; reload the page")
    return [(name, value.replace("\r\n", "\n")) for name, value in pairs if name != "token"]


def _back(request: Request) -> str:
    """The page of ours that a form was on."""
    came = urlsplit(request.headers.get("referer", ""))
    if came.netloc != request.headers.get("host") or not came.path.startswith("/") or came.path.startswith("//"):
        return "/history"
    return came.path + (f"?{came.query}" if came.query else "")


# Names


def who_is(request: Request) -> str:
    """The name that a person gave, or somebody."""
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(WHO)
    except CookieError:
        return "somebody"
    return (unquote(found.value)[:100] if found is not None else "") or "somebody"


def _name(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        given = dict(await form_fields(explorer, request)).get("who", "").strip()[:100]
        answer = RedirectResponse(_back(request), 303)
        answer.headers["set-cookie"] = f"{WHO}={quote(given)}; SameSite=Strict; Path=/; Max-Age=31536000"
        return answer

    return endpoint
