"""Beam search for the Horn rules of one predicate (section Learning Horn Rules).

A body is a set of atoms over the head's variables 0 … m-1 and further ones. It is saturated with the hard rules, and
bodies with the same saturation, up to the names of the further variables, are one candidate: it is generated once,
evaluated once, and printed without the atoms that the others imply.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import permutations, product
from math import factorial
from typing import NamedTuple

import numpy as np

from possilog.data import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.entailment import Saturation
from possilog.errors import QueryError
from possilog.logic import Atom, Clause, Predicate, Variable
from possilog.logic.atom_space import bits
from possilog.logic.canonical_forms import order_variables, variable_name
from possilog.matching.cover import Body, Cover
from possilog.structure.examples import Examples
from possilog.structure.subsumed import SubsumingBodies

_MOST = 5_040
"""More renamings than these are too many to list."""

_FEW = 24
"""Up to this many renamings are all tried; with more, colours are faster."""

__all__ = ["BeamRule", "BeamSearch", "Limits", "SearchCounts"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the search goes."""

    width: int = 3
    """The most variables in a rule: the width k of the local examples."""
    body: int = 3
    """The most atoms in a body."""
    beam: int = 100
    """How many rules are extended at each length: the most accurate ones."""
    repeats: int = 5
    """How often the search is repeated for each length of body; each time it gives one rule."""
    min_support: int = 2
    """The fewest positive examples that a rule must cover."""


@dataclass(slots=True)
class SearchCounts:
    """What became of the bodies that were generated."""

    generated: int = 0
    contradictory: int = 0
    """A hard rule forbids the body, or the body with the head."""
    implied: int = 0
    """The hard rules make the rule trivial, or the new atom adds nothing."""
    known: int = 0
    """Equivalent, given the hard rules, to a body seen before."""
    forbidden: int = 0
    """Contains a body that covers no positive example."""
    evaluated: int = 0

    def add(self, other: SearchCounts) -> None:
        """Add what another search counted."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


@dataclass(slots=True)
class BeamRule:
    """A body, what it implies, and what it covers: sets of atoms and of examples are integers with a bit for each."""

    body: tuple[int, ...]
    closed: int
    used: int
    """How many variables occur, the head's included."""
    bound: int
    """Examples that it can cover at most."""
    exact: bool
    """Does it cover all of these?"""
    key: int
    covered: int = -1
    positives: int = 0
    negatives: int = 0
    accuracy: float = 0.0
    children: list[BeamRule] | None = None

    @property
    def rank(self) -> tuple[float, int, int, int]:
        """The order of candidates: more accurate, then shorter, then more positives, then by their atoms' order."""
        return (-self.accuracy, len(self.body), -self.positives, self.key)


class _Found(NamedTuple):
    """A rule that one run found, as the next ones are compared with it."""

    negatives: int
    bodies: set[int]
    """Its body under all renamings that change nothing."""
    clause: Clause


