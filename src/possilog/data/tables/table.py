"""A table: columns with names, and what its source declares of keys.

A column keeps each of its values once, and a number for every row, so that looking at a column means to look at its
distinct values. Whatever can give columns this way (a file, a frame, a database) can be read as tables.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import eq

import numpy as np
import numpy.typing as npt

from possilog.data.texts import MANY, Texts, compact
from possilog.errors import DataError

__all__ = ["UNKNOWN", "Codes", "Coding", "ForeignKey", "RawTable", "TableColumn", "coded"]

Codes = npt.NDArray[np.int32]
"""For each row the number of its value."""

UNKNOWN = -1
"""The number of no value."""

_SOME = 10_000
"""Cells that are looked at together."""


@dataclass(frozen=True, eq=False)
class TableColumn:
    """The values of a column, each once, in the order in which they come; and the number of each row's value."""

    name: str
    values: Sequence[str]
    codes: Codes
    numbers: Codes | None = None
    """What a builder calls the values, if it has listed them."""

    @classmethod
    def of(cls, name: str, cells: Iterable[str | None]) -> TableColumn:
        """A column of text; None is no value.

        >>> TableColumn.of("city", ["Porto", None, "Lyon", "Porto"]).codes.tolist()
        [0, -1, 1, 0]
        """
        return coded([name], [[cells]])[0]

    def rewritten(self, values: Sequence[str | None]) -> TableColumn:
        """The same with other values, of which some may be equal now, or none."""
        if all(map(eq, values, self.values)):
            return self  # most columns are: no second copy of a million names
        coding = Coding()
        coding.add(values)
        said, codes = coding.done()
        return TableColumn(self.name, said, np.append(codes, np.int32(UNKNOWN))[self.codes])

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each value occurs."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @property
    def known(self) -> int:
        """How many rows have a value."""
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def is_unique(self) -> bool:
        """Has every row a value, and no two rows the same?"""
        return 0 < len(self.values) == len(self.codes) == self.known

    def first_row(self, value: int) -> int:
        """The first row that has the value of a number; rows are counted from 0."""
        return int(np.argmax(self.codes == value))


def coded(names: Sequence[str], batches: Iterable[Sequence[Iterable[str | None]]]) -> list[TableColumn]:
    """Columns of text, of which some rows come at a time: each value is kept once, whatever number of rows has it.

    >>> [column.values for column in coded(["one", "other"], [["ab", "xx"], ["ba", "xy"]])]
    [('a', 'b'), ('x', 'y')]
    """
    columns = [Coding() for _ in names]
    for batch in batches:
        for column, cells in zip(columns, batch, strict=True):
            column.add(cells)
    return [TableColumn(name, *columns.pop(0).done()) for name in names]


class Coding:
    """The values of a column, each once, and the number of each row's value, while rows come.

    To know a million values again takes 150 MB. So, when a column turns out to have many, its further cells wait in
    little room, and are looked up when no other column's are.
    """

    def __init__(self) -> None:
        """Begin without rows."""
        self._numbers: dict[str | None, int] = {None: UNKNOWN}
        self._codes = array("i")
        self._waiting = Texts()
        self._empty: set[int] = set()
        """Of those that wait, which have no value."""

    def add(self, cells: Iterable[str | None]) -> None:
        """Add the cells of further rows."""
        left = iter(cells)
        while some := list(islice(left, _SOME)):
            if len(self._numbers) <= MANY:
                self._codes.extend(self._coded(some))
                continue
            if None in some:
                first = len(self._waiting)
                self._empty.update(first + place for place, cell in enumerate(some) if cell is None)
            self._waiting.extend(cell or "" for cell in some)

    def _coded(self, cells: Iterable[str | None]) -> Iterator[int]:
        known = self._numbers
        return (known.setdefault(cell, len(known) - 1) for cell in cells)

    def done(self) -> tuple[Sequence[str], Codes]:
        """The values and the numbers; after this nothing can be added."""
        place = 0
        for some in self._waiting.taken():
            cells = (None if number in self._empty else cell for number, cell in enumerate(some, start=place))
            self._codes.extend(self._coded(cells if self._empty else some))
            place += len(some)
        del self._numbers[None]
        values = compact(tuple(self._numbers))  # type: ignore[arg-type]  # None is not there
        self._numbers.clear()
        return values, np.frombuffer(self._codes, dtype=np.int32) if self._codes else np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that are declared to hold keys of a table."""

    columns: tuple[str, ...]
    table: str


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """A named table."""

    name: str
    columns: tuple[TableColumn, ...]
    rows: int
    source: str = ""
    key: tuple[str, ...] = ()
    """As it is declared."""
    foreign_keys: tuple[ForeignKey, ...] = ()
    """Likewise."""
    lines: Sequence[int] = ()
    """Where each row stands in the source, if not at its number."""

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for column in self.columns:
            if column.name in seen:
                where = self.source or f"the table {self.name}"
                raise DataError(f"{where}: two columns are called {column.name!r}; give them different names")
            seen.add(column.name)

    def column(self, name: str) -> TableColumn | None:
        """The column of a name."""
        return next((column for column in self.columns if column.name == name), None)

    def place(self, row: int) -> str:
        """Where a row stands; rows are counted from 0."""
        return f"line {self.lines[row]}" if len(self.lines) else f"row {row + 1}"
