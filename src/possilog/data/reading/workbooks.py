"""Excel workbooks, which openpyxl reads: every sheet that is not empty is a table, named like the sheet."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import repeat, zip_longest
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from possilog.data.reading.frames import coded_sheet
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.sheets import Sheet
from possilog.data.reading.text import require_modest
from possilog.data.reading.values import text_of
from possilog.data.tables.table import Coding, TableColumn
from possilog.errors import FormatError, MissingPart, shortened

__all__ = ["workbook_sheets"]

_ERRORS = {"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"}
"""What a formula gives that has no value."""
_BATCH = 10_000

_BROKEN = (
    *(BadZipFile, zlib.error, EOFError, LookupError, ValueError, TypeError, SyntaxError, AttributeError),
    *(ArithmeticError, AssertionError, RuntimeError),  # also of packing that is unknown, or has a password
)
"""What openpyxl, zipfile and the reader of XML end in where a workbook is damaged."""


def workbook_sheets(path: Path, source: str, intake: Intake) -> list[Sheet]:
    """The tables of a workbook, with the values that its formulas had when it was saved."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingPart("Excel workbooks need openpyxl; install it with: pip install 'possilog[excel]'") from None
    try:
        with ZipFile(path) as parts:
            require_modest(sum(part.file_size for part in parts.infolist()), path.stat().st_size, source)
        book = load_workbook(path, read_only=True, data_only=True)
        pages = [(sheet.title, _columns(sheet.values)) for sheet in book.worksheets]
        book.close()
    except _BROKEN as error:
        said = shortened(error) or "its content is not that of a workbook"
        raise FormatError(f"{source}: the workbook cannot be read: {said}; open it in Excel and save it anew") from None
    found = []
    for name, columns in pages:
        if columns:
            found.append(_sheet(name, columns, source))
        else:
            intake.remark(source, Kind.EMPTY_SHEET, name)
    return found


class _Column:
    """The label of a column, and its cells, of which each value is kept once."""

    def __init__(self, label: object, rows: int) -> None:
        self.label = label
        self.is_empty = True
        self._coding = Coding()
        self._coding.add(repeat(None, rows))
        self._cells: list[str | None] = []

    def add(self, cell: object) -> None:
        self.is_empty &= cell is None
        self._cells.append(text_of(cell))
        if len(self._cells) == _BATCH:
            self._coding.add(self._cells)
            self._cells.clear()

    def coded(self, label: str) -> TableColumn:
        self._coding.add(self._cells)
        return TableColumn(label, *self._coding.done())


def _columns(rows: Iterable[Sequence[object]]) -> list[_Column]:
    """The columns that have a cell; the first row that is not empty names them, and empty ones are left out.

    A workbook may have a million rows, so they are not kept.
    """
    columns: list[_Column] = []
    count = -1
    for row in rows:
        cells = [_value(cell) for cell in row]
        if all(cell is None for cell in cells):
            continue
        columns += [_Column(cell if count < 0 else None, max(count, 0)) for cell in cells[len(columns) :]]
        if count >= 0:
            for column, cell in zip_longest(columns, cells):
                column.add(cell)
        count += 1
    return [column for column in columns if column.label is not None or not column.is_empty]


def _sheet(name: str, columns: Sequence[_Column], file: str) -> Sheet:
    source = f"{file}:{name}"
    labels = [" ".join(column.label.split()) for column in columns if isinstance(column.label, str)]
    if len(labels) < len(columns):
        where = next(number for number, column in enumerate(columns, start=1) if not isinstance(column.label, str))
        raise FormatError(f"{source}: the first row names the columns, and column {where} has no name; give it one")
    coded = [column.coded(label) for label, column in zip(labels, columns, strict=True)]
    return coded_sheet(name, coded, source, file)


def _value(cell: object) -> object:
    text = cell.strip() if isinstance(cell, str) else cell
    return None if text == "" or (isinstance(text, str) and text in _ERRORS) else text
