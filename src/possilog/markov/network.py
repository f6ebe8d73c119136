"""Markov logic networks as data: declared predicates, typed constants, and formulas with weights.

Richardson and Domingos, Markov logic networks (Machine Learning 62, 2006). A network gives a world x the weight
exp(Σ w_i n_i(x)), where n_i(x) counts the true groundings of formula i. There is no object identity here: two variables
may stand for the same constant. ``str`` writes what ``parse_mln`` reads.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from possilog.errors import QueryError, TheoryError, shortened
from possilog.logic import Atom, Clause, Constant, Predicate, Term, Variable
from possilog.logic.spelling import quoted
from possilog.requiring import require_single

__all__ = [
    "NAME",
    "QUANTIFIERS",
    "And",
    "Declaration",
    "Equal",
    "Exists",
    "Forall",
    "Formula",
    "FormulaWeights",
    "Iff",
    "Implies",
    "Network",
    "Not",
    "Or",
    "Sentence",
    "atoms_of",
    "require_network",
    "require_weights",
    "substitute",
]


@dataclass(frozen=True, slots=True)
class Equal:
    """``left = right``."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """``!part``."""

    part: Sentence


@dataclass(frozen=True, slots=True)
class And:
    """``part ^ part ^ ...``."""

    parts: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """``part v part v ...``."""

    parts: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """``left => right``."""

    left: Sentence
    right: Sentence


@dataclass(frozen=True, slots=True)
class Iff:
    """``left <=> right``."""

    left: Sentence
    right: Sentence


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXIST x, y part``; no variable of it occurs outside."""

    variables: tuple[Variable, ...]
    part: Sentence


@dataclass(frozen=True, slots=True)
class Forall:
    """``FORALL x, y part``; no variable of it occurs outside."""

    variables: tuple[Variable, ...]
    part: Sentence


QUANTIFIERS: dict[str, type[Exists] | type[Forall]] = {
    **dict.fromkeys(("EXIST", "Exist", "exist"), Exists),
    **dict.fromkeys(("FORALL", "Forall", "forall"), Forall),
}
"""How quantifiers are written."""

NAME = r"[^\W\d][\w']*(?:-[\w']+)*"
"""A bare name: of a predicate or a type, a variable if it begins in lower case or with an underscore, or a constant."""

Sentence = Atom | Equal | Not | And | Or | Implies | Iff | Exists | Forall
"""A formula of first-order logic without its weight."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A predicate with the types of its arguments.

    ``exclusive`` are the places marked with ``!``: for every choice of the others, exactly one atom is true. Of a
    ``closed`` predicate, marked with ``*``, everything is known: what is not given is false.
    """

    predicate: Predicate
    types: tuple[str, ...]
    exclusive: tuple[int, ...] = ()
    closed: bool = False

    def __str__(self) -> str:
        marks = ["!" if place in self.exclusive else "" for place in range(len(self.types))]
        arguments = ", ".join(map("{}{}".format, self.types, marks))
        star = "*" if self.closed else ""
        return f"{star}{self.predicate.name}({arguments})" if self.types else f"{star}{self.predicate.name}"


class FormulaWeights(StrEnum):
    """What the weight of a formula means that becomes several clauses."""

    SPLIT = "split"
    """Each clause has an equal part of it, and a world loses the parts of the clauses that it breaks."""
    WHOLE = "whole"
    """A world loses all of it if it breaks the formula, however many clauses that are."""

    @classmethod
    def taken(cls, given: FormulaWeights | str) -> FormulaWeights:
        """The meaning of that name."""
        require_single(formula_weights=given)
        if given not in list(cls):
            raise QueryError(f"the weights of formulas are {' or '.join(cls)}, not {shortened(repr(given))}")
        return cls(given)


@dataclass(frozen=True, slots=True)
class Formula:
    """A sentence and its weight: a number, infinity for a hard formula, or None where it is still to be learned.

    ``plus`` are the variables marked with ``+``: the formula stands for one formula for each of their constants.
    """

    sentence: Sentence
    weight: float | None
    plus: tuple[Variable, ...] = ()

    @classmethod
    def of(cls, clause: Clause, weight: float | None) -> Formula:
        """The formula that is a clause."""
        parts: list[Sentence] = [literal.atom if literal.positive else Not(literal.atom) for literal in clause.literals]
        return cls(parts[0] if len(parts) == 1 else Or(tuple(parts)), weight)

    @property
    def is_hard(self) -> bool:
        """Must it hold in every world?"""
        return self.weight == math.inf

    def __str__(self) -> str:
        text = _spell(self.sentence, frozenset(self.plus))
        if self.weight is None:
            return text
        return f"{text}." if self.is_hard else f"{self.weight!r} {text}"


