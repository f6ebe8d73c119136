"""What is written is read back the same, in every format, or refused."""

import re
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given, settings

from budget import budget
from possilog.data import Builder, Database, from_frames, read, to_frames, write
from possilog.errors import DataWarning, FileError, FormatError
from possilog.logic import Atom, Predicate, parse_atom
from shared import shared_data
from strategies import nasty_databases

PATHS = ["a.db", "a.db.gz", "a.tsv", "a.tsv.gz", "folder", "a.duckdb", "a.sqlite"]
FORMATS = [(path, None) for path in PATHS] + [("folder", "parquet"), ("a", "db"), ("a.db", "sqlite")]


def of(*facts: str) -> Database:
    return Database.of(map(parse_atom, facts))


def read_quietly(path: Path) -> Database:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read(path)


@pytest.mark.parametrize(("path", "format"), FORMATS)
@settings(max_examples=budget(25))
@given(database=nasty_databases())
@example(database=of("p(a)"))
@example(database=of('r("﻿", "﻿")'))
@example(database=of('r(argument1, "argument2")', "argument1_(argument1_)"))
@example(database=of('p(" a")', 'p("a ")', 'p(" ")'))
@example(database=of('p("a;b")', 'p("c;d")', 'p("e\\tf")'))
@example(database=of('r(" a;b", "c;d")'))
@example(database=of('p("NULL")', 'p("nan")', 'p("7")', 'p("7.0")'))
@example(database=of('r("x\\r", "y\\r")', 'r("x", "\\"y\\"")'))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, path: str, format: str | None, database: Database
) -> None:
    target = tmp_path_factory.mktemp("any") / path
    try:
        write(database, target, format)
    except FormatError:
        assert not target.exists()
    else:
        assert read_quietly(target) == database
    assert len(list(target.parent.iterdir())) <= 1  # nothing is left behind


@pytest.mark.parametrize(("path", "format"), FORMATS)
@settings(max_examples=budget(25))
@given(database=nasty_databases([Predicate("r", 2), Predicate("s", 2)], max_facts=3))
def test_only_what_a_format_cannot_hold_is_refused(
    tmp_path_factory: pytest.TempPathFactory, path: str, format: str | None, database: Database
) -> None:
    refused = "[\ud800-\udfff]"
    if ".tsv" in path:
        refused += "|^$|[\t\n\r\0]"
    elif path == "folder" and format is None:
        refused += "|^$|\0"
    target = tmp_path_factory.mktemp("any") / path
    if not len(database) or any(re.search(refused, constant) for constant in database.constants):
        return
    write(database, target, format)
    assert read(target) == database


@given(database=nasty_databases())
def test_frames_and_back(database: Database) -> None:
    try:
        frames = to_frames(database)
    except FormatError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert from_frames(frames) == database


def test_argument_names_are_kept(tmp_path: Path) -> None:
    builder = Builder()
    builder.add("likes", [["ann", "bob"]])
    builder.name_arguments("likes", ["who", "whom"])
    builder.name_arguments("knows", ["who", "whom"])
    database = builder.build()
    for name, format in ("csv", "csv"), ("parquet", "parquet"), ("a.duckdb", None), ("a.sqlite", None):
        write(database, tmp_path / name, format)
        again = read_quietly(tmp_path / name)
        assert again == database
        assert again.argument_names(Predicate("likes", 2)) == ("who", "whom")
        assert again.argument_names(Predicate("knows", 2)) == ("who", "whom")


def test_the_text_of_facts(tmp_path: Path) -> None:
    write(of('likes(Ann, "x y")', "Rain", "age(Ann, 7)"), tmp_path / "a.db")
    assert (tmp_path / "a.db").read_text() == 'Rain()\nage(Ann, 7)\nlikes(Ann, "x y")\n'


def test_the_same_facts_are_the_same_file(tmp_path: Path) -> None:
    for name in ("one.tsv.gz", "two.tsv.gz"):
        write(of("r(a, b)"), tmp_path / name)
    assert (tmp_path / "one.tsv.gz").read_bytes() == (tmp_path / "two.tsv.gz").read_bytes()


