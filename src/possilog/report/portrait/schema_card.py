"""What a theory is about, in plain words: types and signatures, and a few sentences instead of hundreds of constraints.

Where a theory has no types, its constraints may amount to some: places of predicates that no constant shares.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from possilog.data import Database
from possilog.errors import shortened
from possilog.inference.words import Words, enumerated
from possilog.logic import Clause, Predicate, Term, Theory, Types, Variable
from possilog.logic.spelling import plain
from possilog.structure.kinds import kind_of

__all__ = ["Place", "SchemaCard", "SignatureLine", "TypeLine", "Unsaid", "first_decides", "make_schema_card"]

Place = tuple[Predicate, int]
"""An argument of a predicate, from 0."""

_ORDINALS = ("1st", "2nd", "3rd")

_EXAMPLES = 3
"""Constants of a type that are named."""

_FEW = 3
"""Predicates that have a sentence each; more share one."""


@dataclass(frozen=True, slots=True)
class TypeLine:
    """A type, and the places where its constants stand."""

    name: str
    places: tuple[str, ...]
    sure: bool = True
    """Not where chance alone may have kept it apart from other types."""
    constants: int | None = None
    examples: tuple[str, ...] = ()
    """Some of its constants."""

    def __str__(self) -> str:
        such = f", such as {enumerated(self.examples)}" if self.examples else ""
        count = "" if self.constants is None else f" ({self.constants:,}{such})"
        doubt = "" if self.sure else ", perhaps not apart from the others"
        return f"{self.name}{count}{doubt}: {', '.join(self.places)}"


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """A predicate with what stands at its places, and how many facts it has."""

    predicate: Predicate
    types: tuple[str, ...]
    facts: int | None = None

    def __str__(self) -> str:
        types = self.types or ("_",) * self.predicate.arity
        return f"{self.predicate.name}({', '.join(types)})" if types else self.predicate.name


@dataclass(frozen=True, slots=True)
class SchemaCard:
    """What a theory is about, and what never fails in it."""

    types: tuple[TypeLine, ...]
    signatures: tuple[SignatureLine, ...]
    always: tuple[str, ...]
    """What the hard rules say besides, in sentences."""
    may_be_chance: tuple[str, ...]
    """What the demoted ones say."""
    folded: int
    """How many constraints these lines stand for."""

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {
            "types": [
                {
                    "name": one.name,
                    "places": list(one.places),
                    "sure": one.sure,
                    "constants": one.constants,
                    "examples": list(one.examples),
                }
                for one in self.types
            ],
            "signatures": [
                {"predicate": str(one.predicate), "signature": str(one), "types": list(one.types), "facts": one.facts}
                for one in self.signatures
            ],
            "always": list(self.always),
            "may_be_chance": list(self.may_be_chance),
            "folded": self.folded,
        }


@dataclass(frozen=True, slots=True)
class Unsaid:
    """The hard and the demoted clauses that the lines about types do not say."""

    hard: tuple[Clause, ...]
    demoted: tuple[Clause, ...]

    @classmethod
    def of(cls, theory: Theory) -> Unsaid:
        """Those of a theory."""
        demoted = theory.demoted if theory.types is None else theory.demoted[len(theory.types.demoted) :]
        return cls(tuple(rule.clause for rule in theory.hard_listed), tuple(rule.clause for rule in demoted))


def make_schema_card(theory: Theory, facts: Database | None, words: Words) -> SchemaCard:
    """The card of a theory; facts say how many there are of everything."""
    unsaid = Unsaid.of(theory)
    declared = _declared_types(theory)
    types = theory.types or declared or _types_within(theory, unsaid.hard)
    if types is not None:
        unsaid = Unsaid(tuple(_beyond(types, unsaid.hard)), tuple(_beyond(types, unsaid.demoted)))
    known = set(theory.predicates) | set(() if facts is None else facts.predicates)
    signatures = dict(types.signatures) if types is not None else {}
    lines = tuple(
        SignatureLine(predicate, signatures.get(predicate, ()), None if facts is None else facts.count(predicate))
        for predicate in sorted({*known, *signatures})
    )
    constraints = len(theory.hard) + len(theory.demoted)
    return SchemaCard(
        () if types is None else tuple(_type_lines(types, facts, things_only=types is declared)),
        lines,
        tuple(sentences(unsaid.hard, words)),
        tuple(sentences(unsaid.demoted, words)),
        constraints,
    )


# Types


def _declared_types(theory: Theory) -> Types | None:
    """Those of its tables."""
    return Types(tuple(sorted(theory.declared.types.items()))) if theory.declared else None


def _type_lines(types: Types, facts: Database | None, *, things_only: bool) -> Iterator[TypeLine]:
    """A line for each type; of tables, for what they are about, and not for the values in each of their columns."""
    places: dict[str, dict[Predicate, list[int]]] = {name: defaultdict(list) for name in types.names}
    for predicate, names in types.signatures:
        for place, name in enumerate(names):
            places[name][predicate].append(place)
    for name, its in places.items():
        if things_only and not any(0 in where for where in its.values()):
            continue
        said = tuple(_said_place(predicate, where) for predicate, where in its.items())
        if facts is None:
            yield TypeLine(name, said, name not in types.unsure)
            continue
        known = sorted(_constants(facts, its))
        examples = tuple(shortened(plain(facts.constants[number]), 40) for number in known[:_EXAMPLES])
        yield TypeLine(name, said, name not in types.unsure, len(known), examples)


def _constants(facts: Database, places: dict[Predicate, list[int]]) -> set[int]:
    return {
        number
        for predicate, where in places.items()
        for place in where
        for number in set(facts.rows(predicate)[place].tolist())
    }


def _said_place(predicate: Predicate, where: Sequence[int]) -> str:
    if predicate.arity == 1:
        return predicate.name
    if len(where) == predicate.arity:
        return f"{predicate.name} ({'both' if len(where) == 2 else 'all'})"
    return f"{predicate.name} ({', '.join(map(_ordinal, where))})"


def _ordinal(place: int) -> str:
    return _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"


def _types_within(theory: Theory, hard: Iterable[Clause]) -> Types | None:
    """The types that constraints amount to: what is left together when all pairs that exclude each other are parted."""
    apart = {pair for clause in hard if (pair := _parted(clause)) is not None}
    places = [(predicate, place) for predicate in theory.predicates for place in range(predicate.arity)]
    groups: list[list[Place]] = []
    for place in places:
        meets = [group for group in groups if any(frozenset((place, other)) not in apart for other in group)]
        groups = [group for group in groups if group not in meets] + [
            [place, *(one for group in meets for one in group)]
        ]
    if len(groups) < 2 or max(map(len, groups)) < 2:
        return None
    groups = sorted(sorted(group) for group in groups)
    name = {place: _type_name(group, number) for number, group in enumerate(groups, 1) for place in group}
    signatures = tuple((p, tuple(name[p, place] for place in range(p.arity))) for p in theory.predicates if p.arity)
    return Types(signatures)


def _beyond(types: Types, clauses: Iterable[Clause]) -> Iterator[Clause]:
    """The clauses that the types do not make trivial: no variable stands at places of two types in their bodies."""
    known = dict(types.signatures)
    for clause in clauses:
        standing: dict[Term, set[str]] = defaultdict(set)
        for atom in clause.body:
            for term, name in zip(atom.arguments, known.get(atom.predicate, ()), strict=False):
                standing[term].add(name)
        if all(len(names) == 1 for names in standing.values()):
            yield clause


def _type_name(group: Sequence[Place], number: int) -> str:
    """The name of a unary predicate, if there is one alone; else a number."""
    unary = [predicate.name for predicate, _ in group if predicate.arity == 1]
    return unary[0] if len(unary) == 1 else f"type {number}"


def _parted(clause: Clause) -> frozenset[Place] | None:
    """Two places that a constraint keeps apart, if that is all that it says."""
    if clause.head or len(clause.body) != 2:
        return None
    one, other = clause.body
    shared = set(one.variables) & set(other.variables)
    all_free = len(clause.variables) == len(one.arguments) + len(other.arguments) - 1
    if len(shared) != 1 or not all_free or not all(isinstance(t, Variable) for a in clause.body for t in a.arguments):
        return None
    variable = shared.pop()
    return frozenset(
        ((one.predicate, one.arguments.index(variable)), (other.predicate, other.arguments.index(variable)))
    )


# Sentences


def sentences(clauses: Iterable[Clause], words: Words) -> Iterator[str]:
    """What hard rules say; those of one kind about one thing become one sentence."""
    together: dict[str, list[str]] = defaultdict(list)
    apart: dict[Place, list[Place]] = defaultdict(list)
    functions, others = list[Clause](), list[str]()
    for clause in clauses:
        pair = _parted(clause)
        kind = kind_of(clause) if not _has_constants(clause) else "other"
        if pair is not None and len(pair) == 2 and kind == "disjointness":
            first, second = sorted(pair)
            apart[first].append(second)
        elif kind in ("symmetry", "irreflexivity"):
            together[kind].append((clause.head or clause.body)[0].predicate.name)
        elif kind == "functionality":
            functions.append(clause)
        else:
            others.append(words.clause(clause))
    if together["symmetry"]:
        yield f"in any order: {enumerated(dict.fromkeys(together['symmetry']))}"
    yield from _said_functions(functions)
    if together["irreflexivity"]:
        yield f"never of something and itself: {enumerated(dict.fromkeys(together['irreflexivity']))}"
    for first, rest in apart.items():
        yield f"never both {_said_place(first[0], [first[1]])} and {enumerated(map(_at, rest), 'or')}"
    yield from others


def _at(place: Place) -> str:
    return _said_place(place[0], [place[1]])


def _has_constants(clause: Clause) -> bool:
    return any(not isinstance(term, Variable) for atom in clause.atoms for term in atom.arguments)


def _said_functions(clauses: Sequence[Clause]) -> Iterator[str]:
    """What has one value at most; where the first argument often decides the second, as in tables, in one line."""
    plain_ones = [clause for clause in clauses if first_decides(clause)]
    if len(plain_ones) < _FEW:
        plain_ones = []
    if plain_ones:
        names = dict.fromkeys(clause.body[0].predicate.name for clause in plain_ones)
        yield f"at most one value for each thing: {enumerated(names)}"
    yield from dict.fromkeys(f"at most one: {_function(clause)}" for clause in clauses if clause not in plain_ones)


def first_decides(clause: Clause) -> bool:
    """Does it say that a binary predicate has one value at most for each first argument?"""
    if clause.head or _has_constants(clause) or kind_of(clause) != "functionality":
        return False
    one, other = clause.body
    return one.predicate.arity == 2 and one.arguments[0] == other.arguments[0]


def _function(clause: Clause) -> str:
    """Which arguments decide the others: ``leads(_, X)`` for each X."""
    one, other = clause.body
    same = [a == b for a, b in zip(one.arguments, other.arguments, strict=True)]
    names = enumerated(term.name for term, is_key in zip(one.arguments, same, strict=True) if is_key)
    arguments = ", ".join(term.name if is_key else "_" for term, is_key in zip(one.arguments, same, strict=True))
    return f"{one.predicate.name}({arguments}) for each {names}"
