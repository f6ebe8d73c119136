"""CSV files: each is a predicate named like the file, its columns are the arguments, its lines the facts.

Whether a first line is a header is decided for each file by what stands below it. Where that shows nothing, it is taken
like most first lines of the reading, as a header if there is no majority; and that is remarked.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, islice

from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.sheets import Sheet
from possilog.data.reading.triples import is_header
from possilog.data.tables import TableColumn, coded
from possilog.data.tables.cells import as_date, as_number, unless_missing
from possilog.errors import RowError, listed
from possilog.logic import Becomes
from possilog.logic.tokens import MAX_ARGUMENTS

__all__ = ["CsvTables", "looks_like_number"]

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SAMPLE = 100
_LOOKED_AT = 1_000
_BATCH = 20_000
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|[\r\n])|[^\r\n]++")
_NUMBER = re.compile(r"\s*+[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?\s*+")  # possessive: a long cell takes one pass


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
    columns: Sequence[TableColumn]
    """Of the rows after the first."""
    source: str
    lines: array[int]
    is_header: bool | None
    """What the file shows, if anything."""
    is_clear: bool
    """Does it show it clearly?"""


@dataclass(slots=True)
class CsvTables:
    """Reads CSV files, and keeps their rows until it can be told what the first lines are."""

    header: bool | None
    headings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What the columns of a table are called, where a mapping says so."""
    _files: list[_File] = field(default_factory=list)

    def read(self, text: str, predicate: str, source: str, intake: Intake) -> None:
        """Take the rows of a file."""
        lines = array("i")
        rows = _rows(text, source, lines)
        first = next(rows, None)
        if first is None:
            intake.remark_empty(source)
            return
        columns = coded(first, (list(zip(*batch, strict=True)) for batch in _batches(rows)))
        if (places := is_header(first)) is not None and self.header is not False and len(lines) > 1:
            for some, cells in _cells([columns[place] for place in places]):
                head, relation, tail = cells
                intake.add(relation, [head, tail], lines[1:][some], source, missing="")
            return
        self._files.append(_File(predicate, first, columns, source, lines, *_suggested(first, columns)))

    def _agree(self) -> None:
        """Some first lines are headers by what is known of others.

        One that has two of the names that the mapping has for the table, or nothing else, is a header whatever stands
        below it; one that has a name from another file's header is a header if nothing speaks against it.
        """
        known = {cell for file in self._files if file.is_header and file.is_clear for cell in file.first}
        self._files = [
            replace(file, is_header=True, is_clear=True)
            if self._is_mapped(file) or (file.is_header is None and not known.isdisjoint(file.first))
            else file
            for file in self._files
        ]

    def _is_mapped(self, file: _File) -> bool:
        names = self.headings.get(file.predicate, frozenset())
        return len(names.intersection(file.first)) >= min(2, len(file.first))

    def settle(self, intake: Intake) -> list[Sheet]:
        """Take the first lines as headers or as facts, and forget the files: whoever reads the sheets has the rows."""
        self._agree()
        files, self._files = self._files, []
        suggested = [file.is_header for file in files if file.is_header is not None]
        usual = 2 * sum(suggested) >= len(suggested)
        unclear: dict[Kind, list[_File]] = {Kind.HEADER: [], Kind.NO_HEADER: []}
        sheets = []
        for file in files:
            guess = usual if file.is_header is None else file.is_header
            is_header = guess if self.header is None else self.header
            if self.header is None and not file.is_clear:
                unclear[Kind.HEADER if is_header else Kind.NO_HEADER].append(file)
            sheets.append(_sheet(file, is_header))
        # A first line must neither vanish nor become a fact unseen; one remark for all files is enough.
        for kind, some in unclear.items():
            if some:
                intake.remark(some[0].source, kind, f"{listed(some[0].first, 10)!r} in {some[0].source}", len(some))
        return sheets


def _sheet(file: _File, is_header: bool) -> Sheet:
    names = tuple(cell or f"column_{n}" for n, cell in enumerate(file.first, start=1))
    return Sheet(
        file.predicate,
        file.source,
        names if is_header else None,
        lambda intake: _add_facts(file, is_header, intake),
        lambda wanted: [replace(column, name=name) for column, name in zip(file.columns, names, strict=True)],
        lines=file.lines[1:],
    )


