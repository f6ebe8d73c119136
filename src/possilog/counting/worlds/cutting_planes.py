"""List models without grounding everything: a rule is grounded only where a model that was found breaks it.

The appendix Model Counting of the paper, after cutting plane inference (Riedel 2008). Where a model breaks the rules is
a question for the matcher, to which a model is a small database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from possilog.counting.worlds.formula import NumberedClause, Numbering, Worlds
from possilog.counting.worlds.hashing import Xor
from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.logic import Atom, Clause, Predicate, Query, Variable
from possilog.matching import Matcher
from possilog.sat.counters import XorSolver

__all__ = ["LazyWorlds"]

GROUND_AT_ONCE = 20
"""In this many places at most a rule is grounded for one model: some models break it everywhere."""


class LazyWorlds:
    """Worlds whose rules are grounded as the need arises; what was grounded is kept for the next question."""

    def __init__(self, worlds: Worlds, stop: Deadline = NEVER) -> None:
        """Take the worlds; TimeoutError when ``stop`` says so."""
        self._worlds = worlds
        self._stop = stop
        self._numbering = Numbering(worlds.predicates, worlds.width)
        self._names = [str(number) for number in range(worlds.width)]
        self._rules = [
            _Rule(clause, clause.violation, clause.variables, {atom.predicate for atom in clause.body})
            for clause in worlds.clauses
            if len(clause.variables) <= worlds.width
        ]
        # Buckets lie within buckets, so the same worlds are found again and again.
        self._sound: set[tuple[int, ...]] = set()
        self.grounded: dict[NumberedClause, None] = {}

    def bounded(self, xors: Sequence[Xor], limit: int) -> int:
        """How many worlds satisfy some XOR constraints? It stops at the limit."""
        solver = XorSolver(self._worlds.atoms, self.grounded)
        for atoms, odd in xors:
            solver.add_xor(atoms, odd)
        count = 0
        while count < limit and (model := solver.next_model(self._stop)) is not None:
            broken = self._broken(model)
            if broken:
                solver.extend(broken)
                self.grounded |= dict.fromkeys(broken)
            else:
                solver.exclude(model)
                count += 1
        return count

    def _broken(self, model: Sequence[int]) -> list[NumberedClause]:
        """Ground clauses that a model breaks; none only if it breaks none."""
        key = tuple(model)
        if key in self._sound:
            return []
        facts = [self._atom(number) for number in model]
        matcher = Matcher(Database.of(facts, constants=self._names))
        true = {fact.predicate for fact in facts}
        # Asking the matcher has its price, and a body without facts never holds.
        broken = [x for rule in self._rules if rule.body <= true for x in self._where_broken(rule, matcher)]
        if not broken:
            self._sound.add(key)
        return broken

    def _where_broken(self, rule: _Rule, matcher: Matcher) -> Iterator[NumberedClause]:
        matches = matcher.matches(rule.violation, limit=GROUND_AT_ONCE)
        choices = (tuple(int(match[variable.name]) for variable in rule.variables) for match in matches)
        return self._numbering.ground_at(rule.clause, choices)

    def _atom(self, number: int) -> Atom:
        predicate, arguments = self._numbering.atom(number)
        return Atom.ground(predicate.name, [self._names[argument] for argument in arguments])


class _Rule(NamedTuple):
    """A clause, and what is asked about it often."""

    clause: Clause
    violation: Query
    variables: tuple[Variable, ...]
    body: set[Predicate]