class BeamSearch:
    """The search for one predicate. What one run learns about bodies serves the next."""

    def __init__(
        self,
        database: Database,
        saturation: Saturation,
        predicate: Predicate,
        examples: Examples,
        limits: Limits,
        stop: Deadline = NEVER,
    ) -> None:
        self.counts = SearchCounts()
        self.cut_short = False
        """Did the time end before the search?"""
        self.more = False
        """Did it end for some length of body because of the number of repeats? There may be more rules then."""
        self._stop = stop
        self._predicate, self._examples, self._limits = predicate, examples, limits
        self._space = space = saturation.space
        self._saturation = saturation
        self._cover = Cover(database, examples.heads)
        self._head = space.number[predicate, tuple(range(predicate.arity))]
        # A rule says something only where its head is false, so what bodies imply is asked for that case.
        self._denied = saturation.denying(self._head)
        self._renamings = self._equivalent_renamings()
        self._positive = (1 << examples.positives) - 1
        self._known: dict[int, BeamRule | None] = {}
        self._alone: dict[int, int] = {}
        self._forbidden = SubsumingBodies()
        self._found: list[_Found] = []
        everything = (1 << len(examples.heads)) - 1
        self._start = BeamRule((), self._denied.close(()), predicate.arity, everything, True, 0, everything)

    def _equivalent_renamings(self) -> list[list[int]]:
        """The renamings of variables after which a rule says the same: all of the further ones, and those of the
        head's variables that give a head which is equivalent given the hard rules (a symmetric relation's, say)."""
        arity, width = self._predicate.arity, self._space.width
        implied = self._saturation.extend(0, self._head) or 0
        self._fronts = []
        for front in permutations(range(arity)):
            image = self._space.number[self._predicate, front]
            same = implied >> image & 1 and (self._saturation.extend(0, image) or 0) >> self._head & 1
            if same or image == self._head:
                self._fronts.append(front)
        if len(self._fronts) * factorial(width - arity) > _MOST:
            raise QueryError(f"{width} variables can be named in too many ways; lower the width")
        back = list(permutations(range(arity, width)))
        return [self._space.permuted(front + rest) for front, rest in product(self._fronts, back)]

    # The paper's loop

    def rules(self) -> list[BeamRule]:
        """The best rule of each run, for bodies of 1, 2, … atoms, each length several times, while there is time.

        A rule is left out where a rule found before subsumes it and covers no more negatives: what its additional atoms
        take away is right, then. So every run finds another rule, and the rules are diverse. It may still be extended,
        since only a longer body may show what the atoms are good for.
        """
        found: list[BeamRule] = []
        if self._denied.contradictory:
            return found
        try:
            for length in range(1, self._limits.body + 1):
                self._add_best(length, found)
        except OutOfTime:
            self.cut_short = True
        return found

    def _add_best(self, length: int, found: list[BeamRule]) -> None:
        """Add the best rules with this many atoms in their bodies."""
        for _ in range(self._limits.repeats):
            best = self._best(length)
            if best is None:
                return
            found.append(best)
            self._found.append(_Found(best.negatives, self._renamed(best.body), self.clause(best)))
        self.more = True

    def _best(self, length: int) -> BeamRule | None:
        """One run: the best new rule with this many atoms in its body."""
        beam = [self._start]
        for _ in range(length):
            beam = self._most_accurate(child for parent in beam for child in self._children(parent))
        return next((c for c in beam if not self._is_redundant(c) and not self._is_repeated(c)), None)

    def _most_accurate(self, children: Iterable[BeamRule]) -> list[BeamRule]:
        """The beam: the most accurate of the children, evaluated only while they can still be among these."""
        beam: list[BeamRule] = []
        highest: list[float] = []  # the highest accuracies so far, the lowest of them first
        for promise, _, child in sorted((-self._promise(c), key, c) for key, c in {c.key: c for c in children}.items()):
            if len(highest) == self._limits.beam and -promise < highest[0]:
                break  # what follows promises even less
            if child.covered < 0:
                self._evaluate(child)
            if child.positives >= self._limits.min_support:
                beam.append(child)
                (heapq.heappush if len(highest) < self._limits.beam else heapq.heappushpop)(highest, child.accuracy)
        return sorted(beam, key=lambda candidate: candidate.rank)[: self._limits.beam]

    def _is_repeated(self, candidate: BeamRule) -> bool:
        """Is it equivalent to a rule found before, given the hard rules?"""
        clause = self.clause(candidate)
        return any(self._saturation.are_equivalent(clause, found.clause) for found in self._found)

    def _promise(self, candidate: BeamRule) -> float:
        """The accuracy of a body; while it is not known, the highest that it can be."""
        if candidate.covered >= 0:
            return candidate.accuracy
        return self._examples.accuracy((candidate.bound & self._positive).bit_count(), 0)

    def _is_redundant(self, candidate: BeamRule) -> bool:
        """Does a rule found before subsume it, without covering more negatives?"""
        return any(
            found.negatives <= candidate.negatives and body & candidate.closed == body
            for found in self._found
            for body in found.bodies
        )

    # Generating

    def _children(self, parent: BeamRule) -> list[BeamRule]:
        """The extensions of a body by one atom, without those that need not be looked at."""
        if parent.children is None:
            self._stop.check()
            children: list[BeamRule] = []
            possible = self._space.extensions[parent.used] & ~(1 << self._head)
            allowed = possible & ~parent.closed & ~self._denied.conflicts(parent.closed)
            self.counts.generated += possible.bit_count()
            self.counts.implied += (possible & parent.closed).bit_count()
            self.counts.contradictory += (possible & ~parent.closed & ~allowed).bit_count()
            self.counts.forbidden += (allowed & self._forbidden.single).bit_count()
            for atom in bits(allowed & ~self._forbidden.single):
                child = self._child(parent, atom)
                # The new atom may imply old ones, and then this is a shorter body that was generated before.
                if child is not None and len(child.body) > len(parent.body):
                    children.append(child)
            parent.children = children
        return parent.children

    def _child(self, parent: BeamRule, atom: int) -> BeamRule | None:
        closed = self._denied.extend(parent.closed, atom)
        if closed is None:
            self.counts.contradictory += 1
            return None
        key = self._key(closed)
        if key in self._known:
            self.counts.known += 1
            return self._known[key]
        child = self._known[key] = self._new_candidate(parent, atom, closed, key)
        return child

    def _new_candidate(self, parent: BeamRule, atom: int, closed: int, key: int) -> BeamRule | None:
        self._stop.check()
        if closed >> self._head & 1:
            self.counts.implied += 1
            return None
        if self._forbidden.contained_in(closed):
            self.counts.forbidden += 1
            return None
        body = self._denied.reduce((*parent.body, atom))
        # What the body implies is known, unless it was asked for the case that the head is false.
        implied = closed if self._denied is self._saturation else self._saturation.close(body)
        if self._saturation.extend(implied, self._head) is None:
            self.counts.contradictory += 1
            return None
        used = max(parent.used, *(a + 1 for a in self._space.atoms[atom][1]))
        alone = self._alone.get(self._in_order(atom))
        bound = parent.covered if alone is None else parent.covered & alone
        if not bound & self._positive:
            self.counts.forbidden += 1
            return None
        # Where only one of the two has further variables, each match of one goes with each of the other.
        apart = parent.used == self._predicate.arity or max(self._space.atoms[atom][1]) < self._predicate.arity
        return BeamRule(body, closed, used, bound, apart and alone is not None, key)

    def _key(self, closed: int) -> int:
        """The same for bodies that differ in the names of variables only: the least of all renamed bodies."""
        if len(self._renamings) > _FEW:
            return self._key_by_colours(closed)
        atoms = list(bits(closed))
        return min([sum([renaming[atom] for atom in atoms]) for renaming in self._renamings])

    def _key_by_colours(self, closed: int) -> int:
        """The same where there are many further variables: their order comes from a canonical form."""
        arity, atoms = self._predicate.arity, [self._space.atoms[atom] for atom in bits(closed)]
        number = {predicate: rank for rank, predicate in enumerate(sorted({p for p, _ in atoms}), start=arity)}
        literals = [(number[predicate], *arguments) for predicate, arguments in atoms]
        keys = []
        for front in self._fronts:
            # A literal of its own keeps each of the head's variables from being renamed.
            marks = [(place, variable) for place, variable in enumerate(front)]
            ordered = [v for v in order_variables([*marks, *literals]) if v >= arity]
            names = {variable: rank for rank, variable in enumerate([*front, *ordered])}
            renamed = ((p, tuple(names[a] for a in arguments)) for p, arguments in atoms)
            keys.append(sum(1 << self._space.number[atom] for atom in renamed))
        return min(keys)

    def _in_order(self, atom: int) -> int:
        """The atom with its further variables renamed in their order, as an atom alone would have them."""
        predicate, arguments = self._space.atoms[atom]
        names: dict[int, int] = {}
        for argument in arguments:
            if argument >= self._predicate.arity:
                names.setdefault(argument, self._predicate.arity + len(names))
        return self._space.number[predicate, tuple(names.get(argument, argument) for argument in arguments)]

    # Evaluating

    def _evaluate(self, candidate: BeamRule) -> None:
        """Find the examples that a body covers, among those that the body it extends covers."""
        self._stop.check()
        self.counts.evaluated += 1
        candidate.covered = candidate.bound if candidate.exact else self._covered(candidate)
        candidate.positives = (candidate.covered & self._positive).bit_count()
        candidate.negatives = candidate.covered.bit_count() - candidate.positives
        candidate.accuracy = self._examples.accuracy(candidate.positives, candidate.negatives)
        if len(candidate.body) == 1:
            self._alone[candidate.body[0]] = candidate.covered
        if not candidate.positives:
            for body in self._renamed(candidate.body):
                self._forbidden.add(body)

    def _covered(self, candidate: BeamRule) -> int:
        size = len(self._examples.heads)
        raw = np.frombuffer(candidate.bound.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
        among = np.flatnonzero(np.unpackbits(raw, count=size, bitorder="little"))
        flags = np.zeros(size, dtype=np.uint8)
        flags[among[self._cover.covered(self.body(candidate), among)]] = 1
        return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")

    def _renamed(self, body: tuple[int, ...]) -> set[int]:
        """A body under all renamings that change nothing."""
        return {sum(renaming[atom] for atom in body) for renaming in self._renamings}

    # What others see

    def body(self, candidate: BeamRule) -> Body:
        """The body's atoms, with its variables numbered without a gap."""
        atoms = [self._space.atoms[atom] for atom in candidate.body]
        names = {variable: variable for variable in range(self._predicate.arity)}
        for _, arguments in atoms:
            for argument in arguments:
                names.setdefault(argument, len(names))
        return [(predicate, tuple(names[argument] for argument in arguments)) for predicate, arguments in atoms]

    def clause(self, candidate: BeamRule) -> Clause:
        """The rule that a candidate stands for."""
        head = (self._predicate, tuple(range(self._predicate.arity)))
        atoms = [
            Atom(predicate, tuple(Variable(variable_name(argument)) for argument in arguments))
            for predicate, arguments in [head, *self.body(candidate)]
        ]
        return Clause((atoms[0],), tuple(atoms[1:]))
