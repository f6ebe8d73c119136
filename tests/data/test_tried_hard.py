"""What broke when the readers were tried hard: odd names, bombs, and what never ends."""

import bz2
import gzip
import lzma
import os
import sys
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from possilog.data import (
    Builder,
    Database,
    from_frames,
    read,
    schema,
    to_frames,
    with_mirrors,
    write,
)
from possilog.data.reading.parts import in_parts
from possilog.errors import (
    DataError,
    DataWarning,
    FileError,
    FormatError,
    LanguageError,
    PossilogError,
    listed,
    shortened,
)
from possilog.logic import Atom, Predicate, parse_atom


@pytest.mark.parametrize(
    "name",
    [
        "md:evil.duckdb",
        "sqlite:x.duckdb",
        "postgres:x.duckdb",
        "duckdb:x.duckdb",
        "information_schema.duckdb",
        "system.duckdb",
        "temp.duckdb",
        "facts.duckdb",
        "o'clock.duckdb",
    ],
)
def test_the_name_of_a_duckdb_file_is_just_a_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    facts = Database.of([parse_atom("likes(ann, bob)"), parse_atom("facts(bob)")])
    write(facts, "x.duckdb")
    os.rename("x.duckdb", name)
    write(Database.of([parse_atom("other(eve)")]), "x.duckdb")
    assert read(name) == facts
    write(facts, name)  # in its place
    assert read(name) == facts
    assert sorted(os.listdir()) == sorted({name, "x.duckdb"})


def test_a_duckdb_file_reaches_no_other_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\nb\n")
    with duckdb.connect(tmp_path / "a.duckdb") as connection:
        connection.execute("CREATE TABLE t (a INT)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{secret}')")
    with pytest.warns(DataWarning, match="1 view is left out"):
        assert read(tmp_path / "a.duckdb") == Database.of([parse_atom("t(1)")])


def test_folders_are_no_columns_of_a_parquet_file(tmp_path: Path) -> None:
    folder = tmp_path / "year=2020" / "k=v"
    folder.mkdir(parents=True)
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 'ann' AS a, 'bob' AS b) TO '{folder / 'likes.parquet'}'")
    assert read(folder / "likes.parquet") == Database.of([parse_atom("likes(ann, bob)")])
    (folder / "a.csv").write_text("x,y\nno,table\n")  # a folder of Parquet files may have others
    assert read(f"parquet:{folder}") == Database.of([parse_atom("likes(ann, bob)")])


def test_a_format_that_is_said_has_to_be_that_of_the_file(tmp_path: Path) -> None:
    facts = Database.of([parse_atom("likes(ann, bob)")])
    write(facts, tmp_path / "a.sqlite")
    assert read(f"sqlite:{tmp_path / 'a.sqlite'}") == facts
    with pytest.raises(FormatError, match="this is no duckdb file"):
        read(f"duckdb:{tmp_path / 'a.sqlite'}")
    (tmp_path / "a.db").write_text("likes(ann, bob)\n")
    with pytest.raises(FormatError, match="this is no sqlite file"):
        read(f"sqlite:{tmp_path / 'a.db'}")


