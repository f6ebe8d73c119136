"""From the values of tables and frames to the text of constants."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

__all__ = ["text_of", "texts"]


def texts(column: Sequence[object]) -> Sequence[str | None]:
    """The constants of a column, with None where there is no value."""
    if set(map(type, column)) <= {str}:
        return column  # type: ignore[return-value]  # just checked, and most columns are like this
    return [text_of(value) for value in column]


def text_of(value: object) -> str | None:
    """The constant that a value stands for; None for NULL and its like; TypeError for what is no single value.

    >>> print(text_of(7), text_of(0.5), text_of(True), text_of(date(2026, 11, 15)), text_of(float("nan")))
    7 0.5 true 2026-11-15 None
    """
    if isinstance(value, str):
        return str(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas need not be there to know its own
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal | UUID | timedelta):
        return str(value)
    if isinstance(value, float):
        return None if value != value else repr(float(value))
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "dtype") and hasattr(value, "item") and not getattr(value, "shape", ()):
        return text_of(value.item())  # a number of numpy
    raise TypeError(f"a value of type {type(value).__name__} is no constant")
