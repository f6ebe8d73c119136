"""Values from JSON that a run kept, perhaps one that was killed: each is what it should be, or a ValueError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from possilog.logic import Clause, parse_clause

__all__ = [
    "clauses",
    "counts",
    "listed",
    "mapped",
    "number",
    "number_or_none",
    "text",
    "text_or_none",
    "truth",
    "whole",
]


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


def text_or_none(kept: Any) -> str | None:
    """A text, if there is any."""
    return None if kept is None else text(kept)


def number(kept: Any) -> float:
    """A number, as it is."""
    if not isinstance(kept, int | float) or isinstance(kept, bool):
        raise ValueError("it is no number")
    return kept


def number_or_none(kept: Any) -> float | None:
    """A number, if there is any."""
    return None if kept is None else number(kept)


def truth(kept: Any) -> bool:
    """True or false."""
    if not isinstance(kept, bool):
        raise ValueError("it is neither true nor false")
    return kept


def whole(kept: Any) -> int:
    """A whole number, 0 or more."""
    if not isinstance(kept, int) or isinstance(kept, bool) or kept < 0:
        raise ValueError("it is no whole number")
    return kept


def counts(kept: Any) -> Mapping[str, int]:
    """Whole numbers by name."""
    if not isinstance(kept, dict):
        raise ValueError("it has no numbers by name")
    return {text(name): whole(value) for name, value in kept.items()}


def clauses(kept: Any) -> tuple[Clause, ...]:
    """Clauses, each as a text."""
    return tuple(parse_clause(text(each)) for each in listed(kept))
