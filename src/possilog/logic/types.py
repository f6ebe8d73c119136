"""Types of arguments, and the constraints that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from possilog.errors import TheoryError
from possilog.logic.atoms import Atom, Predicate, Variable
from possilog.logic.canonical_forms import readable
from possilog.logic.clauses import Clause
from possilog.logic.spelling import spell_predicate

__all__ = ["Types"]

UNSURE = "~"
"""Stands before a type that might overlap with others where there are more data."""


@dataclass(frozen=True, slots=True, order=True)
class Types:
    """What stands at the arguments of predicates. Different types have no constant in common.

    That is all that types say, and they say it as constraints: a constant does not stand at places of two types, be it
    in one fact or in two facts that have no other constant in common. Where one of the types is unsure, the constraint
    is demoted; otherwise it is hard.

    >>> types = Types(((Predicate("leads", 2), ("person", "team")), (Predicate("old", 1), ("person",))), ("team",))
    >>> print(*types.lines, *types.demoted, sep="\\n")
    #type leads(person, ~team).
    #type old(person).
    :- leads(A, A).
    :- leads(A, B), leads(B, C).
    :- leads(A, B), old(B).
    """

    signatures: tuple[tuple[Predicate, tuple[str, ...]], ...]
    """The types of each predicate's arguments."""
    unsure: tuple[str, ...] = ()
    """Types that chance alone may have kept apart from the others."""

    def __post_init__(self) -> None:
        seen: set[Predicate] = set()
        for predicate, types in self.signatures:
            if len(types) != predicate.arity:
                raise TheoryError(f"{predicate} is given {len(types)} types; give one to each argument")
            if predicate in seen:
                raise TheoryError(f"the types of {predicate} are given twice; take one of the lines away")
            seen.add(predicate)
        # As a file has them: in the order of their first mention.
        object.__setattr__(self, "unsure", tuple(name for name in self.names if name in self.unsure))

    @property
    def names(self) -> tuple[str, ...]:
        """All types, in the order in which they are first mentioned."""
        return tuple(dict.fromkeys(name for _, types in self.signatures for name in types))

    @property
    def lines(self) -> tuple[str, ...]:
        """The statements of a theory file."""
        return tuple(f"#type {self._signature(predicate, types)}." for predicate, types in self.signatures)

    def _signature(self, predicate: Predicate, types: tuple[str, ...]) -> str:
        listed = f"({', '.join(map(self._spelled, types))})" if types else ""
        return spell_predicate(predicate.name) + listed

    def _spelled(self, name: str) -> str:
        return UNSURE * (name in self.unsure) + spell_predicate(name)

    @property
    def hard(self) -> tuple[Clause, ...]:
        """The constraints between types that are sure."""
        return tuple(clause for clause, sure in self._constraints() if sure)

    @property
    def demoted(self) -> tuple[Clause, ...]:
        """The constraints in which an unsure type has a part."""
        return tuple(clause for clause, sure in self._constraints() if not sure)

    def _constraints(self) -> Iterator[tuple[Clause, bool]]:
        places = [(predicate, place, name) for predicate, types in self.signatures for place, name in enumerate(types)]
        for (one, i, first), (other, j, second) in combinations(places, 2):
            if first != second:
                sure = first not in self.unsure and second not in self.unsure
                if one == other:
                    yield readable(Clause(body=(_atom(one, {i: "X", j: "X"}, "Y"),))), sure
                yield readable(Clause(body=(_atom(one, {i: "X"}, "Y"), _atom(other, {j: "X"}, "Z")))), sure


def _atom(predicate: Predicate, fixed: dict[int, str], rest: str) -> Atom:
    """An atom with these variables at some places, and variables of its own at the others."""
    return predicate(*(Variable(fixed.get(place, f"{rest}{place}")) for place in range(predicate.arity)))
