"""Joins give the matcher's answers, for all beginnings at once."""

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
    found = Joins(database).covered(body, used, grid, most)
    origin, _ = Joins(database).matches(body, dict(zip(used, grid.T, strict=True)), [])
    if found is not None:
        assert np.flatnonzero(found).tolist() == sorted(origin.tolist())
    assert found is not None or most < 10_000


def test_a_body_without_beginnings_begins_as_often_as_said() -> None:
    p, facts = Predicate("p", 1), Database.of([Atom.ground("p", ["a"]), Atom.ground("p", ["b"])])
    for rows, numbers in ((None, [0, 0]), (1, [0, 0]), (2, [0, 0, 1, 1]), (0, [])):
        found, columns = Joins(facts).matches([(p, (0,))], {}, [0], rows)
        assert found.tolist() == numbers and columns[0].tolist() == [0, 1] * (len(numbers) // 2)