def _add_facts(file: _File, is_header: bool, intake: Intake) -> None:
    lines = file.lines[1:]
    for some, columns in _cells(file.columns):
        intake.add([file.predicate] * len(lines[some]), columns, lines[some], file.source, missing="")
    if not is_header:
        intake.add([file.predicate], [[cell] for cell in file.first], file.lines[:1], file.source, missing="")
        return
    intake.builder.name_arguments(file.predicate, file.first, source=file.source, line=file.lines[0])
    if not lines:
        intake.remark_empty(file.source)


def _cells(columns: Sequence[TableColumn]) -> Iterator[tuple[slice, list[list[str]]]]:
    """The cells of some rows at a time, and which rows these are."""
    for start in range(0, len(columns[0].codes), _BATCH):
        some = slice(start, start + _BATCH)
        yield some, [[column.values[code] for code in column.codes[some].tolist()] for column in columns]


def _suggested(cells: Sequence[str], columns: Sequence[TableColumn]) -> tuple[bool | None, bool]:
    """Does a first line look like a header, as far as its file tells, and is that clear?"""
    words = [not looks_like_number(cell) for cell in cells]
    heads_a_kind = any(map(_are_of_a_kind, compress(cells, words), compress(columns, words)))
    is_header = heads_a_kind or all(re.fullmatch(f"argument{n}_*", cell) for n, cell in enumerate(cells, start=1))
    is_fact = not all(words) or any(cell and cell in column.values for cell, column in zip(cells, columns, strict=True))
    if is_header != is_fact:
        return is_header, True
    named = set(filter(None, cells))
    occurs = not all(named.isdisjoint(column.values) for column in columns)
    return (False if occurs and not is_header else None), False


def _are_of_a_kind(cell: str, column: TableColumn) -> bool:
    """Are all cells of a column numbers, dates, or yes and no, unlike the one above them?"""
    cells = [column.values[code] for code in column.codes[:_LOOKED_AT].tolist()]
    known = (value for value in unless_missing(cells) if value is not None)
    sample = list(islice(known, _SAMPLE))
    kinds = (_is_number, _is_date, _is_word_of_truth)
    return bool(sample) and any(not kind(cell) and all(map(kind, sample)) for kind in kinds)


def _is_number(cell: str) -> bool:
    return looks_like_number(cell) or any(as_number(cell, kind) for kind in (Becomes.NUMBER, Becomes.NUMBER_COMMA))


def _is_date(cell: str) -> bool:
    return as_date(cell, Becomes.DATE_DMY) is not None or as_date(cell, Becomes.DATE_MDY) is not None


def _is_word_of_truth(cell: str) -> bool:
    return cell.casefold() in ("yes", "no", "true", "false")


def _rows(text: str, source: str, lines: array[int]) -> Iterator[list[str]]:
    """The rows that are not blank, all of one width; on which line each of them ends is noted."""
    reader = csv.reader(_lines(text), _Dialect, delimiter=_separator(text, source))
    width = 0
    try:
        for row in filter(None, reader):
            width = width or len(row)
            if width > MAX_ARGUMENTS:
                said = f"{width} cells; a fact has at most {MAX_ARGUMENTS} arguments"
                raise RowError(f"{source}:{reader.line_num}: {said}")
            if len(row) != width:
                said = f"{len(row)} cells, but {width} in the first line; make them the same"
                raise RowError(f"{source}:{reader.line_num}: {said}")
            lines.append(reader.line_num)
            yield row
    except csv.Error as error:
        raise RowError(f"{source}:{reader.line_num}: {error}; is there a quote too many or too few?") from None


def _lines(text: str) -> Iterator[str]:
    """The lines of a text with their ends, one at a time: a list of them takes several times the room of the text."""
    return (found[0] for found in _LINE.finditer(text))


def _batches(rows: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _separator(text: str, source: str) -> str:
    """What stands between cells: that which cuts all lines of a sample into the same number of them, at least two."""
    fitting = [mark for mark in _SEPARATORS if mark in text and _fits(mark, text)]
    if len(fitting) > 1:
        marks = " or ".join(_SEPARATORS[mark] for mark in fitting)
        raise RowError(f"{source}:1: {marks} may stand between the cells; put quotes around cells that hold the others")
    return fitting[0] if fitting else ","


def _fits(separator: str, text: str) -> bool:
    try:
        reader = csv.reader(_lines(text), _Dialect, delimiter=separator)
        widths = {len(row) for row in islice(reader, _SAMPLE) if row}
    except csv.Error:
        return False
    return len(widths) == 1 and widths != {1}
