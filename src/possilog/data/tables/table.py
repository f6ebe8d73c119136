"""A table: columns with names, and what its source declares of keys.

A column keeps each of its values once, and a number for every row, so that looking at a column means to look at its
distinct values. Whatever can give columns this way (a file, a frame, a database) can be read as tables.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from possilog.errors import DataError

__all__ = ["UNKNOWN", "Codes", "ForeignKey", "RawTable", "TableColumn", "coded"]

Codes = npt.NDArray[np.int32]
"""For each row the number of its value."""

UNKNOWN = -1
"""The number of no value."""


@dataclass(frozen=True, eq=False)
class TableColumn:
    """The values of a column, each once, in the order in which they come; and the number of each row's value."""

    name: str
    values: tuple[str, ...]
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
        if tuple(values) == self.values:
            return self  # most columns are: no second copy of a million names
        numbers: dict[str, int] = {}
        codes = [UNKNOWN if value is None else numbers.setdefault(value, len(numbers)) for value in values]
        return TableColumn(self.name, tuple(numbers), np.array([*codes, UNKNOWN], dtype=np.int32)[self.codes])

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
    numbers: list[dict[str | None, int]] = [{None: UNKNOWN} for _ in names]
    codes = [array("i") for _ in names]
    for batch in batches:
        for known, column, cells in zip(numbers, codes, batch, strict=True):
            column.extend(known.setdefault(cell, len(known) - 1) for cell in cells)
    columns = []
    for name, column in zip(names, codes, strict=True):
        known = numbers.pop(0)  # so that only one of them is there twice
        del known[None]
        integers = np.frombuffer(column, dtype=np.int32) if column else np.empty(0, np.int32)
        columns.append(TableColumn(name, tuple(known), integers))  # type: ignore[arg-type]  # None is not there
    return columns


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
