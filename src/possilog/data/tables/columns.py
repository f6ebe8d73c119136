"""What a column becomes, as its cells show it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from possilog.data.tables.cells import (
    are_yes_or_no,
    as_codes,
    as_date,
    as_number,
    date_orders,
    is_grouped,
    sign_of,
    unless_missing,
)
from possilog.data.tables.table import TableColumn
from possilog.errors import shortened
from possilog.logic import Becomes

__all__ = ["Look", "cleaned", "holds_keys", "is_whole", "look_at"]

_MOSTLY = 0.95
"""Of the cells: then the column is numbers or dates, and the others are unknown."""
_FEW_ROWS = 10
_TOO_DISTINCT = 0.9
"""Values for each known cell, in more than a few rows: then they tell rows apart, and say nothing of them."""
_LONG, _MANY_WORDS = 40, 5
"""Letters and words of a value, on average: then it is text to be read."""
_WHOLE = re.compile(r"-?\d{1,40}", re.ASCII)
_NAMES_ROWS = re.compile(r"(?:.*[_\W])?(?:id|no|nr|num|number|key|code|uuid|guid|index|row)", re.IGNORECASE)

_REFERS = re.compile(r"(?:.*[_\W])?(?:id|key|ref|fk|uuid|guid)(?:[_\W].*)?|.*[a-z](?:I[dD]|Ref)")


@dataclass(frozen=True, slots=True)
class Look:
    """What a column may become, and why not more."""

    becomes: Becomes
    note: str = ""


def cleaned(column: TableColumn, missing: Sequence[str] | None) -> TableColumn:
    """The column without cells that say that nothing is known; where all are numbers, each in its one spelling."""
    known = column.rewritten(unless_missing(column.values, missing))
    return known.rewritten(as_codes(known.values))


def holds_keys(name: str) -> bool:
    """Is it the name of a column that can hold nothing but keys, such as order_id?"""
    return _REFERS.fullmatch(name) is not None


def is_whole(column: TableColumn) -> bool:
    """Are all values whole numbers?"""
    return all(map(_WHOLE.fullmatch, column.values))


def look_at(column: TableColumn) -> Look:
    """What a column that is cleaned becomes, if it is no key and refers to none."""
    column = replace(column, values=tuple(column.values))  # they are gone through many times
    values, known = column.values, column.known
    if not values:
        return Look(Becomes.LEFT_OUT, "every cell is empty")
    if len(values) == 1 and known == len(column.codes) > 1:
        return Look(Becomes.LEFT_OUT, f"every row has the same value, {shortened(values[0], 40)}")
    if are_yes_or_no(values):
        return Look(Becomes.YES)
    kinds = (Becomes.NUMBER, Becomes.NUMBER_COMMA)
    share, kind = max(
        ((_share(column, partial(as_number, becomes=kind)), kind) for kind in kinds), key=lambda one: one[0]
    )
    if share >= _MOSTLY and len(set(map(sign_of, values))) == 1:
        return _numbers(column, kind)
    orders = date_orders(values)
    fitting = [order for order in sorted(orders) if _share(column, partial(as_date, becomes=order)) >= _MOSTLY]
    if fitting:
        return _dates(column, fitting)
    if not orders:
        return Look(Becomes.LEFT_OUT, "some of its dates have the day first, others the month")
    return _words(column, share)


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


def _numbers(column: TableColumn, kind: Becomes) -> Look:
    note = _others(column, partial(as_number, becomes=kind), "numbers")
    if not note and is_whole(column) and _tells_rows_apart(column) and _NAMES_ROWS.fullmatch(column.name):
        return Look(Becomes.LEFT_OUT, _identifier(column))
    if not note and is_whole(column) and holds_keys(column.name):
        return Look(Becomes.VALUE, "its numbers name things")
    grouped = [value for value in column.values if is_grouped(value)] if kind is Becomes.NUMBER else []
    if grouped and not any("." in value for value in column.values):
        said = f"{grouped[0]} is read as {as_number(grouped[0])}"
        note = f'{said}; write becomes = "number_comma" if the comma marks decimals' + (f"; {note}" if note else "")
    return Look(kind, note)


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
