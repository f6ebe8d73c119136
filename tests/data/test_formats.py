"""Which format a file has, by its first and last bytes, its name and its text; and what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from possilog.data import read, read_evidence
from possilog.data.formats import Format, format_of_content, format_of_name, format_of_text
from possilog.data.reading.files import _ends
from possilog.errors import DataWarning, FormatError


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 127, 128, 129, 300])
def test_the_first_and_last_bytes_of_a_file(size: int, tmp_path: Path) -> None:
    content = bytes(place % 251 for place in range(size))
    (tmp_path / "file").write_bytes(content)
    assert _ends(tmp_path / "file") == (content if size <= 128 else content[:64] + content[-64:])


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"SQLite format 3\0", Format.SQLITE),
        (b"SQLite format 3", None),
        (bytes(8) + b"DUCK" + bytes(8), Format.DUCKDB),
        (b"p(about_DUCK, and more of it)", None),
        (bytes(8) + b"DUCJ" + bytes(8), None),
        (bytes(8) + b"DUCL" + bytes(8), None),
        (bytes(8) + b"DUCK12345678" + bytes(8), None),
        (bytes(8) + b"DUCK1234567" + bytes(8), Format.DUCKDB),
        (b"PAR1 and PAR1", Format.PARQUET),
        (b"PAR1 and more", None),
        (b"more and PAR1", None),
        (b"", None),
    ],
)
def test_formats_by_their_bytes(content: bytes, format: Format | None) -> None:
    assert format_of_content(content) is format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.db", Format.DB),
        ("a.CSV.gz", Format.CSV),
        ("a.n", Format.DB),
        ("a.gz", None),
        ("a.csv.zip", None),
        ("a", None),
    ],
)
def test_formats_by_their_names(name: str, format: Format | None) -> None:
    assert format_of_name(Path(name)) is format


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("a\tr\tb\n", Format.TSV),
        ("a\tr\tb", Format.TSV),
        ("a\tr\tb\tc\n", None),
        ("a\tr\n", None),
        ("% facts\np(a).\n", Format.DB),
        ("!p(a)", Format.DB),
        ("", Format.DB),
        (" \n", Format.DB),
        ("word", None),
    ],
)
def test_formats_by_their_text(text: str, format: Format | None) -> None:
    assert format_of_text(text) is format


ZIP = b"PK\x03\x04"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", ZIP, "the content is not that of a parquet file; it may be cut off or misnamed"),
        ("t.parquet", b"text", "the content is not that of a parquet file"),
        ("t.xlsx", b"text", "the content is not that of a excel file"),
        ("t.duckdb", ZIP + bytes(99), "the content is not that of a duckdb file"),
        ("t.sqlite", b"PAR", "the content is not that of a sqlite file"),
        ("t.csv", ZIP, r"it is packed \(zip\); unpack it first"),
        ("t.csv", b"BZh9", r"it is packed \(bzip2\)"),
        ("t.odd", b"word", "the format is unknown; the formats are"),
    ],
)
def test_what_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=f"{name}: {message}"):
        read(tmp_path / name)


def test_a_table_with_tabs_is_none_of_triples(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a\tr\tb\n")
    assert [atom.as_fact for atom in read(tmp_path / "t.tsv")] == ["r(a, b)"]
    (tmp_path / "t.tsv").write_text("a\tr\tb\tc\n")
    assert [atom.as_fact for atom in read(tmp_path / "t.tsv", header=False, as_is=True)] == ["t(a, r, b, c)"]


def test_files_without_facts_are_named(tmp_path: Path) -> None:
    texts = {"a.db": "!p(a)", "b.db": "% nothing", "c.db": "p(b)", "d.db": "", "e.n": "p(c)"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DataWarning)
        known = read_evidence(*(tmp_path / name for name in texts))
    assert [str(each.message) for each in told] == [
        f"{tmp_path / name}: there are no facts in it" for name in ("b.db", "d.db")
    ]
    assert list(map(str, known.literals)) == ["p(b)", "not p(a)", "not p(c)"]
