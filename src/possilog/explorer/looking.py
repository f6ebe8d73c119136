"""Look: rules by predicate, examples by page, suspects, constants and what is concluded about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from possilog.choices import Inference
from possilog.errors import DataError, shortened
from possilog.explorer.exploration import Exploration, Premises
from possilog.explorer.position import Mark, Signed
from possilog.explorer.wishes import Wish, wish
from possilog.inference import Conclusion
from possilog.logic import Atom, Clause
from possilog.report.overview.suspects import Suspect
from possilog.report.overview.values import Report
from possilog.report.portrait import RuleCard, RuleKind
from possilog.report.portrait.cards import Instance, counterexamples_of, examples_of

__all__ = ["CONSTANTS", "Overview", "PageAsked", "Paged", "RuleShown"]

_T = TypeVar("_T")

SIZE = 50
"""What is on a page, if nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class PageAsked(Wish):
    """Which part of a long list."""

    page: int = wish("Which page, from 1.", 1, least=1, most=100_000)
    size: int = wish("How much is on a page.", SIZE, least=1, most=1000)


@dataclass(frozen=True, slots=True)
class Paged(Generic[_T]):
    """One page of a list."""

    items: tuple[_T, ...]
    page: int
    size: int
    total: int

    @classmethod
    def of(cls, every: Sequence[_T], asked: PageAsked) -> Paged[_T]:
        """Cut a page out of all there is."""
        start = (asked.page - 1) * asked.size
        return cls(tuple(every[start : start + asked.size]), asked.page, asked.size, len(every))

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // self.size))

    @property
    def as_json(self) -> dict[str, Any]:
        """Where the page stands; who shows it adds what is on it."""
        return {"page": self.page, "size": self.size, "pages": self.pages, "total": self.total}


# The theory as a whole


