"""What is true of comparisons whatever the facts: which of them follow from others, and which exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from possilog.logic.atoms import Variable
from possilog.logic.clauses import Clause
from possilog.logic.thresholds import Threshold

__all__ = ["laws"]

_THING = Variable("X")


def laws(comparisons: Iterable[Threshold]) -> Iterator[Clause]:
    """Clauses that hold of every thing, be it a number, a date or neither, and that leave open nothing else.

    What satisfies them is true of some thing: a comparison implies weaker ones and excludes those on the other side,
    and a number that two comparisons leave no room for outside of them is inside of one.

    >>> for law in laws([Threshold.of(">=", "30"), Threshold.of(">=", "15"), Threshold.of("<", "20")]):
    ...     print(law)
    :- X < 20, X >= 30.
    X >= 15 :- X >= 30.
    """
    listed = sorted(set(comparisons))
    for one, other in permutations(listed, 2):
        if one.implies(other):
            yield Clause((other(_THING),), (one(_THING),))
        if one < other and one.excludes(other):
            yield Clause((), (one(_THING), other(_THING)))
        if one < other and one.covers(other):
            for known in listed:
                if known.is_date == one.is_date and not known.implies(one) and not known.implies(other):
                    yield Clause((one(_THING), other(_THING)), (known(_THING),))
