"""Count by random hashing: ApproxMC2 (Chakraborty, Meel and Vardi, 2016) on k-subsets, as in the paper's appendix.

A k-subset is a vector of indicators, exactly k of which are one. Random XOR constraints split the matching k-subsets
into buckets of about equal size; a bucket that is small enough is listed, and its size times the number of buckets
estimates their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count, islice
from math import ceil, comb, floor
from statistics import median_low

from possilog.chance import generator
from possilog.counting.count import Count
from possilog.counting.subsets.listing import GivenUp, Listing
from possilog.counting.subsets.partial import Partial
from possilog.counting.subsets.problem import SubsetProblem
from possilog.counting.subsets.xor import random_equations
from possilog.deadline import NEVER, Deadline

__all__ = ["count_by_hashing"]

_RUN_FAILS = 0.36
"""The probability that one run's estimate is off by more than the tolerance, at most (their analysis)."""


def count_by_hashing(
    problem: SubsetProblem,
    seed: int,
    *,
    tolerance: float = 0.8,
    confidence: float = 0.95,
    steps: int | None = None,
    stop: Deadline = NEVER,
) -> Count | None:
    """Estimate how many k-subsets violate the cut within a factor of 1 + tolerance.

    None where that takes more steps than are allowed, or more time.
    """
    try:
        return _count(problem, seed, tolerance, confidence, Listing(problem, steps, stop))
    except GivenUp:
        return None


def _count(problem: SubsetProblem, seed: int, tolerance: float, confidence: float, listing: Listing) -> Count:
    small = _small(tolerance)

    def size(equations: Sequence[int]) -> int:
        start = Partial.start(problem.constants, problem.width, equations)
        return sum(1 for _ in islice(listing.subsets(start), small))

    violating = size(())
    if violating < small:
        return problem.without(violating, "hashing")
    random, most = generator(seed, "hashing"), (problem.total - 1).bit_length()
    estimates, constraints = [], 1
    for _ in range(_runs(confidence)):
        equations = random_equations(random, problem.constants, most)
        constraints, estimate = _run(equations, size, small, constraints)
        estimates.append(min(estimate, problem.total))
    estimate, factor = median_low(estimates), 1 + Fraction(tolerance)
    low, high = max(floor(estimate / factor), small), ceil(estimate * factor)
    return problem.without_about(estimate, low, high, "hashing", confidence)


def _small(tolerance: float) -> int:
    """From how many k-subsets on a bucket is too large to be listed (``thresh``)."""
    return ceil(1 + 9.84 * (1 + tolerance / (1 + tolerance)) * (1 + 1 / tolerance) ** 2)


def _runs(confidence: float) -> int:
    """How many runs make their median as sure as asked: it is wrong only if half of them are.

    This is the binomial tail itself, as in later versions of ApproxMC; their first bound, 17 log2(3/δ), is three times
    as large.
    """

    def fails(runs: int) -> float:
        wrong = range((runs + 1) // 2, runs + 1)
        return sum(comb(runs, n) * _RUN_FAILS**n * (1 - _RUN_FAILS) ** (runs - n) for n in wrong)

    return next(runs for runs in count(1, 2) if fails(runs) <= 1 - confidence)


def _run(equations: Sequence[int], size: Callable[[Sequence[int]], int], small: int, guess: int) -> tuple[int, int]:
    """ApproxMC2Core: the fewest constraints that make the bucket small, and the estimate from it.

    Each constraint splits the bucket of those before it, so sizes fall. The search starts where the last run ended,
    with steps that grow, and halves what is left (LogSATSearch). If all constraints are too few, which is most
    unlikely, the estimate is too large.
    """
    large, enough, step, last = 0, len(equations) + 1, 1, small
    while enough - large > 1:
        middle = guess if large < guess < enough else (large + enough) // 2
        found = size(equations[:middle])
        if found < small:
            enough, last, guess = middle, found, middle - step
        else:
            large, guess = middle, middle + step
        step *= 2
    return enough, last << enough
