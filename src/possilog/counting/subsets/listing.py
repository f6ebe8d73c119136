"""All-Matching-Subsets (the paper's Algorithm 1): list the k-subsets that violate a cut, and count them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, permutations

import numpy as np

from possilog.counting.count import Count
from possilog.counting.subsets.partial import Partial, as_bits, members
from possilog.counting.subsets.problem import SubsetProblem
from possilog.deadline import NEVER, Deadline
from possilog.logic import Query
from possilog.matching import Matcher
from possilog.matching.matcher import BUDGET
from possilog.matching.plan import Planner

__all__ = ["GivenUp", "Listing", "Subset", "count_by_listing"]

Subset = tuple[int, ...]
"""Constants, by their numbers in order."""

_KEPT = 1 << 16


class GivenUp(Exception):
    """The search took more steps, or time, than it was allowed: a signal within this folder, which no user sees."""


def count_by_listing(problem: SubsetProblem, limit: int, stop: Deadline = NEVER) -> Count | None:
    """The exact count; None where more than ``limit`` k-subsets violate the cut, or time is over.

    >>> from possilog.data import Database
    >>> from possilog.logic import Atom, parse_clause
    >>> database = Database.of([Atom.ground("fr", ["ann", "bob"])], constants=["eve", "tom"])
    >>> count_by_listing(SubsetProblem.prepared(database, [parse_clause("fr(Y, X) :- fr(X, Y).")], 3), 100)
    Count(value=2, low=2, high=2, method='listing', confidence=1.0)
    """
    # Each query matches somewhere, so this many are certain; better known now than after listing them.
    if any(problem.above(len(query.variables)) > limit for query in problem.queries):
        return None
    start = Partial.start(problem.constants, problem.width)
    try:
        violating = sum(1 for _ in islice(Listing(problem, stop=stop).subsets(start), limit + 1))
    except GivenUp:
        return None
    return None if violating > limit else problem.without(violating, "listing")


class Listing:
    """Lists the k-subsets that match one of the problem's queries, if need be under XOR constraints.

    Algorithm 1 keeps the sets that the first i variables can stand for, each once, and asks which constants the next
    variable may add. Here it runs depth first, so that it can stop early. Distinct variables stand for distinct
    constants, so after the last variable the set is an image; the rest of a k-extension's variables stand for anything,
    and are not searched but filled in, in order. So a k-subset is met at most once for each image in it, and a set of
    constants is a step of the search at most once for each query: 2^k solutions for a k-subset, where naive search
    has k!.
    """

    def __init__(self, problem: SubsetProblem, steps: int | None = None, stop: Deadline = NEVER) -> None:
        """Take a problem, and how many steps may be taken in all, and by when, before ``GivenUp`` is raised."""
        self._width = problem.width
        self._extensions = [_Extension(problem.matcher, query) for query in problem.queries]
        self._steps, self._stop = steps, stop

    def subsets(self, start: Partial | None) -> Iterator[Subset]:
        """The matching k-subsets that agree with what is known of them, each once."""
        found: set[Subset] = set()
        for _, partial in self._images(start):
            for subset in self._completions(partial):
                if subset not in found:
                    found.add(subset)
                    yield subset

    def images(self, start: Partial | None) -> Iterator[Subset]:
        """The images of all queries that lie in such k-subsets, as far as it is known, each once."""
        return (image for image, _ in self._images(start))

    def _images(self, start: Partial | None) -> Iterator[tuple[Subset, Partial]]:
        listed: set[Subset] = set()
        for extension in self._extensions if start else ():
            for image, partial in self._images_of(extension, start):
                if image not in listed:
                    listed.add(image)
                    yield image, partial

    def _images_of(self, extension: _Extension, start: Partial | None) -> Iterator[tuple[Subset, Partial]]:
        seen: set[Subset] = set()
        waiting: list[tuple[Subset, Partial | None]] = [((), start)]
        if start and extension.depth == self._width:
            waiting = [((), start.narrowed(0, extension.domain))]  # no variable can stand for the others
        while waiting:
            chosen, known = waiting.pop()
            partial = known and self._narrowed(known, as_bits(chosen), known.possible)
            if partial is None:
                continue
            if len(chosen) == extension.depth:
                yield chosen, partial
                continue
            for value in extension.values(chosen):
                larger = tuple(sorted((*chosen, value)))
                if larger not in seen and partial.possible >> value & 1:
                    seen.add(larger)
                    waiting.append((larger, partial))

    def _completions(self, partial: Partial) -> Iterator[Subset]:
        """The k-subsets that a partial one may become; members are added in order, so that each comes once."""
        inside, missing, possible = tuple(members(partial.inside)), partial.missing, partial.possible
        if not missing:
            yield inside
            return
        for value in members(partial.free):
            if missing == 1:
                yield tuple(sorted((*inside, value)))
            else:
                larger = self._narrowed(partial, 1 << value, possible)
                possible &= ~(1 << value)
                if larger:
                    yield from self._completions(larger)

    def _narrowed(self, partial: Partial, inside: int, possible: int) -> Partial | None:
        if self._steps is not None:
            self._steps -= 1
            if self._steps < 0:
                raise GivenUp
        if self._stop is not NEVER and self._stop():
            raise GivenUp
        return partial.narrowed(inside, possible)


class _Extension:
    """The CSP of Algorithm 1, CSP(α', V, Υ): the constants that the next variable may stand for.

    The earlier variables stand for the constants of a set, in any arrangement.
    """

    def __init__(self, matcher: Matcher, query: Query) -> None:
        numbers = {variable: number for number, variable in enumerate(query.variables)}
        coded = [
            (x.atom.predicate, tuple(numbers[v] for v in x.atom.arguments), x.positive)  # type: ignore[index]
            for x in query.literals
        ]
        planner = Planner(matcher.database)
        self.depth = len(numbers)
        order = planner.plan(coded, self.depth).order
        self._searches = [
            planner.plan(coded, self.depth, order[:i], order[i : i + 1]).search for i in range(self.depth)
        ]
        self._rows = np.empty((max(len(matcher.database.constants), 1), self.depth), dtype=np.int32)
        self._matcher, self._query = matcher, query
        # The same question comes up in bucket after bucket.
        self.values = lru_cache(_KEPT)(self._values)

    @property
    def domain(self) -> int:
        """The constants that some variable stands for in a match."""
        chunks = (rows for v in self._query.variables for rows in self._matcher.projection_rows(self._query, [v]))
        return as_bits(value for rows in chunks for value in rows[:, 0].tolist())

    def _values(self, chosen: Subset) -> tuple[int, ...]:
        search = self._searches[len(chosen)]
        assert search is not None, "the query has a variable, and it matches"
        values: set[int] = set()
        for arrangement in permutations(chosen):
            search.begin(arrangement, len(chosen))
            while not search.exhausted:
                number = search.collect(self._rows, BUDGET)
                values.update(self._rows[:number, len(chosen)].tolist())
        return tuple(sorted(values))
