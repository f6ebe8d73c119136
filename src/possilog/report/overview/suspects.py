"""Where facts break hard rules and strong soft ones: facts that may be wrong, and facts that may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from possilog.data import Database
from possilog.inference.checking import say_facts, say_violation
from possilog.inference.words import Words
from possilog.logic import CERTAIN, Atom, Clause, Constant, Predicate, Rule, Term, Theory, Variable
from possilog.logic.mapping import Becomes
from possilog.logic.spelling import plain
from possilog.matching import Matcher
from possilog.report.portrait import Portrait, RuleCard, RuleKind
from possilog.report.portrait.schema_card import first_decides

__all__ = ["Suspect", "Suspects", "find_suspects"]

STRONG = 0.8
"""A soft rule is strong if it is right at least this often,"""

LEAST_SUPPORT = 3
"""and at least this many times."""

_PER_RULE = 50
"""Violations of a rule that are looked at."""

MOST = 500
"""Suspects that are listed."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something that may be wrong: a fact that rules expect and that is not there, or facts that exclude each other."""

    text: str
    """The missing fact, or the facts."""
    sentence: str
    """What is the case, and what is not but should be; by the strongest rule."""
    missing: bool
    strength: float
    """How strong the strongest rule is: 1 for a hard one, else the lower bound of its confidence."""
    rules: tuple[int, ...]
    """The rules that say so, the strongest first; 0 stands for the types."""
    instead: str = ""
    """The fact that stands in its place, where only one of the two can be true: a cell with another value, say."""


@dataclass(frozen=True, slots=True)
class Suspects:
    """All that is suspected, the strongest first."""

    listed: tuple[Suspect, ...]
    more: int = 0
    """How many are left out."""
    hard: int = 0
    """How many break a hard rule, or a type."""

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"listed": [asdict(one) for one in self.listed], "more": self.more, "hard": self.hard}


@dataclass(frozen=True, slots=True)
class _Found:
    strength: float
    rule: int
    ground: Clause


def find_suspects(theory: Theory, portrait: Portrait, facts: Database, words: Words) -> Suspects:
    """What the facts break: hard rules, types, and soft rules that are nearly always right."""
    matcher = Matcher(facts)
    found: dict[tuple[Atom, ...], list[_Found]] = {}
    derived = set(_derived(theory))
    cards = [card for card in portrait.rules if not derived.intersection(a.predicate for a in card.rule.clause.head)]
    for one in (*_by_types(theory, matcher), *_by_rules(cards, matcher)):
        key = one.ground.head if len(one.ground.head) == 1 else tuple(sorted(one.ground.atoms))
        found.setdefault(key, []).append(one)
    given = _Given(theory, facts)
    suspects = sorted((_suspect(some, words, given) for some in found.values()), key=_order)
    hard = sum(suspect.strength == 1 for suspect in suspects)
    return Suspects(tuple(suspects[:MOST]), max(len(suspects) - MOST, 0), hard)


def _derived(theory: Theory) -> Iterator[Predicate]:
    """What is computed from dates in tables, and so is never wrong by itself."""
    for table in () if theory.mapping is None else theory.mapping.tables:
        for predicate, _, column in table.signatures:
            if column is not None and column.becomes in (Becomes.YEAR, Becomes.MONTH, Becomes.WEEKDAY):
                yield predicate


def _order(suspect: Suspect) -> tuple[float, int, str]:
    return (-suspect.strength, -len(suspect.rules), suspect.text)


class _Given:
    """The facts of predicates that have one value at most for each thing."""

    def __init__(self, theory: Theory, facts: Database) -> None:
        self._facts = facts
        hard = (rule.clause for rule in theory.hard_listed if len(rule.clause.body) == 2)
        self._functions = {clause.body[0].predicate for clause in hard if first_decides(clause)}
        self._known: dict[Predicate, dict[Term, Atom]] = {}

    def instead_of(self, atom: Atom) -> Atom | None:
        """The fact that gives the same thing another value."""
        if atom.predicate not in self._functions:
            return None
        if atom.predicate not in self._known:
            self._known[atom.predicate] = {one.arguments[0]: one for one in self._facts.facts(atom.predicate)}
        return self._known[atom.predicate].get(atom.arguments[0])


def _suspect(some: Sequence[_Found], words: Words, given: _Given) -> Suspect:
    ranked = sorted(some, key=lambda one: (-one.strength, one.rule))
    ground = ranked[0].ground
    missing = bool(ground.head)
    text = " or ".join(atom.as_fact for atom in ground.head) or ", ".join(atom.as_fact for atom in ground.body)
    numbers = tuple(dict.fromkeys(one.rule for one in ranked))
    instead = given.instead_of(ground.head[0]) if len(ground.head) == 1 else None
    if instead is None:
        return Suspect(text, say_violation(ground, words), missing, ranked[0].strength, numbers)
    expected = plain(ground.head[0].arguments[1].name)
    said = f"{say_facts(ground.body, words)}, but {words.atom(instead)}, and not {expected}"
    return Suspect(text, said, missing, ranked[0].strength, numbers, instead.as_fact)


def _by_rules(cards: Sequence[RuleCard], matcher: Matcher) -> Iterator[_Found]:
    for card in cards:
        strength = _strength(card)
        if strength is not None:
            yield from _violations(card.rule, card.number, strength, matcher)


def _by_types(theory: Theory, matcher: Matcher) -> Iterator[_Found]:
    if theory.types is not None:
        for clause in theory.types.hard:
            yield from _violations(Rule(clause, CERTAIN), 0, 1.0, matcher)


def _strength(card: RuleCard) -> float | None:
    """How strong a rule is; None where it is not strong enough, or never broken."""
    if card.kind is RuleKind.HARD:
        return 1.0
    if card.kind is RuleKind.DEMOTED:
        return 0.99
    numbers = card.numbers
    if numbers is None:
        return 0.9 if card.violations else None
    if numbers.confidence is None or numbers.confidence < STRONG or numbers.support < LEAST_SUPPORT:
        return None
    return numbers.interval[0] if numbers.exceptions else None


def _violations(rule: Rule, number: int, strength: float, matcher: Matcher) -> Iterator[_Found]:
    clause = rule.clause
    for match in matcher.matches(clause.violation, limit=_PER_RULE):
        ground = clause.substitute({Variable(name): Constant(constant) for name, constant in match.items()})
        yield _Found(strength, number, ground)
