"""What evidence of each kind counts when it is asked which rules are needed, by definition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.learning.balance import Balance, Kind
from possilog.learning.hiding import SIMULATED

KINDS = st.tuples(st.booleans(), st.sampled_from(SIMULATED))
FACTS = st.integers(-40, 2000)


@settings(max_examples=budget(200))
@given(st.integers(-100, 1000), st.dictionaries(KINDS, FACTS, max_size=14))
def test_each_kind_counts_alike(hard: int, added: dict[Kind, int]) -> None:
    """A thousandth of a fact where rules gain most, elsewhere as many times more as they gain less: twenty at most.

    Where they lose, it counts by what they lose: a loss of a few facts is no more than a gain of as many.
    """
    balance = Balance.of(hard, added)
    most = max(added.values(), default=0)
    for kind, facts in added.items():
        times = Fraction(most, abs(facts)) if facts else Fraction(20)
        times = min(times, Fraction(20)) if most > 0 else Fraction(1)
        assert abs(balance.weights[kind] - 1000 * times) <= 0.5
    assert balance.weights.keys() == added.keys()
    assert balance.whole == sum(balance.weights[kind] * facts for kind, facts in added.items())


@settings(max_examples=budget(200))
@given(
    st.integers(-100, 1000),
    st.dictionaries(KINDS, FACTS, min_size=1, max_size=14),
    st.lists(st.integers(-50_000, 50_000), min_size=2, max_size=2),
)
def test_gains_are_those_in_facts_and_what_is_lost_takes_the_same_part_of_them(
    hard: int, added: dict[Kind, int], lost: list[int]
) -> None:
    """All rules gain what they do, the hard rules what these do; between is a straight line that rises."""
    balance = Balance.of(hard, added)
    facts = sum(added.values())
    assert balance.hard == hard and balance.gain(0) == hard
    if balance.whole > 0 and facts > 0:
        assert balance.gain(balance.whole) == pytest.approx(hard + facts)
        assert balance.gain(balance.whole // 2) == pytest.approx(hard + facts / 2, abs=facts / balance.whole)
    else:  # rules that lose with all evidence together: a fact is one where most is gained
        assert balance.gain(balance.whole) == pytest.approx(hard + balance.whole / 1000)
    less, more = sorted(lost)
    assert (balance.gain(less) < balance.gain(more)) == (less < more)


def test_what_evidence_counts_where_rules_gain_nothing_anywhere() -> None:
    for added in ({}, {(False, 0.1): 0}, {(False, 0.1): -3, (True, 0.1): 0}):
        balance = Balance.of(2, added)
        assert set(balance.weights.values()) <= {1000} and balance.gain(1000) == 3


@pytest.mark.parametrize(("facts", "weight"), [(-100, 1000), (-50, 2000), (-200, 500), (-3, 20_000), (0, 20_000)])
def test_what_is_lost_counts_by_how_much_it_is(facts: int, weight: int) -> None:
    assert Balance.of(0, {(False, 0.1): facts, (True, 0.5): 100}).weights[False, 0.1] == weight


@pytest.mark.parametrize(("facts", "weight"), [(100, 1000), (50, 2000), (3, 20_000), (5, 20_000), (6, 16_667)])
def test_next_to_nothing_counts_as_a_twentieth_of_the_best(facts: int, weight: int) -> None:
    """In whole numbers, so that what shards add up is the same in any order."""
    found = Balance.of(0, {(False, 0.1): facts, (True, 0.5): 100}).weights[False, 0.1]
    assert found == weight and isinstance(found, int)
