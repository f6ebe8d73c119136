"""CSV files: each is a predicate named like the file, its columns are the arguments, its lines the facts.

Whether the first lines are headers is decided for all files of a reading at once, when everything else is known: they
are not, if a cell of one of them is a number or occurs in the facts. Where nothing shows that they are, it is remarked.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress

from possilog.data.reading.intake import Intake, Kind
from possilog.errors import RowError

__all__ = ["CsvTables", "looks_like_number"]

_OWN_NAME = re.compile(r"argument\d+_*")
_SAMPLE = 100
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def looks_like_number(cell: str) -> bool:
    """Is this a number, and so not the name of a column?"""
    return _NUMBER.fullmatch(cell) is not None


@dataclass(frozen=True, slots=True)
class _FirstLine:
    predicate: str
    cells: list[str]
    source: str
    line: int
    is_all: bool
    """Is there no other line in the file?"""
    heads_numbers: bool
    """Does it stand above a column of numbers?"""

    @property
    def is_surely_header(self) -> bool:
        """If it is a header at all, does something show it: numbers below, or names that our own writer gives?"""
        return self.heads_numbers or all(map(_OWN_NAME.fullmatch, self.cells))


@dataclass(slots=True)
class CsvTables:
    """Reads CSV files, and keeps their first lines until it can be told what they are."""

    header: bool | None
    _first_lines: list[_FirstLine] = field(default_factory=list)

    def read(self, text: str, predicate: str, source: str, intake: Intake) -> None:
        """Add the facts of all lines but the first."""
        rows, lines = _rows(text, source)
        if not rows:
            intake.remark_empty(source)
            return
        width = len(rows[0])
        for row, line in zip(rows, lines, strict=True):
            if len(row) != width:
                raise RowError(f"{source}:{line}: {len(row)} cells, but {width} in the first line; make them the same")
        numbers = _has_numbers(rows[1 : 1 + _SAMPLE])
        self._first_lines.append(_FirstLine(predicate, rows[0], source, lines[0], len(rows) == 1, numbers))
        if len(rows) > 1:
            _add(predicate, rows[1:], lines[1:], source, intake)

    def settle(self, intake: Intake) -> None:
        """Take the first lines as headers or as facts."""
        are_headers = self.header
        if are_headers is None:
            are_headers = not any(
                looks_like_number(cell) or intake.builder.knows(cell)
                for first in self._first_lines
                for cell in first.cells
            )
        for first in self._first_lines:
            if not are_headers:
                _add(first.predicate, [first.cells], [first.line], first.source, intake)
                continue
            if self.header is None and not first.is_surely_header:
                self._remark(first, intake)
            intake.builder.name_arguments(first.predicate, first.cells, source=first.source, line=first.line)
            if first.is_all:
                intake.remark_empty(first.source)

    def _remark(self, first: _FirstLine, intake: Intake) -> None:
        """A first line that may be a fact must not vanish unseen; one remark for all files is enough."""
        intake.remark(self._first_lines[0].source, Kind.HEADER, f"{', '.join(first.cells)!r} in {first.source}")


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    return any(all(map(looks_like_number, column)) for column in zip(*rows, strict=True))


def _rows(text: str, source: str) -> tuple[list[list[str]], Sequence[int]]:
    """The rows that are not blank, and on which line each of them ends."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise RowError(f"{source}:{reader.line_num}: {error}; is there a quote too many or too few?") from None
    return list(filter(None, rows)), list(compress(lines, rows))


def _add(predicate: str, rows: list[list[str]], lines: Sequence[int], source: str, intake: Intake) -> None:
    intake.add([predicate] * len(rows), list(zip(*rows, strict=True)), lines, source, missing="")
