"""Lazy grounding: a rule is ground only where a model makes its body true (cutting planes).

A solver finds a model of the ground rules so far, in which atoms that no ground rule has are false. The chainer is told
which atoms are true in it for the first time, and meets every ground rule whose body is complete now, once. These go to
the solver, and so on, until a model brings nothing new: it is a model of all rules over the whole domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from possilog.chaining.chaining import Chaining, GroundRule
from possilog.chaining.program import DOMAIN, Program
from possilog.data.evidence import Evidence
from possilog.logic import Atom, Clause, Theory, Variable, variables_of
from possilog.sat import Solver

__all__ = ["Bodies", "GroundClause", "Grounder", "Grounding"]

HEADED, HEADLESS = 1, 2
"""The switches of the hard rules: those with a head, and the constraints. Stratum n has the switch HEADLESS + n."""

_Recipe = tuple[int, tuple[tuple[int, int], ...]]
"""How to make an atom of a head: its predicate, and for each argument an atom of the body and a place in it, or -1 and
the number of a constant in the program."""


class GroundClause(NamedTuple):
    """A ground rule in numbers; without a rule (-1), it says that the evidence denies the one atom of its body."""

    rule: int
    switch: int
    heads: tuple[int, ...]
    body: tuple[int, ...]
    constants: frozenset[int] = frozenset()
    """What its variables stand for, and the constants of the rule's body."""


class Grounder:
    """The rules of a theory, whatever their shape, laid out so that the chainer finds where their bodies hold."""

    def __init__(self, theory: Theory) -> None:
        """Lay out the rules."""
        levelled = [(rule.clause, 0) for rule in theory.hard]
        levelled += [(rule.clause, n) for n, stratum in enumerate(theory.strata, 1) for rule in stratum.rules]
        self.clauses: tuple[Clause, ...] = tuple(clause for clause, _ in levelled)
        self.switches = tuple(
            HEADLESS + level if level else HEADED if clause.head else HEADLESS for clause, level in levelled
        )
        mentioned = [atom for clause in self.clauses for atom in clause.head]
        # To the chainer every rule is a constraint: it says where the body holds, and concludes nothing.
        self.program = Program(((_without_head(clause), 0) for clause in self.clauses), mentioned)
        self.recipes = [
            [self._recipe(atom, body.body) for atom in clause.head]
            for clause, body in zip(self.clauses, self.program.clauses, strict=True)
        ]

    def _recipe(self, atom: Atom, body: Sequence[Atom]) -> _Recipe:
        places = {term: (n, place) for n, other in enumerate(body) for place, term in enumerate(other.arguments)}
        arguments = (
            places[term] if isinstance(term, Variable) else (-1, self.program.constants.index(term.name))
            for term in atom.arguments
        )
        return self.program.number[atom.predicate], tuple(arguments)


class Bodies:
    """Where do the bodies of rules hold? Every ground rule is met once, when the last atom of its body comes."""

    def __init__(self, grounder: Grounder, evidence: Evidence) -> None:
        """Load the evidence."""
        self._grounder = grounder
        self.chaining = Chaining(grounder.program, evidence)
        self._chainer = self.chaining.chainer
        self._values = [self.chaining.constant(name) for name in grounder.program.constants]
        self._domain = grounder.program.number.get(DOMAIN, -1)

    def given(self, atom: int) -> bool:
        """Is it evidence?"""
        return self._chainer.rank_of(atom) < self.chaining.given

    def begin(self) -> list[GroundClause]:
        """The ground rules whose bodies the evidence makes true, without those that it satisfies."""
        self.chaining.stage(0)
        return list(self._met())

    def hold(self, atoms: Iterable[int]) -> list[GroundClause]:
        """The ground rules that some more atoms complete."""
        self._chainer.begin(0, False, False, False)
        for atom in sorted(atoms):
            self._chainer.hold(atom)
        self._chainer.run()
        return list(self._met())

    def _met(self) -> Iterator[GroundClause]:
        atom_of, recipes, switches = self._chainer.atom, self._grounder.recipes, self._grounder.switches
        for rule, _, atoms in self._chainer.ground_rules():
            if rule >= 0:  # the others are what the evidence denies
                met = [atom_of(atom) for atom in atoms]
                heads = tuple([self._made(recipe, met) for recipe in recipes[rule]])
                if not any(head in atoms or self.given(head) for head in heads):
                    body = tuple([a for a, (p, _) in zip(atoms, met, strict=True) if p != self._domain])
                    constants = frozenset(chain.from_iterable([arguments for _, arguments in met]))
                    yield GroundClause(rule, switches[rule], heads, body, constants)

    def _made(self, recipe: _Recipe, met: Sequence[tuple[int, tuple[int, ...]]]) -> int:
        predicate, sources = recipe
        arguments = [self._values[place] if n < 0 else met[n][1][place] for n, place in sources]
        return self._chainer.number(predicate, arguments)


class Grounding:
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
        self._next = max(HEADLESS, *grounder.switches, 0) + 1
        self.constraints = HEADLESS
        """The switch of the hard constraints in force."""
        self.clauses: list[GroundClause] = []
        self.true: frozenset[int] = frozenset()
        """What the last model adds to the evidence."""
        self._touched: set[int] = set()
        self._waived: set[GroundClause] = set()
        for atom in evidence.denied:
            if atom.predicate in grounder.program.number:
                self._add(GroundClause(-1, HEADLESS, (), (self.chaining.number(atom),)))
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
        self._solve_with(clause, self.constraints if clause.switch == HEADLESS else clause.switch)

    def _solve_with(self, clause: GroundClause, switch: int) -> None:
        self._solver.add([-switch, *self._literals(clause)])

    def _literals(self, clause: GroundClause) -> list[int]:
        heads = [self.variable(head) for head in clause.heads]
        return heads + [-self.variable(atom) for atom in clause.body if not self.given(atom)]

    # What is set aside

    @property
    def hard_constraints(self) -> list[GroundClause]:
        """The ground hard constraints met so far, and what is denied."""
        return [clause for clause in self.clauses if clause.switch == HEADLESS]

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
                if clause.switch == HEADED and all(atom in found or self.given(atom) for atom in clause.body)
                for head in clause.heads
            }
            if heads <= found:
                return found
            found |= heads
            self._touch(found)

    # Conflicts

    def core(self, level: int) -> list[GroundClause]:
        """Ground rules of a cut that cannot hold together with the evidence; none of them can be left out."""
        wanted = [c for c in self.clauses if c.switch <= HEADLESS + level and c not in self._waived]
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


def _without_head(clause: Clause) -> Clause:
    """The body, with all variables of the clause in it."""
    free = set(clause.variables) - set(variables_of(clause.body))
    return Clause((), clause.body + tuple(DOMAIN(variable) for variable in clause.variables if variable in free))