@dataclass(frozen=True, slots=True)
class Overview:
    """All of the report, without the rules one by one."""

    revision: int
    report: Report
    marks: tuple[Mark, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog show --json`` prints, and where the exploration stands."""
        report = self.report
        return {
            **report.portrait.as_json,
            "revision": self.revision,
            "title": report.title,
            "suspects": len(report.suspects.listed) + report.suspects.more,
            "graph": [{"from": one.source, "to": one.target, "rules": one.rules} for one in report.graph.feeds],
            "marks": [mark.as_json for mark in self.marks],
        }


def overview(here: Exploration, asked: Wish) -> Overview:
    """The theory, live."""
    return Overview(here.position.revision, here.report, here.position.marks)


# Rules


@dataclass(frozen=True, slots=True)
class RulesAsked(PageAsked):
    """Which rules."""

    concludes: str = wish("Rules that conclude this predicate; 'never' for constraints.", "")
    kind: str = wish("soft, hard or demoted.", "", most=20)
    search: str = wish("Words that occur in the rule or in its sentence.", "", most=1000)


@dataclass(frozen=True, slots=True)
class RulesShown:
    """Some rules, as cards."""

    cards: Paged[RuleCard]
    asked: RulesAsked
    heads: tuple[str, ...]
    authors: dict[int, Signed]

    @property
    def as_json(self) -> dict[str, Any]:
        """The cards as ``possilog show --json`` prints them."""
        return {**self.cards.as_json, "rules": [self._card(card) for card in self.cards.items]}

    def _card(self, card: RuleCard) -> dict[str, Any]:
        return rule_as_json(card, self.authors.get(card.number))


def rule_as_json(card: RuleCard, author: Signed | None) -> dict[str, Any]:
    """A card as ``possilog show --json`` prints it, and what people said about the rule."""
    said = {"keep": str(card.rule.keep), "author": None if author is None else author.as_json}
    return card.as_json | said


def rules(here: Exploration, asked: RulesAsked) -> RulesShown:
    """The rules by what they conclude, the most reliable first."""
    cards = here.remembered("cards", lambda: _in_order(here))
    words = asked.search.lower().split()
    found = [card for card in cards if _fits(card, asked, words)]
    paged = Paged.of(found, asked)
    heads = tuple(dict.fromkeys(card.concludes for card in cards))
    return RulesShown(paged, asked, heads, authors_of(here, paged.items))


def authors_of(here: Exploration, cards: Iterable[RuleCard]) -> dict[int, Signed]:
    """Who wrote which of some rules."""
    found = ((card.number, here.position.author(card.rule.clause)) for card in cards)
    return {number: author for number, author in found if author is not None}


def _in_order(here: Exploration) -> list[RuleCard]:
    soft = [card for group in here.portrait.groups for _, card in group.rules]
    return [*soft, *(card for card in here.portrait.rules if card.kind is not RuleKind.SOFT)]


def _fits(card: RuleCard, asked: RulesAsked, words: Sequence[str]) -> bool:
    if asked.kind and card.kind != asked.kind:
        return False
    if asked.concludes and card.concludes != asked.concludes:
        return False
    text = f"{card.formula} {card.sentence}".lower() if words else ""
    return all(word in text for word in words)


@dataclass(frozen=True, slots=True)
class RuleAsked(PageAsked):
    """One rule."""

    number: int = wish("The number of the rule.", 1, least=1)


@dataclass(frozen=True, slots=True)
class RuleShown:
    """A rule with a page of its examples, and a page of its counterexamples."""

    card: RuleCard
    examples: Paged[Instance]
    counterexamples: Paged[Instance]
    author: Signed | None

    @property
    def pages(self) -> int:
        """How many pages both have."""
        return max(self.examples.pages, self.counterexamples.pages)

    @property
    def as_json(self) -> dict[str, Any]:
        """The card as ``possilog show --json`` prints it, with other examples."""
        shown = {
            "examples": [one.text for one in self.examples.items],
            "counterexamples": [one.text for one in self.counterexamples.items],
            "page": self.examples.page,
            "pages": self.pages,
        }
        return rule_as_json(self.card, self.author) | shown


MOST_EXAMPLES = 5_000


def rule(here: Exploration, asked: RuleAsked) -> RuleShown:
    """One rule, with examples and counterexamples by page."""
    card = here.portrait.rule(asked.number)
    clause = card.rule.clause
    examples, counterexamples = (Paged.of(_instances(here, make, clause), asked) for make in _INSTANCES)
    return RuleShown(card, examples, counterexamples, here.position.author(clause))


_INSTANCES = (examples_of, counterexamples_of)


def _instances(here: Exploration, make: Any, clause: Clause) -> tuple[Instance, ...]:
    def instances() -> tuple[Instance, ...]:
        found: tuple[Instance, ...] = make(clause, here.matcher, here.words, MOST_EXAMPLES)
        return found

    return here.remembered((make, clause), instances)


# Suspects


@dataclass(frozen=True, slots=True)
class SuspectsShown:
    """A page of what may be wrong."""

    suspects: Paged[Suspect]
    hard: int
    more: int

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        listed = [
            {
                "atoms": one.text,
                "sentence": one.sentence,
                "missing": one.missing,
                "strength": one.strength,
                "rules": list(one.rules),
            }
            for one in self.suspects.items
        ]
        return {**self.suspects.as_json, "hard": self.hard, "left_out": self.more, "suspects": listed}


def suspects(here: Exploration, asked: PageAsked) -> SuspectsShown:
    """Where the data break hard rules and strong soft ones."""
    found = here.report.suspects
    return SuspectsShown(Paged.of(found.listed, asked), found.hard, found.more)


# Constants


@dataclass(frozen=True, slots=True)
class ConstantsAsked(PageAsked):
    """Which constants."""

    search: str = wish("Letters that occur in the name.", "", most=1000)


@dataclass(frozen=True, slots=True)
class ConstantsShown:
    """A page of constants."""

    constants: Paged[str]
    search: str

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {**self.constants.as_json, "constants": list(self.constants.items)}


def constants(here: Exploration, asked: ConstantsAsked) -> ConstantsShown:
    """The constants of the data, by name."""
    wanted = asked.search.lower()
    found = [name for name in here.data.constants if wanted in name.lower()]
    return ConstantsShown(Paged.of(found, asked), asked.search)


@dataclass(frozen=True, slots=True)
class ConstantAsked(PageAsked):
    """One constant."""

    name: str = wish("The constant.", "")


@dataclass(frozen=True, slots=True)
class ConstantShown:
    """The facts about a constant, and what is concluded about it."""

    name: str
    facts: Paged[Atom]
    concluded: tuple[Conclusion, ...]
    """What the theory adds to the data."""
    by_all: tuple[Conclusion, ...]
    """What it would add with the rules that do not pay where so much is known."""
    marks: tuple[Mark, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {
            "constant": self.name,
            **self.facts.as_json,
            "facts": [atom.as_fact for atom in self.facts.items],
            "concluded": [one.as_json for one in self.concluded],
            "by_all_rules": [one.as_json for one in self.by_all],
            "marks": [mark.as_json for mark in self.marks],
        }


CONSTANTS = 200
"""Conclusions about a constant that are shown."""


def constant(here: Exploration, asked: ConstantAsked) -> ConstantShown:
    """The facts about a constant, and what is concluded about it."""
    number = here.data.number(asked.name)
    if number is None:
        raise DataError(f"there is no constant {shortened(repr(asked.name))} in the data; check its spelling")
    about = here.remembered(("facts", asked.name), lambda: _facts_about(here, number))
    used, every = (here.predicted(Premises(), Inference.LOCAL, every_rule) for every_rule in (False, True))
    concluded = _about(used.added, asked.name)
    known = {one.atom for one in concluded}
    by_all = tuple(one for one in _about(every.added, asked.name) if one.atom not in known)
    marks = tuple(mark for mark in here.position.marks if speaks_of(mark.atom, asked.name))
    return ConstantShown(asked.name, Paged.of(about, asked), concluded, by_all, marks)


def _facts_about(here: Exploration, number: int) -> list[Atom]:
    found = []
    for predicate in here.data.predicates:
        rows = here.data.rows(predicate)
        if predicate.arity:
            chosen = rows[:, (rows == number).any(axis=0)]
            names = here.data.constants
            found += [Atom.ground(predicate.name, [names[place] for place in row]) for row in chosen.T.tolist()]
    return found


def _about(conclusions: Iterable[Conclusion], name: str) -> tuple[Conclusion, ...]:
    return tuple(islice((one for one in conclusions if speaks_of(one.atom, name)), CONSTANTS))


def speaks_of(atom: Atom, name: str) -> bool:
    """Is a constant among the arguments of an atom?"""
    return any(term.name == name for term in atom.arguments)
