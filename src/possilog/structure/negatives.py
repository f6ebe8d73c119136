"""Non-trivial negatives: false atoms that the hard rules do not explain (section Constructing Training Examples)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import perm, prod

import numpy as np
import numpy.typing as npt

from possilog.chance import clopper_pearson
from possilog.chance import generator as random_numbers
from possilog.data.database import Database
from possilog.logic import Atom, Clause, Predicate, Variable
from possilog.structure.consistency import Consistency
from possilog.structure.screening import AtomRows, Screening

__all__ = ["Negatives", "find_negatives", "sample_negatives"]

ALL_LOOKED_AT = 200_000
"""The most atoms that are all looked at; of more, a sample is drawn."""

LEAST_DRAWS = 20_000
"""Drawn for the estimate's sake, however few negatives are asked for."""

BATCH = 16_384
"""This many are drawn at a time."""

MOST_DRAWS = 2_000_000
"""After this many draws, what has been found is the answer."""

SLOWER = 100
"""The exact test of an atom costs about this many times its screening; all numbers above shrink accordingly."""

PILOT = 500
"""Atoms that are drawn to see how many need the exact test."""


@dataclass(frozen=True, slots=True, eq=False)
class Negatives:
    """Negative examples of a predicate, in numbers: a row for each, a column for each argument.

    ``total`` says how many there are in all, exactly or as an estimate; ``interval`` holds the truth with a probability
    of 95 %. ``drawn`` atoms were looked at, and ``rejected`` ones of them are facts, have equal arguments or contradict
    the hard rules.
    """

    predicate: Predicate
    rows: AtomRows
    total: int
    exact: bool
    interval: tuple[int, int]
    drawn: int
    rejected: int

    @property
    def weight(self) -> float:
        """How many negatives each row stands for."""
        return min(self.total, int(sys.float_info.max)) / len(self.rows) if len(self.rows) else 0.0

    @property
    def explained(self) -> bool:
        """Is there no negative at all, so that the hard rules say all there is to say of the predicate?"""
        return self.exact and self.total == 0


def sample_negatives(
    database: Database,
    rules: Iterable[Clause],
    predicate: Predicate,
    count: int,
    seed: int,
    *,
    random: bool = False,
    distinct: bool = True,
    limit: int = ALL_LOOKED_AT,
) -> Negatives:
    """At most ``count`` non-trivial negatives of a predicate, each as likely as any other, and how many there are.

    The hard rules hold in the facts. ``distinct`` keeps to atoms whose arguments are distinct, since the head of a rule
    P(X1, …, Xm) covers no others; ``random`` takes any false atoms, whatever the hard rules say, for comparison. Up to
    ``limit`` candidates are enumerated, so that the total is exact.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = map(parse_atom, ["student(ann)", "professor(bob)", "advisedBy(ann, bob)"])
    >>> rules = ["student(X) :- advisedBy(X, Y).", "professor(Y) :- advisedBy(X, Y).", ":- student(X), professor(X)."]
    >>> database = Database.of(facts, constants=["eve"])
    >>> found = sample_negatives(database, map(parse_clause, rules), Predicate("advisedBy", 2), 10, seed=1)
    >>> [[database.constants[number] for number in row] for row in found.rows]
    [['ann', 'eve'], ['eve', 'bob']]
    """
    consistency = Consistency(database, () if random else rules)
    return find_negatives(consistency, predicate, count, seed, distinct=distinct, limit=limit)


def find_negatives(
    consistency: Consistency,
    predicate: Predicate,
    count: int,
    seed: int,
    *,
    distinct: bool = True,
    limit: int = ALL_LOOKED_AT,
) -> Negatives:
    """The same for rules that are ready, when several predicates are asked about."""
    space = _Space(consistency, predicate, distinct)
    generator = random_numbers(seed, "negatives", repr(predicate))
    cost = space.cost(generator)
    if space.size * cost <= limit:
        return space.enumerated(count, generator)
    return space.sampled(count, generator, cost)


