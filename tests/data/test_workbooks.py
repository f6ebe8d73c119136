"""Excel workbooks: every sheet a table, the same facts as from CSV files."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from possilog.data import from_frames, read, shop, write
from possilog.errors import DataWarning, FormatError

openpyxl = pytest.importorskip("openpyxl")


def value(text: str | None) -> object:
    """A cell as Excel keeps it."""
    for taken in (int, float, datetime.fromisoformat):
        try:
            return taken(text or "")
        except ValueError:
            pass
    return {"yes": True, "no": False}.get(text or "", text)


def workbook(path: Path, pages: dict[str, list[list[object]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in pages.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_holds_the_same_facts_as_csv_files_and_as_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    found = shop(1)
    pages: dict[str, list[list[object]]] = {
        name: [list(columns), *([value(cell) for cell in row] for row in zip(*columns.values(), strict=True))]
        for name, columns in found.tables.items()
    }
    database = read(workbook(tmp_path / "shop.xlsx", pages))
    found.save(tmp_path / "csv")
    assert database == read(tmp_path / "csv")
    assert database.mapping == read(tmp_path / "csv").mapping
    frames = {name: pandas.DataFrame(rows[1:], columns=rows[0]) for name, rows in pages.items()}
    assert database == from_frames(frames)


def test_empty_sheets_rows_and_columns_and_errors_of_formulas_are_no_cells(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        [None],
        [None, "id", "city", "age"],
        [],
        [None, "a", "Porto", 3],
        [None, "b", "#N/A", 4],
    ]
    path = workbook(tmp_path / "people.xlsx", {"people": rows, "notes": []})
    with pytest.warns(DataWarning, match="1 sheet is empty, first notes"):
        assert {str(fact) for fact in read(path)} == {"age(a, 3)", "age(b, 4)", 'city(a, "Porto")'}


def test_a_formula_has_the_value_that_it_had_when_it_was_saved(tmp_path: Path) -> None:
    """Where nobody has computed it, there is none."""
    rows: list[list[object]] = [["id", "city", "age"], ["a", "Rome", 3], ["b", "Rome", "=3+4"], ["c", "Bonn", "=1+1"]]
    path = workbook(tmp_path / "people.xlsx", {"people": rows})
    with ZipFile(path) as parts:
        content = {name: parts.read(name) for name in parts.namelist()}
    with ZipFile(path, "w") as parts:
        for name, part in content.items():
            parts.writestr(name, re.sub(rb"<f>3\+4</f><v(?: ?/|></v)>", rb"<f>3+4</f><v>7</v>", part))
    assert [str(fact) for fact in read(path) if fact.predicate.name == "age"] == ["age(a, 3)", "age(b, 7)"]


def test_rows_of_different_lengths_and_sheets_of_facts(tmp_path: Path) -> None:
    ragged: list[list[object]] = [["id", "city"], ["a"], ["b", "Porto"], ["c", None, None]]
    path = workbook(tmp_path / "a.xlsx", {"lives": ragged})
    with pytest.warns(DataWarning, match=r"a.xlsx:lives: 2 rows with an empty cell are left out, first at row 1"):
        assert {str(fact) for fact in read(path)} == {'lives(b, "Porto")'}
    late = workbook(tmp_path / "b.xlsx", {"people": [["id", "city"], ["a", "Rome"], ["b", "Porto", 7]]})
    with pytest.raises(FormatError, match=r"b.xlsx:people: .* column 3 has no name; give it one"):
        read(late)
    with pytest.warns(DataWarning, match="there are no facts in it"):
        assert len(read(workbook(tmp_path / "c.xlsx", {"lives": [["id", "city"]]}))) == 0


def test_what_is_no_workbook_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", {"people": [["id", None, "age"], ["a", 1, 2]]})
    with pytest.raises(FormatError, match="column 2 has no name"):
        read(path)
    (tmp_path / "cut.xlsx").write_bytes(path.read_bytes()[:2000])
    (tmp_path / "text.xlsx").write_bytes(b"id,age\n1,2\n")
    (tmp_path / "empty.xlsx").write_bytes(b"")
    for name in ("cut", "text", "empty"):
        with pytest.raises(FormatError, match=f"{name}.xlsx"):
            read(tmp_path / f"{name}.xlsx")
    with pytest.raises(FormatError, match="read, and not written"):
        write(from_frames({}), tmp_path / "new.xlsx")
