"""In the processes that answer: an order comes, and goes back as JSON or as a page."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from possilog.errors import DataWarning, LanguageError, PossilogError
from possilog.explorer.exploration import Exploration, Sources
from possilog.explorer.operations import OPERATIONS
from possilog.explorer.pages import Frame, draw
from possilog.explorer.position import Position

__all__ = ["Order", "Reply", "as_bytes", "error_as_json", "prepare"]

JSON = "application/json"
HTML = "text/html; charset=utf-8"
REFUSED = 422
"""The status of what cannot be done as it was asked for."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done, and how the answer is to look."""

    operation: str
    asked: Any
    frame: Frame | None = None
    """For a page; without it, the answer is JSON."""
    position: Position | None = None
    """Where the exploration stands, if the process does not know."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, ready to be sent."""

    status: int
    kind: str
    body: bytes
    value: Any = None
    """For the server itself: what it has to go on with."""


def prepare(sources: Sources) -> Callable[[Order], Reply]:
    """What answers orders, about these sources."""
    return partial(_answer, Exploration(sources))


def _answer(here: Exploration, order: Order) -> Reply:
    if order.position is not None:
        here.move(order.position)
    operation = OPERATIONS[order.operation]
    with warnings.catch_warnings(record=True) as remarked:
        warnings.simplefilter("always")
        try:
            here.notice(getattr(order.asked, "file", ""))
            view = operation.answer(here, order.asked)
            remarks = tuple(str(one.message) for one in remarked if isinstance(one.message, DataWarning))
            if order.frame is not None:
                return Reply(200, HTML, draw(operation.page, order.frame, view, here, remarks))
            said = view.as_json
            value = getattr(view, "value", None) if order.operation == "trial" and order.asked.only_theory else None
            return Reply(200, JSON, as_bytes(said | ({"warnings": list(remarks)} if remarks else {})), value)
        except (PossilogError, RecursionError, MemoryError) as error:
            if order.frame is not None:
                return Reply(REFUSED, HTML, draw("error", order.frame, error_as_json(error), here))
            return Reply(REFUSED, JSON, as_bytes(error_as_json(error)))


def error_as_json(error: BaseException) -> dict[str, Any]:
    """An error in one sentence, and where it is, if it is in a text."""
    if isinstance(error, LanguageError):
        place = {"line": error.line, "column": error.column, "found": error.found, "expected": error.expected}
        return {"error": str(error), **place}
    if isinstance(error, MemoryError):
        return {"error": "there is not enough memory for this; ask for less"}
    if isinstance(error, RecursionError):
        return {"error": "something that was given is nested too deeply; write it with fewer parentheses"}
    return {"error": str(error)}


def as_bytes(said: Any) -> bytes:
    """JSON; halves of characters, which JSON's readers may refuse, are spelled out."""
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace")
