"""CSV files: each is a predicate named like the file, its columns are the arguments, its lines the facts.

Whether a first line is a header is decided for each file by what stands below it. Where that shows nothing, it is taken
like most first lines of the reading, as a header if there is no majority; and that is remarked.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress, islice

from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.triples import is_header
from possilog.errors import RowError, listed
from possilog.logic.tokens import MAX_ARGUMENTS

__all__ = ["CsvTables", "looks_like_number"]

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAMPLE = 100
_NUMBER = re.compile(r"\s*+[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?\s*+")  # possessive: a long cell takes one pass

_Columns = Sequence[Sequence[str]]


class _Dialect(csv.excel):
    skipinitialspace = True  # people write "ann, bob"
    strict = True


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
    is_header: bool | None
    """What the file itself suggests, if anything."""
    is_clear: bool
    """Does it show it clearly?"""


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
        if width > MAX_ARGUMENTS:
            raise RowError(f"{source}:{lines[0]}: {width} cells; a fact has at most {MAX_ARGUMENTS} arguments")
        for row, line in zip(rows, lines, strict=True):
            if len(row) != width:
                raise RowError(f"{source}:{line}: {len(row)} cells, but {width} in the first line; make them the same")
        columns = list(zip(*rows[1:], strict=True)) or [()] * width
        if (places := is_header(rows[0])) is not None and self.header is not False and len(rows) > 1:
            head, relation, tail = (columns[place] for place in places)
            intake.add(relation, [head, tail], lines[1:], source, missing="")
            return
        suggested = _suggested(rows[0], columns)
        self._first_lines.append(_FirstLine(predicate, rows[0], source, lines[0], len(rows) == 1, *suggested))
        if len(rows) > 1:
            intake.add([predicate] * (len(rows) - 1), columns, lines[1:], source, missing="")

    def settle(self, intake: Intake) -> None:
        """Take the first lines as headers or as facts."""
        suggested = [first.is_header for first in self._first_lines if first.is_header is not None]
        usual = 2 * sum(suggested) >= len(suggested)
        unclear: dict[Kind, list[_FirstLine]] = {Kind.HEADER: [], Kind.NO_HEADER: []}
        for first in self._first_lines:
            guess = usual if first.is_header is None else first.is_header
            is_header = guess if self.header is None else self.header
            if self.header is None and not first.is_clear:
                unclear[Kind.HEADER if is_header else Kind.NO_HEADER].append(first)
            _take(first, is_header, intake)
        # A first line must neither vanish nor become a fact unseen; one remark for all files is enough.
        for kind, lines in unclear.items():
            if lines:
                intake.remark(lines[0].source, kind, f"{listed(lines[0].cells, 10)!r} in {lines[0].source}", len(lines))


def _take(first: _FirstLine, is_header: bool, intake: Intake) -> None:
    if not is_header:
        columns = [[cell] for cell in first.cells]
        intake.add([first.predicate], columns, [first.line], first.source, missing="")
        return
    intake.builder.name_arguments(first.predicate, first.cells, source=first.source, line=first.line)
    if first.is_all:
        intake.remark_empty(first.source)


def _suggested(cells: Sequence[str], columns: _Columns) -> tuple[bool | None, bool]:
    """Does a first line look like a header, as far as its file tells, and is that clear?"""
    words = [not looks_like_number(cell) for cell in cells]
    heads_numbers = any(map(_are_numbers, compress(columns, words)))
    is_header = heads_numbers or all(re.fullmatch(f"argument{n}_*", cell) for n, cell in enumerate(cells, start=1))
    is_fact = not all(words) or any(cell and cell in column for cell, column in zip(cells, columns, strict=True))
    if is_header != is_fact:
        return is_header, True
    named = set(filter(None, cells))
    occurs = not all(map(named.isdisjoint, columns))
    return (False if occurs and not is_header else None), False


def _are_numbers(column: Sequence[str]) -> bool:
    sample = list(islice(filter(None, column), _SAMPLE))
    return sample != [] and all(map(looks_like_number, sample))


def _rows(text: str, source: str) -> tuple[list[list[str]], Sequence[int]]:
    """The rows that are not blank, and on which line each of them ends."""
    reader = csv.reader(io.StringIO(text, newline=""), _Dialect, delimiter=_separator(text, source))
    rows, lines = [], []
    try:
        for row in reader:
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise RowError(f"{source}:{reader.line_num}: {error}; is there a quote too many or too few?") from None
    return list(filter(None, rows)), list(compress(lines, rows))


def _separator(text: str, source: str) -> str:
    """What stands between cells: that which cuts all lines of a sample into the same number of them, at least two."""
    fitting = [mark for mark in _SEPARATORS if mark in text and _fits(mark, text)]
    if len(fitting) > 1:
        marks = " or ".join(_SEPARATORS[mark] for mark in fitting)
        raise RowError(f"{source}:1: {marks} may stand between the cells; put quotes around cells that hold the others")
    return fitting[0] if fitting else ","


def _fits(separator: str, text: str) -> bool:
    try:
        reader = csv.reader(io.StringIO(text, newline=""), _Dialect, delimiter=separator)
        widths = {len(row) for row in islice(reader, _SAMPLE) if row}
    except csv.Error:
        return False
    return len(widths) == 1 and widths != {1}
