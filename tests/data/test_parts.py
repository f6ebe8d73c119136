"""Whatever is taken a few lines, rows or letters at a time, reading and writing give the same; and what is told of
many files is told of few."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas
import pytest

from possilog.data import Builder, Database, Evidence, from_frames, read, write
from possilog.data.cells import EmptyCells
from possilog.data.reading import text
from possilog.errors import ArityError, DataError, DataWarning, FormatError, QueryError
from possilog.logic import Atom, Predicate, parse_atom

PARTS = {
    "reading.csv_tables": ["_BATCH"],
    "reading.frames": ["_BATCH"],
    "reading.graphs": ["_PIECE"],
    "reading.intake": ["_BATCH"],
    "reading.rdf": ["_BATCH"],
    "reading.tables": ["_BATCH"],
    "reading.text": ["_PIECE", "_CHUNK"],
    "reading.workbooks": ["_BATCH"],
    "tables.predicates": ["_BATCH"],
    "tables.table": ["_SOME", "MANY"],
    "texts": ["_RUN", "MANY", "_BLOCK"],
    "writing.text": ["_CHUNK"],
}


@pytest.fixture(params=[1, 2, 7])
def in_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many are taken at a time."""
    for module, names in PARTS.items():
        for name in names:
            monkeypatch.setattr(import_module(f"possilog.data.{module}"), name, request.param)


def facts() -> Database:
    """Facts of three predicates, more than are taken at a time."""
    rng = np.random.default_rng(0)
    some = [Atom.ground("r", [f"a{n}", f"b{rng.integers(5)}"]) for n in range(23)]
    some += [Atom.ground("s", [f"a{rng.integers(9)}", f"a{n}"]) for n in range(11)]
    return Database.of([*some, *(Atom.ground("p", [f"c {n}"]) for n in range(8))])


def things(database: Database) -> list[Atom]:
    return [atom for atom in database if atom.predicate.arity == 2]


@pytest.mark.parametrize("name", ["a.db", "a.db.gz", "a.tsv", "folder", "a.duckdb", "a.sqlite"])
def test_what_is_written_in_parts_is_read_in_parts(name: str, in_parts: None, tmp_path: Path) -> None:
    database = facts()
    if name == "a.tsv":
        database = Database.of(things(database))
    write(database, tmp_path / name)
    assert read(tmp_path / name) == database


def test_graphs_are_read_in_parts(in_parts: None, tmp_path: Path) -> None:
    rows = [(atom.predicate.name, *(term.name for term in atom.arguments)) for atom in things(facts())]
    plain, named = (Database.of(Atom.ground(mark + r, [mark + a, mark + b]) for r, a, b in rows) for mark in ("", "x:"))
    edges = [f'<edge source="{one}" target="{other}"><data key="k">{name}</data></edge>' for name, one, other in rows]
    keys = '<key id="k" attr.name="relation"/>'
    (tmp_path / "a.graphml").write_text(f"<graphml>{keys}<graph>{''.join(edges)}</graph></graphml>")
    (tmp_path / "a.ttl").write_text(
        "@prefix : <x:> .\n" + "".join(f":{one} :{name} :{other} .\n" for name, one, other in rows)
    )
    assert read(tmp_path / "a.graphml") == plain and read(tmp_path / "a.ttl") == named


def test_tables_are_read_in_parts(in_parts: None, tmp_path: Path) -> None:
    """The same table as a file, a workbook and a frame."""
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame(
        {
            "id": [f"k{n}" for n in range(17)],
            "city": ["Porto" if n % 3 else "Lyon" for n in range(17)],
            "gold": ["yes" if n % 2 else "no" for n in range(17)],
            "sum": [float(rng.integers(4)) / 2 for _ in range(17)],
        }
    )
    frame.loc[3, "city"] = None
    frame.to_csv(tmp_path / "people.csv", index=False)
    frame.to_excel(tmp_path / "book.xlsx", sheet_name="people", index=False)
    one = from_frames({"people": frame})
    assert read(tmp_path / "people.csv") == read(tmp_path / "book.xlsx") == one
    lines = [("city", 16), ("gold", 8), ("sum", 17)]
    assert [(p.name, one.count(p)) for p in one.predicates] == lines
    assert sorted(map(str, one.denied)) == sorted(f"gold(k{n})" for n in range(0, 17, 2))


