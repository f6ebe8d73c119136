"""Rules about what single things are: can something more be true of a thing, when each thing stands by itself?

Tables have hundreds of such rules, most of them with several heads. Where no other rule speaks of their predicates,
what can be true of a thing depends on what is true of it and on nothing else: one question to the solver, which knows
the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from possilog.data.database import Database
from possilog.logic import Atom, Clause, Predicate, Variable
from possilog.logic.atom_space import bits
from possilog.logic.thresholds import comparisons_in
from possilog.sat.solver import Solver

__all__ = ["Attributes"]


class Attributes:
    """Rules of unary literals over one variable whose predicates no other rules speak of, and some facts.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> rules = [parse_clause("red(X); green(X) :- ripe(X)."), parse_clause(":- green(X), red(X).")]
    >>> attributes = Attributes(Database.of([parse_atom("red(apple)")]), rules)
    >>> ripe, red, green = (Predicate(name, 1) for name in ("ripe", "red", "green"))
    >>> attributes.can_be(0, [ripe, red]), attributes.can_be(0, [ripe, green])
    (True, False)
    """

    def __init__(self, database: Database, rules: Iterable[Clause]) -> None:
        """Take the facts, and all rules; those that speak of something else have their predicates left out."""
        self._database = database
        linked: list[set[Predicate]] = []
        listed = tuple(rules)
        for rule in listed:
            spoken = {atom.predicate for atom in rule.atoms}
            touched = [one for one in linked if not one.isdisjoint(spoken)]
            linked = [one for one in linked if one.isdisjoint(spoken)]
            linked.append(spoken.union(*touched))
        others = {atom.predicate for rule in listed if not _is_of_one_thing(rule) for atom in rule.atoms}
        mine = sorted(predicate for one in linked if one.isdisjoint(others) for predicate in one)
        self._bit = {predicate: 1 << place for place, predicate in enumerate(mine)}
        self._rules = [
            (self._set(rule.body), self._set(rule.head))
            for rule in listed
            if rule.atoms and rule.atoms[0].predicate in self._bit
        ]
        self._sound: dict[int, bool] = {}
        self._possible: dict[int, bool] = {}

    def can_be(self, thing: int, more: Sequence[Predicate]) -> bool | None:
        """Can these be true of a thing, given by its number, beside what is? None where other rules have a say.

        So it is, too, where what is true of the thing breaks a rule.
        """
        if not all(predicate in self._bit for predicate in more):
            return None
        true = self._true[thing]
        if true not in self._sound:
            self._sound[true] = all(body & ~true or head & true for body, head in self._rules)
        if not self._sound[true]:
            return None
        for predicate in more:
            true |= self._bit[predicate]
        if true not in self._possible:
            self._possible[true] = self._solver.solve([place + 1 for place in bits(true)])
        return self._possible[true]

    def _set(self, atoms: Iterable[Atom]) -> int:
        return sum({self._bit[atom.predicate] for atom in atoms})

    @cached_property
    def _true(self) -> list[int]:
        """What is true of each thing, a bit for each predicate."""
        true = [0] * len(self._database.constants)
        for predicate, bit in self._bit.items():
            for thing in self._database.rows(predicate)[0].tolist():
                true[thing] |= bit
        return true

    @cached_property
    def _solver(self) -> Solver:
        return Solver(
            [*(-place - 1 for place in bits(body)), *(place + 1 for place in bits(head))] for body, head in self._rules
        )


def _is_of_one_thing(rule: Clause) -> bool:
    """Are all its literals unary, over one variable?"""
    terms = {term for atom in rule.atoms for term in atom.arguments}
    unary = all(atom.predicate.arity == 1 for atom in rule.atoms)
    return (
        unary
        and len(terms) == 1
        and all(isinstance(term, Variable) for term in terms)
        and not comparisons_in(rule.body)
    )
