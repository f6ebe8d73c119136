"""Readers of DuckDB, SQLite and Parquet files and of frames; and of the real data sets."""

import sqlite3
import sys
from datetime import date
from pathlib import Path
from time import process_time

import duckdb
import pandas as pd
import pytest

from looking import facts, facts_about, make_duckdb, types
from possilog.data import from_frames, read
from possilog.errors import (
    DataWarning,
    FormatError,
    RowError,
)
from possilog.logic import Atom, Predicate
from shared import shared_data


def test_duckdb(tmp_path: Path) -> None:
    make_duckdb(tmp_path / "a.duckdb")
    with pytest.warns(DataWarning) as told:
        database = read(tmp_path / "a.duckdb", as_is=True)
    assert sorted(str(warning.message).removeprefix(f"{tmp_path / 'a.duckdb'}") for warning in told) == [
        ": 1 view is left out, first seen; only tables are read",
        ":age: 1 row with an empty cell is left out, first at row 2",
    ]
    assert facts(database) == {"age(ann, 7, 0.5, 2019-02-03, true)"}
    assert database.argument_names(Predicate("age", 5)) == ("who", "years", "tall", "born", "well")
    assert Predicate('other.say "hi"', 1) in database.predicates
    (tmp_path / "a.duckdb").rename(tmp_path / "b")
    with pytest.warns(DataWarning):
        assert read(tmp_path / "b", as_is=True) == database


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "odd #1? é.db"  # as many call it, though it is no file of facts
    connection = sqlite3.connect(path)
    connection.execute('CREATE TABLE "my likes"(who, whom)')
    connection.executemany('INSERT INTO "my likes" VALUES (?, ?)', [("ann", 7), ("ann", 7), ("bob", 0.5)])
    connection.commit()
    connection.close()
    with pytest.warns(DataWarning, match="my likes: 1 fact is given again, first at row 2"):
        assert facts(read(path)) == {'"my likes"(ann, 7)', '"my likes"(bob, 0.5)'}


def test_parquet(tmp_path: Path) -> None:
    (tmp_path / "f [1]*").mkdir()
    for name in ("likes", "knows"):
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT 'ann' AS who, 7 AS n) TO '{tmp_path}/{name}.parquet'")
        (tmp_path / f"{name}.parquet").rename(tmp_path / "f [1]*" / f"{name}.parquet")
    assert facts(read(tmp_path / "f [1]*" / "likes.parquet")) == {"likes(ann, 7)"}
    assert facts(read(tmp_path / "f [1]*")) == {"likes(ann, 7)", "knows(ann, 7)"}


def test_values_that_are_no_constants(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"t:2: a value of type list is no constant"):
        from_frames({"t": pd.DataFrame({"a": [1, [1, 2]]})})


def test_odd_types_of_duckdb_are_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytz", None)  # with which DuckDB would make objects of times in a zone
    row = (
        "TIMESTAMPTZ '2026-01-02 03:04:05.5+02' AS zoned, TIMESTAMP '2026-01-02 03:04:05' AS plain, [1, 2] AS list, "
        "'\\xAB'::BLOB AS blob, 1.50::DECIMAL(4, 2) AS money, DATE '10000-01-02' AS later, 7::DOUBLE AS tall"
    )
    with duckdb.connect(tmp_path / "a.duckdb") as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {row}")
        connection.execute(f"COPY t TO '{tmp_path}/t.parquet'")
    expected = ["2026-01-02T01:04:05.5+00", "2026-01-02T03:04:05", "[1, 2]", "\\xAB", "1.50", "10000-01-02", "7.0"]
    for path in (tmp_path / "a.duckdb", tmp_path / "t.parquet"):
        assert list(read(path, as_is=True)) == [Atom.ground("t", expected)]


def test_a_long_number_is_looked_at_once(tmp_path: Path) -> None:
    """A number that goes on for 100,000 digits and then is none took minutes."""
    (tmp_path / "a.csv").write_text(f"name,age\nann,{'9' * 100_000}x\n")
    before = process_time()
    assert len(read(tmp_path / "a.csv", header=True)) == 1
    assert process_time() - before < 5