class _Space:
    """The atoms that may be negatives: for each shape of arguments, the product of its variables' domains."""

    def __init__(self, consistency: Consistency, predicate: Predicate, distinct: bool) -> None:
        self.predicate = predicate
        self.constants = len(consistency.database.constants)
        shapes = [tuple(range(predicate.arity))] if distinct else _shapes(predicate.arity)
        self.screenings = [Screening(consistency, _atom(predicate, shape)) for shape in shapes]
        self.domains = [screening.domains for screening in self.screenings]
        self.sizes = [prod(map(len, domains)) for domains in self.domains]
        self.size = sum(self.sizes)
        self.known = self._known(consistency.database, shapes)

    def _known(self, database: Database, shapes: Iterable[tuple[int, ...]]) -> int | None:
        """The number of negatives, where no rule has a say."""
        if not all(screening.says_nothing for screening in self.screenings):
            return None
        total = 0
        facts = database.rows(self.predicate)
        for shape in shapes:
            of_shape = np.ones(facts.shape[1], dtype=bool)
            for place, first in enumerate(shape):
                for other in range(place):
                    of_shape &= (facts[place] == facts[other]) == (first == shape[other])
            total += perm(self.constants, len(set(shape))) - int(np.count_nonzero(of_shape))
        return total

    def enumerated(self, count: int, generator: np.random.Generator) -> Negatives:
        """All of them are looked at, and some of those that are left are chosen."""
        found = [np.empty((0, self.predicate.arity), dtype=np.int32)]
        for screening, domains in zip(self.screenings, self.domains, strict=True):
            rows = _product(domains)
            found.append(screening.arguments(rows[screening.negatives(rows)]))
        rows = np.concatenate(found)
        total = len(rows)
        if total > count:
            rows = rows[np.sort(generator.choice(total, count, replace=False))]
        return Negatives(self.predicate, rows, total, True, (total, total), self.size, self.size - total)

    def cost(self, generator: np.random.Generator) -> int:
        """How much longer it takes to look at an atom because some need the exact test; 1 where none does."""
        doubtful = 0
        if self.size and any(screening.is_doubtful for screening in self.screenings):
            which, values = self._draw(PILOT, generator)
            for shape, screening in enumerate(self.screenings):
                doubtful += screening.doubtful(values[which == shape, : len(self.domains[shape])])
        return 1 + SLOWER * doubtful // PILOT

    def sampled(self, count: int, generator: np.random.Generator, cost: int) -> Negatives:
        """Atoms are drawn until enough negatives are found; when that would take half the atoms, all are looked at."""
        least, most = LEAST_DRAWS // cost, min(MOST_DRAWS // cost, self.size // 2)
        found = [np.empty((0, self.predicate.arity), dtype=np.int32)]
        drawn = kept = 0
        for rows, negative in self._batches(max(BATCH // cost, 1), generator):
            # Not one draw after the last negative needed, so that the interval below is right.
            places = np.flatnonzero(negative)[: max(count - kept, 0)]
            end = len(rows) if kept + len(places) < count else int(places[-1]) + 1 if len(places) else 0
            end = min(max(end, least - drawn), len(rows), most - drawn)
            drawn += end
            kept += int(np.count_nonzero(negative[:end]))
            found.append(rows[:end][negative[:end]])
            if drawn == most or (drawn >= least and kept >= count):
                break
        if most == self.size // 2 and (kept < count or not drawn):
            return self.enumerated(count, generator)
        total, interval = self._estimate(kept, drawn, stopped=drawn > least and kept == count)
        rows = np.concatenate(found)[:count]
        return Negatives(self.predicate, rows, total, self.known is not None, interval, drawn, drawn - kept)

    def _estimate(self, kept: int, drawn: int, stopped: bool) -> tuple[int, tuple[int, int]]:
        """The number of negatives and its interval; in whole numbers, which may be too large for floating point."""
        if self.known is not None:
            return self.known, (self.known, self.known)
        # The last draw of a sample that ends with a negative says nothing: without it there is no bias.
        share = Fraction(kept - 1, drawn - 1) if stopped and kept > 1 else Fraction(kept, drawn)
        shares = (share, *map(Fraction, clopper_pearson(kept, drawn)))
        least, most = kept, self.size - (drawn - kept)
        total, low, high = (min(max(round(self.size * share), least), most) for share in shares)
        return total, (low, high)

    def _batches(self, number: int, generator: np.random.Generator) -> Iterator[tuple[AtomRows, npt.NDArray[np.bool_]]]:
        """Atoms drawn without replacement, and which of them are negatives."""
        seen = np.empty(0, dtype=np.uint64)
        while True:
            which, values = self._draw(number, generator)
            codes = self._codes(which, values)
            first = np.sort(np.unique(codes, return_index=True)[1])
            fresh = first[~np.isin(codes[first], seen)]
            seen = np.concatenate([seen, codes[fresh]])
            yield self._examined(which[fresh], values[fresh])

    def _draw(self, number: int, generator: np.random.Generator) -> tuple[npt.NDArray[np.intp], AtomRows]:
        """Shapes, and what their variables stand for."""
        shares = [size / self.size for size in self.sizes]
        which = generator.choice(len(shares), number, p=shares)
        values = np.zeros((number, self.predicate.arity), dtype=np.int32)
        for shape, domains in enumerate(self.domains):
            members = np.flatnonzero(which == shape)
            for column, domain in enumerate(domains):
                if len(members):
                    values[members, column] = generator.choice(domain, len(members))
        return which, values

    def _codes(self, which: npt.NDArray[np.intp], values: AtomRows) -> npt.NDArray[np.uint64]:
        """A number for each atom. Beyond 2^64 atoms two may share one: then the second is not drawn, no harm done."""
        codes = which.astype(np.uint64)
        for column in values.T:
            codes = codes * np.uint64(self.constants) + column.astype(np.uint64)
        return codes

    def _examined(self, which: npt.NDArray[np.intp], values: AtomRows) -> tuple[AtomRows, npt.NDArray[np.bool_]]:
        rows, negative = np.empty_like(values), np.zeros(len(values), dtype=bool)
        for shape, screening in enumerate(self.screenings):
            members = np.flatnonzero(which == shape)
            chosen = values[members, : len(self.domains[shape])]
            rows[members] = screening.arguments(chosen)
            negative[members] = screening.negatives(chosen)
        return rows, negative


def _shapes(arity: int) -> list[tuple[int, ...]]:
    """The ways in which arguments can be equal: for each argument the number of its class, new classes in order."""
    shapes: list[tuple[int, ...]] = [()]
    for _ in range(arity):
        shapes = [(*shape, number) for shape in shapes for number in range(max(shape, default=-1) + 2)]
    return shapes


def _atom(predicate: Predicate, shape: Sequence[int]) -> Atom:
    return Atom(predicate, tuple(Variable(f"X{number + 1}") for number in shape))


def _product(domains: Sequence[npt.NDArray[np.int32]]) -> AtomRows:
    """All combinations, in order."""
    size = prod(map(len, domains))
    rows = np.empty((size, len(domains)), dtype=np.int32)
    repeat = size
    for column, domain in enumerate(domains):
        repeat //= max(len(domain), 1)
        rows[:, column] = np.resize(np.repeat(domain, repeat), size)
    return rows
