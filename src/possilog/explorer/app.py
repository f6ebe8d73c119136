"""The application: the tables of operations and pages, made into routes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from possilog.errors import PossilogError, QueryError
from possilog.explorer.answering import HTML, JSON, REFUSED, Order, Reply, as_bytes, error_as_json
from possilog.explorer.deeds import DEEDS, Deed, Refused
from possilog.explorer.desk import OutOfPatience
from possilog.explorer.explorer import Explorer
from possilog.explorer.forms import form_fields, form_routes
from possilog.explorer.history import Conflicting
from possilog.explorer.openapi import describe
from possilog.explorer.operations import OPERATIONS, Described
from possilog.explorer.safety import Access, Safety
from possilog.explorer.wishes import decode, from_address

__all__ = ["make_app"]

MOST_FIELDS = 50_000
"""Of a form or an address."""

SHORT = 3_000
"""Letters of evidence that stand in an address; longer ones are kept by name."""

PAGES = {
    "/": "theory",
    "/rules": "rules",
    "/rules/{number}": "rule",
    "/suspects": "suspects",
    "/constants": "constants",
    "/constant": "constant",
    "/ask": "predict",
    "/why": "explain",
    "/what-if": "what_if",
    "/correct": "trial",
    "/difference": "difference",
}
"""The pages that show what an operation answers to the query of their address."""

OWN_PAGES = {"/history": "history", "/learn": "learning"}
"""The pages that show what the server does itself."""

CARRIED = ("evidence", "pasted", "file", "share", "seed", "inference")
"""What links from one question to the next have with them."""

STATIC = {
    "report.css": ("possilog.report.overview", "page.css", "text/css"),
    "explorer.css": ("possilog.explorer", "static/explorer.css", "text/css"),
    "explorer.js": ("possilog.explorer", "static/explorer.js", "text/javascript"),
    "icon.svg": ("possilog.explorer", "static/icon.svg", "image/svg+xml"),
}
"""Files that pages load: package, path and kind."""

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(explorer: Explorer, rules: Access) -> Any:
    """The application, with what stands before it."""
    operations = (*OPERATIONS.values(), *DEEDS.values())
    description = as_bytes(describe(operations, needs_token=bool(rules.token)))

    async def openapi(request: Request) -> Response:
        return Response(description, media_type=JSON)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        explorer.close()

    routes = [Route("/openapi.json", openapi), *(_static(name) for name in STATIC)]
    routes += [_api_route(explorer, path, list(some)) for path, some in _by_path(operations)]
    routes += [Route(path, _page(explorer, path, name), methods=["GET", "POST"]) for path, name in PAGES.items()]
    routes += [Route(path, _own_page(explorer, path, name)) for path, name in OWN_PAGES.items()]
    routes += form_routes(explorer)
    handlers: Any = {HTTPException: _missing(explorer), PossilogError: _wrong(explorer), Refused: _refused(explorer)}
    return Safety(Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan), rules)


# What is asked


def _by_path(every: Sequence[Described]) -> Iterable[tuple[str, Iterator[Described]]]:
    return groupby(sorted(every, key=lambda one: one.path), key=lambda one: one.path)


def _api_route(explorer: Explorer, path: str, operations: Sequence[Described]) -> Route:
    """One route for each path, so that other methods are refused as such."""
    by_method = {one.method: one for one in operations}

    async def endpoint(request: Request) -> Response:
        one = by_method["GET" if request.method == "HEAD" else request.method]
        asked = await _asked(request, one)
        if isinstance(one, Deed):
            said = await one.do(explorer, asked)
            return _text(said, explorer) if isinstance(said, str) else Response(as_bytes(said), media_type=JSON)
        return _sent(explorer, await explorer.answer(Order(one.name, asked)))

    return Route(f"/api{path}", endpoint, methods=list(by_method))


def _text(said: str, explorer: Explorer) -> Response:
    """A file to be kept."""
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(explorer.theory_file.name)}"}
    return Response(said.encode("utf-8", "backslashreplace"), media_type="text/plain; charset=utf-8", headers=headers)


async def _asked(request: Request, operation: Described) -> Any:
    """The wish of a request: from its address, or from its body."""
    if operation.method == "GET":
        return from_address(operation.asks, [*_query(request), *_in_path(request)])
    return decode(operation.asks, await _json(request))


async def _json(request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise HTTPException(415, f"the body is {JSON}; say so in its content-type")
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is no JSON") from None


def _query(request: Request) -> list[tuple[str, str]]:
    return _pairs(request.url.query)


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise QueryError(f"there are more than {MOST_FIELDS:,} fields; send fewer") from None
    return [(name, value) for name, value in pairs if name != "token"]


def _in_path(request: Request) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in request.path_params.items()]


# Pages


def _page(explorer: Explorer, path: str, name: str) -> Endpoint:
    operation = OPERATIONS[name]

    async def endpoint(request: Request) -> Response:
        if request.method == "POST":  # a form whose evidence may be too long for an address
            return _moved(request.url.path, _shortened(explorer, await form_fields(explorer, request)))
        pairs = _query(request)
        carried = tuple((name, value) for name, value in pairs if name in CARRIED and value)
        asked = from_address(operation.asks, [*_unpasted(explorer, pairs), *_in_path(request)])
        return _sent(explorer, await explorer.answer(Order(name, asked, explorer.frame(path, carried))))

    return endpoint


def _own_page(explorer: Explorer, path: str, name: str) -> Endpoint:
    """A page that shows what the server does itself."""
    deed = DEEDS[name]

    async def endpoint(request: Request) -> Response:
        said = await deed.do(explorer, from_address(deed.asks, _query(request)))
        view = {"said": said, "position": explorer.book.position}
        return Response(explorer.page(name, path, view), media_type=HTML)

    return endpoint


def _shortened(explorer: Explorer, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Long evidence is kept by a name, which stands in the address for it."""
    return [
        ("pasted", explorer.paste(value)) if name == "evidence" and len(value) > SHORT else (name, value)
        for name, value in pairs
        if value
    ]