def test_different_tables_are_one_part_and_the_same_ones_are_parts(tmp_path: Path) -> None:
    def folder(name: str, **tables: str) -> str:
        (tmp_path / name).mkdir()
        for table, text in tables.items():
            (tmp_path / name / f"{table}.csv").write_text(text)
        return str(tmp_path / name)

    def parts(*paths: str) -> list[str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # on headers
            return list(in_parts(paths, lambda names, mapping: read(*names, mapping=mapping)))

    people = "id,city,size\na,Porto,3\nb,Lyon,4\n"
    one, other = folder("one", people=people), folder("other", people=people.replace("a,", "c,"))
    shops = folder("shops", shops="id,street,owner\ns1,High,a\ns2,Low,b\n")
    (tmp_path / "facts.db").write_text("old(a)\n")
    assert parts(one, other) == [one, other]
    assert parts(one, shops) == [f"{one}, {shops}"]
    assert parts(one, str(tmp_path / "facts.db")) == [f"{one}, {tmp_path / 'facts.db'}"]


@pytest.mark.parametrize("text", ["q(1+2).", "q(a, 3-1)", "p(x). q(-2--2).", "q(2020-01-05)\n", 'q("a b", 1-1)'])
def test_sums_of_programs_are_not_constants(text: str, tmp_path: Path) -> None:
    """An answer set solver computes them; in other files they are names, as dates are."""
    for name in ("program.lp", "program.lp.gz"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
        with pytest.raises(LanguageError, match="write the number that the program computes, or quote it"):
            read(path)
    path = tmp_path / "facts.db"
    path.write_text(text)
    assert len(read(path)) >= 1
    path = tmp_path / "names.lp"
    path.write_text('q("3-1"). r(x-1)\nr(-3)\nr(+4)\nr(1.5-a)\ns("2-1", "a b").\n% 3-1\n')
    assert set(read(path).constants) == {"3-1", "x-1", "-3", "+4", "1.5-a", "2-1", "a b"}


@pytest.mark.parametrize("text", ["q(1..3).", "q(a, 1..n)", "p(x). q(-2..2).", "q(1..3)\n", 'q("a b", 1..3)'])
def test_intervals_are_not_constants(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.lp"
    path.write_text(text)
    with pytest.raises(LanguageError, match="write the facts of an interval one by one, or quote it"):
        read(path)
    path.write_text('q("1..3"). r(1...3)\nr(v1.2)\n')
    assert set(read(path).constants) == {"1..3", "1...3", "v1.2"}


def test_statements_of_programs_are_no_comments(tmp_path: Path) -> None:
    path = tmp_path / "a.lp"
    for line in ("#const n = 3.", '#include "b.lp".', "#external p(1)."):
        path.write_text(f"q(n).\n{line}\n")
        with pytest.raises(LanguageError, match=r"a.lp:2:1: .*write out what the program means"):
            read(path)
    path.write_text("q(n).\n# constants are below\n#includes all\n")
    assert len(read(path)) == 1


def test_gzip_bombs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db.gz"
    path.write_bytes(gzip.compress(b"\n" * (100 << 20)))
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"a.db.gz: the packed file grows to more than .* times its size; unpack it"):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500 << 20
    path.write_bytes(gzip.compress(b"p(a)\n" + b"\n" * (1 << 20)) + gzip.compress(b"p(b)\n"))
    assert len(read(path)) == 2


@pytest.mark.parametrize(
    ("content", "packer"),
    [
        (bz2.compress(b"p(a)\n"), "bzip2"),
        (lzma.compress(b"p(a)\n"), "xz"),
        (b"PK\x03\x04\x14\0\0\0", "zip"),
        (gzip.compress(bz2.compress(b"p(a)\n"), mtime=0), "bzip2"),  # the hour is no part of a test's name
    ],
    ids=["bzip2", "xz", "zip", "bzip2 in gzip"],
)
def test_what_is_packed_in_other_ways_is_refused_by_name(content: bytes, packer: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"a.db: it is packed \({packer}\); unpack it first"):
        read(path)
    path.write_text("BZ(h)\n")
    assert len(read(path)) == 1


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_what_never_ends_is_refused() -> None:
    with pytest.raises(FileError, match="/dev/zero: it is no file, and gives more than 256 MB; save what it gives"):
        read("/dev/zero")


def test_messages_are_bounded(tmp_path: Path) -> None:
    name = "p" * 1_000_000
    (tmp_path / "a.db").write_text(f"{name}(a)\n{name}(a, b)\n")
    with pytest.raises(PossilogError) as failure:
        read(tmp_path / "a.db")
    assert len(str(failure.value)) < 1_000 and "characters left out" in str(failure.value)
    (tmp_path / "b.db").write_text("".join(f"a{n}(x)\nA{n}(x)\n" for n in range(9_999)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read(tmp_path / "b.db")
    assert len(told) < 10 and "9,994 more predicates look like others" in str(told[-1].message)
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number}.db").write_text("p(a)\np(a)\n!q(a)\n" if number else "")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read(folder)
    assert len(told) < 20
    assert any(str(one.message) == "94 more files: 188 facts are given again" for one in told)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        (tmp_path / "t.csv").write_text(
            ",".join(f"name{n}" for n in range(1_000)) + "\n" + ",".join("x" * 1_000) + "\n"
        )
        read(tmp_path / "t.csv")
    assert all(len(str(one.message)) < 1_000 for one in told) and told


def test_lists_in_messages() -> None:
    assert listed([]) == "" and listed("abc") == "a, b, c" and listed("abcd", 2) == "a, b and 2 more"
    assert len(listed(["x" * 10**6] * 5)) < 1_000
    assert shortened("abc", 3) == "abc" and str(DataError("x" * 10**6)) == shortened("x" * 10**6, 4_000)
    assert len(str(DataWarning("x" * 10**6))) < 5_000


def test_frames_of_all_makes() -> None:
    import polars as pl

    columns = {"who": ["ann", "bob"], "n": [1, 2]}
    expected = from_frames({"likes": pd.DataFrame(columns)})
    assert from_frames({"likes": pl.DataFrame(columns)}) == expected
    assert from_frames({"likes": pa.table(columns)}) == expected
    assert expected.argument_names(Predicate("likes", 2)) == ("who", "n")
    with pytest.warns(DataWarning, match="1 row with an empty cell is left out"):
        assert len(from_frames({"likes": pl.DataFrame({"a": ["x", None]})})) == 1
    with pytest.raises(FormatError, match="two columns of the frame t have one name"):
        from_frames({"t": pd.DataFrame([[1, 2]], columns=["a", "a"])})
    for frame, said in (
        (pl.LazyFrame(columns), "LazyFrame.*collect"),
        ([1], "a list, not a frame"),
        (None, "NoneType"),
    ):
        with pytest.raises(FormatError, match=said):
            from_frames({"t": frame})


def test_every_function_says_what_it_takes(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a tuple, \('a', 'r', 'b'\), is not a fact; write atoms, as Database.of"):
        Database.of([("a", "r", "b")])  # type: ignore[list-item]
    for given in ("p(a)", 7, None):
        with pytest.raises(DataError, match="instead of facts; write atoms"):
            Database.of(given)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="several constants"):
        Database.of([], 7)  # type: ignore[arg-type]
    facts = Database.of([Atom.ground("p", ["a"])])
    for call in (
        lambda: to_frames(None),  # type: ignore[arg-type]
        lambda: with_mirrors("x", []),  # type: ignore[arg-type]
        lambda: write({"p": [1]}, tmp_path / "a.db"),  # type: ignore[arg-type]
        lambda: facts.union([1]),  # type: ignore[arg-type]
        lambda: facts | None,  # type: ignore[operator]
        lambda: Builder().add_database(7),  # type: ignore[arg-type]
    ):
        with pytest.raises(DataError, match=r"was given instead of a Database; read\('facts.db'\) gives one"):
            call()
    for path in (7, None, [[3]]):
        with pytest.raises(DataError, match="is not a path; name a file or folder of facts"):
            read(path)  # type: ignore[arg-type]
    assert sys.modules["possilog.data.schemas"].schema is schema


def test_a_workbook_that_grows_beyond_all_measure(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", bytes(80 << 20))
    with pytest.raises(FormatError, match=r"a.xlsx: the packed file grows to more than .* times its size"):
        read(path)
