"""What a column becomes, as its cells show it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from possilog.data.tables.cells import as_codes, as_date, as_number, date_orders, unless_missing
from possilog.data.tables.table import TableColumn
from possilog.errors import shortened
from possilog.logic import Becomes

__all__ = ["Look", "cleaned", "is_whole", "look_at"]

_MOSTLY = 0.95
"""Of the cells: then the column is numbers or dates, and the others are unknown."""
_FEW_ROWS = 10
_TOO_DISTINCT = 0.9
"""Values for each known cell, in more than a few rows: then they tell rows apart, and say nothing of them."""
_LONG, _MANY_WORDS = 40, 5
"""Letters and words of a value, on average: then it is text to be read."""
_NAMES_ROWS = re.compile(r"(?:.*[_\W])?(?:id|no|nr|num|number|key|code|uuid|guid|index|row)", re.IGNORECASE)
_PAIRS = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"1", "0"}, {"1.0", "0.0"})


@dataclass(frozen=True, slots=True)
class Look:
    """What a column may become, and why not more."""

    becomes: Becomes
    note: str = ""


def cleaned(column: TableColumn, missing: Sequence[str] | None) -> TableColumn:
    """The column without cells that say that nothing is known; where all are numbers, each in its one spelling."""
    known = column.rewritten(unless_missing(column.values, missing))
    return known.rewritten(as_codes(known.values))


def is_whole(column: TableColumn) -> bool:
    """Are all values whole numbers?"""
    return all(re.fullmatch(r"-?\d+", value, re.ASCII) for value in column.values)


def look_at(column: TableColumn) -> Look:
    """What a column that is cleaned becomes, if it is no key and refers to none."""
    values, known = column.values, column.known
    if not values:
        return Look(Becomes.LEFT_OUT, "every cell is empty")
    if len(values) == 1 and known == len(column.codes) > 1:
        return Look(Becomes.LEFT_OUT, f"every row has the same value, {shortened(values[0], 40)}")
    if _is_yes(values):
        return Look(Becomes.YES)
    share = _share(column, as_number)
    if share >= _MOSTLY:
        return _numbers(column, _others(column, as_number, "numbers"))
    orders = date_orders(values)
    fitting = [order for order in sorted(orders) if _share(column, partial(as_date, becomes=order)) >= _MOSTLY]
    if fitting:
        return _dates(column, fitting)
    if not orders:
        return Look(Becomes.LEFT_OUT, "some of its dates have the day first, others the month")
    return _words(column, share)


def _is_yes(values: Sequence[str]) -> bool:
    said = {value.casefold() for value in values}
    # A lone y, t or 1 may mean anything.
    return any(said <= pair for pair in _PAIRS) and (len(said) == 2 or len(next(iter(said))) > 1) and said != {"1.0"}


def _share(column: TableColumn, taken: Callable[[str], str | None]) -> float:
    """The share of cells that can be taken as something."""
    fits = np.array([taken(value) is not None for value in column.values])
    return float(column.counts[fits].sum() / column.known)


def _others(column: TableColumn, taken: Callable[[str], str | None], what: str) -> str:
    others = [number for number, value in enumerate(column.values) if taken(value) is None]
    if not others:
        return ""
    first = shortened(column.values[others[0]], 40)
    return f"{column.counts[others].sum():,} cells are no {what} and count as unknown, first {first!r}"


def _numbers(column: TableColumn, note: str) -> Look:
    if not note and is_whole(column) and _tells_rows_apart(column) and _NAMES_ROWS.fullmatch(column.name):
        return Look(Becomes.LEFT_OUT, _identifier(column))
    return Look(Becomes.NUMBER, note)


def _dates(column: TableColumn, orders: list[Becomes]) -> Look:
    if len(orders) > 1:
        advice = 'say becomes = "date_dmy" or "date_mdy" in a mapping'
        return Look(Becomes.LEFT_OUT, f"its dates may have the day first or the month: {advice}")
    order = orders[0]
    return Look(order, _others(column, partial(as_date, becomes=order), "dates"))


def _words(column: TableColumn, numbers: float) -> Look:
    letters = float(np.dot(column.counts, [len(value) for value in column.values]) / column.known)
    words = float(np.dot(column.counts, [len(value.split()) for value in column.values]) / column.known)
    if (letters > _LONG or words > _MANY_WORDS) and len(column.values) > column.known / 2:
        return Look(Becomes.LEFT_OUT, "text to be read: most of its values are long and different")
    if _tells_rows_apart(column):
        return Look(Becomes.LEFT_OUT, _identifier(column))
    mixed = f"numbers and words are mixed: {numbers:.0%} of the cells are numbers" if numbers > 1 - _MOSTLY else ""
    return Look(Becomes.VALUE, mixed)


def _tells_rows_apart(column: TableColumn) -> bool:
    return column.known >= _FEW_ROWS and len(column.values) >= _TOO_DISTINCT * column.known


def _identifier(column: TableColumn) -> str:
    return f"like an identifier: {len(column.values):,} of {column.known:,} values are different"
