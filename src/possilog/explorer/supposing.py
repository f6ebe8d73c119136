"""What if: facts and rules are switched on and off, and what appears and vanishes is seen at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from possilog.explorer.asking import EvidenceAsked
from possilog.explorer.exploration import Exploration
from possilog.explorer.looking import PageAsked, Paged
from possilog.explorer.wishes import wish
from possilog.inference import Difference
from possilog.inference.taken import literals_of, rules_of
from possilog.logic import Atom, Literal, Rule

__all__ = ["SupposeAsked", "Supposed"]

SWITCHES = 25
"""Facts that can be switched on one page."""

SHOWN = 200
"""Conclusions of each kind that a page shows."""


@dataclass(frozen=True, slots=True)
class SupposeAsked(EvidenceAsked):
    """What is supposed."""

    add: tuple[str, ...] = wish("Facts that are supposed; 'not p(a)' denies one.", ())
    remove: tuple[str, ...] = wish("Facts that are supposed not to be known.", ())
    add_rules: tuple[str, ...] = wish("Rules that are supposed, such as 0.9 :: flies(X) :- bird(X).", ())
    remove_rules: tuple[str, ...] = wish("Rules that are supposed not to be there.", ())
    search: str = wish("For the page: facts and rules with these letters.", "", most=1000)
    page: int = wish("For the page: which facts.", 1, least=1, most=100_000)


@dataclass(frozen=True, slots=True)
class Supposed:
    """What appears, what vanishes, and what can be switched."""

    asked: SupposeAsked
    difference: Difference
    facts: Paged[Atom]
    rules: tuple[Rule, ...]
    off: frozenset[Literal]
    rules_off: frozenset[str]

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog what-if --json`` prints."""
        return self.difference.as_json

    @property
    def moved(self) -> tuple[Any, ...]:
        """The first conclusions whose certainty changes."""
        return tuple(islice(self.difference.moved, SHOWN))


def what_if(here: Exploration, asked: SupposeAsked) -> Supposed:
    """What would be concluded otherwise."""
    typed = here.theory.declared
    add, remove = ([typed.literal(one) for one in _literals(texts)] for texts in (asked.add, asked.remove))
    add_rules, remove_rules = (rules_of([text for text in texts if text.strip()]) for texts in _rules(asked))
    before = here.predicted(asked.known, asked.inference)
    found = here.reasoner.what_if(
        before, add=add, remove=remove, add_rules=add_rules, remove_rules=remove_rules, words=here.words
    )
    words = asked.search.lower().split()
    facts = _listed(here, asked, words)
    rules = tuple(rule for rule in here.theory.ranked if all(word in str(rule).lower() for word in words))
    gone = frozenset(str(rule.clause) for rule in remove_rules)
    return Supposed(asked, found, facts, rules[:100], frozenset(remove), gone)


def _listed(here: Exploration, asked: SupposeAsked, words: list[str]) -> Paged[Atom]:
    """The facts that can be switched off, by page."""
    facts = here.evidence(asked.known).facts
    if words:
        fitting = [atom for atom in facts if all(word in atom.as_fact.lower() for word in words)]
        return Paged.of(fitting, PageAsked(asked.page, SWITCHES))
    start = (asked.page - 1) * SWITCHES
    return Paged(tuple(islice(facts, start, start + SWITCHES)), asked.page, SWITCHES, len(facts))


def _literals(texts: tuple[str, ...]) -> list[Literal]:
    return literals_of([line for text in texts for line in text.splitlines() if line.strip()], "facts")


def _rules(asked: SupposeAsked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return asked.add_rules, asked.remove_rules
