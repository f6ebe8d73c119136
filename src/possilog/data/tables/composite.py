"""Keys of several columns: an order and a line of it, a station and a day."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct
from possilog.data.tables.columns import is_whole, look_at
from possilog.data.tables.keys import names_things
from possilog.data.tables.table import RawTable, TableColumn
from possilog.logic import Becomes

__all__ = ["find_composite"]

_FRONT = 5
"""Keys stand before what is said of them: only so many columns are looked at."""
_MOST = 4
"""Columns of a key."""
_BY_CHANCE, _CLEARLY = 5.0, 20.0
"""Pairs of rows that would be alike if columns had nothing to do with each other: then it is no chance that none is.
The second, where a column neither names things nor counts."""
_MOSTLY = 0.9
"""Of the things, the share whose lines are counted from 0 or 1 without a gap."""
_SHORT = 10
"""Digits of a number that counts."""
_COUNTS = re.compile(
    r"(?:.*[_\W])?(?:line|item|seq|sequence|pos|position|row|index|part|step|visit|day|week|month|quarter|year|hour|"
    r"zeile|besuch|tag|woche|monat|quartal|jahr|stunde|ligne|visite|jour|semaine|mois|trimestre|année|heure)"
    r"(?:[_\W]?(?:no|nr|num|number|id))?",
    re.IGNORECASE,
)


def find_composite(table: RawTable, references: Collection[str]) -> tuple[str, ...]:
    """The first columns of a table that tell its rows apart together; none where that may be chance.

    ``references`` are the columns that refer to other tables. A key has a column that names things, and all others
    name things, too, or count what belongs to one of them: lines of an order, days of a station. Beside those, one
    may be a code that occurs again and again: the flight of a carrier and a day.

    >>> cells = {"order": [f"o{n // 4}" for n in range(40)], "line": [str(n % 4) for n in range(40)], "sum": ["7"] * 40}
    >>> lines = RawTable("lines", tuple(TableColumn.of(name, each) for name, each in cells.items()), 40)
    >>> find_composite(lines, ["order"]), find_composite(lines, [])
    (('order', 'line'), ('order', 'line'))
    """
    whole = [column for column in table.columns[:_FRONT] if column.known == table.rows]
    things = [column for column in whole if column.name in references or names_things(column.name)]
    if whole and whole[0] not in things and whole[0] is table.columns[0] and _is_name(whole[0]):
        things.insert(0, whole[0])  # a name that no other table describes
    for size in range(2, min(_MOST, len(table.columns) - 1) + 1):
        for parts in combinations(whole, size):
            named = [part for part in parts if part in things]
            others = [part for part in parts if part not in things]
            sure = any(part.name in references or names_things(part.name) for part in named)
            if named and (sure or others) and _tell_apart(parts) and _belong(others, named, parts):
                return tuple(part.name for part in parts)
    return ()


def _belong(others: Sequence[TableColumn], named: Sequence[TableColumn], parts: Sequence[TableColumn]) -> bool:
    """Do columns count what belongs to things, but for one code where something counts?"""
    codes = [part for part in others if not _counts(part, named)]
    if not codes:
        return True
    few = len(codes) == 1 and len(others) > 1 and 2 * len(codes[0].values) <= len(codes[0].codes)
    return few and (is_whole(codes[0]) or _is_name(codes[0])) and _tell_apart(parts, _CLEARLY)


def _is_name(column: TableColumn) -> bool:
    return look_at(column).becomes is Becomes.VALUE


def _tell_apart(parts: Sequence[TableColumn], by_chance: float = _BY_CHANCE) -> bool:
    """Are all rows different in these columns, and would some be alike if that were chance?"""
    rows = len(parts[0].codes)
    possible = prod(len(part.values) for part in parts)
    if not 0 < rows <= possible or rows * (rows - 1) / 2 < by_chance * possible:
        return False
    return len(distinct(_together(parts))) == rows


def _together(parts: Sequence[TableColumn]) -> npt.NDArray[np.int64]:
    """A number for each row that is the same where all values are."""
    numbers = parts[0].codes.astype(np.int64)
    for part in parts[1:]:
        _, numbers = np.unique(numbers * len(part.values) + part.codes, return_inverse=True)
    return numbers


def _counts(column: TableColumn, things: Sequence[TableColumn]) -> bool:
    """Does a column count what belongs to a thing: by dates, by its name, or as 1, 2, 3, …?"""
    if look_at(column).becomes.is_date:
        return True
    if not is_whole(column) or not all(len(value) < _SHORT for value in column.values):
        return False
    if _COUNTS.fullmatch(column.name):
        return True
    numbers = np.array([int(value) for value in column.values])[column.codes]
    _, groups = np.unique(_together(things), return_inverse=True)
    sizes = np.bincount(groups)
    low, high = np.full(len(sizes), numbers.max()), np.full(len(sizes), numbers.min())
    np.minimum.at(low, groups, numbers)
    np.maximum.at(high, groups, numbers)
    return bool((((low == 0) | (low == 1)) & (high - low + 1 == sizes)).mean() >= _MOSTLY)
