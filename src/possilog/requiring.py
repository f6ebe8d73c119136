"""What people give: it is what it should be, or a sentence says what it is and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from numbers import Integral, Real
from types import UnionType
from typing import get_args

from possilog.errors import QueryError, shortened

__all__ = [
    "require_a",
    "require_choice",
    "require_kind",
    "require_list",
    "require_number",
    "require_single",
    "require_whole",
    "whole_in",
]


def require_whole(name: str, value: object, least: int = 0, otherwise: str = "") -> int:
    """A whole number, at least so large.

    >>> require_whole("width", 0, 1)
    Traceback (most recent call last):
    possilog.errors.QueryError: width is 0; give a whole number, 1 or more
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise QueryError(f"{name} is {shortened(repr(value))}; give a whole number, {least} or more{otherwise}")
    return int(value)


def whole_in(text: str) -> int | None:
    """The whole number that a text is, in at most 18 digits: longer ones count nothing.

    >>> whole_in("12"), whole_in("-1"), whole_in("1e3"), whole_in("9" * 5_000)
    (12, None, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= 18 else None


def require_number(name: str, value: object, otherwise: str = "") -> None:
    """Refuse what is no number.

    >>> require_number("smoothing", "much")
    Traceback (most recent call last):
    possilog.errors.QueryError: smoothing is 'much'; give a number
    """
    if not isinstance(value, Real) or isinstance(value, bool) or isnan(value):
        raise QueryError(f"{name} is {shortened(repr(value))}; give a number{otherwise}")


def require_kind(name: str, value: object, kind: type) -> None:
    """Refuse what is of another kind, and not None.

    >>> require_kind("the settings", 3, dict)
    Traceback (most recent call last):
    possilog.errors.QueryError: the settings are 3; give dict, or nothing
    """
    if value is not None and not isinstance(value, kind):
        raise QueryError(f"{name} are {shortened(repr(value))}; give {kind.__name__}, or nothing")


def require_a(name: str, value: object, kind: type, remedy: str = "") -> None:
    """Refuse what is of another kind.

    >>> require_a("query", 3, str, 'write "bird(X)"')
    Traceback (most recent call last):
    possilog.errors.QueryError: query is 3; give str; write "bird(X)"
    """
    if not isinstance(value, kind):
        also = f"; {remedy}" if remedy else ""
        raise QueryError(f"{name} is {shortened(repr(value))}; give {kind.__name__}{also}")


def require_single(**given: object) -> None:
    """Refuse what is many things where one is chosen, before it is compared: a frame or an array compares cell by cell.

    >>> require_single(preset="yeast", width=3, body=[1, 2])
    Traceback (most recent call last):
    possilog.errors.QueryError: body is [1, 2]; give one word, number or truth value
    """
    for name, value in given.items():
        if isinstance(value, Iterable) and not isinstance(value, str):
            raise QueryError(f"{name} is {shortened(repr(value))}; give one word, number or truth value")


def require_choice(name: str, value: object, choices: Iterable[str], otherwise: str = "") -> None:
    """Refuse what is none of some words.

    >>> require_choice("hard", "much", ["all", "none"])
    Traceback (most recent call last):
    possilog.errors.QueryError: hard is 'much', and it can be one of: all, none
    """
    words = list(choices)
    if not isinstance(value, str) or value not in words:
        said = f"{name} is {shortened(repr(value))}, and it can be one of: {', '.join(words)}"
        raise QueryError(said + otherwise)


def require_list(name: str, value: object, kind: type | UnionType, remedy: str) -> None:
    """Refuse what is no list of things of one kind.

    >>> require_list("the names", "ann", str, "write [\\"ann\\"]")
    Traceback (most recent call last):
    possilog.errors.QueryError: the names are a list of str, and not 'ann'; write ["ann"]
    """
    if not isinstance(value, list | tuple) or not all(isinstance(item, kind) for item in value):
        kinds = " or ".join(one.__name__ for one in get_args(kind) or (kind,))
        raise QueryError(f"{name} are a list of {kinds}, and not {shortened(repr(value))}; {remedy}")
