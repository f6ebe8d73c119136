"""Do the hard rules refute these atoms, given the facts? Section Constructing Training Examples.

The rules are chained forward from the atoms on trial. Those with at most one head leave no choice: the head becomes
true, or the atoms are refuted. Where the body of a rule with several heads becomes true and none of the heads, the SAT
solver chooses, and is told the further ground rules that its choices bring into play until there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from possilog.chaining.bodies import Bodies, GroundClause, Grounder
from possilog.chaining.chaining import Chaining
from possilog.chaining.program import Program
from possilog.data.database import Database
from possilog.data.evidence import Evidence
from possilog.logic import Clause, Predicate
from possilog.sat.solver import Solver
from possilog.structure.attributes import Attributes

__all__ = ["Numbered", "Refutation"]

Numbered = tuple[Predicate, Sequence[int]]
"""A ground atom: its predicate, and its constants' numbers in the data."""


class Refutation:
    """Facts A over constants C and hard rules Δ: has A ∧ a ∧ Δ no model over C, for atoms a?

    The constants of the rules belong to C. Where the facts lack what the rules conclude from them, that is taken for
    true; ground rules that the facts break even so are set aside, and refute nothing by themselves.
    """

    def __init__(self, database: Database, rules: Iterable[Clause]) -> None:
        """Chain the rules with one head from the facts."""
        self._rules = tuple(dict.fromkeys(rules))
        self._database = database.without_denied()
        self._evidence = Evidence(self._database)
        # Rules without a head come first: a contradiction ends the question.
        program = Program((rule, 0) for rule in sorted(self._rules, key=lambda rule: bool(rule.head)))
        self._chaining = Chaining(program, self._evidence)
        self._number = self._chaining.program.number
        self._chainer = self._chaining.chainer
        self._chaining.stage(0)
        self._chainer.settle()

    def refutes(self, atoms: Iterable[Numbered]) -> bool:
        """Can the facts and the rules not be true together with these atoms?"""
        # Of a predicate that no rule has, any atom may be true.
        spoken = [atom for atom in atoms if atom[0] in self._number]
        stand = self._chainer.stand([self._chainer.number(self._number[predicate], row) for predicate, row in spoken])
        if stand is None:
            stand = self._can_be(spoken)
        return not (self._has_model(spoken) if stand is None else stand)

    def _can_be(self, atoms: Sequence[Numbered]) -> bool | None:
        """The same for atoms about what single things are; None where it takes more to tell."""
        by_thing: dict[int, list[Predicate]] = {}
        for predicate, row in atoms:
            if len(row) != 1:
                return None
            by_thing.setdefault(row[0], []).append(predicate)
        found = [self._attributes.can_be(thing, predicates) for thing, predicates in by_thing.items()]
        return None if None in found else all(found)

    @cached_property
    def _attributes(self) -> Attributes:
        return Attributes(self._database, self._rules)

    @cached_property
    def _bodies(self) -> Bodies:
        """The rules of any shape, with the facts and what follows from them settled."""
        bodies = Bodies(Grounder((rule, 0) for rule in self._rules), self._evidence)
        bodies.begin()
        bodies.hold(map(bodies.chaining.number, self._chaining.atoms(self._chaining.given)))
        bodies.settle()
        return bodies

    def _has_model(self, atoms: Iterable[Numbered]) -> bool:
        """Solve, meet the ground rules whose bodies the solution makes true, and again."""
        bodies = self._bodies
        number, chainer = bodies.chaining.program.number, bodies.chaining.chainer
        asked = {chainer.number(number[predicate], row) for predicate, row in atoms}
        new = {atom for atom in asked if not bodies.given(atom)}
        held: set[int] = set()
        # An atom's variable is its number + 1: the solver counts from 1.
        with Solver([atom + 1] for atom in new) as solver:
            while new:
                held |= new
                solver.extend(self._literals(clause) for clause in bodies.hold(new))
                if not solver.solve():
                    break
                new = {variable - 1 for variable in solver.model()} - held
        bodies.let_go()
        return not new

    def _literals(self, clause: GroundClause) -> list[int]:
        body = [-atom - 1 for atom in clause.body if not self._bodies.given(atom)]
        return [head + 1 for head in clause.heads] + body
