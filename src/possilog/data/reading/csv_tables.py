"""CSV files: each is a predicate named like the file, its columns are the arguments, its lines the facts.

Whether a first line is a header is decided for each file by what stands below it. Where that shows nothing, it is taken
like most first lines of the reading, as a header if there is no majority; and that is remarked.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, islice

from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.sheets import Sheet
from possilog.data.reading.triples import is_header
from possilog.data.tables.cells import as_date, as_number, unless_missing
from possilog.errors import RowError, listed
from possilog.logic import Becomes
from possilog.logic.tokens import MAX_ARGUMENTS

__all__ = ["CsvTables", "looks_like_number"]

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAMPLE = 100
_LOOKED_AT = 1_000
_NUMBER = re.compile(r"\s*+[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?\s*+")  # possessive: a long cell takes one pass

_Columns = Sequence[Sequence[str]]


class _Dialect(csv.excel):
    skipinitialspace = True  # people write "ann, bob"
    strict = True


def looks_like_number(cell: str) -> bool:
    """Is this a number, and so not the name of a column?"""
    return _NUMBER.fullmatch(cell) is not None


@dataclass(frozen=True, slots=True)
class _File:
    """The rows of a file, of which the first may be a header or a fact."""

    predicate: str
    first: Sequence[str]
    columns: _Columns
    source: str
    lines: Sequence[int]
    is_header: bool | None
    """What the file shows, if anything."""
    is_clear: bool
    """Does it show it clearly?"""


@dataclass(slots=True)
class CsvTables:
    """Reads CSV files, and keeps their rows until it can be told what the first lines are."""

    header: bool | None
    _files: list[_File] = field(default_factory=list)

    def read(self, text: str, predicate: str, source: str, intake: Intake) -> None:
        """Take the rows of a file."""
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
        self._files.append(_File(predicate, rows[0], columns, source, lines, *_suggested(rows[0], columns)))

    def _agree(self) -> None:
        """A first line that has a name from another file's header is a header too, if nothing speaks against it."""
        known = {cell for file in self._files if file.is_header and file.is_clear for cell in file.first}
        self._files = [
            replace(file, is_header=True, is_clear=True)
            if file.is_header is None and not known.isdisjoint(file.first)
            else file
            for file in self._files
        ]

    def settle(self, intake: Intake) -> list[Sheet]:
        """Take the first lines as headers or as facts."""
        self._agree()
        suggested = [file.is_header for file in self._files if file.is_header is not None]
        usual = 2 * sum(suggested) >= len(suggested)
        unclear: dict[Kind, list[_File]] = {Kind.HEADER: [], Kind.NO_HEADER: []}
        sheets = []
        for file in self._files:
            guess = usual if file.is_header is None else file.is_header
            is_header = guess if self.header is None else self.header
            if self.header is None and not file.is_clear:
                unclear[Kind.HEADER if is_header else Kind.NO_HEADER].append(file)
            sheets.append(_sheet(file, is_header))
        # A first line must neither vanish nor become a fact unseen; one remark for all files is enough.
        for kind, files in unclear.items():
            if files:
                intake.remark(files[0].source, kind, f"{listed(files[0].first, 10)!r} in {files[0].source}", len(files))
        return sheets


def _sheet(file: _File, is_header: bool) -> Sheet:
    labels = tuple(file.first) if is_header else None
    return Sheet(
        file.predicate,
        file.source,
        labels,
        lambda intake: _add_facts(file, is_header, intake),
        lambda: file.columns,
        lines=file.lines[1:],
    )


def _add_facts(file: _File, is_header: bool, intake: Intake) -> None:
    columns, lines = file.columns, file.lines[1:]
    if lines:
        intake.add([file.predicate] * len(lines), columns, lines, file.source, missing="")
    if not is_header:
        columns = [[cell] for cell in file.first]
        intake.add([file.predicate], columns, file.lines[:1], file.source, missing="")
        return
    intake.builder.name_arguments(file.predicate, file.first, source=file.source, line=file.lines[0])
    if not lines:
        intake.remark_empty(file.source)


def _suggested(cells: Sequence[str], columns: _Columns) -> tuple[bool | None, bool]:
    """Does a first line look like a header, as far as its file tells, and is that clear?"""
    words = [not looks_like_number(cell) for cell in cells]
    heads_a_kind = any(map(_are_of_a_kind, compress(cells, words), compress(columns, words)))
    is_header = heads_a_kind or all(re.fullmatch(f"argument{n}_*", cell) for n, cell in enumerate(cells, start=1))
    is_fact = not all(words) or any(cell and cell in column for cell, column in zip(cells, columns, strict=True))
    if is_header != is_fact:
        return is_header, True
    named = set(filter(None, cells))
    occurs = not all(map(named.isdisjoint, columns))
    return (False if occurs and not is_header else None), False


def _are_of_a_kind(cell: str, column: Sequence[str]) -> bool:
    """Are all cells of a column numbers, dates, or yes and no, unlike the one above them?"""
    known = (value for value in unless_missing(column[:_LOOKED_AT]) if value is not None)
    sample = list(islice(known, _SAMPLE))
    kinds = (_is_number, _is_date, _is_word_of_truth)
    return sample != [] and any(not kind(cell) and all(map(kind, sample)) for kind in kinds)


def _is_number(cell: str) -> bool:
    return looks_like_number(cell) or any(as_number(cell, kind) for kind in (Becomes.NUMBER, Becomes.NUMBER_COMMA))


def _is_date(cell: str) -> bool:
    return as_date(cell, Becomes.DATE_DMY) is not None or as_date(cell, Becomes.DATE_MDY) is not None


def _is_word_of_truth(cell: str) -> bool:
    return cell.casefold() in ("yes", "no", "true", "false")


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
