"""Weights in closed form: against a solver for geometric programs, brute force, and the published numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, log

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.errors import TheoryError
from possilog.logic import CERTAIN, Weight
from possilog.weights import as_weights, fit, log_likelihood
from possilog.weights.pooling import best_insertion, log_likelihoods

Counts = list[tuple[int, int]]


@st.composite
def counts(draw: st.DrawFn, most: int = 8, largest: int = 10**12) -> Counts:
    """n and m of some levels; ties and zeros are frequent."""
    numbers = st.integers(0, 4) | st.integers(0, largest)
    levels = draw(st.lists(st.tuples(numbers, numbers).filter(lambda c: c[1] or not c[0]), min_size=1, max_size=most))
    if not any(n for n, _ in levels):
        levels[0] = (1, 1)
    return levels


def split(levels: Counts) -> tuple[list[int], list[int]]:
    return [n for n, _ in levels], [m for _, m in levels]


@settings(max_examples=budget(500))
@given(counts())
def test_the_fit_is_a_distribution_that_falls(levels: Counts) -> None:
    n, m = split(levels)
    found = fit(n, m)
    p = found.probabilities
    assert sum(a * b for a, b in zip(m, p, strict=True)) == 1
    assert list(p) == sorted(p, reverse=True)
    assert found.idle == tuple(level == (0, 0) for level in levels)
    seen = max((place for place, number in enumerate(n) if number), default=-1)
    assert all(bool(p[place]) == (place <= seen) for place in range(len(levels)) if not found.idle[place])


@settings(max_examples=budget(300))
@given(counts())
def test_no_step_towards_another_distribution_helps(levels: Counts) -> None:
    """The likelihood is concave: the fit is best iff it rises towards no extreme point. This is checked exactly."""
    n, m = split(levels)
    p = fit(n, m).probabilities
    for top in range(1, len(levels) + 1):
        worlds = sum(m[:top])
        if worlds:
            # The extreme points of what is allowed: uniform over the worlds of the lowest levels.
            slope = sum(Fraction(number) / (p[level] * worlds) for level, number in enumerate(n[:top]) if number)
            assert slope <= sum(n)


@settings(max_examples=budget(60))
@given(counts(most=3, largest=9))
def test_brute_force_finds_nothing_better(levels: Counts) -> None:
    n, m = split(levels)
    best = fit(n, m).log_likelihood
    for shares in product(range(9), repeat=len(levels)):
        p = [Fraction(sum(shares[level:])) for level in range(len(levels))]
        total = sum(a * b for a, b in zip(m, p, strict=True))
        if total:
            assert log_likelihood(n, [x / total for x in p]) <= best + 1e-9


def by_geometric_programming(n: list[int], m: list[int]) -> float:
    """The paper's way, a solver for geometric programs: the likelihood of its answer, made to fall and sum to 1."""
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is not installed; it comes with the extra dev")
    levels = [(a, b) for a, b in zip(n, m, strict=True) if b]
    p = cvxpy.Variable(len(levels), pos=True)
    # Powers are relative, or the solver meets numbers beyond its range.
    total = sum(n)
    objective = cvxpy.Maximize(cvxpy.prod([p[i] ** (a / total) for i, (a, _) in enumerate(levels) if a]))
    constraints = [sum(b * p[i] for i, (_, b) in enumerate(levels)) <= 1]
    constraints += [p[i + 1] <= p[i] for i in range(len(levels) - 1)]
    try:
        cvxpy.Problem(objective, constraints).solve(gp=True)
    except cvxpy.error.SolverError:
        return -inf
    if p.value is None or not np.all(np.isfinite(p.value)):
        return -inf
    values = np.minimum.accumulate(p.value)
    values /= sum(b * x for (_, b), x in zip(levels, values, strict=True))
    with np.errstate(divide="ignore"):
        return float(sum(a * np.log(x) for (a, _), x in zip(levels, values, strict=True) if a))


@pytest.mark.filterwarnings("ignore")  # of the solver, about its accuracy
@settings(max_examples=budget(60), deadline=None)
@given(counts(most=8, largest=100_000))
@example([(90, 5), (2, 4), (8, 4), (0, 1)])
@example([(3, 1), (3, 1), (0, 0), (6, 2)])
def test_a_solver_for_geometric_programs_finds_nothing_better(levels: Counts) -> None:
    n, m = split(levels)
    best, theirs = fit(n, m).log_likelihood, by_geometric_programming(n, m)
    assert theirs <= best + 1e-9 * abs(best) + 1e-9


@pytest.mark.filterwarnings("ignore")
def test_the_solver_comes_close_where_it_can() -> None:
    """So the comparison above compares the same problems."""
    n, m = [90, 2, 8, 3], [5, 4, 4, 9]
    assert by_geometric_programming(n, m) == pytest.approx(fit(n, m).log_likelihood, abs=1e-4)


def test_smoothing_mixes_with_the_uniform_distribution() -> None:
    n, m = [90, 2, 8, 0], [5, 4, 4, 1]
    plain, smooth = fit(n, m), fit(n, m, smoothing=0.5)
    for before, after in zip(plain.probabilities, smooth.probabilities, strict=True):
        assert after == (before * 100 + Fraction(1, 2)) / (100 + Fraction(14, 2))
    assert smooth.log_likelihood < plain.log_likelihood
    assert fit([0, 0], [3, 1], smoothing=0.1).probabilities == (Fraction(1, 4), Fraction(1, 4))


