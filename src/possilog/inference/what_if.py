"""What if some facts or rules were there, or not: which conclusions appear, and which vanish.

What is not touched is not done again: the rules stay laid out unless rules change, and what was predicted before is
kept. The prediction afterwards is made anew, because a new fact can raise, lower and withdraw conclusions in every
stratum; that takes milliseconds on thousands of facts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from possilog.data import Database
from possilog.data.evidence import Evidence
from possilog.errors import DataError, TheoryError
from possilog.inference.prediction import Conclusion, Prediction
from possilog.logic import Atom, Clause, Literal, Rule, Theory, Weight, isomorphic

__all__ = ["Difference", "changed_evidence", "changed_theory"]


@dataclass(frozen=True)
class Difference:
    """Two predictions, before a change and after it."""

    before: Prediction
    after: Prediction

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


def _only_in(one: Prediction, other: Prediction) -> tuple[Conclusion, ...]:
    """The conclusions of one prediction that the other does not have."""
    # To ask the conclusions is quick, to ask the evidence is not, and most conclusions stay.
    new = (conclusion for conclusion in one.added if other.added.certainty(conclusion.atom) is None)
    return tuple(conclusion for conclusion in new if conclusion.atom not in other.evidence.facts)


def changed_evidence(
    evidence: Evidence, add: Iterable[Atom | Literal] = (), remove: Iterable[Atom | Literal] = ()
) -> Evidence:
    """The evidence with some literals more and some fewer; its domain only grows."""
    gone = {_literal(item) for item in remove}
    new = Evidence.of(add)
    absent = next((literal for literal in sorted(gone) if not _has(evidence, literal)), None)
    if absent is not None:
        raise DataError(f"{absent} is not in the evidence, so it cannot be removed; check its spelling")
    facts = evidence.facts
    if any(literal.positive for literal in gone):
        kept = (atom for atom in facts if Literal(atom) not in gone)
        facts = Database.of(kept, facts.constants)
    denied = {atom for atom in evidence.denied if Literal(atom, False) not in gone}.union(new.denied)
    return Evidence(facts | new.facts if new.facts.constants or len(new.facts) else facts, tuple(sorted(denied)))


def changed_theory(theory: Theory, add: Iterable[Rule] = (), remove: Iterable[Rule | Clause] = ()) -> Theory:
    """The theory with some rules more and some fewer; those to be removed are known by their clauses.

    How the variables are called does not matter, nor does the weight.
    """
    kept = list(theory.rules)
    for item in remove:
        clause = item.clause if isinstance(item, Rule) else item
        left = [rule for rule in kept if not isomorphic(rule.clause, clause)]
        if len(left) == len(kept):
            raise TheoryError(f"the rule {clause} is not in the theory, so it cannot be removed; check its spelling")
        kept = left
    return replace(theory, rules=(*kept, *add))


def _literal(item: Atom | Literal) -> Literal:
    return item if isinstance(item, Literal) else Literal(item)


def _has(evidence: Evidence, literal: Literal) -> bool:
    return literal.atom in (evidence.facts if literal.positive else evidence.denied)
