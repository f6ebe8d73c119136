"""Excel workbooks, which openpyxl reads: every sheet that is not empty is a table, named like the sheet."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from possilog.data.reading.frames import columns_sheet
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.sheets import Sheet
from possilog.data.reading.text import require_modest
from possilog.errors import FormatError, MissingPart, shortened

__all__ = ["workbook_sheets"]

_ERRORS = {"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"}
"""What a formula gives that has no value."""


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
        pages = [(sheet.title, [list(row) for row in sheet.values]) for sheet in book.worksheets]
        book.close()
    except _BROKEN as error:
        said = shortened(error) or "its content is not that of a workbook"
        raise FormatError(f"{source}: the workbook cannot be read: {said}; open it in Excel and save it anew") from None
    found = []
    for name, rows in pages:
        sheet = _sheet(name, rows, f"{source}:{name}")
        if sheet is None:
            intake.remark(source, Kind.EMPTY_SHEET, name)
        else:
            found.append(replace(sheet, source=f"{source}:{name}", file=source))
    return found


def _sheet(name: str, rows: Sequence[Sequence[Any]], source: str) -> Sheet | None:
    """A sheet by its first row that is not empty, which names the columns; columns without a cell are left out."""
    filled = [[_value(cell) for cell in row] for row in rows]
    filled = [row for row in filled if any(cell is not None for cell in row)]
    if not filled:
        return None
    width = max(map(len, filled))
    whole = [row + [None] * (width - len(row)) for row in filled]
    columns = [list(column) for column in zip(*whole, strict=True) if any(cell is not None for cell in column)]
    labels = [column[0] for column in columns]
    if not all(isinstance(label, str) for label in labels):
        where = next(number for number, label in enumerate(labels, start=1) if not isinstance(label, str))
        raise FormatError(f"{source}: the first row names the columns, and column {where} has no name; give it one")
    named = [" ".join(label.split()) for label in labels]
    return columns_sheet(name, named, [column[1:] for column in columns], len(whole) - 1)


def _value(cell: object) -> object:
    text = cell.strip() if isinstance(cell, str) else cell
    return None if text == "" or (isinstance(text, str) and text in _ERRORS) else text
