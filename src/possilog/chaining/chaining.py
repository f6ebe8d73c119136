"""One question to a program: evidence in, conclusions out, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from possilog.chaining.chainer import Chainer
from possilog.chaining.program import DOMAIN, Program
from possilog.data.evidence import Evidence
from possilog.data.rows import Rows
from possilog.errors import QueryError
from possilog.logic import Atom, BuiltIn, Clause, Constant, Predicate
from possilog.logic.thresholds import is_ordered

__all__ = ["HOW", "HOW_OFTEN", "UNBOUNDED", "Chaining", "GroundRule"]

HOW, HOW_OFTEN = 1, 2
"""What a stage may record of its conclusions."""

UNBOUNDED = 2**62
"""A patience that no number of derivations exhausts."""

_MOST_OPEN = 5_000_000
"""Atoms that are looked at one by one, at most: each takes some memory."""


@dataclass(frozen=True, slots=True, order=True)
class GroundRule:
    """A rule with constants for its variables. Without a rule, it says that the evidence denies an atom."""

    rule: Clause | None
    head: Atom | None
    body: tuple[Atom, ...]

    @property
    def clause(self) -> Clause:
        """The ground clause."""
        return Clause((self.head,) if self.head else (), self.body)

    def __str__(self) -> str:
        return str(self.clause)


def _pause() -> None:
    """A moment in Python, at which it notices an interrupt."""


class Chaining:
    """The chainer with names: it numbers the evidence's constants and gives conclusions back as atoms."""

    def __init__(self, program: Program, evidence: Evidence) -> None:
        """Load the evidence; nothing is concluded yet."""
        self.program = program
        facts = evidence.facts
        self.names = facts.constants + tuple(name for name in program.constants if facts.number(name) is None)
        self._extra = {
            name: len(facts.constants) + place for place, name in enumerate(self.names[len(facts.constants) :])
        }
        self._facts = facts
        values = [self.constant(name) for name in program.constants]
        compared = {p: self._compared(p) for p in program.compared}
        known = [(p, facts.rows(p)) for p in program.predicates if p not in compared]
        room = sum(rows.shape[1] for _, rows in known) + len(self.names) * (program.uses_domain + len(compared))
        self.chainer = Chainer(program, values, room, _pause)
        if program.uses_domain:
            domain = np.arange(len(self.names), dtype=np.int32).reshape(1, -1)
            self.chainer.load(program.number[DOMAIN], domain)
        for predicate, rows in (*known, *compared.items()):
            if rows.shape[1]:
                self.chainer.load(program.number[predicate], rows)
        self._begun = False
        self.given = self.chainer.size
        """Atoms of lower rank are evidence."""
        for atom in evidence.denied:
            if atom.predicate in program.number:
                self.chainer.deny(self.number(atom))

    def _compared(self, comparison: BuiltIn) -> Rows:
        """The constants of the evidence and of the rules that a comparison is true of."""
        known = self._facts.rows(comparison)
        new = {name: number for name, number in self._extra.items() if is_ordered(name)}
        old = {name: number for number, name in enumerate(self._facts.constants)} if new and known.shape[0] > 1 else {}
        pairs = product((old | new).items(), repeat=known.shape[0])
        extra = [
            [number for _, number in chosen]
            for chosen in pairs
            if any(name in new for name, _ in chosen) and comparison.holds(*(name for name, _ in chosen))
        ]
        return np.concatenate([known, np.array(extra, dtype=np.int32).T], axis=1) if extra else known

    def constant(self, name: str) -> int:
        """The number of a constant of the evidence or of a rule."""
        number = self._known(name)
        if number is None:
            raise KeyError(name)
        return number

    def _known(self, name: str) -> int | None:
        number = self._facts.number(name)
        return self._extra.get(name) if number is None else number

    def number(self, atom: Atom) -> int:
        """An atom's number, which it gets if it has none."""
        arguments = [self.constant(term.name) for term in atom.arguments]
        return self.chainer.number(self.program.number[atom.predicate], arguments)

    def rank(self, atom: Atom) -> int | None:
        """The rank of an atom; None where it has no number."""
        numbers = [self._known(term.name) for term in atom.arguments]
        if atom.predicate not in self.program.number or None in numbers:
            return None
        number = self.chainer.find(self.program.number[atom.predicate], [n for n in numbers if n is not None])
        return None if number < 0 else self.chainer.rank_of(number)

    def atom(self, number: int) -> Atom:
        """The atom of a number."""
        predicate, arguments = self.chainer.atom(number)
        return Atom(self.program.predicates[predicate], tuple(Constant(self.names[place]) for place in arguments))

    def open_atoms(self, rank: int) -> Iterator[int]:
        """All ground atoms over the program's predicates, without those that hold by a rank below this one."""
        every = sum(len(self.names) ** predicate.arity for predicate in self.program.predicates)
        if every > _MOST_OPEN:
            raise QueryError(
                f"there are {every:,} atoms over {len(self.names):,} constants, and at most {_MOST_OPEN:,} can be "
                "looked at to say what is false; give less evidence, or do not ask for negatives"
            )
        for number, predicate in enumerate(self.program.predicates):
            if predicate != DOMAIN and not isinstance(predicate, BuiltIn):
                for arguments in product(range(len(self.names)), repeat=predicate.arity):
                    atom = self.chainer.number(number, arguments)
                    if self.chainer.rank_of(atom) >= rank:
                        yield atom

    def stage(
        self,
        level: int,
        *,
        guarded: bool = False,
        barred: Iterable[int] = (),
        hasty: bool = False,
        recording: int = 0,
        patience: int = UNBOUNDED,
    ) -> None:
        """Chain the rules up to a level, beginning with those of the level itself."""
        if not self._begun:
            self.chainer.take_facts()
            self._begun = True
        self.chainer.begin(level, guarded, hasty, recording, patience)
        for atom in barred:
            self.chainer.bar(atom)
        for rule in self.program.by_level.get(level, ()):
            if not self.chainer.apply(rule):
                return
        self.chainer.run()

    def atoms(self, start: int, stop: int | None = None) -> Iterator[Atom]:
        """What holds, from one rank up to before another."""
        for number in self.chainer.listed(start, self.chainer.size if stop is None else stop):
            atom = self.atom(number)
            if atom.predicate != DOMAIN:
                yield atom

    def blocks(self, ends: Sequence[int]) -> Iterator[tuple[int, Predicate, Rows, npt.NDArray[np.int32]]]:
        """What was concluded, in numbers, cut at some ranks: the cut, and the rows of a predicate in their order.

        Beside them, for each the number of the soft rule behind it; -1 where the hard rules concluded it.
        """
        queue, predicates, first, arguments, origins = map(np.asarray, self.chainer.arrays())
        atoms = queue[self.given : ends[-1]]
        if not len(atoms):
            return
        of, places = predicates[atoms], np.arange(self.program.widest)[:, None]
        # All are put in order at once, by cut, predicate and arguments; of those that an atom has not, any is none.
        at = np.minimum(first[atoms] + places, max(len(arguments) - 1, 0))
        rows = np.where(places < np.asarray(self.program.arity)[of], arguments[at], -1) if len(arguments) else at
        cuts = np.repeat(np.arange(len(ends)), np.diff([self.given, *ends]))
        keys = cuts * len(self.program.predicates) + of
        order = np.lexsort((*rows[::-1], keys))
        rows, keys, behind = rows[:, order], keys[order], origins[atoms][order] - 1
        bounds = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), len(keys)]
        for start, stop in pairwise(bounds):
            cut, number = divmod(int(keys[start]), len(self.program.predicates))
            predicate = self.program.predicates[number]
            yield cut, predicate, rows[: predicate.arity, start:stop], behind[start:stop]

    def origin(self, atom: Atom) -> int:
        """The number of the soft rule behind an atom that was concluded; -1 where the hard rules concluded it."""
        *_, origins = map(np.asarray, self.chainer.arrays())
        return int(origins[self.number(atom)]) - 1

    def first_step(self) -> list[int]:
        """What the hard rules conclude from the evidence in one step; some of that may be evidence."""
        self.chainer.settle()
        self.chainer.begin(0, False, False, HOW, UNBOUNDED)
        for rule in self.program.by_level.get(0, ()):
            self.chainer.apply(rule)
        return self.chainer.derived()

    def broken(self, rule: int, body: Iterable[int]) -> GroundRule:
        """A broken ground rule in words; what only binds variables is left out."""
        clause = None if rule < 0 else self.program.clauses[rule]
        return GroundRule(clause, None, tuple(atom for atom in map(self.atom, body) if atom.predicate != DOMAIN))