def test_a_sqlite_file_whose_schema_is_no_text(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    connection.execute("CREATE TABLE likes(a, b)")
    connection.close()
    content = (tmp_path / "a.sqlite").read_bytes()
    (tmp_path / "a.sqlite").write_bytes(content.replace(b"tablelikeslikes", b"tablelik\xb7slik\xb7s"))
    with pytest.raises(FormatError, match=r"a.sqlite: the sqlite file cannot be read .*is it whole"):
        read(tmp_path / "a.sqlite")


@pytest.mark.parametrize("module", ["fts5(text)", "fts4(text)", "rtree(id, low, high)"])
def test_virtual_tables_of_sqlite_are_left_out(tmp_path: Path, module: str) -> None:
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    connection.executescript(
        f"CREATE VIRTUAL TABLE notes USING {module}; INSERT INTO notes DEFAULT VALUES;"
        "CREATE TABLE notes_mine(x); INSERT INTO notes_mine VALUES (x'ab')"
    )
    connection.close()
    with pytest.warns(DataWarning, match=r"a.sqlite: \d virtual tables, or parts of them, are left out, first notes;"):
        assert facts(read(tmp_path / "a.sqlite")) == {"notes_mine(ab)"}


def test_frames() -> None:
    likes = pd.DataFrame({"who": ["ann", None, "bob"], "n": [1, 2, 3], "day": [date(2026, 1, 2)] * 3})
    seen = pd.DataFrame([[True, pd.Timestamp("2026-01-02")], [False, pd.NaT]])
    with pytest.warns(DataWarning) as told:
        database = from_frames({"likes": likes, "seen": seen}, as_is=True)
    assert [str(warning.message) for warning in told] == [
        "likes: 1 row with an empty cell is left out, first at row 2",
        "seen: 1 row with an empty cell is left out, first at row 2",
    ]
    assert facts(database) == {
        "likes(ann, 1, 2026-01-02)",
        "likes(bob, 3, 2026-01-02)",
        'seen(true, "2026-01-02T00:00:00")',
    }
    assert database.argument_names(Predicate("likes", 3)) == ("who", "n", "day")
    assert database.argument_names(Predicate("seen", 2)) == ()
    with pytest.raises(FormatError, match=r"a DataFrame was given instead of frames by predicate; .*'likes'"):
        from_frames(likes)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="7 is not text"):
        from_frames({7: likes})  # type: ignore[dict-item]
    with pytest.raises(FormatError, match="likes is a Series, not a frame"):
        from_frames({"likes": likes["who"]})
    with pytest.warns(DataWarning, match="none: there are no facts in it"):
        assert from_frames({"none": pd.DataFrame({"x": []})}).predicates == (Predicate("none", 1),)


# Declared keys


