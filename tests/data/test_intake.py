"""What one reading tells: of each kind the first places, and how many more there are; and types that facts take on."""

from __future__ import annotations

import warnings

import pytest

from possilog.data import Database, comparing
from possilog.data.builder import Builder
from possilog.data.reading.intake import Intake, Kind
from possilog.data.typing import in_step, typed_facts
from possilog.errors import DataError, DataWarning, QueryError
from possilog.logic import (
    Atom,
    Declared,
    MappedTable,
    Nearness,
    Precedence,
    Predicate,
    TableMapping,
    Theory,
    parse_atom,
)
from possilog.logic.spelling import type_of, typed


def told(intake: Intake) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", DataWarning)
        intake.finish()
    return [str(each.message) for each in found]


@pytest.mark.parametrize(("files", "more"), [(5, 0), (6, 1), (8, 3)])
def test_files_without_facts(files: int, more: int) -> None:
    intake = Intake()
    for number in range(files):
        intake.remark_empty(f"f{number}")
    said = [f"f{number}: there are no facts in it" for number in range(5)]
    assert told(intake) == said + [f"{more} more files have no facts in them"] * (more > 0)


@pytest.mark.parametrize(
    ("counts", "more"),
    [
        ([1, 2, 1, 3, 1], []),
        ([1, 2, 1, 3, 1, 1], ["1 more files: 1 view is left out"]),
        ([1, 2, 1, 3, 1, 1, 2], ["2 more files: 3 views are left out"]),
    ],
)
def test_remarks_of_one_kind(counts: list[int], more: list[str]) -> None:
    intake = Intake()
    for number, count in enumerate(counts):
        for place in range(count):
            intake.remark(f"f{number}", Kind.VIEW, f"v{place}")
    first = [
        f"f{number}: {count} {'view is' if count == 1 else 'views are'} left out, first v0; only tables are read"
        for number, count in enumerate(counts[:5])
    ]
    assert told(intake) == first + more


def test_rows_with_an_empty_cell_and_facts_given_again() -> None:
    intake = Intake()
    intake.add(["p", "p", "", "p"], [["a", "", "b", "a"]], [3, 5, 6, 9], "t.tsv", missing="")
    intake.add(["q", "q"], [["a", None], ["b", "c"]], [1, 2], "t.db")
    intake.count_rows("t.db")
    intake.add(["q"], [["a"], ["b"]], [4], "t.db")
    intake.add_triples([("r", "a", "b"), ("r", "a", "b"), ("r", "", "b")], "graph")
    assert told(intake) == [
        "t.tsv: 2 rows with an empty cell are left out, first at line 5",
        "t.db: 1 row with an empty cell is left out, first at line 2",
        "graph: 1 row with an empty cell is left out, first at line 3",
        "t.tsv: 1 fact is given again, first at line 9",
        "t.db: 1 fact is given again, first at row 4",
    ]


@pytest.mark.parametrize("count", [1, 5, 6, 7])
def test_predicates_that_look_alike(count: int) -> None:
    intake = Intake()
    for number in range(count):
        intake.add([f"is_p{number}", f"IsP{number}"], [["a", "a"]], [2 * number + 1, 2 * number + 2], "t.db")
    said = told(intake)
    assert said[0] == "t.db:2: IsP0 looks like is_p0 at t.db:1 in another spelling; they are two predicates"
    assert len(said) == min(count, 5) + (count > 5)
    assert count <= 5 or said[-1] == f"{count - 5} more predicates look like others in another spelling"


def test_the_mark_of_types_stands_before_a_declared_type() -> None:
    for name in (typed("a", "t"), typed("a", "")):
        intake = Intake()
        intake.add(["p"], [[name]], [1], "t.db")
        with pytest.raises(DataError, match=r"holds U\+FDD0, which no text holds; take it away"):
            intake.finish()


def test_plain_constants_mean_what_tables_are_about() -> None:
    declared = Declared({Predicate("carrier", 2): ("flights", "airlines"), Predicate("seat", 2): ("planes", "seats")})
    facts = ["carrier(f1, EV)", "seat(b, f1)", "late(f1)", "odd(EV)", "old(b)", "old(zz)"]
    database = Database.of(map(parse_atom, facts), constants=["f1", "alone"])
    found = typed_facts(database, declared)
    types = {str(atom): [type_of(term.name) for term in atom.arguments] for atom in found}
    assert types["late(f1)"] == ["flights"]  # and not the seat
    assert types['odd("EV")'] == ["airlines"] and types["old(b)"] == ["planes"] and types["old(zz)"] == [""]
    assert [name for name in found.constants if not type_of(name)] == ["alone", "zz"]
    assert typed_facts(found, declared) == found and typed_facts(database, Declared()) is database


def test_a_theory_without_a_mapping_takes_on_that_of_the_facts() -> None:
    one, other = (TableMapping((MappedTable(name, name, ("id",)),)) for name in ("ones", "others"))
    builder = Builder()
    builder.add("p", [["a"]])
    plain = builder.build()
    builder.mapping = other
    mapped = builder.build()
    assert in_step(Theory(), mapped)[0].mapping == other
    assert in_step(Theory(mapping=one), mapped)[0].mapping == one
    assert in_step(Theory(mapping=one), plain)[0].mapping == one
    assert in_step(Theory(), plain) == (Theory(), plain)


@pytest.mark.parametrize(("most", "is_refused"), [(2, True), (3, False)])
def test_so_many_numbers_are_compared(most: int, is_refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_ORDERED", most)
    monkeypatch.setattr(comparing, "MOST_PAIRS", 3 * most)
    facts = Database.of(Atom.ground("p", [name]) for name in ("1", "2", "3", "a", "b"))
    for comparison, pairs in ((Precedence.of("<"), 3), (Nearness.of(9), 6)):
        if is_refused:
            with pytest.raises(QueryError, match="or give data with fewer of them"):
                facts.rows(comparison)
        else:
            assert facts.count(comparison) == pairs
