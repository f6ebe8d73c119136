"""Conclusions as columns: the same atoms with the same certainties, in every form."""

import csv
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import isna

from budget import budget
from command import run
from possilog import Local, Prediction, Reasoner, parse_theory, read
from possilog.data import Database
from possilog.data.writing.columns import STATED
from possilog.errors import FormatError, PossilogError
from possilog.inference.conclusions import Conclusions, Listed
from possilog.logic import Theory
from strategies import databases

THEORY = parse_theory("""
    q(X) :- p(X).
    s(X, Y) :- r(Y, X).
    0.9 :: p(X) :- r(X, Y).
    0.9 :: t(X, Y, Z) :- r(X, Y), s(Y, Z).
    0.8 :: r(X, Z) :- r(X, Y), s(Y, Z).
    0.7 :: n :- q(X).
    0.6 :: r(X, "Old, Carl") :- q(X).
""")


MEASURES = """
    #shares 0.1, 0.9.
    #seen 0.1, 0.9.
    #added 2, 1.
    #measured true 30, false 1, nontrivial 1, right 2, said 3, of 4 :: r(X, Z) :- r(X, Y), s(Y, Z).
"""
Row = tuple[object, ...]


def rows(added: Conclusions) -> set[Row]:
    """What is concluded, one by one, and how probable it is."""
    found = set()
    for one in added:
        said = (one.as_json[name] for name in STATED)
        found.add((one.atom.predicate.name, *(term.name for term in one.atom.arguments), str(one.certainty), *said))
    return found


def column_rows(added: Conclusions) -> list[Row]:
    found = added.columns()
    return [
        (block.predicate.name, *(found.names[number] for number in row), block.certainty, *block.said)
        for block in found.blocks
        for row in block.rows.T.tolist()
    ]


@given(databases(), st.sampled_from(["local", "global", "fragment"]), st.booleans())
@settings(max_examples=budget(60))
def test_columns_are_the_atoms(database: Database, how: str, measured: bool) -> None:
    theory = THEORY if how != "fragment" else Theory(THEORY.rules[:3])
    prediction = Reasoner(parse_theory(f"{theory}{MEASURES}") if measured else theory).predict(database, how)
    for added in (prediction.added, Listed(list(prediction.added))):
        assert len(column_rows(added)) == len(added)
        assert set(column_rows(added)) == rows(added)
    frames = prediction.to_frames()
    tables = prediction.to_arrow()
    assert frames.keys() == tables.keys()
    from_frames = {
        (name, *(None if isna(cell) else cell for cell in row))
        for name, frame in frames.items()
        for row in frame.itertuples(index=False, name=None)
    }
    from_arrow = {(name, *row.values()) for name, table in tables.items() for row in table.to_pylist()}
    assert from_frames == from_arrow == rows(prediction.added)


def test_what_was_measured_is_beside_what_it_was_measured_of() -> None:
    added = Reasoner(parse_theory(f"{THEORY}{MEASURES}")).predict(["r(a, b)", "s(b, c)"], Local(share=0.1))
    frame = added.to_frames()["r"]
    said = frame[(frame.argument1 == "a") & (frame.argument2 == "c")].iloc[0]
    assert said.probability > 0.5 and (said.cases, said.right) == (4, 2)


@pytest.fixture(name="prediction", scope="module")
def fixture_prediction() -> Prediction:
    return Reasoner(THEORY).predict(["r(a, b)", 's(b, "x,\\"y")', "p(c)"])


def test_files_hold_what_is_concluded(prediction: Prediction, tmp_path: Path) -> None:
    expected = {tuple(cell for cell in row if cell is not None) for row in rows(prediction.added)}
    for name in ("a.csv", "a.parquet", "a.db"):
        prediction.save(tmp_path / name)
    with open(tmp_path / "a.csv", encoding="utf-8", newline="") as file:
        header, *cells = csv.reader(file)
    assert header == ["predicate", "argument1", "argument2", "argument3", "certainty", *STATED]
    assert {tuple(filter(None, row)) for row in cells} == expected
    table = duckdb.read_parquet(str(tmp_path / "a.parquet")).fetchall()
    assert {tuple(cell for cell in row if cell is not None) for row in table} == expected
    assert set(read(tmp_path / "a.db")) == {one.atom for one in prediction.added}


def test_triples_are_of_two_arguments(prediction: Prediction, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="2 arguments"):
        prediction.save(tmp_path / "a.tsv")
    assert not (tmp_path / "a.tsv").exists()
    pairs = Reasoner(parse_theory("0.9 :: s(X, Y) :- r(Y, X).")).predict(["r(a, b)"])
    pairs.save(tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text() == "b\ts\ta\n"
    with pytest.raises(PossilogError, match=r"\.db, \.tsv, \.csv or \.parquet"):
        pairs.save(tmp_path / "a.docx")


def test_nothing_is_a_file_too(tmp_path: Path) -> None:
    nothing = Reasoner(THEORY).predict(["z(a)"])
    for name in ("a.csv", "a.parquet", "a.db", "a.tsv"):
        nothing.save(tmp_path / name)
        assert (tmp_path / name).exists()


def test_the_command_writes_and_does_not_list(tmp_path: Path) -> None:
    (tmp_path / "a.pl").write_text("0.9 :: s(X, Y) :- r(Y, X).")
    (tmp_path / "a.db").write_text("r(a, b)\n")
    arguments = ["predict", "a.pl", "--evidence", "a.db", "-o", "out.csv"]
    finished = run(*arguments, cwd=tmp_path)
    assert (finished.returncode, finished.stdout) == (0, "")
    assert (
        tmp_path / "out.csv"
    ).read_text() == "predicate,argument1,argument2,certainty,probability,cases,right\ns,b,a,0.9,,,\n"
    (tmp_path / "out.csv").write_bytes(b"\0 not facts")
    assert run(*arguments, cwd=tmp_path).returncode == 2
    assert run(*arguments, "--force", cwd=tmp_path).returncode == 0
    for name in ("out.csv", "out.parquet", "out.parquet"):
        assert run(*arguments[:-1], name, cwd=tmp_path).returncode == 0, "it replaces what it wrote"
    duckdb.execute("COPY (SELECT 1 AS certainty) TO '" + str(tmp_path / "out.parquet") + "' (FORMAT parquet)")
    assert run(*arguments[:-1], "out.parquet", cwd=tmp_path).returncode == 2
