"""The worlds over k constants that satisfy some clauses, and the propositional formula whose models they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm

from possilog.counting.limits import require_time
from possilog.counting.rules import check_rule
from possilog.deadline import NEVER, Deadline
from possilog.errors import QueryError
from possilog.logic import Clause, Predicate, Variable

__all__ = ["GroundFormula", "NumberedClause", "Numbering", "Worlds"]

NumberedClause = tuple[int, ...]
"""A disjunction of literals: numbers of atoms, negative where the atom is negated; sorted, each once."""


@dataclass(frozen=True, slots=True)
class Worlds:
    """Sets of ground atoms over k constants, repeated arguments included, in which some clauses hold.

    Distinct variables of a clause stand for distinct constants, so a clause with more than k variables says nothing.
    The vocabulary is given, because an atom that no clause speaks of may still be true or false.

    >>> from possilog.logic import parse_clause
    >>> Worlds((Predicate("p", 1), Predicate("r", 2)), 3, (parse_clause("p(X) :- r(X, Y)."),)).atoms
    12
    """

    predicates: tuple[Predicate, ...]
    width: int
    clauses: tuple[Clause, ...] = ()

    def __post_init__(self) -> None:
        if self.width < 1:
            raise QueryError(f"worlds have one constant or more, not {self.width}")
        known = set(self.predicates)
        if len(known) < len(self.predicates):
            raise QueryError("a predicate is given twice; give each once")
        for clause in self.clauses:
            check_rule(clause, known)

    @property
    def atoms(self) -> int:
        """How many ground atoms there are."""
        return sum(self.width**predicate.arity for predicate in self.predicates)

    @property
    def groundings(self) -> int:
        """How many ways there are to give the variables of a clause distinct constants, for all clauses."""
        return sum(perm(self.width, len(clause.variables)) for clause in self.clauses)

    def ground(self, stop: Deadline = NEVER) -> GroundFormula:
        """The formula over atoms 1, 2, … whose models are the worlds; TimeoutError when ``stop`` says so."""
        numbering = Numbering(self.predicates, self.width)
        clauses: dict[NumberedClause, None] = {}
        for clause in self.clauses:
            for ground in numbering.ground(clause):
                require_time(stop)
                clauses[ground] = None
        return GroundFormula(self.atoms, tuple(clauses))


@dataclass(frozen=True, slots=True)
class GroundFormula:
    """A conjunction of ground clauses over the atoms 1 to ``atoms``."""

    atoms: int
    clauses: tuple[NumberedClause, ...]


class Numbering:
    """Numbers for the ground atoms over k constants, which are numbers from 0 themselves.

    An atom's number is its predicate's first number plus its arguments, read in base k.
    """

    def __init__(self, predicates: Sequence[Predicate], width: int) -> None:
        """Number the predicates' atoms in the order given, from 1."""
        self._width = width
        self._first: dict[Predicate, int] = {}
        following = 1
        for predicate in predicates:
            self._first[predicate] = following
            following += width**predicate.arity

    def ground(self, clause: Clause) -> Iterator[NumberedClause]:
        """What the clause says about each choice of distinct constants; what says nothing is left out."""
        return self.ground_at(clause, permutations(range(self._width), len(clause.variables)))

    def ground_at(self, clause: Clause, choices: Iterator[tuple[int, ...]]) -> Iterator[NumberedClause]:
        """What the clause says about some choices of constants for its variables."""
        coded = self._coded(clause)
        for chosen in choices:
            literals = {sign * (first + sum(chosen[i] * step for i, step in steps)) for sign, first, steps in coded}
            if not any(-literal in literals for literal in literals):
                yield tuple(sorted(literals))

    def atom(self, number: int) -> tuple[Predicate, tuple[int, ...]]:
        """The atom that has a number: its predicate and its arguments."""
        predicate = max((p for p, first in self._first.items() if first <= number), key=self._first.__getitem__)
        rest, arguments = number - self._first[predicate], []
        for _ in range(predicate.arity):
            rest, argument = divmod(rest, self._width)
            arguments.append(argument)
        return predicate, tuple(arguments)

    def _coded(self, clause: Clause) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """For each literal its sign, its predicate's first number, and how much each variable adds to that."""
        places = {variable: place for place, variable in enumerate(clause.variables)}
        coded = []
        for literal in clause.literals:
            steps = [
                (places[term], self._width**position)
                for position, term in enumerate(literal.atom.arguments)
                if isinstance(term, Variable)
            ]
            coded.append((1 if literal.positive else -1, self._first[literal.atom.predicate], steps))
        return coded