@pytest.mark.parametrize(
    ("facts", "path", "message"),
    [
        (["p(a)"], "a.tsv", r"triples hold predicates with 2 arguments, unlike p/1"),
        (['r("a\\tb", c)'], "a.tsv", r"triples cannot hold the name"),
        (['r("", c)'], "folder", r"CSV cannot hold the name ''"),
        (["Rain"], "folder", r"Rain/0 has no arguments"),
        (["Rain"], "a.sqlite", r"Rain/0 has no arguments"),
        (["p(a)", "P(a)"], "folder", r"'P' and 'p' cannot both"),
        (["p(a)", "P(a)"], "a.duckdb", r"'P' and 'p' cannot both"),
        (['"a/b"(a)'], "folder", r"'a/b' cannot be the name of a file"),
        (['"nul"(a)'], "folder", r"'nul' cannot be the name of a file"),
        (['"sqlite_a"(a)'], "a.sqlite", r"cannot be written \(.*reserved"),
        (['p("\\ud800")'], "a.db", r"half a character"),
        (["p(a)"], "a.xls", r"a.xls: the extension tells no format"),
        (["p(a)"], "a.csv", r"a csv file holds one predicate; name a folder, with format='csv'"),
        ([], "folder", r"no predicate to write"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, facts: list[str], path: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        write(of(*facts), tmp_path / path)
    assert not list(tmp_path.iterdir())


def test_targets_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.csv").write_text("a\n")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="not empty"):
        write(of("p(a)"), tmp_path / "full")
    with pytest.raises(FormatError, match="this is a folder"):
        write(of("p(a)"), tmp_path / "full", "db")
    with pytest.raises(FormatError, match="no format 'xls'; use one of db, tsv"):
        write(of("p(a)"), tmp_path / "a", "xls")
    with pytest.raises(FileError, match=r"absent/a.db: it cannot be written \(No such file"):
        write(of("p(a)"), tmp_path / "absent" / "a.db")
    with pytest.raises(FileError, match="'' is not a path"):
        write(of("p(a)"), "")
    write(of("p(a)"), tmp_path / "empty")
    assert read(tmp_path / "empty") == of("p(a)")


@pytest.mark.parametrize("path", ["a.db", "a.duckdb", "a.sqlite"])
def test_a_file_is_replaced_whole(tmp_path: Path, path: str) -> None:
    write(of("r(a, b)"), tmp_path / path)
    write(of("r(a, c)"), tmp_path / path)
    assert read(tmp_path / path) == of("r(a, c)")
    with pytest.raises(FormatError):
        write(of('r(a, "\\ud800")'), tmp_path / path)
    assert read(tmp_path / path) == of("r(a, c)")


@pytest.mark.parametrize("path", ["a.db", "a.duckdb", "folder"])
def test_a_link_stays_a_link(tmp_path: Path, path: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / path).symlink_to(tmp_path / "real" / path)
    write(of("r(a, b)"), tmp_path / path)
    assert (tmp_path / path).is_symlink()
    assert read(tmp_path / "real" / path) == of("r(a, b)")


def test_what_has_no_facts_is_told(tmp_path: Path) -> None:
    database = of("p(a)", "q(b)").fragment(["a"]).declare(["c", "d"])
    with pytest.warns(DataWarning) as told:
        write(database, tmp_path / "a.db")
    assert [str(warning.message) for warning in told] == [
        f"{tmp_path / 'a.db'}: 2 constants without facts are not in it, first 'c'",
        f"{tmp_path / 'a.db'}: 1 predicate without facts is not in it, first q/1",
    ]
    assert told[0].filename == __file__


def test_frames_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(FormatError, match=r"possilog\[pandas\]"):
        to_frames(of("p(a)"))


@pytest.mark.parametrize("name", ["uwcse/ai.db", "mutagenesis/mutagenesis.db", "yeast/yeast.db"])
@pytest.mark.parametrize(("path", "format"), [(p, f) for p, f in FORMATS if ".tsv" not in p])
def test_real_data_and_back(tmp_path: Path, name: str, path: str, format: str | None) -> None:
    database = read(shared_data(name))
    write(database, tmp_path / path, format)
    assert read(tmp_path / path) == database


@pytest.mark.parametrize("file", ["a.duckdb", "a.sqlite"])
@pytest.mark.parametrize("name", ["", "a\0b"])
def test_names_that_no_table_can_have_are_refused_by_name(file: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot be the name of a table; write a \.db file instead") as failure:
        write(Database.of([Atom.ground("likes", ["ann"]), Atom.ground(name, ["ann"])]), tmp_path / file)
    assert repr(name) in str(failure.value) and not list(tmp_path.iterdir())
