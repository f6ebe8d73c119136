"""Count by drawing k-subsets at random (the paper's third method), with a true confidence interval."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import ceil, floor, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from possilog.chance import clopper_pearson, generator
from possilog.counting.count import Count
from possilog.counting.subsets.problem import SubsetProblem
from possilog.deadline import NEVER, Deadline

__all__ = ["count_by_sampling", "draw_subsets", "is_narrow"]

_BATCH = 4096


def count_by_sampling(
    problem: SubsetProblem,
    seed: int,
    *,
    width: float = 0.1,
    confidence: float = 0.95,
    budget: int = 100_000,
    stop: Deadline = NEVER,
) -> Count:
    """Draw until the interval is narrow, or the budget or the time is used up; the interval is right in any case.

    ``width`` is the interval's, relative to the number of k-subsets that violate the cut. It depends on the number of
    violating ones among those drawn, so drawing stops at such a number. The interval of Clopper and Pearson keeps
    its promise then, which it would not if we looked at it again and again until we liked it. Time is no such look: it
    does not depend on what was drawn. Some are drawn in any case.
    """
    if not problem.queries:
        return problem.without(0, "sampling")
    random = generator(seed, "sampling")
    enough, successes, trials = _enough(width, confidence), 0, 0
    while trials < budget and successes < enough and not (trials and stop()):
        violated = violating(
            problem, draw_subsets(random, min(_BATCH, budget - trials), problem.constants, problem.width)
        )
        last = np.searchsorted(np.cumsum(violated), enough - successes) + 1
        trials += min(int(last), len(violated))
        successes += int(violated[:last].sum())
    low, high = (Fraction(bound) * problem.total for bound in clopper_pearson(successes, trials, confidence))
    estimate = round(Fraction(successes, trials) * problem.total)
    return problem.without_about(estimate, floor(low), ceil(high), "sampling", confidence)


def is_narrow(problem: SubsetProblem, count: Count, width: float) -> bool:
    """Is the interval at most so wide, relative to the k-subsets that violate the cut? Rounding may have added 2."""
    return count.high - count.low <= width * (problem.total - count.value) + 2


def draw_subsets(random: np.random.Generator, number: int, constants: int, width: int) -> npt.NDArray[np.int64]:
    """Rows of distinct constants, each set of them equally likely (Floyd's algorithm, all rows at once)."""
    rows = np.empty((number, width), dtype=np.int64)
    for place, last in enumerate(range(constants - width, constants)):
        drawn = random.integers(0, last + 1, number)
        taken = (rows[:, :place] == drawn[:, None]).any(axis=1)
        rows[:, place] = np.where(taken, last, drawn)
    return rows


def violating(problem: SubsetProblem, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which rows, of k distinct constants each, violate the cut."""
    violated = np.zeros(len(rows), dtype=bool)
    for query in problem.queries:
        for places in permutations(range(problem.width), len(query.variables)):
            satisfied = np.flatnonzero(~violated)
            heads = rows[satisfied][:, list(places)].astype(np.int32)
            violated[satisfied] = problem.matcher.covered_rows(query, query.variables, heads)
    return violated


def _enough(width: float, confidence: float) -> int:
    """How many violating draws make the interval narrow, whatever their share.

    For rare successes, the worst case, the interval for s of them is about 2z √s + 1 wide.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return ceil(((z + sqrt(z * z + width)) / width) ** 2) + 1