@dataclass(frozen=True)
class Network:
    """A Markov logic network: what it declares, its formulas, and the constants that it lists by type."""

    declarations: tuple[Declaration, ...]
    formulas: tuple[Formula, ...] = ()
    constants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    formula_weights: FormulaWeights = FormulaWeights.SPLIT
    """What the weights mean; the text of a network does not say it."""

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the types, in the order of their first occurrence."""
        used = (name for declaration in self.declarations for name in declaration.types)
        return tuple(dict.fromkeys([*self.constants, *used]))

    def declaration(self, predicate: Predicate) -> Declaration:
        """What is declared about a predicate."""
        if predicate not in self._declared:
            raise TheoryError(f"the network does not declare {predicate}; add a line like {predicate.name}(type, ...)")
        return self._declared[predicate]

    @cached_property
    def _declared(self) -> dict[Predicate, Declaration]:
        return {declaration.predicate: declaration for declaration in reversed(self.declarations)}

    def variable_types(self, sentence: Sentence) -> dict[Variable, str]:
        """The type of every variable of a sentence, from the places where it stands."""
        found: dict[Variable, str] = {}
        for atom in atoms_of(sentence):
            for term, name in zip(atom.arguments, self.declaration(atom.predicate).types, strict=True):
                if isinstance(term, Variable) and found.setdefault(term, name) != name:
                    raise TheoryError(f"{term} is a {found[term]} and a {name} in one formula; use two names")
        return found

    def weighed(self, weights: Sequence[float | None]) -> Network:
        """The same network with other weights, one for each formula."""
        changed = (replace(one, weight=weight) for one, weight in zip(self.formulas, weights, strict=True))
        return replace(self, formulas=tuple(changed))

    def __str__(self) -> str:
        blocks: list[list[str]] = [
            [f"{name} = {{{', '.join(map(_spell_constant, listed))}}}" for name, listed in self.constants.items()],
            list(map(str, self.declarations)),
            list(map(str, self.formulas)),
        ]
        return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def require_network(given: object) -> Network:
    """What is given, if it is a network; else an error that says how to get one."""
    if not isinstance(given, Network):
        raise TheoryError(f"a {type(given).__name__} was given instead of a Network; read_mln('net.mln') gives one")
    return given


def require_weights(network: Network) -> None:
    """Refuse a network whose weights are not all there."""
    for formula in require_network(network).formulas:
        if formula.weight is None:
            raise TheoryError(f"the formula {shortened(formula)} has no weight; write one, or a full stop after it")


def atoms_of(sentence: Sentence) -> Iterator[Atom]:
    """The atoms of a sentence, in order."""
    if isinstance(sentence, Atom):
        yield sentence
    else:
        for part in _parts(sentence):
            yield from atoms_of(part)


def substitute(sentence: Sentence, bindings: Mapping[Variable, Term]) -> Sentence:
    """The sentence with free variables replaced."""

    def inner(part: Sentence) -> Sentence:
        return substitute(part, bindings)

    match sentence:
        case Equal(left, right):
            return Equal(*(bindings.get(term, term) if isinstance(term, Variable) else term for term in (left, right)))
        case Not(part):
            return Not(inner(part))
        case And(parts):
            return And(tuple(map(inner, parts)))
        case Or(parts):
            return Or(tuple(map(inner, parts)))
        case Implies(left, right):
            return Implies(inner(left), inner(right))
        case Iff(left, right):
            return Iff(inner(left), inner(right))
        case Exists(variables, part):
            return Exists(variables, inner(part))
        case Forall(variables, part):
            return Forall(variables, inner(part))
        case Atom():
            return sentence.substitute(bindings)


def _parts(sentence: Sentence) -> Iterable[Sentence]:
    match sentence:
        case And(parts) | Or(parts):
            return parts
        case Not(part) | Exists(_, part) | Forall(_, part):
            return (part,)
        case Implies(left, right) | Iff(left, right):
            return (left, right)
    return ()


# Alchemy's spelling: variables begin in lower case, constants with a capital, a digit or a quote.


def _spell(sentence: Sentence, plus: frozenset[Variable]) -> str:
    def inner(part: Sentence) -> str:
        simple = isinstance(part.part if isinstance(part, Not) else part, Atom | Equal)
        return _spell(part, plus) if simple else f"({_spell(part, plus)})"

    match sentence:
        case Equal(left, right):
            return f"{_spell_term(left, plus)} = {_spell_term(right, plus)}"
        case Not(Equal(left, right)):
            return f"{_spell_term(left, plus)} != {_spell_term(right, plus)}"
        case Not(part):
            return f"!{inner(part)}"
        case And(parts):
            return " ^ ".join(map(inner, parts))
        case Or(parts):
            return " v ".join(map(inner, parts)) or "false"
        case Implies(left, right):
            return f"{inner(left)} => {inner(right)}"
        case Iff(left, right):
            return f"{inner(left)} <=> {inner(right)}"
        case Exists(variables, part) | Forall(variables, part):
            word = "EXIST" if isinstance(sentence, Exists) else "FORALL"
            return f"{word} {', '.join(_spell_term(v, plus) for v in variables)} {inner(part)}"
        case Atom(predicate, arguments):
            listed = ", ".join(_spell_term(term, plus) for term in arguments)
            return f"{predicate.name}({listed})" if arguments else predicate.name


def _spell_term(term: Term, plus: frozenset[Variable]) -> str:
    if isinstance(term, Constant):
        return _spell_constant(term.name)
    return ("+" if term in plus else "") + term.name[0].lower() + term.name[1:]


def _spell_constant(name: str) -> str:
    bare = re.fullmatch(NAME, name) and not (name[0].islower() or name[0] == "_")
    return name if bare or name.isdecimal() else quoted(name)
