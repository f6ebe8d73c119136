"""Rows of numbers by their definition, on small random ones; and what is none."""

from __future__ import annotations

import random

import numpy as np
import pytest

from possilog.data import Database
from possilog.data.rows import common, distinct, equal, inside, occurring, ranges
from possilog.errors import DataError
from possilog.logic import Predicate

SEEDS = range(30)


def columns(rng: random.Random, height: int) -> list[tuple[int, ...]]:
    """Columns in order, each once."""
    return sorted({tuple(rng.randrange(3) for _ in range(height)) for _ in range(rng.randrange(7))})


def as_rows(some: list[tuple[int, ...]], height: int) -> np.ndarray:
    return np.array(some, dtype=np.int32).reshape(len(some), height).T


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_by_definition(seed: int) -> None:
    rng = random.Random(seed)
    height = rng.randint(1, 3)
    one, other = columns(rng, height), columns(rng, height)
    p, q = Predicate("p", height), Predicate("q", height)
    both = common(as_rows(one, height), as_rows(other, height))
    assert [tuple(column) for column in both.T.tolist()] == sorted({*one} & {*other})
    assert equal({p: as_rows(one, height)}, {p: as_rows(other, height)}) == (one == other)
    assert not equal({p: as_rows(one, height)}, {q: as_rows(one, height)})
    renumber = np.array([rng.choice([-1, 0, 5]) for _ in range(3)], dtype=np.int32)
    kept = [tuple(int(renumber[a]) for a in column) for column in one if all(renumber[a] >= 0 for a in column)]
    assert [tuple(column) for column in inside({p: as_rows(one, height)}, renumber)[p].T.tolist()] == kept


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_by_definition(seed: int) -> None:
    rng = random.Random(seed)
    numbers = [rng.randrange(12) for _ in range(rng.randrange(6))]
    for constants in (12, 8 * len(numbers) + 12):
        assert occurring(np.array(numbers, dtype=np.int32), constants).tolist() == sorted({*numbers})
    assert distinct(np.array(numbers, dtype=np.int32)).tolist() == sorted({*numbers})
    spans = [(rng.randrange(9), rng.randrange(4)) for _ in range(rng.randint(1, 5))]
    listed = ranges(*np.array(spans).T).tolist()
    assert listed == [number for start, length in spans for number in range(start, start + length)]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_have_to_be_in_order_and_inside(seed: int) -> None:
    rng = random.Random(seed)
    some = [
        tuple(rng.randrange(-1, 4) if rng.random() < 0.1 else rng.randrange(3) for _ in "ab")
        for _ in range(rng.randint(0, 3))
    ]
    fits = some == sorted({*some}) and all(0 <= number < 3 for column in some for number in column)
    try:
        Database(("a", "b", "c"), {Predicate("p", 2): as_rows(some, 2)})
    except DataError as error:
        assert "the facts of p/2 are an array of 2 rows of numbers of constants, sorted" in str(error) and not fits
    else:
        assert fits


@pytest.mark.parametrize(
    "rows",
    [
        [[0]],
        np.array([0]),
        np.array([[0.0]]),
        np.array([["a"]]),
        np.array([[[0]]]),
        np.array([[0], [1]]),
        np.array([[True]]),
    ],
)
def test_what_is_no_array_of_rows(rows: object) -> None:
    with pytest.raises(DataError, match="the facts of p/1 are an array of 1 rows of numbers"):
        Database(("a", "b"), {Predicate("p", 1): rows})  # type: ignore[dict-item]
    assert len(Database(("a", "b"), {Predicate("p", 1): np.array([[0, 1]], dtype=np.uint8)})) == 2


@pytest.mark.parametrize("names", [("b", "a"), ("a", "a"), ("a", 1), [1]])
def test_what_are_no_names_in_order(names: tuple[str, ...]) -> None:
    with pytest.raises(DataError, match="the constants of a Database are names in order, each once"):
        Database(names, {})
    assert Database(["a", "b"], {}).constants == ("a", "b")


@pytest.mark.parametrize("relations", [[], {"p": np.array([[0]])}, 3])
def test_what_are_no_rows_by_predicate(relations: object) -> None:
    with pytest.raises(DataError, match="rows by predicate make a Database"):
        Database(("a",), relations)  # type: ignore[arg-type]
