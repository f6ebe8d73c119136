"""Pinned weights: the most likely ones, shown by looking at every corner of what the pins allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.errors import TheoryError
from possilog.logic import Keep, Rule, Weight, parse_clause
from possilog.weights import fit
from possilog.weights.pinned import fit_pinned

Pins = Mapping[int, Rule]


def pin(doubt: str, head: str = "p(X)") -> Rule:
    return Rule(parse_clause(head), Weight.of_doubt(doubt), Keep.PINNED)


@st.composite
def pinned_counts(draw: st.DrawFn) -> tuple[list[int], list[int], Pins, int]:
    """Counts of up to five levels from ⊥, with zeros and ties, and pins on some."""
    levels = draw(st.integers(2, 5))
    m = [draw(st.integers(0, 6)) for _ in range(levels)]
    n = [draw(st.integers(0, 9)) if worlds else 0 for worlds in m]
    places = draw(st.sets(st.integers(0, levels - 1), min_size=1, max_size=2))
    doubts = sorted(draw(st.sampled_from(["0.5", "0.2", "0.1", "0.05", "0.01", "0.001"])) for _ in places)
    pins = {place: pin(doubt) for place, doubt in zip(sorted(places), reversed(doubts), strict=True)}
    return n, m, pins, draw(st.integers(0, 1))


def corners(worlds: Sequence[int], pins: Pins) -> Iterator[list[Fraction]]:
    """Every corner of the set of monotone probabilities that keep the pins and sum to 1.

    Without the sum, corners are steps from one pin to the next; the sum cuts the edges between them.
    """
    parts: list[list[list[Fraction]]] = []
    start, high = 0, Fraction(1)  # a level that decides about a world is never above 1
    for place in (*sorted(pins), len(worlds)):
        low = Fraction(pins[place].weight.doubt) if place in pins else Fraction(0)
        size = place - start
        parts.append([[high] * step + [low] * (size - step) for step in range(size + 1)])
        if place in pins:
            parts.append([[low]])
        start, high = place + 1, low
    steps = [[p for part in chosen for p in part] for chosen in product(*parts)]
    sums = [sum((m * p for m, p in zip(worlds, step, strict=True)), Fraction(0)) for step in steps]
    for one, below in zip(steps, sums, strict=True):
        for other, above in zip(steps, sums, strict=True):
            if below == 1:
                yield one
            elif below < 1 < above:
                share = (1 - below) / (above - below)
                yield [p + share * (q - p) for p, q in zip(one, other, strict=True)]


@settings(max_examples=budget(300), deadline=None)
@given(pinned_counts())
def test_no_corner_is_more_likely(case: tuple[list[int], list[int], Pins, int]) -> None:
    n, m, pins, smoothing = case
    seen = [count + smoothing * worlds for count, worlds in zip(n, m, strict=True)]
    assume(any(seen))
    allowed = list(corners(m, pins))
    reachable = [any(corner[level] for corner in allowed) for level in range(len(m))]
    try:
        found = fit_pinned(n, m, pins, smoothing)
    except TheoryError:
        assert not all(fine for fine, count in zip(reachable, seen, strict=True) if count)
        return
    p = found.probabilities
    assert list(p) == sorted(p, reverse=True)
    assert all(p[place] == Fraction(rule.weight.doubt) for place, rule in pins.items())
    assert sum(worlds * q for worlds, q in zip(m, p, strict=True)) == 1
    # The likelihood is concave: it is largest where it rises towards no corner.
    for corner in allowed:
        assert sum(Fraction(count) * (q - r) / r for count, q, r in zip(seen, corner, p, strict=True) if count) <= 0


def test_without_pins_it_is_the_closed_form() -> None:
    assert fit_pinned([90, 2, 8, 0], [5, 4, 4, 1], {}, 1) == fit([90, 2, 8, 0], [5, 4, 4, 1], 1)


def test_a_pin_at_the_best_weight_changes_nothing() -> None:
    free = fit([80, 16, 4], [4, 8, 8])
    assert fit_pinned([80, 16, 4], [4, 8, 8], {1: pin("0.02")}).probabilities == free.probabilities


def test_worlds_below_the_pins_that_nothing_is_seen_of_take_the_rest() -> None:
    assert fit_pinned([0, 5], [4, 2], {1: pin("0.1")}).probabilities == (Fraction(1, 5), Fraction(1, 10))


def test_where_there_are_none_those_above_do() -> None:
    assert fit_pinned([0, 16, 0], [0, 4, 4], {1: pin("0.2")}).probabilities[1:] == (Fraction(1, 5), Fraction(1, 20))
    assert fit_pinned([9, 2, 0], [5, 2, 6], {0: pin("0.1")}).probabilities == (
        Fraction(1, 10),
        Fraction(1, 10),
        Fraction(1, 20),
    )


def test_smoothing_is_what_is_written() -> None:
    pins, counts = {1: pin("0.02")}, ([90, 2, 8], [5, 4, 4])
    assert fit_pinned(*counts, pins, 0.1) == fit_pinned(*counts, pins, Fraction(1, 10))


def test_pins_that_ask_for_too_much_are_named() -> None:
    pins = {1: pin("0.05", "weak(X)"), 2: pin("0.03", "strong(X)")}
    with pytest.raises(TheoryError) as caught:
        fit_pinned([90, 1, 1, 1], [10, 8, 5, 2], pins)
    assert str(caught.value) == (
        "the weight pinned to weak(X). is too low: the worlds that break it or only weaker rules would have "
        "probability 0.9, which with all others makes 1.05 instead of 1; pin a higher weight, or take the pin away"
    )


def test_a_pin_that_leaves_nothing_for_what_is_seen_is_named() -> None:
    with pytest.raises(TheoryError, match=r"the weight pinned to p\(X\)\. is too low"):
        fit_pinned([1, 1, 1], [5, 5, 1], {1: pin("0.1")})


def test_a_pin_that_no_world_can_make_up_for_is_named() -> None:
    with pytest.raises(TheoryError, match=r"the weight pinned to p\(X\)\. is too high: all worlds .* probability 0.2;"):
        fit_pinned([0, 3], [0, 2], {1: pin("0.1")})


def test_pins_that_leave_just_nothing() -> None:
    """All worlds below the pin have at least its probability, which together is 1 already."""
    for n in ([5, 5], [9, 0], [0, 3]):
        assert fit_pinned(n, [5, 5], {1: pin("0.1")}).probabilities == (Fraction(1, 10), Fraction(1, 10))
    with pytest.raises(TheoryError, match="is too low"):
        fit_pinned([5, 5, 1], [5, 5, 1], {1: pin("0.1")})
