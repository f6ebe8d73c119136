"""What if some facts or rules were there, or not: which conclusions appear, and which vanish.

What is not touched is not done again: the rules stay laid out unless rules change, and what was predicted before is
kept. The prediction afterwards is chained anew, because a new fact can raise, lower and withdraw conclusions in every
stratum; that takes milliseconds on thousands of facts. Both are compared in numbers, and atoms are made only of what
changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from possilog.data import Database, Evidence
from possilog.errors import DataError, TheoryError, shortened
from possilog.inference.conclusions import Conclusion
from possilog.inference.prediction import Prediction
from possilog.inference.words import PLAIN, Words
from possilog.logic import Atom, Literal, Rule, Theory, Weight, isomorphic

__all__ = ["Difference", "changed_evidence", "changed_theory"]


@dataclass(frozen=True, repr=False)
class Difference:
    """Two predictions, before a change and after it. It prints as sentences, by its words.

    >>> from possilog import Reasoner, parse_theory
    >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
    >>> difference = reasoner.what_if(["bird(Tweety)"], add="bird(Polly)")
    >>> print(difference)
    Appears (0.9): Polly flies
    >>> difference
    <Difference: 1 appear, 0 vanish, 0 move>
    """

    before: Prediction
    after: Prediction
    words: Words = field(default=PLAIN, compare=False)
    """How atoms are said."""

    @cached_property
    def appeared(self) -> tuple[Conclusion, ...]:
        """Conclusions that are new."""
        return _new(self._to, self.before)

    @cached_property
    def vanished(self) -> tuple[Conclusion, ...]:
        """Conclusions that are gone; not those that are evidence now."""
        return _new(tuple(self.before.added.changed_from(self.after.added)), self.after)

    @cached_property
    def moved(self) -> tuple[tuple[Atom, Weight, Weight], ...]:
        """Conclusions that stay, with another certainty: the one before, and the one after."""
        return tuple((new.atom, old, new.certainty) for new, old in self._to if old is not None)

    @cached_property
    def _to(self) -> tuple[_Change, ...]:
        """What is new, or has another certainty."""
        return tuple(self.after.added.changed_from(self.before.added))

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog what-if --json`` prints."""
        return {
            "inference": str(self.after.how.name),
            "consistent": {"before": self.before.consistent, "after": self.after.consistent},
            "appeared": _listed(self.appeared),
            "vanished": _listed(self.vanished),
            "moved": [
                {"atom": atom.as_fact, "before": str(before), "after": str(after)} for atom, before, after in self.moved
            ],
        }

    def lines(self) -> Iterator[str]:
        """What appears, vanishes and changes its certainty, and whether the evidence contradicts the hard rules now."""
        for title, some in (("Appears", self.appeared), ("Vanishes", self.vanished)):
            yield from (f"{title} ({each.certainty}): {self.words.atom(each.atom)}" for each in some)
        for atom, before, after in self.moved:
            yield f"Stays, at {after} instead of {before}: {self.words.atom(atom)}"
        if not (self.appeared or self.vanished or self.moved):
            yield "Nothing changes."
        if self.before.consistent and not self.after.consistent:
            yield "The evidence contradicts the hard rules now."
        if self.after.consistent and not self.before.consistent:
            yield "The evidence no longer contradicts the hard rules."

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Difference: {len(self.appeared)} appear, {len(self.vanished)} vanish, {len(self.moved)} move>"


def _listed(conclusions: Iterable[Conclusion]) -> list[dict[str, str]]:
    return [{"atom": each.atom.as_fact, "certainty": str(each.certainty)} for each in conclusions]


_Change = tuple[Conclusion, Weight | None]


def _new(changes: Iterable[_Change], other: Prediction) -> tuple[Conclusion, ...]:
    """The conclusions that the other prediction does not have."""
    new = (conclusion for conclusion, before in changes if before is None)
    return tuple(conclusion for conclusion in new if conclusion.atom not in other.evidence.facts)


def changed_evidence(evidence: Evidence, add: Iterable[Literal] = (), remove: Iterable[Literal] = ()) -> Evidence:
    """The evidence with some literals more and some fewer; its domain only grows."""
    gone = set(remove)
    new = Evidence.of(add := list(add))
    both = next((literal for literal in sorted(gone) if literal in add), None)
    if both is not None:
        raise DataError(f"{shortened(both)} is both added and removed; leave out one of the two")
    absent = next((literal for literal in sorted(gone) if not _has(evidence, literal)), None)
    if absent is not None:
        raise DataError(f"{shortened(absent)} is not in the evidence, so it cannot be removed; check its spelling")
    facts = evidence.facts
    if any(literal.positive for literal in gone):
        facts = _without(facts, [literal.atom for literal in gone if literal.positive])
    denied = {atom for atom in evidence.denied if Literal(atom, False) not in gone}.union(new.denied)
    return Evidence(facts | new.facts if new.facts.constants or len(new.facts) else facts, tuple(sorted(denied)))


def _without(facts: Database, gone: Iterable[Atom]) -> Database:
    """The facts without some, over the same constants."""
    relations = {predicate: facts.rows(predicate) for predicate in facts.predicates}
    for atom in gone:
        rows = relations[atom.predicate]
        its = [[facts.number(term.name)] for term in facts.declared.atom(atom).arguments]
        stay = (rows != np.array(its, dtype=np.int32)).any(axis=0) if its else np.zeros(rows.shape[1], dtype=bool)
        relations[atom.predicate] = rows[:, stay]
    return facts.having_facts({predicate: rows for predicate, rows in relations.items() if rows.shape[1]})


def changed_theory(theory: Theory, add: Iterable[Rule] = (), remove: Iterable[Rule] = ()) -> Theory:
    """The theory with some rules more and some fewer; those to be removed are known by their clauses.

    How the variables are called does not matter, nor does the weight.
    """
    kept = list(theory.rules)
    for clause in (theory.declared.clause(rule.clause) for rule in remove):
        left = [rule for rule in kept if not isomorphic(rule.clause, clause)]
        if len(left) == len(kept):
            raise TheoryError(
                f"the rule {shortened(clause)} is not in the theory, so it cannot be removed; check its spelling"
            )
        kept = left
    return replace(theory, rules=(*kept, *add))


def _has(evidence: Evidence, literal: Literal) -> bool:
    return literal.atom in (evidence.facts if literal.positive else evidence.denied)
