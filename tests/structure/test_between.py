"""Which columns can be compared, and of which things two values are equal, by definition on small random columns."""

from __future__ import annotations

import random
from datetime import date

import numpy as np
import pytest

from possilog.logic import Predicate
from possilog.structure.columns.between import _are_alike, _are_comparable, _equal, _inside
from possilog.structure.columns.things import Column

NAMES = (
    "1",
    "1.0",
    "2",
    "2.0",
    "3",
    "5",
    "9",
    "red",
    "blue",
    "green",
    "grey",
    "2020-01-01",
    "2020-01-05",
    "2021-03-01",
)
PLACES = {"numbers": range(7), "words": range(7, 11), "dates": range(11, 14)}


def column(rng: random.Random) -> Column:
    """A few things with values of one kind; numbers need not be declared as such."""
    kind = rng.choice(["numbers", "numbers", "words", "dates"])
    some = rng.sample(PLACES[kind], rng.randint(1, len(PLACES[kind])))
    values = np.array([rng.choice([*some, -1]) for _ in range(6)])
    is_number = kind != "words" and rng.random() < 0.8
    return Column(Predicate("c", 2), rng.choice("ab"), values, NAMES, is_number)


def told(one: Column) -> list[str | None]:
    return [NAMES[value] if value >= 0 else None for value in one.values.tolist()]


def number(name: str) -> float:
    return date.fromisoformat(name).toordinal() if "-" in name else float(name)


def share_between(one: Column, other: Column) -> float:
    mine, others = ([number(name) for name in told(each) if name is not None] for each in (one, other))
    if not mine or not others:
        return 0.0
    return sum(min(others) <= each <= max(others) for each in mine) / len(mine)


@pytest.mark.parametrize("seed", range(12))
def test_columns_that_can_be_compared(seed: int) -> None:
    rng, seen = random.Random(seed), set[tuple[bool, bool]]()
    for _ in range(60):
        one, other = column(rng), column(rng)
        first, second = ({name for name in told(each) if name is not None} for each in (one, other))
        dates = [bool(names) and all("-" in name for name in names) for names in (first, second)]
        numeric = one.is_number and other.is_number and dates[0] == dates[1]
        near = dates[0] or one.type == other.type
        if numeric and not near:
            near = share_between(one, other) >= 0.5 and share_between(other, one) >= 0.5
        assert _are_comparable(one, other) == (numeric and near)
        same_kind = one.is_number == other.is_number and dates[0] == dates[1]
        common = len(first & second)
        alike = same_kind and common >= max(2, 0.5 * min(len(first), len(second)))
        assert _are_alike(one, other) == alike
        seen.add((numeric and near, alike))
        if numeric and not any(dates):
            assert _inside(one.numbers[one.known], other.numbers[other.known]) == share_between(one, other)
        if same_kind:
            pairs = list(zip(told(one), told(other), strict=True))
            wanted = [a is not None and b is not None and a == b for a, b in pairs]
            if one.is_number:
                wanted = [a is not None and b is not None and number(a) == number(b) for a, b in pairs]
            assert _equal(one, other).tolist() == wanted
    assert len(seen) >= 3