@pytest.mark.parametrize("more", [-1, 0, 1, 2])
def test_what_is_told_of_many_files(more: int, tmp_path: Path) -> None:
    """Five are named, and the others are counted."""
    for number in range(5 + more):
        (tmp_path / f"e{number}.db").write_text("% nothing\n")
        (tmp_path / f"f{number}.db").write_text(f"p(a{number})\np(a{number})\n" + "p(b)\n" * (number == 6))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read(tmp_path)
    said = sorted(str(one.message).replace(f"{tmp_path}/", "") for one in told)
    again = {1: "1 more files: 1 fact is given again", 2: "2 more files: 2 facts are given again"}
    wanted = [f"e{n}.db: there are no facts in it" for n in range(min(5, 5 + more))]
    wanted += [f"f{n}.db: 1 fact is given again, first at line 2" for n in range(min(5, 5 + more))]
    wanted += [f"{more} more files have no facts in them", again[more]] if more > 0 else []
    assert said == sorted(wanted)


def test_predicates_have_one_arity() -> None:
    builder = Builder()
    with pytest.raises(ArityError, match=r"^f:5: r has 1 argument here and 2 at f:3; give the two different names"):
        builder.add("r", [["a", "b"], ["c", "d"], ["e"]], source="f", first_line=3)
    builder = Builder()
    builder.add("r", [["a", "b"]])
    with pytest.raises(ArityError, match="r has 1 argument "):
        builder.deny("r", [["a"]])
    builder.deny("r", [["b", "a"]])
    assert [str(atom) for atom in builder.build().denied] == ["r(b, a)"]


@pytest.mark.parametrize("order", [(0,), (0, 0), (1, 2), [0, 1], (0, 1, 2), None])
def test_an_index_has_each_place_once(order: tuple[int, ...]) -> None:
    database = Database.of([parse_atom("r(a, b)")])
    with pytest.raises(QueryError, match=r"the order of arguments of r/2 has each place once, as \(0, 1\)"):
        database.index(Predicate("r", 2), order)
    assert database.index(Predicate("r", 2), (1, 0)).nbytes > 0


@pytest.mark.parametrize("tag", ["graphm", "gexf", "zebra", "graphml2"])
def test_other_xml_is_no_graphml(tag: str, tmp_path: Path) -> None:
    (tmp_path / "a.graphml").write_text(f"<{tag}><graph/></{tag}>")
    with pytest.raises(FormatError, match=f"it begins with <{tag}>, and not as GraphML does"):
        read(tmp_path / "a.graphml")


def test_a_file_that_may_not_be_written_is_read(tmp_path: Path) -> None:
    """Reading takes no lock: two may read a DuckDB file at once, and one that may not be changed."""
    import duckdb

    write(facts(), tmp_path / "a.duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb"), read_only=True):
        before = (tmp_path / "a.duckdb").stat().st_mtime_ns
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataWarning)
            assert read(tmp_path / "a.duckdb") == facts()
        assert (tmp_path / "a.duckdb").stat().st_mtime_ns == before


@pytest.mark.parametrize("packed", [1, 3, 7])
def test_a_packed_file_may_grow_a_hundredfold(packed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_UNPACKED", 150)
    most = max(150, 100 * packed)
    text.require_modest(most, packed, "f")
    with pytest.raises(FormatError, match=f"f: the packed file grows to more than {most // packed} times its size"):
        text.require_modest(most + 1, packed, "f")


@pytest.mark.parametrize(
    ("facts", "denied"), [((), ()), (None, ()), (Database((), {}), []), (Database((), {}), ("p",))]
)
def test_evidence_is_a_database_and_atoms(facts: Database, denied: tuple[Atom, ...]) -> None:
    with pytest.raises(DataError, match="evidence is a database and a tuple of denied atoms"):
        Evidence(facts, denied)


def test_what_is_no_atom_stands_in_no_cell() -> None:
    empty = EmptyCells(
        from_frames({"people": pandas.DataFrame({"id": list("abc"), "pet": ["x", None, "y"], "age": [1, 2, 3]})})
    )
    assert 7 not in empty and parse_atom("unknown(a, b)") not in empty
