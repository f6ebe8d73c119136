"""Atoms with certainties as they are written: tables as wide as the widest, and as empty as the emptiest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pandas import isna

from possilog.data.writing.columns import STATED, Block, Columns, write_columns
from possilog.errors import FormatError
from possilog.logic import Predicate

BLOCKS = (
    Block(Predicate("r", 2), np.array([[0, 1], [1, 2]], dtype=np.int32), "0.9", (0.75, 8, 6.5)),
    Block(Predicate("p", 1), np.array([[2]], dtype=np.int32), "0.9"),
    Block(Predicate("z", 0), np.empty((0, 1), dtype=np.int32), "0.5"),
    Block(Predicate("r", 2), np.array([[2], [0]], dtype=np.int32), "0.5"),
)
COLUMNS = Columns(("a", "b, c", "d"), BLOCKS)
ROWS = [
    ("r", "a", "b, c", "0.9", 0.75, 8, 6.5),
    ("r", "b, c", "d", "0.9", 0.75, 8, 6.5),
    ("p", "d", None, "0.9", None, None, None),
    ("z", None, None, "0.5", None, None, None),
    ("r", "d", "a", "0.5", None, None, None),
]


def test_tables_of_parquet(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    for columns, rows, names in (
        (COLUMNS, ROWS, ["predicate", "argument1", "argument2", "certainty", *STATED]),
        (Columns(("a",), BLOCKS[2:3]), [("z", "0.5", None, None, None)], ["predicate", "certainty", *STATED]),
        (Columns((), ()), [], ["predicate", "certainty", *STATED]),
    ):
        write_columns(columns, tmp_path / "t.parquet")
        found = duckdb.sql(f"SELECT * FROM '{tmp_path / 't.parquet'}'")
        assert found.columns == names and found.fetchall() == rows
        assert list(map(str, found.types[-3:])) == ["DOUBLE", "BIGINT", "DOUBLE"]


def test_tables_of_text(tmp_path: Path) -> None:
    write_columns(COLUMNS, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().split("\n") == [
        "predicate,argument1,argument2,certainty,probability,cases,right",
        'r,a,"b, c",0.9,0.75,8,6.5',
        'r,"b, c",d,0.9,0.75,8,6.5',
        "p,d,,0.9,,,",
        "z,,,0.5,,,",
        "r,d,a,0.5,,,",
        "",
    ]
    with pytest.raises(FormatError, match=r"conclusions are written as .db, .tsv, .csv or .parquet; name such a file"):
        write_columns(COLUMNS, tmp_path / "t.xlsx")


def test_tables_of_each_predicate() -> None:
    assert len(COLUMNS) == 5
    frames = COLUMNS.to_frames()
    measured = {name: frame[list(STATED)].values.tolist() for name, frame in frames.items()}
    assert {name: frame.drop(columns=list(STATED)).values.tolist() for name, frame in frames.items()} == {
        "p": [["d", "0.9"]],
        "r": [["a", "b, c", "0.9"], ["b, c", "d", "0.9"], ["d", "a", "0.5"]],
        "z": [["0.5"]],
    }
    assert measured["r"][:2] == [[0.75, 8, 6.5]] * 2
    assert all(isna(number) for row in (measured["r"][2], *measured["p"], *measured["z"]) for number in row)
    assert {str(frame.dtypes["cases"]) for frame in frames.values()} == {"Int64"}
