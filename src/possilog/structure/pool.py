"""Counterexamples at hand: assignments that refute most clauses before the matcher is asked.

An assignment gives every variable of a ``ClauseSpace`` a constant, distinct ones distinct constants. For each literal
one bit says whether it is false under an assignment; a clause fails where the bits of all its literals are set. Chance
decides which assignments are tried, so a clause that no assignment refutes may still fail.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.deadline import NEVER, Deadline
from possilog.logic import Predicate
from possilog.structure.clause_space import ClauseSpace, Numbers

__all__ = ["Pool"]

Assignments = npt.NDArray[np.int32]
"""A row for each assignment, a column for each variable; -1 where a variable is still open."""

FACTS = 64
"""So many facts of each predicate, at most, begin an assignment of the first pool."""

LOOKUPS, LOOKUPS_LATER = 1 << 24, 1 << 18
"""The truth values that are looked up for the first pool, at most, and when some counterexamples are added to it: not
more than pays, where there are many literals."""

LOOKUPS_PER_SECOND = 1_000_000
"""Those for the first pool where time is short: it may take about a tenth of the time."""

NEAR = 0.8
"""How often the next constant is looked for beside those at hand, and not anywhere."""

_AT_ONCE = 1 << 22
"""Words of bits in memory at a time, when clauses are looked at."""

_MOST_BYTES = 1 << 26
"""Bytes of bits that are kept; then the older ones go."""


class Pool:
    """Assignments over a database, and which literals of a space they make false."""

    def __init__(
        self, database: Database, space: ClauseSpace, rng: np.random.Generator, stop: Deadline = NEVER
    ) -> None:
        """Begin with assignments around facts of every predicate, and as many at random."""
        self._space = space
        self._rng = rng
        self._constants = len(database.constants)
        # With fewer constants than variables, some literals cannot be grounded: their bits stay unset.
        self._width = min(space.variables, self._constants)
        self._facts = _Neighbours(database)
        self._true = [_packed(database, predicate) for predicate in space.predicates]
        self._atoms = self._atoms_to_ground()
        self._blocks: list[npt.NDArray[np.uint64]] = []
        atoms = max(1, len(space.mask) // 2)
        self._most_rows = max(1, LOOKUPS_LATER // atoms)
        lookups = LOOKUPS if stop.left is None else min(LOOKUPS, int(LOOKUPS_PER_SECOND * stop.left))
        rows = lookups // (2 * atoms)
        each = min(FACTS, max(1, rows // max(1, len(space.predicates))))
        nothing = np.empty((0, self._width), dtype=np.int32)
        chosen = space.predicates if stop.left is None else space.predicates[: max(1, rows)]
        facts = [nothing, *(_sample(database.rows(predicate).T, each, rng) for predicate in chosen)]
        about_facts = np.concatenate([self._completed(rows) for rows in facts])
        anywhere = self._completed(np.empty((len(about_facts) + 1, 0), dtype=np.int32))
        self._add(np.concatenate([self._shuffled(about_facts), anywhere]))

    def add(self, counterexamples: Assignments, copies: int = 4) -> None:
        """Complete some counterexamples, over the first variables, in several ways; half of them with others' names."""
        rows = self._completed(np.repeat(counterexamples, copies, axis=0)[: self._most_rows])
        rows[1::2] = self._shuffled(rows[1::2])
        self._add(rows)

    def refutes(self, clauses: Numbers, newest: bool = False) -> npt.NDArray[np.bool_]:
        """Which clauses fail under some assignment, or one of those that were added last?"""
        alive = np.arange(len(clauses))
        for block in self._blocks[-1:] if newest else self._blocks:
            step = max(1, _AT_ONCE // block.shape[1])
            alive = np.concatenate(
                [part[~_all_set(block, clauses[part])] for part in np.split(alive, range(step, len(alive), step))]
            )
        refuted = np.ones(len(clauses), dtype=bool)
        refuted[alive] = False
        return refuted

    # Making assignments

    def _completed(self, given: Assignments) -> Assignments:
        """Assignments of the constants given, each once, then of such that share a fact with those, then of any."""
        rows = np.full((len(given), self._width), -1, dtype=np.int32)
        counts = np.zeros(len(given), dtype=np.int64)
        for found in given.T:
            _append(rows, counts, found)
        for _ in range(self._width):
            for found in self._facts.around(rows, counts, self._rng).T:
                _append(rows, counts, found)
        while (counts < self._width).any():
            _append(rows, counts, self._rng.integers(self._constants, size=len(rows), dtype=np.int32))
        return rows

    def _shuffled(self, rows: Assignments) -> Assignments:
        return np.take_along_axis(rows, np.argsort(self._rng.random(rows.shape), axis=1), axis=1)

    # Bits

    def _add(self, rows: Assignments) -> None:
        self._blocks.append(self._false(rows))
        while len(self._blocks) > 2 and sum(block.nbytes for block in self._blocks) > _MOST_BYTES:
            del self._blocks[1]  # not the first, which knows every predicate, nor the newest

    def _atoms_to_ground(self) -> list[npt.NDArray[np.intp]]:
        """For each predicate, the numbers of its atoms over the variables that have constants."""
        space = self._space
        there = np.flatnonzero(space.mask < 1 << self._width)[::2]
        there = there[np.argsort(space.predicate[there], kind="stable")]
        ends = np.searchsorted(space.predicate[there], np.arange(len(space.predicates) + 1))
        return [there[start:end] for start, end in pairwise(ends.tolist())]

    def _false(self, rows: Assignments) -> npt.NDArray[np.uint64]:
        """For each literal, a bit for each assignment: is it false there?"""
        space = self._space
        false = np.zeros((len(space.mask), -(-len(rows) // 64) * 64), dtype=bool)
        for number, predicate in enumerate(space.predicates):
            known = self._true[number]
            if known is None:
                continue
            atoms = self._atoms[number]
            places = np.zeros((len(atoms), len(rows)), dtype=np.int64)
            for column in range(predicate.arity):
                places *= self._constants
                places += rows.T[space.arguments[atoms, column]]
            true = known[np.minimum(np.searchsorted(known, places), len(known) - 1)] == places
            false[atoms, : len(rows)] = ~true
            false[atoms + 1, : len(rows)] = true
        return np.packbits(false, axis=1).view(np.uint64)


class _Neighbours:
    """Which constants stand together in a fact?"""

    def __init__(self, database: Database) -> None:
        width = max((predicate.arity for predicate in database.predicates), default=0)
        padded = [
            np.pad(database.rows(predicate).T, ((0, 0), (0, width - predicate.arity)), constant_values=-1)
            for predicate in database.predicates
            if predicate.arity > 1
        ]
        self.facts = np.concatenate([np.empty((0, width), dtype=np.int32), *padded])
        constants, facts = self.facts.ravel(), np.repeat(np.arange(len(self.facts)), width)
        order = np.argsort(constants, kind="stable")
        self.by_constant = facts[order]
        self.starts = np.searchsorted(constants[order], np.arange(len(database.constants) + 1))

    def around(self, rows: Assignments, counts: npt.NDArray[np.int64], rng: np.random.Generator) -> Assignments:
        """For each row the constants of a fact of one of its constants, in any order; -1 where there is none."""
        some = rng.random((2, len(rows)))
        start = rows[np.arange(len(rows)), (some[0] * counts).astype(np.int64)]
        first, last = self.starts[start], self.starts[start + 1]
        known = (start >= 0) & (last > first) & (rng.random(len(rows)) < NEAR)
        found = np.full((len(rows), self.facts.shape[1]), -1, dtype=np.int32)
        places = first + (some[1] * (last - first)).astype(np.int64)
        found[known] = self.facts[self.by_constant[places[known]]]
        return rng.permuted(found, axis=1)


def _append(rows: Assignments, counts: npt.NDArray[np.int64], found: npt.NDArray[np.int32]) -> None:
    """Write what was found into the first open place of each row, where there is one and the constant is new."""
    new = np.flatnonzero((found >= 0) & (counts < rows.shape[1]) & ~(rows == found[:, np.newaxis]).any(axis=1))
    rows[new, counts[new]] = found[new]
    counts[new] += 1


def _packed(database: Database, predicate: Predicate) -> npt.NDArray[np.int64] | None:
    """The facts of a predicate, each as one integer, in order; None where an integer is too small for that."""
    constants = len(database.constants)
    if constants**predicate.arity >= 1 << 63:
        return None
    rows = database.rows(predicate)
    places = np.zeros(rows.shape[1], dtype=np.int64)
    for column in rows:
        places = places * constants + column
    return places if len(places) else np.array([-1], dtype=np.int64)


def _sample(facts: Assignments, count: int, rng: np.random.Generator) -> Assignments:
    return facts if len(facts) <= count else facts[rng.choice(len(facts), count, replace=False)]


def _all_set(block: npt.NDArray[np.uint64], clauses: Numbers) -> npt.NDArray[np.bool_]:
    """For which clauses is there a bit that all their literals have?"""
    bits = block[clauses[:, 0]]
    for column in clauses.T[1:]:
        bits &= block[column]
    found: npt.NDArray[np.bool_] = np.bitwise_or.reduce(bits, axis=1) != 0
    return found
