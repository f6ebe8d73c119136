"""Lazy grounding: a rule is ground only where a model makes its body true (cutting planes).

A solver finds a model of the ground rules so far, in which atoms that no ground rule has are false. The chainer is told
which atoms are true in it for the first time, and meets every ground rule whose body is complete now, once. These go to
the solver, and so on, until a model brings nothing new: it is a model of all rules over the whole domain.
"""

from __future__ import annotations

from collections.abc import Iterable

from possilog.chaining.bodies import Bodies, GroundClause, Grounder
from possilog.chaining.chaining import GroundRule
from possilog.data.evidence import Evidence
from possilog.logic import Clause
from possilog.sat import Solver

__all__ = ["HEADED", "LazyGrounding"]

HEADED, HEADLESS = 1, 2
"""The switches of the hard rules: those with a head, and the constraints. Stratum n has the switch HEADLESS + n."""


class LazyGrounding:
    """A theory and evidence in a solver: ground rules that grow as models are found."""

    def __init__(self, grounder: Grounder, evidence: Evidence) -> None:
        """Ground what the evidence alone makes true."""
        self._grounder = grounder
        self._bodies = Bodies(grounder, evidence)
        self.chaining = self._bodies.chaining
        self.given = self._bodies.given
        self._solver = Solver()
        self._variables: dict[int, int] = {}
        self._atoms: dict[int, int] = {}
        self._switches = [
            HEADLESS + level if level else HEADED if clause.head else HEADLESS
            for clause, level in zip(grounder.clauses, grounder.levels, strict=True)
        ]
        self._next = max(HEADLESS, *self._switches, 0) + 1
        self.constraints = HEADLESS
        """The switch of the hard constraints in force."""
        self.clauses: list[GroundClause] = []
        self.true: frozenset[int] = frozenset()
        """What the last model adds to the evidence."""
        self._touched: set[int] = set()
        self._waived: set[GroundClause] = set()
        for atom in evidence.denied:
            if atom.predicate in grounder.program.number:
                self._add(GroundClause(-1, (), (self.chaining.number(atom),)))
        for clause in self._bodies.begin():
            self._add(clause)

    # Questions

    def cut(self, level: int) -> list[int]:
        """What to assume so that the hard rules hold, and the strata down to a level."""
        return [HEADED, self.constraints, *range(HEADLESS + 1, HEADLESS + 1 + level)]

    def has_model(self, assumptions: Iterable[int]) -> bool:
        """Is there a model under some assumptions, over the whole domain?"""
        assumed = list(assumptions)
        while self._solver.solve(assumed):
            self.true = frozenset(self._atoms[v] for v in self._solver.model() if v in self._atoms)
            if not self._touch(self.true):
                return True
        return False

    def backbone(self, assumptions: Iterable[int], within: Iterable[int] | None = None) -> set[int]:
        """The atoms, of these or of all, that are true in every model and not given.

        What follows step by step needs no search. Of the others, each model takes away those that are false in it; when
        no model does so any more, what is left is true in all.
        """
        assumed = list(assumptions)
        if not self.has_model(assumed):
            raise ValueError("what has no model entails everything")
        left = set(self.true) if within is None else set(within) & self.true
        sure = left & {self._atoms[literal] for literal in self._solver.implied(assumed) if literal in self._atoms}
        left -= sure
        while left:
            alone, left = self._sifted(left, assumed)
            sure |= alone
            if left and not self._one_of([-self.variable(atom) for atom in left], assumed):
                return sure | left
            left &= self.true
        return sure

    def _sifted(self, atoms: set[int], assumed: list[int]) -> tuple[set[int], set[int]]:
        """Of some atoms, those that cannot be false even alone, and those that cannot be false with others.

        One model, if it can be found, shows for all others at once that they can be false.
        """
        alone: set[int] = set()
        tied: set[int] = set()
        left = set(atoms)
        while left:
            if self.has_model([*assumed, *(-self.variable(atom) for atom in left)]):
                return alone, tied & self.true
            core = {self._atoms[-literal] for literal in self._solver.core() if -literal in self._atoms}
            (alone if len(core) == 1 else tied).update(core)
            left -= core
        return alone, tied

    def never(self, assumptions: Iterable[int], within: Iterable[int]) -> set[int]:
        """The atoms, of these, that are true in no model."""
        assumed, left = list(assumptions), set(within)
        while left and self._one_of([self.variable(atom) for atom in left], assumed):
            left -= self.true
        return left

    def _one_of(self, literals: list[int], assumed: list[int]) -> bool:
        """Is there a model in which one of these is true?"""
        switch = self._new()
        self._solver.add([-switch, *literals])
        found = self.has_model([*assumed, switch])
        self._solver.add([-switch])
        return found

    # Ground rules

    def variable(self, atom: int) -> int:
        """The solver's number for an atom that is not given."""
        if atom not in self._variables:
            self._variables[atom] = self._new()
            self._atoms[self._variables[atom]] = atom
        return self._variables[atom]

    def _new(self) -> int:
        self._next += 1
        return self._next - 1

    def _touch(self, atoms: Iterable[int]) -> bool:
        """Ground the rules whose bodies some atoms complete. Was any of the atoms new?"""
        new = set(atoms) - self._touched
        if new:
            self._touched |= new
            for clause in self._bodies.hold(new):
                self._add(clause)
        return bool(new)

    def _add(self, clause: GroundClause) -> None:
        self.clauses.append(clause)
        switch = self._switch(clause)
        self._solve_with(clause, self.constraints if switch == HEADLESS else switch)

    def _switch(self, clause: GroundClause) -> int:
        return HEADLESS if clause.rule < 0 else self._switches[clause.rule]

    def _solve_with(self, clause: GroundClause, switch: int) -> None:
        self._solver.add([-switch, *self._literals(clause)])

    def _literals(self, clause: GroundClause) -> list[int]:
        heads = [self.variable(head) for head in clause.heads]
        return heads + [-self.variable(atom) for atom in clause.body if not self.given(atom)]

    # What is set aside

    @property
    def hard_constraints(self) -> list[GroundClause]:
        """The ground hard constraints met so far, and what is denied."""
        return [clause for clause in self.clauses if self._switch(clause) == HEADLESS]

    def set_aside(self, waived: Iterable[GroundClause]) -> None:
        """Go on without some of the ground hard constraints."""
        self._waived = set(waived)
        self.constraints = self._new()
        for clause in self.hard_constraints:
            if clause not in self._waived:
                self._solve_with(clause, self.constraints)

    def possible(self) -> set[int]:
        """What would hold if every hard rule made all its alternatives true."""
        found: set[int] = set()
        while True:
            heads = {
                head
                for clause in self.clauses
                if self._switch(clause) == HEADED and all(atom in found or self.given(atom) for atom in clause.body)
                for head in clause.heads
            }
            if heads <= found:
                return found
            found |= heads
            self._touch(found)

    # Conflicts

    def core(self, level: int) -> list[GroundClause]:
        """Ground rules of a cut that cannot hold together with the evidence; none of them can be left out."""
        wanted = [c for c in self.clauses if self._switch(c) <= HEADLESS + level and c not in self._waived]
        first = max(self._variables.values(), default=self._next) + 1
        with Solver() as solver:
            switches = dict(enumerate(wanted, first))
            for switch, clause in switches.items():
                solver.add([-switch, *self._literals(clause)])
            solver.solve(switches)
            kept = sorted(solver.core())
            for switch in list(kept):
                without = [other for other in kept if other != switch]
                if not solver.solve(without):
                    kept = without
        return [switches[switch] for switch in kept]

    def clause(self, ground: GroundClause) -> Clause:
        """A ground rule in words."""
        return Clause(tuple(map(self.chaining.atom, ground.heads)), tuple(map(self.chaining.atom, ground.body)))

    def constraint(self, ground: GroundClause) -> GroundRule:
        """A ground rule without a head in words."""
        rule = None if ground.rule < 0 else self._grounder.clauses[ground.rule]
        return GroundRule(rule, None, tuple(map(self.chaining.atom, ground.body)))

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.close()
