"""What each level of an ordering decides, and how inserting a candidate would change that.

**Which way orderings run.** An ordering is a tuple of candidates, by their numbers, from the lowest level upwards: ⊥ is
level 0 and not listed, the i-th candidate is level i. All counts, fits and weights of levels run the same way, ⊥ first.
Only a theory's rules and strata, and what is printed of them, run the other way, the highest first. A candidate is a
rule, or the rules of one stratum, which stand or fall together.

A level decides about the k-subsets, or worlds, whose highest violated candidate it is. When a candidate is inserted
above level p, it takes from every level up to p what violates it, and no other level changes. So the counts for all
places of a candidate follow from one number for each level: how many of those it decides about violate the candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from possilog.counting.count import Count
from possilog.logic import Clause

__all__ = ["Candidate", "CutLevels", "Floats", "LevelCounts", "Levels", "Order", "ProfileLevels", "clauses_of"]

Floats = npt.NDArray[np.float64]

Candidate = Clause | Collection[Clause]
"""A rule, or several that stand or fall together: a level of an ordering."""

Order = Sequence[int]
"""An ordering: candidates by their numbers, from the lowest level upwards, without ⊥."""


def clauses_of(candidate: Candidate) -> tuple[Clause, ...]:
    """The rules of a candidate."""
    return (candidate,) if isinstance(candidate, Clause) else tuple(candidate)


class LevelCounts(Protocol):
    """Counts of k-subsets, or of worlds, for any ordering of some candidates."""

    def totals(self, order: Order) -> list[Count]:
        """How many each level decides about, from ⊥ upwards."""

    def violating(self, order: Order) -> Floats:
        """For each candidate (rows), how many of those that a level (columns, from ⊥) decides about violate it."""


class Levels(NamedTuple):
    """What the levels of any ordering of some candidates decide about: k-subsets (n) and worlds (m)."""

    subsets: LevelCounts
    worlds: LevelCounts

    def totals(self, order: Order) -> tuple[list[Count], list[Count]]:
        """n and m: how many k-subsets, and how many worlds, each level decides about, from ⊥ upwards."""
        m = self.worlds.totals(order)  # first: where time is short, an estimate of n is to be had in less
        return self.subsets.totals(order), m


class ProfileLevels:
    """Levels from a violation profile: exact, and a group-by for each question.

    >>> levels = ProfileLevels({0b00: 7, 0b01: 2, 0b11: 1}, [0b01, 0b10])
    >>> [count.value for count in levels.totals([0])], levels.violating([0]).tolist()
    ([7, 3], [[0.0, 3.0], [0.0, 1.0]])
    """

    def __init__(self, table: Mapping[int, int], candidates: Sequence[int]) -> None:
        """Take a profile, and for each candidate the bits of its rules in there.

        A profile says, for each set of violated rules, a bit for each, how many there are.
        """
        members = [[c for c, rules in enumerate(candidates) if violated & rules] for violated in table]
        self.sets = frozenset(map(tuple, members))
        """The sets of candidates that something violates, and nothing else."""
        self._numbers = list(table.values())
        self._candidates = len(candidates)
        # Pairs of a set and a candidate in it, candidate by candidate.
        pairs = sorted((candidate, place) for place, violated in enumerate(members) for candidate in violated)
        self._violated, self._places = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        self._weights = np.array(self._numbers, dtype=np.float64)
        ends = np.searchsorted(self._violated, np.arange(self._candidates + 1))
        self._violators = [self._places[start:end] for start, end in pairwise(ends)]

    def totals(self, order: Order) -> list[Count]:
        """How many each level decides about, from ⊥ upwards."""
        levels = self._levels(order)
        if sum(self._numbers) < 1 << 53:  # then sums of floats are exact
            totals = np.bincount(levels, self._weights, len(order) + 1).astype(np.int64).tolist()
        else:
            totals = [0] * (len(order) + 1)
            for level, number in zip(levels.tolist(), self._numbers, strict=True):
                totals[level] += number
        return [Count.of(total, "profile") for total in totals]

    def violating(self, order: Order) -> Floats:
        """For each candidate (rows), how many of those that a level (columns, from ⊥) decides about violate it."""
        width = len(order) + 1
        keys = self._violated * width + self._levels(order)[self._places]
        sums = np.bincount(keys, weights=self._weights[self._places], minlength=self._candidates * width)
        return np.asarray(sums, dtype=np.float64).reshape(self._candidates, width)

    def _levels(self, order: Order) -> npt.NDArray[np.intp]:
        """The level that decides about each set of violated rules."""
        levels = np.zeros(len(self._numbers), dtype=np.intp)
        for level, candidate in enumerate(order, start=1):
            levels[self._violators[candidate]] = level
        return levels


class CutLevels:
    """Levels where a profile would be too large: by a count for each cut, which is kept.

    Inserting a candidate takes one new count for each cut below it, whatever its place.

    >>> from possilog.logic import parse_clause
    >>> rules = [parse_clause(":- p(X)."), parse_clause(":- q(X).")]
    >>> satisfying = {(): 10, (rules[0],): 7, (rules[1],): 9, tuple(rules): 7}
    >>> levels = CutLevels(rules, lambda cuts: [Count.of(satisfying[tuple(cut)], "given") for cut, _ in cuts])
    >>> [count.value for count in levels.totals([0])], levels.violating([0]).tolist()
    ([7, 3], [[0.0, 3.0], [0.0, 1.0]])
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        satisfying: Callable[[Sequence[tuple[Sequence[Clause], float]]], Sequence[Count]],
    ) -> None:
        """Take the candidates, and how to count what satisfies some rules, each time in a share of what time is left.

        Several are asked for at a time, so that they may be counted side by side.
        """
        self._candidates = [clauses_of(candidate) for candidate in candidates]
        self._satisfying = satisfying
        self._known: dict[frozenset[int], Count] = {}

    def totals(self, order: Order) -> list[Count]:
        """How many each level decides about, from ⊥ upwards."""
        # Each cut has an equal share of half of the time: there may be as many to count on the other side.
        cuts = self._counts([(order[place:], 0.5 / (len(order) + 1 - place)) for place in range(len(order) + 1)])
        return [cuts[0], *(above.minus(here) for here, above in pairwise(cuts))]

    def violating(self, order: Order) -> Floats:
        """For each candidate (rows), how many of those that a level (columns, from ⊥) decides about violate it."""
        cuts = [order[place:] for place in range(len(order) + 1)]
        above = self._counts([(cut, 1.0) for cut in cuts])
        result = np.zeros((len(self._candidates), len(order) + 1))
        for candidate in range(len(self._candidates)):
            # How many that satisfy all rules above a level violate the candidate. Estimates may fall instead of rise.
            with_it = self._counts([([*cut, candidate], 1.0) for cut in cuts])
            up_to = [one.value - other.value for one, other in zip(above, with_it, strict=True)]
            result[candidate] = [max(here - below, 0) for below, here in pairwise([0, *up_to])]
        return result

    def _counts(self, asked: Sequence[tuple[Sequence[int], float]]) -> list[Count]:
        """Of each cut, with its share of the time."""
        keys = [frozenset(cut) for cut, _ in asked]
        new = {key: share for key, (_, share) in zip(keys, asked, strict=True) if key not in self._known}
        rules = [[rule for candidate in sorted(key) for rule in self._candidates[candidate]] for key in new]
        self._known |= zip(new, self._satisfying(list(zip(rules, new.values(), strict=True))), strict=True)
        return [self._known[key] for key in keys]
