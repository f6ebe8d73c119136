"""Can atoms be added to the facts without breaking the hard rules? Section Constructing Training Examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from possilog.data.cells import filled_cells
from possilog.data.database import Database
from possilog.data.rows import Column
from possilog.deadline import NEVER, Deadline
from possilog.errors import QueryError, TheoryError
from possilog.logic import Atom, Clause, Constant, Predicate
from possilog.matching import Matcher
from possilog.structure.placing import constants_of, numbered
from possilog.structure.refutation import Numbered, Refutation

__all__ = ["Consistency"]


class Consistency:
    """Facts A over constants C and hard rules Δ that hold in them: has A ∧ a ∧ Δ a model over C, for atoms a?

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
            if self.matcher.exists(rule.violation):
                raise TheoryError(f"the hard rule {rule} does not hold in the facts; leave it out")

    @cached_property
    def filled_cells(self) -> Mapping[Predicate, Column]:
        """Of each predicate that is a column of a table: the things whose cells are not empty, by number."""
        return filled_cells(self.database)

    @cached_property
    def open_rules(self) -> tuple[Clause, ...]:
        """The rules without constants, in variables that no shape of atoms has."""
        return tuple(numbered(rule, "Y") for rule in self.stop.each(self.rules) if not constants_of(rule))

    @cached_property
    def _refutation(self) -> Refutation:
        return Refutation(self.database, self.rules)

    def is_consistent(self, *atoms: Atom) -> bool:
        """Can the facts, these atoms and the hard rules be true together?"""
        return self.are_consistent((atom.predicate, self._numbers(atom)) for atom in atoms)

    def are_consistent(self, atoms: Iterable[Numbered]) -> bool:
        """The same in numbers, for those who ask often."""
        return not self._refutation.refutes(atoms)

    def _numbers(self, atom: Atom) -> list[int]:
        numbers = [self.database.number(term.name) if isinstance(term, Constant) else None for term in atom.arguments]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            unknown = atom.arguments[numbers.index(None)]
            raise QueryError(f"{unknown} in {atom} is not a constant of the data; declare it, or check its spelling")
        return known