def test_levels_that_decide_nothing_take_a_neighbours_probability() -> None:
    found = fit([0, 6, 0, 2, 0, 0], [0, 3, 0, 2, 0, 5])
    assert found.idle == (True, False, True, False, True, False)
    assert found.probabilities == tuple(Fraction(x, 8) for x in (2, 2, 2, 1, 1, 0))
    assert found.weights[-1] == CERTAIN


@pytest.mark.parametrize(
    ("n", "m", "smoothing", "message"),
    [
        ([5, 1], [2, 0], 0, "level 1 from ⊥ decides about 1 k-subsets of the data and about no world"),
        ([5], [2, 1], 0, "1 levels have k-subsets and 2 have worlds"),
        ([5, 1], [2], 0, "2 levels have k-subsets and 1 have worlds"),
        ([5, -1], [2, 1], 0, "counts are never negative"),
        ([0, 0], [2, 1], 0, "no k-subset of the data was counted"),
        ([], [], 1, "no k-subset of the data was counted"),
        ([1], [1], -1, "the smoothing is -1"),
        ([1], [1], float("inf"), "the smoothing is inf"),
        ([1], [1], float("nan"), "the smoothing is nan"),
    ],
)
def test_counts_that_cannot_be(n: list[int], m: list[int], smoothing: float, message: str) -> None:
    with pytest.raises(TheoryError, match=message):
        fit(n, m, smoothing)


@settings(max_examples=budget(200))
@given(st.lists(st.fractions(0, 1), min_size=1, max_size=6), st.integers(1, 20))
def test_weights_are_as_different_as_the_probabilities(probabilities: list[Fraction], digits: int) -> None:
    weights = as_weights(probabilities, digits)
    for one, weight in zip(probabilities, weights, strict=True):
        assert float(weight.doubt) == pytest.approx(float(one), rel=10 ** (1.0 - digits))
        for other, second in zip(probabilities, weights, strict=True):
            assert (one < other) == (weight > second)
        assert Weight.parse(str(weight)) == weight


@settings(max_examples=budget(200))
@given(st.lists(counts(most=6), min_size=1, max_size=5))
def test_many_orderings_at_once(several: list[Counts]) -> None:
    levels = max(map(len, several))
    padded = [one + [(0, 0)] * (levels - len(one)) for one in several]
    n, m = (np.array([split(one)[side] for one in padded], dtype=np.float64) for side in (0, 1))
    exact = [fit(*split(one)).log_likelihood / sum(split(one)[0]) for one in padded]
    assert log_likelihoods(n, m) == pytest.approx(exact, rel=1e-9, abs=1e-9)


@st.composite
def part(draw: st.DrawFn, n: int, m: int) -> tuple[int, int]:
    """Some of the k-subsets and worlds of a level; wherever there are k-subsets, there are worlds."""
    worlds = draw(st.integers(0, m))
    return (draw(st.integers(0, n)) if 0 < worlds < m else n if worlds else 0), worlds


@settings(max_examples=budget(150))
@given(counts(most=4, largest=1_000), st.data())
def test_the_best_insertion_is_the_best_of_all(levels: Counts, data: st.DataObject) -> None:
    n, m = split(levels)
    taken = [[data.draw(part(*level)) for level in levels] for _ in range(3)]
    every = {}
    for candidate, row in enumerate(taken):
        for level in range(len(levels)):
            rest = [(a - x, b - y) for (a, b), (x, y) in zip(levels, row, strict=True)]
            own = (sum(x for x, _ in row[: level + 1]), sum(y for _, y in row[: level + 1]))
            trial = [*rest[: level + 1], own, *levels[level + 1 :]]
            every[candidate, level] = fit(*split(trial)).log_likelihood / sum(n)
    best = max(every.values())
    taken_n, taken_m = (np.array([split(row)[side] for row in taken], dtype=np.float64) for side in (0, 1))
    totals = np.array(n, dtype=np.float64), np.array(m, dtype=np.float64)
    found = best_insertion(*totals, taken_n, taken_m, floor=-np.inf)
    assert found is not None
    assert found.log_likelihood == pytest.approx(best, abs=1e-9)
    assert every[found.candidate, found.level] == pytest.approx(best, abs=1e-9)
    assert best_insertion(*totals, taken_n, taken_m, floor=best + 1e-9) is None


# The published numbers (NOTES, numbers to test against)

UWCSE_N = [11552088, 12220, 11, 2048, 64, 3270, 815, 410, 6, 14, 26, 14, 4, 2, 4, 14, 7, 2, 1]
UWCSE_M = [1608, 234, 45, 204, 6, 702, 216, 552, 48, 6, 72, 45, 18, 12, 72, 144, 69, 36, 54]


def test_uwcse_as_published() -> None:
    found = fit(UWCSE_N, UWCSE_M)
    assert round(found.log_likelihood, 2) == -85554279.19
    assert float(found.probabilities[0]) == pytest.approx(6.2087e-4, rel=1e-5)


def test_yeast_as_published() -> None:
    found = fit([71490957957, 139, 0, 8, 6, 0], [28384, 192, 96, 192, 96, 96])
    assert float(found.probabilities[0]) == pytest.approx(3.5231e-5, rel=1e-5)
    assert found.probabilities[-1] == 0


def test_the_likelihood_is_right_to_the_cent_for_huge_counts() -> None:
    """Twenty million subsets of probability near 1: no cancellation."""
    n, m = [20_000_000, 1], [1, 1]
    exact = 20_000_000 * -1 / 20_000_001 + -1 * log(20_000_001)
    assert fit(n, m).log_likelihood == pytest.approx(exact, abs=1e-6)
