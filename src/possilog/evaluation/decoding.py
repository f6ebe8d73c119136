"""Values from JSON that a killed run left: each is what it should be, or a ValueError."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["amount", "amount_or_none", "counts", "text", "text_or_none", "whole"]


def text(value: object) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a string")
    return value


def text_or_none(value: object) -> str | None:
    """A string, if there is any."""
    return None if value is None else text(value)


def whole(value: object) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a whole number")
    return value


def amount(value: object) -> float:
    """Any number, as it is.

    >>> amount(3), amount(0.5)
    (3, 0.5)
    """
    return value if isinstance(value, float) else whole(value)


def amount_or_none(value: object) -> float | None:
    """Any number, if there is one."""
    return None if value is None else amount(value)


def counts(value: object) -> Mapping[str, int]:
    """Whole numbers by name."""
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} does not hold numbers by name")
    return {text(name): whole(number) for name, number in value.items()}
