"""Is the first line of a CSV file a header? Case by case, and what stands between cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from possilog.data import read
from possilog.data.reading.csv_tables import _are_of_a_kind, _fits
from possilog.data.tables.table import TableColumn
from possilog.errors import RowError


@pytest.mark.parametrize(
    ("head", "cells", "is_head"),
    [
        ("size", ["1", "2.5", "-3"], True),
        ("size", ["€ 1,234.50", "$5"], True),
        ("size", ["1.234,5", "7,5"], True),
        ("size", ["1e5", "2"], True),
        ("size", ["1", "two"], False),
        ("1,5", ["1", "2"], False),
        ("3", ["1", "2"], False),
        ("day", ["13/1/2020", "31/12/2020"], True),
        ("day", ["1/13/2020", "12/31/2020"], True),
        ("day", ["2020-01-13"], True),
        ("day", ["2020-01-13", "soon"], False),
        ("1/13/2020", ["13/1/2020"], False),
        ("13/1/2020", ["1/13/2020"], False),
        ("gold", ["yes", "No", "TRUE", "false"], True),
        ("no", ["yes", "no"], False),
        ("gold", ["yes", "maybe"], False),
        ("gold", ["", "NA"], False),
        ("gold", ["", "NA", "1"], True),
        ("gold", [], False),
    ],
)
def test_what_heads_a_column_of_one_kind(head: str, cells: list[str], is_head: bool) -> None:
    assert _are_of_a_kind(head, TableColumn.of("c", cells)) == is_head


@pytest.mark.parametrize(
    ("text", "separator", "fits"),
    [
        ("a,b\nc,d\n", ",", True),
        ("a\nc\n", ",", False),
        ("a,b\nc\n", ",", False),
        ("a,b\n\nc,d\n", ",", True),
        ("a;b\n", ",", False),
        ("", ",", False),
        ('a,"b\n', ",", False),
    ],
)
def test_what_cuts_all_lines_into_as_many_cells(text: str, separator: str, fits: bool) -> None:
    assert _fits(separator, text) == fits


def facts(path: Path, text: str, header: bool | None = None) -> list[str]:
    path.write_text(text)
    return sorted(atom.as_fact for atom in read(path, as_is=True, header=header))


def test_triples_are_known_by_their_header_unless_there_is_none(tmp_path: Path) -> None:
    path, text = tmp_path / "t.csv", "head,relation,tail\na,r,b\n"
    assert facts(path, text) == facts(path, text, True) == ["r(a, b)"]
    assert facts(path, text, False) == ["t(a, r, b)", "t(head, relation, tail)"]


def test_rows_of_many_cells(tmp_path: Path) -> None:
    row = ",".join(f"a{cell}" for cell in range(1_000))
    assert len(facts(tmp_path / "t.csv", f"{row}\n", False)) == 1
    with pytest.raises(RowError, match=r"t.csv:1: 1001 cells; a fact has at most 1000 arguments"):
        facts(tmp_path / "t.csv", f"{row},b\n", False)
    with pytest.raises(RowError, match=r"t.csv:3: 3 cells, but 2 in the first line; make them the same"):
        facts(tmp_path / "t.csv", "a,b\nc,d\ne,f,g\n")
    with pytest.raises(RowError, match=r"t.csv:3: 1 cells, but 2 in the first line; make them the same"):
        facts(tmp_path / "t.csv", "a,b\nc,d\ne\n", True)
