"""Level by level, the clauses of unary literals over one variable that have no counterexample.

``ClauseLevels`` would find the same, but here everything is a set of bits. Things of which the same is true are one
thing, and a clause fails if one bit, for such a thing, is set in all of its literals. A candidate is made from the part
without its largest literal. Which literals may be added to that is a set of bits as well: those that may be added to
all of its own parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.deadline import Deadline
from possilog.logic import Atom, Clause, Predicate, Variable
from possilog.logic.canonical_forms import variable_name
from possilog.progress import Progress, Step
from possilog.structure.clause_space import ClauseSpace, Keys, Numbers
from possilog.structure.levels import ClauseLevel

__all__ = ["AttributeLevels"]

Words = npt.NDArray[np.uint64]
"""Sets of bits, a row for each."""

AT_ONCE = 1 << 21
"""So many words of bits are in memory at a time, or a few times as many."""

BLOCK = 8
"""Words of bits that are looked at for all candidates; the others only for those that these do not refute."""


class AttributeLevels:
    """The search through the clauses of a space with one variable. ``holding`` has those without a counterexample."""

    def __init__(self, database: Database, space: ClauseSpace) -> None:
        """Begin with the empty clause, which fails."""
        self.holding: list[Clause] = []
        self.literals = space.literals
        """How many levels there are."""
        self._space = space
        self._number = len(space.mask)
        self._blocks = _false(database, space.predicates)
        variable = Variable(variable_name(0))
        self._atoms = [predicate(variable) for predicate in space.predicates]
        self._failing: Keys = np.zeros(1, dtype=np.int64)

    def search(self, literals: int, stop: Deadline, progress: Progress) -> ClauseLevel:
        """Search one level, when those before it have been searched, or as much of it as there is time for."""
        if stop():
            return ClauseLevel(literals, only_unary=True)
        level = ClauseLevel(literals, only_unary=True, share=float(not len(self._failing)))
        failing = [np.empty(0, dtype=np.int64)]
        larger = self._larger(literals)
        for parents in self._chunks(literals):
            place, added = self._added(parents, literals, larger)
            keys = self._failing[parents][place] | added.astype(np.int64) << self._space.bits * (literals - 1)
            holds = self._hold(self._space.clauses(self._failing[parents], literals - 1), place, added)
            self.holding += map(self._clause, self._space.clauses(keys[holds], literals).tolist())
            if literals < self.literals:  # nobody asks for the failures of the last level
                failing.append(keys[~holds])
            level = self._with(level, len(keys), int(np.count_nonzero(holds)), parents.stop / len(self._failing))
            progress(Step("hard rules", doing=f"{level.share:.0%} of {level.literals} literals"))
            if stop():
                break
        self._failing = np.sort(np.concatenate(failing))
        return level

    def _with(self, level: ClauseLevel, candidates: int, holding: int, share: float) -> ClauseLevel:
        """A level of which more was searched."""
        return replace(
            level,
            candidates=level.candidates + candidates,
            checked=level.checked + holding,
            holding=level.holding + holding,
            share=share,
        )

    # Candidates

    def _chunks(self, literals: int) -> Iterator[slice]:
        """Stretches of the failing clauses whose extensions fit into memory."""
        step = max(1, AT_ONCE // (self._number * (BLOCK + literals)))
        for start in range(0, len(self._failing), step):
            yield slice(start, min(start + step, len(self._failing)))

    def _larger(self, literals: int) -> tuple[Keys, Words]:
        """The clauses with two literals less, and for each a bit for every larger literal with which it fails."""
        words = -(-self._number // 64)
        if literals == 1:
            return np.empty(0, dtype=np.int64), np.empty((0, words), dtype=np.uint64)
        shift = self._space.bits * (literals - 2)
        rest, place = np.unique(self._failing & (1 << shift) - 1, return_inverse=True)
        largest = self._failing >> shift
        found = np.zeros((len(rest), words), dtype=np.uint64)
        np.bitwise_or.at(found, (place, largest >> 6), np.uint64(1) << (largest & 63).astype(np.uint64))
        return rest, found

    def _added(
        self, parents: slice, literals: int, larger: tuple[Keys, Words]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """For each candidate the place of its parent in the chunk, and the literal that is added to it."""
        keys, bits = self._failing[parents], self._space.bits
        if literals == 1:
            return np.zeros(self._number, dtype=np.int64), np.arange(self._number)
        rest, found = larger
        allowed = np.full((len(keys), found.shape[1]), ~np.uint64(0), dtype=np.uint64)
        for place in range(literals - 1):
            low = keys & (1 << bits * place) - 1
            without = low | keys >> bits * (place + 1) << bits * place
            where = np.minimum(np.searchsorted(rest, without), len(rest) - 1)
            allowed &= np.where((rest[where] == without)[:, np.newaxis], found[where], np.uint64(0))
        first = (keys >> bits * (literals - 2) >> 1) * 2 + 2  # the literals of larger atoms
        inside = np.unpackbits(allowed.view(np.uint8), axis=1, bitorder="little", count=self._number)
        inside &= np.arange(self._number) >= first[:, np.newaxis]
        parent, added = np.nonzero(inside)
        return parent, added

    # Counterexamples

    def _hold(
        self, parents: Numbers, place: npt.NDArray[np.int64], added: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Which of the candidates, by their parents' places and the literals added, hold for all things?"""
        holds = np.ones(len(added), dtype=bool)
        left = np.arange(len(added))
        for block in self._blocks:
            false = np.full((len(parents), block.shape[1]), ~np.uint64(0), dtype=np.uint64)
            for column in parents.T:
                false &= block[column]
            step = max(1, AT_ONCE // block.shape[1])
            for start in range(0, len(left), step):
                some = left[start : start + step]
                holds[some] = ~(false[place[some]] & block[added[some]]).any(axis=1)
            left = left[holds[left]]
        return holds

    def _clause(self, numbers: Sequence[int]) -> Clause:
        """A row as a clause that reads well: ``readable`` would give the same, as literals have the order of atoms."""
        head, body = ([self._atoms[number >> 1] for number in numbers if number & 1 == sign] for sign in (0, 1))
        return Clause(_in_order(head), _in_order(body))


def _in_order(atoms: list[Atom]) -> tuple[Atom, ...]:
    return tuple(sorted(atoms, key=lambda atom: atom.predicate))


def _false(database: Database, predicates: Sequence[Predicate]) -> list[Words]:
    """For each literal a bit for each thing of which it is false, in blocks; things with the same bits are one."""
    constants = len(database.constants)
    true = np.zeros((constants, -(-len(predicates) // 8)), dtype=np.uint8)
    for place, predicate in enumerate(predicates):
        true[database.rows(predicate)[0], place >> 3] |= np.uint8(1 << (place & 7))
    true = np.unique(true, axis=0)
    number = -(-len(true) // (64 * BLOCK))  # of blocks; each has things of all kinds, so that the first refutes much
    blocks = []
    for first in range(number):
        some = true[first::number]
        false = np.zeros((2 * len(predicates), -(-len(some) // 64) * 64), dtype=bool)
        for place in range(len(predicates)):
            is_true = (some[:, place >> 3] >> (place & 7) & 1).astype(bool)
            false[2 * place, : len(some)] = ~is_true
            false[2 * place + 1, : len(some)] = is_true
        blocks.append(np.packbits(false, axis=1, bitorder="little").view(np.uint64))
    return blocks
