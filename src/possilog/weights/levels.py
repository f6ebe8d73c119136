"""What each level of an ordering decides, and how inserting a candidate would change that.

An ordering is a sequence of rules from the lowest weight upwards; ⊥ is level 0 and the i-th rule level i. A level
decides about the k-subsets, or worlds, whose highest violated rule it is. When a candidate is inserted above level p,
it takes from every level up to p what violates it, and no other level changes. So the counts for all places of a
candidate follow from one number for each level: how many of those it decides about violate the candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from possilog.counting import Count, Counter, DataProfile, TooLarge, WorldProfile
from possilog.logic import Clause

__all__ = ["CutLevels", "Levels", "ProfileLevels", "count_levels"]

Numbers = npt.NDArray[np.float64]
Order = Sequence[int]
"""Candidates by their numbers, from the lowest level upwards."""


class Levels(Protocol):
    """Counts of k-subsets or worlds, for any ordering of some candidates."""

    def totals(self, order: Order) -> list[Count]:
        """How many each level decides about, from ⊥ upwards."""

    def violating(self, order: Order) -> Numbers:
        """For each candidate (rows), how many of those that a level (columns, from ⊥) decides about violate it."""


def count_levels(
    counter: Counter, candidates: Sequence[Clause], *, limit: int = 2_000_000, seconds: float = 60
) -> tuple[Levels, Levels]:
    """The levels of k-subsets and of worlds: from profiles, and where one would be too large, cut by cut."""

    def data() -> DataProfile:
        return DataProfile(counter.database, counter.width, candidates, limit=limit, seconds=seconds)

    def worlds() -> WorldProfile:
        predicates, hard = counter.predicates, counter.hard
        return WorldProfile(predicates, hard, counter.width, candidates, limit=limit, seconds=seconds)

    return _levels(candidates, data, counter.subsets), _levels(candidates, worlds, counter.worlds)


def _levels(
    candidates: Sequence[Clause],
    profile: Callable[[], DataProfile | WorldProfile],
    satisfying: Callable[[Sequence[Clause]], Count],
) -> Levels:
    try:
        return ProfileLevels(profile().table(), len(candidates))
    except TooLarge:
        return CutLevels(candidates, satisfying)


class ProfileLevels:
    """Levels from a violation profile: exact, and a group-by for each question.

    >>> levels = ProfileLevels({0b00: 7, 0b01: 2, 0b11: 1}, candidates=2)
    >>> [count.value for count in levels.totals([0])], levels.violating([0]).tolist()
    ([7, 3], [[0.0, 3.0], [0.0, 1.0]])
    """

    def __init__(self, table: Mapping[int, int], candidates: int) -> None:
        """Take a profile: for each set of violated rules, a bit for each, how many there are."""
        self.sets = frozenset(table)
        self._numbers = list(table.values())
        self._candidates = candidates
        members = [[rule for rule in range(candidates) if violated >> rule & 1] for violated in table]
        # Pairs of a set and a rule in it, rule by rule.
        pairs = sorted((rule, place) for place, rules in enumerate(members) for rule in rules)
        self._rules, self._places = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        self._weights = np.array(self._numbers, dtype=np.float64)
        ends = np.searchsorted(self._rules, np.arange(candidates + 1))
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

    def violating(self, order: Order) -> Numbers:
        """For each candidate (rows), how many of those that a level (columns, from ⊥) decides about violate it."""
        width = len(order) + 1
        keys = self._rules * width + self._levels(order)[self._places]
        sums = np.bincount(keys, weights=self._weights[self._places], minlength=self._candidates * width)
        return np.asarray(sums, dtype=np.float64).reshape(self._candidates, width)

    def _levels(self, order: Order) -> npt.NDArray[np.intp]:
        """The level that decides about each set of violated rules."""
        levels = np.zeros(len(self._numbers), dtype=np.intp)
        for level, rule in enumerate(order, start=1):
            levels[self._violators[rule]] = level
        return levels


class CutLevels:
    """Levels where a profile would be too large: by a count for each cut, which is kept.

    Inserting a candidate takes one new count for each cut below it, whatever its place.

    >>> from possilog.logic import parse_clause
    >>> rules = [parse_clause(":- p(X)."), parse_clause(":- q(X).")]
    >>> satisfying = {(): 10, (rules[0],): 7, (rules[1],): 9, tuple(rules): 7}
    >>> levels = CutLevels(rules, lambda cut: Count.of(satisfying[tuple(cut)], "given"))
    >>> [count.value for count in levels.totals([0])], levels.violating([0]).tolist()
    ([7, 3], [[0.0, 3.0], [0.0, 1.0]])
    """

    def __init__(self, rules: Sequence[Clause], satisfying: Callable[[Sequence[Clause]], Count]) -> None:
        """Take the candidates, and how to count what satisfies some of them."""
        self._rules = rules
        self._satisfying = satisfying
        self._known: dict[frozenset[int], Count] = {}

    def totals(self, order: Order) -> list[Count]:
        """How many each level decides about, from ⊥ upwards."""
        cuts = [self._count(order[place:]) for place in range(len(order) + 1)]
        return [cuts[0], *(above.minus(here) for here, above in pairwise(cuts))]

    def violating(self, order: Order) -> Numbers:
        """For each candidate (rows), how many of those that a level (columns, from ⊥) decides about violate it."""
        result = np.zeros((len(self._rules), len(order) + 1))
        for rule in range(len(self._rules)):
            # How many that satisfy all rules above a level violate the candidate. Estimates may fall instead of rise.
            cuts = [order[place:] for place in range(len(order) + 1)]
            up_to = [self._count(cut).value - self._count([*cut, rule]).value for cut in cuts]
            result[rule] = [max(here - below, 0) for below, here in pairwise([0, *up_to])]
        return result

    def _count(self, cut: Sequence[int]) -> Count:
        key = frozenset(cut)
        if key not in self._known:
            self._known[key] = self._satisfying([self._rules[rule] for rule in sorted(key)])
        return self._known[key]
