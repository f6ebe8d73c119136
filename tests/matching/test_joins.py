"""Joins give the matcher's answers, for all beginnings at once."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.logic import Atom, Constant, Literal, Predicate, Query, Variable
from possilog.matching import Matcher, joins
from possilog.matching.joins import Joins
from strategies import SMALL_PREDICATES, databases

PREDICATES = [*SMALL_PREDICATES, Predicate("n", 0)]


@st.composite
def bodies(draw: st.DrawFn) -> list[tuple[Predicate, tuple[int, ...]]]:
    """Bodies over four variables and two constants, in numbers."""
    arguments = st.integers(-2, 3)
    return [
        (predicate, tuple(draw(st.lists(arguments, min_size=predicate.arity, max_size=predicate.arity))))
        for predicate in draw(st.lists(st.sampled_from(PREDICATES), min_size=1, max_size=3))
    ]


@given(databases(), bodies(), st.integers(0, 2), st.booleans())
@settings(max_examples=budget(150))
def test_joins_are_what_the_matcher_finds(
    database: Database, body: list[tuple[Predicate, tuple[int, ...]]], given_variables: int, in_parts: bool
) -> None:
    database = database.declare([*database.constants, "y1", "y2", "y3", "y4", "y5"])
    used = sorted({argument for _, arguments in body for argument in arguments if argument >= 0})
    beginning, wanted = used[:given_variables], used[given_variables:][:2]
    rows = np.array(
        [[(n + 2 * place) % len(database.constants) for n in range(6)] for place in range(len(beginning))],
        dtype=np.int32,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joins, "MOST_ROWS", 3 if in_parts else 1_000)
        patch.setattr(joins, "_LARGEST_KEY", len(database.constants) + 1 if in_parts else 2**62)
        origin, columns = Joins(database).matches(
            body, dict(zip(beginning, rows, strict=True)), wanted, 6 if not beginning else None
        )
    names = database.constants
    terms = {-1 - n: Constant(names[n]) for n in range(2)} | {n: Variable(f"V{n}") for n in range(4)}
    query = Query(tuple(Literal(Atom(p, tuple(terms[a] for a in arguments))) for p, arguments in body))
    expected = {
        (start, *(match[f"V{variable}"] for variable in wanted))
        for start in range(6)
        for match in Matcher(database).matches(
            query,
            {terms[v]: names[rows[place][start]] for place, v in enumerate(beginning)},  # type: ignore[misc]
        )
    }
    found = list(zip(origin.tolist(), *([names[n] for n in column] for column in columns), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(databases(), bodies(), st.integers(1, 2), st.integers(0, 40))
@settings(max_examples=budget(100))
def test_heads_are_covered_from_the_bottom_up(
    database: Database, body: list[tuple[Predicate, tuple[int, ...]]], width: int, most: int
) -> None:
    database = database.declare([*database.constants, "y1", "y2"])
    used = sorted({argument for _, arguments in body for argument in arguments if argument >= 0})[:width]
    if not used:
        return
    size = len(database.constants)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*[np.arange(size)] * len(used))], axis=1).astype(np.int32)
    origin, _ = Joins(database).matches(body, dict(zip(used, grid.T, strict=True)), [])
    for rows in (most, 10**6):
        found = Joins(database).covered(body, used, grid, rows)
        assert found is not None or rows == most
        assert found is None or np.flatnonzero(found).tolist() == sorted(origin.tolist())


def test_a_body_without_beginnings_begins_as_often_as_said() -> None:
    p, facts = Predicate("p", 1), Database.of([Atom.ground("p", ["a"]), Atom.ground("p", ["b"])])
    for rows, numbers in ((None, [0, 0]), (1, [0, 0]), (2, [0, 0, 1, 1]), (0, [])):
        found, columns = Joins(facts).matches([(p, (0,))], {}, [0], rows)
        assert found.tolist() == numbers and columns[0].tolist() == [0, 1] * (len(numbers) // 2)


def test_a_join_covers_heads_where_it_has_few_rows_and_they_fit_into_one_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight facts r, of which the join has all at first, and two with s."""
    names = [f"c{number}" for number in range(9)]
    facts = [Atom.ground("r", pair) for pair in pairwise(names)]
    database = Database.of([*facts, Atom.ground("s", [names[3]]), Atom.ground("s", [names[6]])])
    r, s = Predicate("r", 2), Predicate("s", 1)
    heads = np.array([[one, other] for one in range(9) for other in range(9)], dtype=np.int32)
    every = [other == one + 1 for one, other in heads.tolist()]
    for key, most, is_found in ((82, 8, True), (81, 8, False), (80, 8, False), (82, 7, False), (2**62, 100, True)):
        monkeypatch.setattr(joins, "_LARGEST_KEY", key)
        found = Joins(database).covered([(r, (0, 1))], [0, 1], heads, most)
        assert (None if found is None else found.tolist()) == (every if is_found else None)
    for most in (1, 2, 3):
        found = Joins(database).covered([(r, (0, 1)), (s, (0,))], [0, 1], heads, most)
        wanted = [here and one in (3, 6) for here, (one, _) in zip(every, heads.tolist(), strict=True)]
        assert (None if found is None else found.tolist()) == (wanted if most > 1 else None)
    none = Joins(database).covered([(r, (0, 1)), (r, (1, 0))], [0, 1], heads, 100)
    assert none is not None and not none.any()


@pytest.mark.parametrize(
    ("rows", "most", "parts"),
    [(4, 40, [12]), (4, 12, [12]), (4, 11, [6, 6]), (4, 5, [3] * 4), (1, 3, [3]), (1, 2, [3])],
)
def test_a_join_is_done_in_parts_where_it_is_too_large_and_can_be_parted(
    rows: int, most: int, parts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of some constants has three facts; what begins with one of them stays together, however much it is."""
    monkeypatch.setattr(joins, "MOST_ROWS", most)
    database = Database.of(Atom.ground("r", [f"a{one}", f"b{other}"]) for one in range(rows) for other in range(3))
    made, joined = list[int](), Joins._joined

    def noted(self: Joins, *given: Any) -> Any:
        monkeypatch.setattr(Joins, "_joined", joined)  # what it asks of itself is part of a part
        for part in joined(self, *given):
            made.append(len(part))
            yield part

    monkeypatch.setattr(Joins, "_joined", noted)
    numbers = np.array([database.number(f"a{one}") for one in range(rows)], dtype=np.int32)
    origin, (ends,) = Joins(database).matches([(Predicate("r", 2), (0, 1))], {0: numbers}, [1])
    assert made == parts
    assert sorted(zip(origin.tolist(), ends.tolist(), strict=True)) == [
        (one, database.number(f"b{other}")) for one in range(rows) for other in range(3)
    ]
