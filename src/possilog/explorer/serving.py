"""Serves an exploration until somebody ends it."""

from __future__ import annotations

import asyncio
import secrets
import signal
import socket
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import uvicorn

from possilog.errors import FileError
from possilog.explorer.app import make_app
from possilog.explorer.explorer import Explorer
from possilog.explorer.safety import Access, is_loopback

__all__ = ["bind", "serve"]

MOST_CONNECTIONS = 2_000
LONGEST_HEADERS = 64 * 2**10


def bind(host: str, port: int) -> socket.socket:
    """The place where people come in."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends what it has at once only where it sees that this is TCP; else every answer would wait 40 ms
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(2048)
    except (OSError, OverflowError) as error:
        opened.close()
        said = getattr(error, "strerror", None) or error
        raise FileError(
            f"{host}:{port} cannot be listened on ({said}); take another --port, or 0 for a free one"
        ) from None
    opened.set_inheritable(False)
    return opened


def rules_for(host: str, port: int) -> Access:
    """Who is let in where the server is bound to this."""
    return Access(host, port, "" if is_loopback(host) else secrets.token_urlsafe(24))


def address_of(rules: Access) -> str:
    """What people open."""
    host = f"[{rules.host}]" if ":" in rules.host else rules.host
    token = f"?token={rules.token}" if rules.token else ""
    return f"http://{host}:{rules.port}/{token}"


class _Server(uvicorn.Server):
    """Says when people can come, and ends when it is asked to, without a word."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and say so."""
        await super().startup(sockets)
        self._ready()

    def capture_signals(self) -> Any:
        """Who began it looks after the signals."""
        return nullcontext()


def serve(explorer: Explorer, opened: socket.socket, rules: Access, ready: Callable[[str], None]) -> None:
    """Serve until an interrupt or a request to terminate; ``ready`` gets the address."""
    config = uvicorn.Config(
        make_app(explorer, rules),
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=LONGEST_HEADERS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        http="h11",
        ws="none",
        lifespan="on",
    )
    asyncio.run(_run(_Server(config, lambda: ready(address_of(rules))), opened))


async def _run(server: _Server, opened: socket.socket) -> None:
    loop = asyncio.get_running_loop()

    def end() -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError):  # on Windows, or in a thread: Ctrl-C is raised there instead
            loop.add_signal_handler(number, end)
    await server.serve(sockets=[opened])
