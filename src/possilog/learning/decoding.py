"""What a work folder holds, looked at closely: ValueError where it is not what the learner wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from possilog.logic import Clause, parse_clause

__all__ = ["clauses", "listed", "mapped", "number", "text", "whole"]


def listed(kept: Any) -> list[Any]:
    """A list."""
    if not isinstance(kept, list):
        raise ValueError("it is no list")
    return kept


def mapped(kept: Any, *names: str) -> Mapping[str, Any]:
    """An object with just these names."""
    if not isinstance(kept, dict) or set(kept) != set(names):
        raise ValueError("it has other names")
    return kept


def text(kept: Any) -> str:
    """A text."""
    if not isinstance(kept, str):
        raise ValueError("it is no text")
    return kept


def number(kept: Any) -> float:
    """A number."""
    if not isinstance(kept, int | float) or isinstance(kept, bool):
        raise ValueError("it is no number")
    return kept


def whole(kept: Any) -> int:
    """A whole number, 0 or more."""
    if not isinstance(kept, int) or isinstance(kept, bool) or kept < 0:
        raise ValueError("it is no whole number")
    return kept


def clauses(kept: Any) -> tuple[Clause, ...]:
    """Clauses, each as a text."""
    return tuple(parse_clause(text(each)) for each in listed(kept))
