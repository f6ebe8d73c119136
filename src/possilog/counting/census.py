"""How many sets of constants there are of each sort: numbers that can be multiplied, as polynomials can.

A set's sort is what its size is to a polynomial's degree. Where nothing unusual happens between two disjoint sets, the
sort of their union follows from theirs; so the census of all unions of a set from here and a set from there is a
product, that of all subsets of n constants that are alike is a power, and what was counted too much can be divided off.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations

__all__ = ["NOTHING", "Algebra", "Census", "Kinds", "Sort"]

Kinds = tuple[int, ...]
"""The kinds of the members of a set, in order."""

Sort = tuple[Kinds, int]
"""The kinds of a set's members, and the rules that it violates, a bit for each."""

Census = dict[Sort, int]
"""How many sets there are of each sort. Numbers may be negative on the way."""

NOTHING: Sort = ((), 0)
"""The sort of the empty set."""


class Algebra:
    """Censuses of sets of at most k constants, given which rules a set usually violates by the kinds of its members.

    >>> algebra = Algebra(3, lambda kinds: 0)
    >>> algebra.power({NOTHING: 1, ((0,), 1): 1}, 5)
    {((), 0): 1, ((0,), 1): 5, ((0, 0), 1): 10, ((0, 0, 0), 1): 10}
    """

    def __init__(self, width: int, usual: Callable[[Kinds], int], check: Callable[[], None] = lambda: None) -> None:
        """Take the width and what is usual; ``check`` is asked again and again, and raises when the time is over."""
        self._width, self._check = width, check
        self._usual = cache(usual)
        self._between = cache(self._violated_between)

    def join(self, one: Sort, other: Sort) -> Sort:
        """The sort of a union of disjoint sets."""
        return tuple(sorted(one[0] + other[0])), one[1] | other[1] | self._between(one[0], other[0])

    def usual(self, kinds: Kinds) -> int:
        """The rules with as many variables that a set of such members usually violates."""
        return self._usual(kinds)

    def product(self, one: Census, other: Census) -> Census:
        """All unions of a set from here and a set from there."""
        result: Census = defaultdict(int)
        for sort, number in one.items():
            self._check()
            for added, times in other.items():
                if len(sort[0]) + len(added[0]) <= self._width:
                    result[self.join(sort, added)] += number * times
        return {sort: number for sort, number in result.items() if number}

    def power(self, census: Census, exponent: int) -> Census:
        """A product of equal censuses."""
        result: Census = {NOTHING: 1}
        while exponent:
            if exponent & 1:
                result = self.product(result, census)
            census = self.product(census, census)
            exponent >>= 1
        return result

    def without(self, census: Census, member: Sort) -> Census:
        """Divide by 1 + a constant: the constant is not to be drawn again. 1 / (1 + x) is 1 - x + x² - …"""
        result, term = dict(census), census
        for _ in range(self._width):
            term = {sort: -number for sort, number in self.product(term, {member: 1}).items()}
            result = _sum([result, term])
        return result

    def _violated_between(self, one: Kinds, other: Kinds) -> int:
        """The rules that are usually violated by sets with members from both sides."""
        violated = 0
        for here in _parts(one):
            for there in _parts(other):
                violated |= self._usual(tuple(sorted(here + there)))
        return violated


def _parts(kinds: Kinds) -> Iterable[Kinds]:
    return {part for size in range(1, len(kinds) + 1) for part in combinations(kinds, size)}


def _sum(censuses: Iterable[Census]) -> Census:
    total: Census = defaultdict(int)
    for census in censuses:
        for sort, number in census.items():
            total[sort] += number
    return dict(total)
