"""Weights that likelihood cannot tell apart, made to differ."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.learning.apart import spread

DOUBTS = st.lists(st.sampled_from(["1e-9", "3.3e-5", "0.00123456789012", "0.1", "0.25"]), min_size=1, max_size=8)


@settings(max_examples=budget(200), deadline=None)
@given(DOUBTS.map(lambda texts: sorted(map(Decimal, texts))), st.sets(st.integers(0, 7)))
def test_each_has_its_own_place_and_pins_stay(doubts: list[Decimal], places: set[int]) -> None:
    # Of what is alike one may be pinned, since two pins leave no room between them.
    pinned = {place for place in places if place < len(doubts) and doubts.index(doubts[place]) == place}
    found = spread(doubts, pinned)
    assert all(found[place] == doubts[place] for place in pinned)
    assert all(lower < higher for lower, higher in pairwise(found)), "the order is the same, and all differ"
    assert all(abs(now / before - 1) < Decimal("1e-10") for now, before in zip(found, doubts, strict=True))
    if len(set(doubts)) == len(doubts):
        assert found == doubts, "what differs stays"


def test_what_stands_before_a_pin_gives_way_to_it() -> None:
    some = list(map(Decimal, ["0.1", "0.2", "0.2", "0.2", "0.2"]))
    assert spread(some, {3}) == list(map(Decimal, ["0.1", "0.199999999998", "0.199999999999", "0.2", "0.200000000001"]))
    assert spread(some, {1, 4}) == some, "between two pins of one weight there is no room"
