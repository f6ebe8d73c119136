"""Can atoms be added to the facts without breaking the hard rules? Section Constructing Training Examples.

Since the facts alone satisfy the rules, only ground rules with a new atom in the body can fail, and these are made when
they are needed (incremental grounding). Rules with at most one atom in the head leave no choice: the head becomes true
(forward chaining), or the atoms contradict the rules. Where a rule with several atoms in the head fails, the SAT solver
chooses, and is told which further ground rules its choice breaks until there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from possilog.data.database import Database
from possilog.deadline import NEVER, Deadline
from possilog.errors import QueryError, TheoryError
from possilog.logic import Atom, Clause, Constant, Predicate
from possilog.matching import Matcher
from possilog.sat.solver import Solver
from possilog.structure.grounding import Ground, Grounder, GroundRule, World

__all__ = ["Consistency"]


class Consistency:
    """Facts A over constants C and hard rules Δ: has A ∧ a ∧ Δ a model over C, for atoms a?

    The rules hold in the facts and have no constants.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = map(parse_atom, ["student(ann)", "professor(bob)", "advisedBy(ann, bob)"])
    >>> rules = ["student(X) :- advisedBy(X, Y).", "professor(Y) :- advisedBy(X, Y).", ":- student(X), professor(X)."]
    >>> consistency = Consistency(Database.of(facts, constants=["eve"]), map(parse_clause, rules))
    >>> consistency.is_consistent(parse_atom("advisedBy(eve, bob)"))
    True
    >>> consistency.is_consistent(parse_atom("advisedBy(eve, bob)"), parse_atom("advisedBy(ann, eve)"))
    False
    """

    def __init__(self, database: Database, rules: Iterable[Clause], stop: Deadline = NEVER) -> None:
        """Take facts and rules; OutOfTime as soon as ``stop`` says so, also where atoms are screened."""
        self.database = database
        self.stop = stop
        self.rules = tuple(dict.fromkeys(rules))
        self.matcher = Matcher(database)
        for rule in stop.each(self.rules):
            if any(isinstance(term, Constant) for atom in rule.atoms for term in atom.arguments):
                raise TheoryError(f"the rule {rule} has a constant; put a variable in its place")
            if self.matcher.exists(rule.violation):
                raise TheoryError(f"the hard rule {rule} does not hold in the facts; leave it out")

    @cached_property
    def _grounder(self) -> Grounder:
        return Grounder(self.database, self.rules)

    def is_consistent(self, *atoms: Atom) -> bool:
        """Can the facts, these atoms and the hard rules be true together?"""
        return self.are_consistent((atom.predicate, self._numbers(atom)) for atom in atoms)

    def are_consistent(self, atoms: Iterable[tuple[Predicate, Sequence[int]]]) -> bool:
        """The same in numbers, for those who ask often: each atom as its predicate and its constants' numbers."""
        grounder = self._grounder
        world = World(grounder, ((grounder.symbol(predicate), tuple(row)) for predicate, row in atoms))
        choices: list[GroundRule] = []
        return _chain(world, choices) and (_holds(world, choices) or _has_model(grounder, tuple(world.atoms)))

    def _numbers(self, atom: Atom) -> list[int]:
        numbers = [self.database.number(term.name) if isinstance(term, Constant) else None for term in atom.arguments]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            unknown = atom.arguments[numbers.index(None)]
            raise QueryError(f"{unknown} in {atom} is not a constant of the data; declare it, or check its spelling")
        return known


def _chain(world: World, choices: list[GroundRule]) -> bool:
    """Make true what follows, in place; false at a contradiction. Rules that leave a choice are put aside."""
    agenda = list(world.atoms)
    for atom in agenda:  # it grows
        heads: list[Ground] = []
        for rule in world.violations(atom):
            if not rule.head:
                return False
            if len(rule.head) > 1:
                choices.append(rule)
            else:
                heads.append(rule.head[0])
        agenda += [head for head in heads if world.add(head)]
    return True


def _holds(world: World, choices: Iterable[GroundRule]) -> bool:
    """Has each rule that left a choice found an atom of its head true since?"""
    return all(any(atom in world for atom in rule.head) for rule in choices)


def _has_model(grounder: Grounder, atoms: Sequence[Ground]) -> bool:
    """Is there a model of the facts, the rules and these atoms? Solve, ground what the solution breaks, and again."""
    numbers = {atom: number for number, atom in enumerate(atoms, start=1)}
    world = World(grounder, atoms)
    with Solver([number] for number in numbers.values()) as solver:
        while True:
            broken = dict.fromkeys(rule for atom in world.atoms for rule in world.violations(atom))
            if not broken:
                return True
            for rule in broken:
                body = [atom for atom in rule.body if not grounder.is_fact(atom)]
                for atom in (*body, *rule.head):
                    numbers.setdefault(atom, len(numbers) + 1)
                solver.add([-numbers[atom] for atom in body] + [numbers[atom] for atom in rule.head])
            if not solver.solve():
                return False
            model = solver.model()
            world = World(grounder, (atom for atom, number in numbers.items() if number in model))
