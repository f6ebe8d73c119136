"""Types of arguments, and the constraints that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement

from possilog.errors import TheoryError
from possilog.logic.atoms import Atom, Predicate, Variable
from possilog.logic.canonical_forms import canonical, readable
from possilog.logic.clauses import Clause
from possilog.logic.spelling import spell_predicate

__all__ = ["Types"]

_MOST_PLACES = 6
"""Of more places, not all ways to share variables are tried: seven have 877, ten have 115,975."""

UNSURE = "~"
"""Stands before a type that might overlap with others where there are more data."""


@dataclass(frozen=True, slots=True, order=True)
class Types:
    """What stands at the arguments of predicates. Different types have no constant in common.

    That is all that types say, and they say it as constraints: a constant does not stand at places of two types, be it
    in one fact or in two, which may have other constants in common. Facts with more than six places in all are only
    looked at where nothing else is in common. Where only an unsure type is mixed up with another, the constraint is
    demoted; otherwise it is hard.

    >>> types = Types(((Predicate("leads", 2), ("person", "team")), (Predicate("old", 1), ("person",))), ("team",))
    >>> print(*types.lines, *types.demoted, sep="\\n")
    #type leads(person, ~team).
    #type old(person).
    :- leads(A, A).
    :- leads(A, B), leads(B, A).
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
    def tell_apart(self) -> bool:
        """Are there several? One alone stands for no constraint, and its lines are signatures."""
        return len(self.names) > 1

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
        return tuple(clause for clause, sure in _constraints(self) if sure)

    @property
    def demoted(self) -> tuple[Clause, ...]:
        """The constraints in which an unsure type has a part."""
        return tuple(clause for clause, sure in _constraints(self) if not sure)

    def _is_sure(self, names: Sequence[str], shared: Sequence[int]) -> bool:
        """Has a variable two types that are sure?"""
        sure = [(name, variable) for name, variable in zip(names, shared, strict=True) if name not in self.unsure]
        return _is_mixed(*zip(*sure, strict=True)) if sure else False


@lru_cache(maxsize=16)
def _constraints(types: Types) -> tuple[tuple[Clause, bool], ...]:
    """What breaks a single fact by itself, then two facts that are right by themselves; and whether that is sure."""
    listed: dict[Clause, tuple[Clause, bool]] = {}
    if not types.tell_apart:  # there may be thousands of predicates
        return ()
    for body in chain(combinations(types.signatures, 1), combinations_with_replacement(types.signatures, 2)):
        predicates = [predicate for predicate, _ in body]
        names = [name for _, its in body for name in its]
        for shared in _shared(names, [len(its) for _, its in body]):
            clause = readable(Clause(body=_atoms(predicates, shared)))
            # Two facts of one predicate are the same in either order.
            form = canonical(clause) if predicates[0] == predicates[-1] else clause
            listed.setdefault(form, (clause, types._is_sure(names, shared)))
    return tuple(listed.values())


def _shared(names: Sequence[str], arities: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The ways to write variables into one or two atoms, of which one stands for things of two types.

    What is wrong with one of two atoms by itself is said of that atom alone.
    """
    first = arities[0]
    for shared in _ways(len(names)) if len(names) <= _MOST_PLACES else _one_shared(len(names)):
        alone = _is_mixed(names[:first], shared[:first]) or _is_mixed(names[first:], shared[first:])
        if _is_mixed(names, shared) and alone == (len(arities) == 1):
            yield shared


def _is_mixed(names: Sequence[str], shared: Sequence[int]) -> bool:
    """Does a variable stand at places of two types?"""
    return len(set(zip(shared, names, strict=True))) > len(set(shared))


def _ways(places: int) -> Iterator[tuple[int, ...]]:
    """All ways in which places may share variables."""
    if not places:
        yield ()
        return
    for way in _ways(places - 1):
        yield from ((*way, variable) for variable in range(max(way, default=-1) + 2))


def _one_shared(places: int) -> Iterator[tuple[int, ...]]:
    """Those in which two places share a variable, and no others."""
    for one, other in combinations(range(places), 2):
        yield tuple(one if place == other else place for place in range(places))


def _atoms(predicates: Sequence[Predicate], shared: Sequence[int]) -> tuple[Atom, ...]:
    """Atoms with these variables."""
    variables = iter([Variable(f"X{number}") for number in shared])
    return tuple(predicate(*(next(variables) for _ in range(predicate.arity))) for predicate in predicates)