def _unpasted(explorer: Explorer, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found = []
    for name, value in pairs:
        text = explorer.pasted(value) if name == "pasted" else value
        if text is None:
            raise QueryError("this evidence was pasted too long ago; paste it again")
        found.append(("evidence" if name == "pasted" else name, text))
    return found


def _moved(path: str, pairs: list[tuple[str, str]]) -> Response:
    return RedirectResponse(f"{path}?{urlencode(pairs)}" if pairs else path, 303)


# What is answered


def _sent(explorer: Explorer, reply: Reply) -> Response:
    body = explorer.filled(reply.body) if reply.kind == HTML else reply.body
    return Response(body, reply.status, media_type=reply.kind)


def _wants_page(request: Request) -> bool:
    return not request.url.path.startswith(("/api", "/openapi"))


def _failure(explorer: Explorer, request: Request, status: int, said: dict[str, Any]) -> Response:
    if _wants_page(request):
        return Response(explorer.page("error", request.url.path, said), status, media_type=HTML)
    return Response(as_bytes(said), status, media_type=JSON)


def _missing(explorer: Explorer) -> Any:
    async def handler(request: Request, error: HTTPException) -> Response:
        said = {
            404: "there is nothing at this address; /openapi.json lists what there is",
            405: "this address is not asked in this way; /openapi.json says how",
        }
        found = {"error": said.get(error.status_code, error.detail)}
        return _failure(explorer, request, error.status_code, found)

    return handler


def _wrong(explorer: Explorer) -> Any:
    async def handler(request: Request, error: PossilogError) -> Response:
        status = 503 if isinstance(error, OutOfPatience) else 409 if isinstance(error, Conflicting) else REFUSED
        return _failure(explorer, request, status, error_as_json(error))

    return handler


def _refused(explorer: Explorer) -> Any:
    async def handler(request: Request, error: Refused) -> Response:
        if _wants_page(request):
            return _failure(explorer, request, error.reply.status, json.loads(error.reply.body))
        return _sent(explorer, error.reply)

    return handler


def _static(name: str) -> Route:
    package, file, kind = STATIC[name]
    body = files(package).joinpath(*file.split("/")).read_bytes()

    async def endpoint(request: Request) -> Response:
        return Response(body, media_type=kind)

    return Route(f"/static/{name}", endpoint)