def test_declared_keys_of_sqlite(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.executescript(
            """CREATE TABLE teams(nr INTEGER PRIMARY KEY, town TEXT);
            CREATE TABLE players(name TEXT, shirt INTEGER, plays_for INTEGER REFERENCES teams, tall REAL,
                PRIMARY KEY (plays_for, shirt));
            INSERT INTO teams VALUES (1, 'Ulm'), (2, 'Bern');
            INSERT INTO players VALUES ('ann', 1, 1, 1.5), ('bob', 2, 1, 2.0), ('cec', 1, 2, NULL);"""
        )
    connection.close()
    database = read(tmp_path / "a.sqlite")
    assert types(database)["plays_for"] == ("players", "teams")
    assert facts_about(database, "plays_for") == ['plays_for("1/1", 1)', 'plays_for("1/2", 1)', 'plays_for("2/1", 2)']
    assert facts_about(database, "tall") == ['tall("1/1", 1.5)', 'tall("1/2", 2)']


def test_declared_keys_of_duckdb(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.duckdb") as connection:
        connection.execute('CREATE TABLE "the teams"(nr INTEGER PRIMARY KEY, town VARCHAR)')
        connection.execute(
            'CREATE TABLE players(name VARCHAR PRIMARY KEY, plays_for INTEGER REFERENCES "the teams"(nr), fit BOOLEAN)'
        )
        connection.execute("INSERT INTO \"the teams\" VALUES (1, 'Ulm'), (2, 'Bern')")
        connection.execute("INSERT INTO players VALUES ('ann', 1, true), ('bob', 2, false), ('cec', NULL, NULL)")
    database = read(tmp_path / "a.duckdb")
    assert types(database)["plays_for"] == ("players", "the teams")
    assert facts_about(database, "fit") == ["fit(ann)"] and str(database.denied[0]) == "fit(bob)"


# The real data sets, with the counts of their README


@pytest.mark.parametrize(
    ("name", "count", "constants", "predicates"),
    [
        ("uwcse/ai.db", 766, 300, 15),
        ("uwcse/paper/train.db", 1002, 412, 14),
        ("uwcse/paper/test.db", 838, 338, 13),
        ("uwcse/ijcai17/train.db", 1002, 412, 14),
        ("uwcse/ijcai17/test.db", 838, 338, 13),
        ("yeast/yeast.db", 15015, 2470, 7),
        ("yeast/paper/all.db", 18481, 2470, 7),
        ("yeast/paper/train.db", 5206, 1146, 7),
        ("yeast/paper/test.db", 4134, 1063, 7),
        ("yeast/ijcai17/train.db", 4338, 1146, 7),
        ("yeast/ijcai17/test.db", 3246, 1063, 7),
        ("smokers/smoking-train.db", 22, 8, 3),
        ("smokers/smoking-test.db", 10, 6, 2),
        ("mutagenesis/mutagenesis.db", 21257, 8175, 21),
        ("mutagenesis", 21257 + 188 + 42, 8175, 23),
        ("nell-sports", 9691, 4599, 8),
        ("kinships", 8544 + 1068 + 1074, 104, 25),
        ("umls", 5216 + 652 + 661, 135, 46),
        ("fb15k-237", 272115 + 17535 + 20466, 14541, 237),
        ("wn18rr", 86835 + 3034 + 3134, 40943, 11),
        ("fb13", 316232 + 5908 + 23733, 75043, 13),
        ("nell-995", 149678 + 543 + 3992, 75492, 200),
        ("codex-m", 185584 + 10310 + 10311, 17050, 51),
    ],
)
def test_real_data(name: str, count: int, constants: int, predicates: int) -> None:
    database = read(shared_data(name))
    assert (len(database), len(database.constants), len(database.predicates)) == (count, constants, predicates)


def test_real_data_with_remarks() -> None:
    with pytest.warns(DataWarning, match="2 other files or folders are left out, first ijcai17"):
        uwcse = read(shared_data("uwcse"))
    assert (len(uwcse), len(uwcse.constants), len(uwcse.predicates)) == (2673, 919, 15)
    with pytest.warns(DataWarning, match="facts are given again") as told:
        cora = read(shared_data("cora"))
    assert (len(cora), len(cora.constants), len(cora.predicates)) == (41547, 2497, 10)
    assert sum(int(str(warning.message).split(": ")[1].split()[0]) for warning in told) == 42558 - 41547
    for name, count in ("S1", 1111), ("S2", 1063), ("S3", 985):
        with pytest.warns(DataWarning, match=r"train.tsv: 1 fact is given again, first at line \d+"):
            countries = read(shared_data(f"countries/{name}"))
        assert (len(countries), len(countries.constants)) == (count - 1 + 24 + 24, 271)


def test_quoted_constants_of_real_data() -> None:
    database = read(shared_data("mutagenesis/mutagenesis.db"))
    assert Atom.ground("Atm", ["D1", "D1_1", "C", "22", "-0.117"]) in database
