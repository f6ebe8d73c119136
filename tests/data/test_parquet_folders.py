"""Folders of Parquet files: one table for each, or one for all, if they are called like its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from possilog.data import read
from possilog.errors import FormatError

duckdb = pytest.importorskip("duckdb")


def written(path: Path, value: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(f"COPY (SELECT '{value}' AS a, 'x' AS b) TO '{path}' (FORMAT parquet)")


def names(folder: Path) -> list[str]:
    return sorted(atom.as_fact for atom in read(f"parquet:{folder}", as_is=True))


def test_each_file_and_each_folder_is_a_table(tmp_path: Path) -> None:
    written(tmp_path / "one.parquet", "1")
    written(tmp_path / "two=2.PARQUET", "2")
    written(tmp_path / "many" / "part1.parquet", "3")
    written(tmp_path / "many" / "part2.parquet", "4")
    written(tmp_path / ".hidden.parquet", "5")
    (tmp_path / "other=1.txt").write_text("other")
    assert names(tmp_path) == sorted(["many(3, x)", "many(4, x)", "one(1, x)", '"two=2"(2, x)'])


def test_folders_that_are_called_like_columns_are_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    written(folder / "year=2020" / "a.parquet", "1")
    written(folder / "year=2021" / "a.parquet", "2")
    assert names(folder) == ["sales(1, x, 2020)", "sales(2, x, 2021)"]


def test_a_folder_without_parquet_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n")
    with pytest.raises(FormatError, match="there is no Parquet file in this folder; name another"):
        names(tmp_path)
