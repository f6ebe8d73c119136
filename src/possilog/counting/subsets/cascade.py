"""How many k-subsets of the data satisfy a cut: one method after another until one will do (appendix of the paper)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from possilog.counting.count import Count
from possilog.counting.subsets.hashing import count_by_hashing
from possilog.counting.subsets.karp_luby import count_by_karp_luby
from possilog.counting.subsets.listing import count_by_listing
from possilog.counting.subsets.problem import SubsetProblem
from possilog.counting.subsets.sampling import count_by_sampling, is_narrow
from possilog.data.database import Database
from possilog.deadline import NEVER, Deadline
from possilog.logic import Clause

__all__ = ["Effort", "count_subsets"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard each method tries, and how sure the answer is to be.

    Tolerances and widths are relative to the number of k-subsets that violate the cut.
    """

    confidence: float = 0.95
    few_subsets: int = 10_000
    samples: int = 100_000
    sampling_width: float = 0.1
    many_subsets: int = 300_000
    images: int = 300_000
    karp_luby_tolerance: float = 0.1
    hashing_tolerance: float = 0.8
    hashing_steps: int = 3_000_000


def count_subsets(
    database: Database,
    clauses: Iterable[Clause],
    width: int,
    *,
    seed: int = 0,
    effort: Effort | None = None,
    stop: Deadline = NEVER,
) -> Count:
    """How many k-subsets satisfy all the clauses.

    The paper's cascade: list them if they are few; else draw some, which will do if many match; else list them even if
    they are many; else hash. Before hashing comes Karp and Luby's estimator, which needs the images only. If all this
    is too much, or ``stop`` says so, the answer is what drawing gave, and its interval says how little that is.

    >>> from possilog.logic import Atom, parse_clause
    >>> database = Database.of([Atom.ground("fr", ["ann", "bob"])], constants=["eve", "tom"])
    >>> count_subsets(database, [parse_clause("fr(Y, X) :- fr(X, Y).")], 2)
    Count(value=5, low=5, high=5, method='listing', confidence=1.0)
    """
    effort = effort or Effort()
    problem = SubsetProblem.prepared(database, clauses, width)
    # Half of the time is kept for what always gives an answer.
    count = count_by_listing(problem, effort.few_subsets, stop.part(0.5)) or _estimate(problem, seed, effort, stop)
    return count if count.exact else replace(count, confidence=effort.confidence)


def _estimate(problem: SubsetProblem, seed: int, effort: Effort, stop: Deadline) -> Count:
    # Chance has a say twice at most, here and in one of the last two methods, so each may err half as often.
    sure = (1 + effort.confidence) / 2
    sampled = count_by_sampling(
        problem, seed, width=effort.sampling_width, confidence=sure, budget=effort.samples, stop=stop.part(0.5)
    )
    if is_narrow(problem, sampled, effort.sampling_width):
        return sampled
    return (
        count_by_listing(problem, effort.many_subsets, stop)
        or count_by_karp_luby(
            problem, seed, tolerance=effort.karp_luby_tolerance, confidence=sure, limit=effort.images, stop=stop
        )
        or count_by_hashing(
            problem, seed, tolerance=effort.hashing_tolerance, confidence=sure, steps=effort.hashing_steps, stop=stop
        )
        or sampled
    )
