"""What if some facts or rules were there, or not: which conclusions appear, and which vanish.

What is not touched is not done again: the rules stay laid out unless rules change, and what was predicted before is
kept. The prediction afterwards is made anew, because a new fact can raise, lower and withdraw conclusions in every
stratum; that takes milliseconds on thousands of facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from possilog.data import Database, Evidence
from possilog.errors import DataError, TheoryError
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
        return _only_in(self.after, self.before)

    @cached_property
    def vanished(self) -> tuple[Conclusion, ...]:
        """Conclusions that are gone; not those that are evidence now."""
        return _only_in(self.before, self.after)

    @cached_property
    def moved(self) -> tuple[tuple[Atom, Weight, Weight], ...]:
        """Conclusions that stay, with another certainty: the one before, and the one after."""
        found = ((new.atom, self.before.added.certainty(new.atom), new.certainty) for new in self.after.added)
        return tuple((atom, old, new) for atom, old, new in found if old is not None and old != new)

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


def _only_in(one: Prediction, other: Prediction) -> tuple[Conclusion, ...]:
    """The conclusions of one prediction that the other does not have."""
    # To ask the conclusions is quick, to ask the evidence is not, and most conclusions stay.
    new = (conclusion for conclusion in one.added if other.added.certainty(conclusion.atom) is None)
    return tuple(conclusion for conclusion in new if conclusion.atom not in other.evidence.facts)


def changed_evidence(evidence: Evidence, add: Iterable[Literal] = (), remove: Iterable[Literal] = ()) -> Evidence:
    """The evidence with some literals more and some fewer; its domain only grows."""
    gone = set(remove)
    new = Evidence.of(add)
    absent = next((literal for literal in sorted(gone) if not _has(evidence, literal)), None)
    if absent is not None:
        raise DataError(f"{absent} is not in the evidence, so it cannot be removed; check its spelling")
    facts = evidence.facts
    if any(literal.positive for literal in gone):
        kept = (atom for atom in facts if Literal(atom) not in gone)
        facts = Database.of(kept, facts.constants, declared=facts.declared)
    denied = {atom for atom in evidence.denied if Literal(atom, False) not in gone}.union(new.denied)
    return Evidence(facts | new.facts if new.facts.constants or len(new.facts) else facts, tuple(sorted(denied)))


def changed_theory(theory: Theory, add: Iterable[Rule] = (), remove: Iterable[Rule] = ()) -> Theory:
    """The theory with some rules more and some fewer; those to be removed are known by their clauses.

    How the variables are called does not matter, nor does the weight.
    """
    kept = list(theory.rules)
    for clause in (theory.declared.clause(rule.clause) for rule in remove):
        left = [rule for rule in kept if not isomorphic(rule.clause, clause)]
        if len(left) == len(kept):
            raise TheoryError(f"the rule {clause} is not in the theory, so it cannot be removed; check its spelling")
        kept = left
    return replace(theory, rules=(*kept, *add))


def _has(evidence: Evidence, literal: Literal) -> bool:
    return literal.atom in (evidence.facts if literal.positive else evidence.denied)
