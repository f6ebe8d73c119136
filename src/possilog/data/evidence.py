"""What is known: facts that hold, and atoms that do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from possilog.data.database import Database
from possilog.errors import ArityError, DataError
from possilog.logic import Atom, Constant, Literal, Predicate

__all__ = ["Evidence", "require_one_arity"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts, and atoms that are known to be false. Their constants, and those declared, are the domain."""

    facts: Database
    denied: tuple[Atom, ...] = ()

    def __post_init__(self) -> None:
        names = [term.name for atom in self.denied for term in atom.arguments if isinstance(term, Constant)]
        if any(not atom.is_ground for atom in self.denied):
            raise DataError("evidence is ground: replace the variables of what is denied by constants")
        if any(self.facts.number(name) is None for name in names):
            object.__setattr__(self, "facts", self.facts.declare(names))

    @classmethod
    def of(cls, literals: Iterable[Atom | Literal], constants: Iterable[str] = ()) -> Evidence:
        """The evidence of some atoms and negated atoms, over their constants and any others."""
        given = [literal if isinstance(literal, Literal) else Literal(literal) for literal in literals]
        denied = sorted({literal.atom for literal in given if not literal.positive})
        return cls(Database.of((item.atom for item in given if item.positive), constants), tuple(denied))

    @classmethod
    def taken(cls, given: Evidence | Database | Iterable[Atom | Literal]) -> Evidence:
        """Whatever form evidence is given in."""
        if isinstance(given, Evidence):
            return given
        return cls(given) if isinstance(given, Database) else cls.of(given)

    @property
    def contradictory(self) -> tuple[Atom, ...]:
        """What is said to hold and not to hold."""
        return tuple(atom for atom in self.denied if atom in self.facts)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """What holds, then what does not."""
        return tuple(map(Literal, self.facts)) + tuple(Literal(atom, False) for atom in self.denied)


def require_one_arity(
    predicates: Iterable[Predicate], known: Iterable[Predicate], here: str = "one rule", there: str = "another"
) -> None:
    """A name means one predicate, in the theory, the evidence and the question."""
    arities = {predicate.name: predicate.arity for predicate in known}
    for predicate in predicates:
        other = arities.setdefault(predicate.name, predicate.arity)
        if other != predicate.arity:
            arguments = "argument" if predicate.arity == 1 else "arguments"
            places = f"{predicate.arity} {arguments} in {here} and {other} in {there}"
            raise ArityError(f"{predicate.name} has {places}; give it as many, or give the two different names")
