"""Declared types: what stands at the arguments of predicates, as tables with keys say it.

They are another thing than the types of a theory, which are found in facts and stand for constraints. Constants of two
declared types are two constants, even if people spell them alike: see ``possilog.logic.spelling.typed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from possilog.logic.atoms import Atom, Constant, Literal, Predicate, Term
from possilog.logic.clauses import Clause
from possilog.logic.spelling import spell_number, type_of, typed

__all__ = ["NOTHING_DECLARED", "Declared"]


@dataclass(frozen=True, slots=True)
class Declared:
    """The types of predicates' arguments, and which of these types are numbers.

    >>> declared = Declared({Predicate("gate", 2): ("flight", "gate")}, frozenset({"gate"}))
    >>> atom = declared.atom(Atom.ground("gate", ["f1", "3.0"]))
    >>> print(atom, [type_of(term.name) for term in atom.arguments])
    gate(f1, 3) ['flight', 'gate']
    """

    types: Mapping[Predicate, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    numbers: frozenset[str] = frozenset()
    """Types whose constants are numbers or dates, which have an order."""

    def __reduce__(self) -> tuple[object, ...]:
        return Declared, (dict(self.types), self.numbers)

    def __bool__(self) -> bool:
        return bool(self.types)

    def __or__(self, other: Declared) -> Declared:
        if not other or other is self:
            return self
        return Declared({**self.types, **other.types}, self.numbers | other.numbers) if self else other

    def atom(self, atom: Atom) -> Atom:
        """The atom with the types of its places on those constants that have none."""
        types = self.types.get(atom.predicate)
        if types is None:
            return atom
        return Atom(atom.predicate, tuple(map(self._term, atom.arguments, types)))

    def literal(self, literal: Literal) -> Literal:
        """Likewise for a literal."""
        return Literal(self.atom(literal.atom), literal.positive)

    def clause(self, clause: Clause) -> Clause:
        """Likewise for a clause."""
        return Clause(tuple(map(self.atom, clause.head)), tuple(map(self.atom, clause.body)))

    def names(self, constants: Iterable[str], type: str) -> list[str]:
        """The names of constants of one type."""
        return [self._name(name, type) for name in constants]

    def _term(self, term: Term, type: str) -> Term:
        return Constant(self._name(term.name, type)) if isinstance(term, Constant) else term

    def _name(self, name: str, type: str) -> str:
        if type_of(name):
            return name
        return typed(spell_number(name) or name if type in self.numbers else name, type)


NOTHING_DECLARED = Declared()
"""Where facts are just facts."""
