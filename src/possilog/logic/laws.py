"""What is true of comparisons whatever the facts: which of them follow from others, and which exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product

from possilog.logic.atoms import Variable
from possilog.logic.clauses import Clause
from possilog.logic.thresholds import BuiltIn, Nearness, Precedence, Threshold

__all__ = ["BEFORE", "EQUAL", "UP_TO", "laws"]

BEFORE, UP_TO, EQUAL = Precedence.of("<"), Precedence.of("=<"), Nearness.of(0)

X, Y, Z = map(Variable, "XYZ")


def laws(comparisons: Iterable[BuiltIn]) -> Iterator[Clause]:
    """Clauses that hold of all things, be they numbers, dates or neither, and that leave open nothing else.

    What satisfies them is true of some things: a comparison implies weaker ones and excludes those on the other side,
    and a number that two comparisons leave no room for outside of them is inside of one. Where two variables are
    compared, things have an order: those of one kind, as numbers and dates are kinds, are all compared with each other,
    and with nothing else. It is said by both signs, ``<`` and ``=<``. Equal things are of one kind, and at one place of
    its order if it has one. Of differences only what is plain is said: that they go both ways, and that smaller ones
    are within larger ones.

    >>> for law in laws([Threshold.of(">=", "30"), Threshold.of(">=", "15"), Threshold.of("<", "20")]):
    ...     print(law)
    :- X < 20, X >= 30.
    X >= 15 :- X >= 30.
    """
    listed = sorted(set(comparisons))
    bounds = [comparison for comparison in listed if isinstance(comparison, Threshold)]
    yield from _of_bounds(bounds)
    if len(bounds) < len(listed):
        yield from _OF_ORDER
        yield from _of_both(bounds)
    if EQUAL in listed:
        yield from _OF_EQUALS
        yield from (Clause((law(Y),), (law(X), EQUAL(X, Y))) for law in bounds)
        yield from (Clause((UP_TO(X, Y),), (law(X), EQUAL(X, Y))) for law in bounds)
    near = [one for one in listed if isinstance(one, Nearness) and one != EQUAL]
    for one in near:
        yield from (Clause((), (one(X, X),)), Clause((one(Y, X),), (one(X, Y),)))
        yield Clause((one(X, Y),), (UP_TO(X, Y), UP_TO(Y, X)))
        yield from (Clause((other(X, Y),), (one(X, Y),)) for other in near if one != other and one.implies(other))


def _of_bounds(bounds: Sequence[Threshold]) -> Iterator[Clause]:
    for one, other in permutations(bounds, 2):
        if one.implies(other):
            yield Clause((other(X),), (one(X),))
        if one < other and one.excludes(other):
            yield Clause((), (one(X), other(X)))
        if one < other and one.covers(other):
            for known in bounds:
                if known.is_date == one.is_date and not known.implies(one) and not known.implies(other):
                    yield Clause((one(X), other(X)), (known(X),))


_OF_ORDER = (
    Clause((), (BEFORE(X, X),)),
    Clause((), (UP_TO(X, X),)),
    Clause((UP_TO(X, Y),), (BEFORE(X, Y),)),
    Clause((), (BEFORE(X, Y), UP_TO(Y, X))),
    Clause((BEFORE(X, Y), UP_TO(Y, X)), (UP_TO(X, Y),)),
    Clause((UP_TO(X, Z),), (UP_TO(X, Y), UP_TO(Y, Z))),
    Clause((UP_TO(X, Z), UP_TO(Z, X)), (UP_TO(X, Y), UP_TO(Z, Y))),
    Clause((UP_TO(X, Z), UP_TO(Z, X)), (UP_TO(Y, X), UP_TO(Y, Z))),
)


_OF_EQUALS = (
    Clause((), (EQUAL(X, X),)),
    Clause((EQUAL(Y, X),), (EQUAL(X, Y),)),
    Clause((EQUAL(X, Z),), (EQUAL(X, Y), EQUAL(Y, Z))),
    Clause((EQUAL(X, Y),), (UP_TO(X, Y), UP_TO(Y, X))),
    Clause((UP_TO(Y, X),), (EQUAL(X, Y), UP_TO(X, Y))),
    Clause((UP_TO(Y, Z), UP_TO(Z, Y)), (EQUAL(X, Y), UP_TO(X, Z))),
    Clause((UP_TO(Y, Z), UP_TO(Z, Y)), (EQUAL(X, Y), UP_TO(Z, X))),
    Clause((UP_TO(X, Y),), (EQUAL(X, Y), UP_TO(X, Z))),
    Clause((UP_TO(X, Y),), (EQUAL(X, Y), UP_TO(Z, X))),
)


def _of_both(bounds: Sequence[Threshold]) -> Iterator[Clause]:
    """What bounds have to do with the order of things."""
    for one in bounds:
        low, high = (X, Y) if one.is_upward else (Y, X)
        yield Clause((one(high),), (one(low), UP_TO(X, Y)))
    for one, other in product(bounds, repeat=2):
        if one.is_date != other.is_date:
            yield Clause((), (one(X), other(Y), UP_TO(X, Y)))
        else:
            yield Clause((UP_TO(X, Y), UP_TO(Y, X)), (one(X), other(Y)))
            if one < other and one.covers(other):
                for known in bounds:
                    if known.is_date == one.is_date:
                        yield Clause((one(Y), other(Y)), (known(X), UP_TO(X, Y)))
                        yield Clause((one(Y), other(Y)), (known(X), UP_TO(Y, X)))
            if one.number == other.number and one.operator in (">=", "<") and other.operator in ("=<", ">"):
                yield from _of_one_number(one, other, bounds)


def _of_one_number(low: Threshold, high: Threshold, bounds: Sequence[Threshold]) -> Iterator[Clause]:
    """Two things that are neither below nor above one number are both that number."""
    outside = [bound(thing) for bound in (low, high) if bound.operator in ("<", ">") for thing in (X, Y)]
    inside = [bound(thing) for bound in (low, high) if bound.operator in (">=", "=<") for thing in (X, Y)]
    if inside:
        yield Clause((UP_TO(X, Y), *outside), tuple(inside))
        return
    # That they are numbers at all is known by what they are compared with.
    for known in bounds:
        if known.is_date == low.is_date:
            for shown in ((known(X),), (known(Y),), (known(Z), UP_TO(X, Z)), (known(Z), UP_TO(Z, X))):
                yield Clause((UP_TO(X, Y), *outside), (*shown, UP_TO(Y, X)))
