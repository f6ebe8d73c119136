"""One card for each rule: formula, sentence, numbers, examples, and where it stands in the theory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

from possilog.inference.checking import say_facts, say_violation
from possilog.inference.words import Words
from possilog.logic import (
    DEMOTED,
    Atom,
    Clause,
    Constant,
    Keep,
    Literal,
    Predicate,
    Query,
    Rule,
    Theory,
    Variable,
    subsumes,
)
from possilog.matching import Matcher
from possilog.report.portrait.numbers import Numbers

__all__ = ["NEVER", "Instance", "RuleCard", "RuleKind", "examples_of", "make_cards"]

NEVER = "never"
"""What a constraint concludes."""

_LONG_BODY = 8
"""Rules with more conditions are not looked at as refinements of others."""


class RuleKind(StrEnum):
    """How firm a rule is."""

    SOFT = "soft"
    HARD = "hard"
    DEMOTED = "demoted"

    @classmethod
    def of_rule(cls, rule: Rule) -> RuleKind:
        """The kind of a rule."""
        return cls.HARD if rule.is_hard else cls.DEMOTED if rule.weight == DEMOTED else cls.SOFT


@dataclass(frozen=True, slots=True)
class Instance:
    """A ground rule, as facts and as a sentence."""

    text: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RuleCard:
    """All that is to be known of one rule."""

    number: int
    """By which people ask for it: soft rules from the highest to the lowest, then hard ones, then demoted ones."""
    rule: Rule
    kind: RuleKind
    sentence: str
    concludes: str
    """The predicate of its head, or of several heads; ``never`` for a constraint."""
    stratum: int | None
    """Its place among the strata of soft rules, 1 for the highest."""
    numbers: Numbers | None = None
    refines: int | None = None
    """The number of a more general rule with the same conclusion."""
    examples: tuple[Instance, ...] = ()
    counterexamples: tuple[Instance, ...] = ()
    violations: int | None = None
    """How often the facts break it, for rules without numbers."""

    @property
    def formula(self) -> str:
        """The clause as text."""
        return str(self.rule.clause)

    @property
    def is_kept(self) -> bool:
        """Did a person lock or pin it?"""
        return self.rule.keep is not Keep.FREE

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog show --json`` prints of a rule."""
        none = Numbers(0, 0).as_json | {"support": None, "cases": None}
        return {
            "number": self.number,
            "rule": self.formula,
            "sentence": self.sentence,
            "concludes": self.concludes,
            "kind": str(self.kind),
            **(none if self.numbers is None else self.numbers.as_json),
            "violations": self.violations,
            "stratum": self.stratum,
            "weight": str(self.rule.weight),
            "refines": self.refines,
            "examples": [one.text for one in self.examples],
            "counterexamples": [one.text for one in self.counterexamples],
        }


def make_cards(
    theory: Theory, rules: Iterable[Rule], numbers: Mapping[Clause, Numbers], words: Words
) -> tuple[RuleCard, ...]:
    """A card for each of some rules of a theory, numbered in their order, without examples."""
    listed = list(rules)
    strata = {stratum.weight: place for place, stratum in enumerate(theory.ranked_strata, 1)}
    refined = refinements([rule.clause for rule in listed])
    return tuple(
        RuleCard(
            place + 1,
            rule,
            (kind := RuleKind.of_rule(rule)),
            words.clause(rule.clause),
            concluded(rule.clause),
            strata.get(rule.weight) if kind is RuleKind.SOFT else None,
            numbers.get(rule.clause),
            None if (general := refined.get(place)) is None else general + 1,
        )
        for place, rule in enumerate(listed)
    )


def concluded(clause: Clause) -> str:
    """What a rule is about: the predicates of its head."""
    return " or ".join(dict.fromkeys(atom.predicate.name for atom in clause.head)) or NEVER


# Which rules only refine others


def refinements(clauses: Sequence[Clause]) -> dict[int, int]:
    """For the places of clauses that a more general one subsumes: the place of the longest such, the first of them.

    >>> from possilog.logic import parse_clause
    >>> refinements([parse_clause("p(X) :- q(X), r(X, Y)."), parse_clause("p(A) :- q(A).")])
    {0: 1}
    """
    by_shape: dict[_Shape, list[int]] = defaultdict(list)
    for place, clause in enumerate(clauses):
        by_shape[_shape(clause)].append(place)
    found = {}
    for place, clause in enumerate(clauses):
        shorter = (other for shape in _shorter(clause) for other in by_shape.get(shape, ()))
        general = next((other for other in shorter if subsumes(clauses[other], clause)), None)
        if general is not None:
            found[place] = general
    return found


_Shape = tuple[tuple[Predicate, ...], tuple[Predicate, ...]]


def _shape(clause: Clause) -> _Shape:
    return tuple(atom.predicate for atom in clause.head), tuple(sorted(atom.predicate for atom in clause.body))


def _shorter(clause: Clause) -> Iterator[_Shape]:
    """The shapes that a more general clause with the same head can have, the longest first."""
    head, body = _shape(clause)
    if len(body) <= _LONG_BODY:
        for size in reversed(range(len(body))):
            yield from ((head, some) for some in dict.fromkeys(combinations(body, size)))


# Examples


def examples_of(clause: Clause, matcher: Matcher, words: Words, limit: int) -> tuple[Instance, ...]:
    """Ground rules whose body and head are facts; each head once."""
    if not clause.is_definite:
        return ()
    query = Query(tuple(map(Literal, (*clause.body, clause.head[0]))))
    return tuple(_example(ground, words) for ground in _ground(clause, query, matcher, limit))


def counterexamples_of(clause: Clause, matcher: Matcher, words: Words, limit: int) -> tuple[Instance, ...]:
    """Ground rules that the facts break; each head once."""
    grounds = _ground(clause, clause.violation, matcher, limit)
    return tuple(Instance(_facts(ground), say_violation(ground, words)) for ground in grounds)


_TRIED = 20
"""Matches that are looked at for each example, to find one with another head."""


def _ground(clause: Clause, query: Query, matcher: Matcher, limit: int) -> Iterator[Clause]:
    seen: set[tuple[Atom, ...]] = set()
    for match in matcher.matches(query, limit=_TRIED * limit):
        ground = clause.substitute({Variable(name): Constant(constant) for name, constant in match.items()})
        if len(seen) < limit and (ground.head or ground.body) not in seen:
            seen.add(ground.head or ground.body)
            yield ground


def _facts(ground: Clause) -> str:
    body = ", ".join(atom.as_fact for atom in ground.body)
    head = " or ".join(atom.as_fact for atom in ground.head)
    return f"{body}; not {head}" if head and body else body or f"not {head}"


def _example(ground: Clause, words: Words) -> Instance:
    head, body = ground.head[0], ground.body
    because = f" ({say_facts(body, words)})" if body else ""
    text = ", ".join(atom.as_fact for atom in (head, *body))
    return Instance(text, f"{words.atom(head)}{because}")
