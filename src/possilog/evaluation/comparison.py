"""Two theories beside each other: which rules they have in common, but for the names of variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from possilog.logic import Rule, Theory, canonical

__all__ = ["Beside", "Comparison", "compare", "compare_hard", "compare_soft"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rules of two theories: those of both, of the first alone, and of the second alone, highest weight first."""

    common: tuple[tuple[Rule, Rule], ...]
    first: tuple[Rule, ...]
    second: tuple[Rule, ...]

    @property
    def as_json(self) -> dict[str, object]:
        """The rules as text; the first theory is ours, and the second the authors'."""
        return {
            "common": [{"ours": _shown(one), "authors": _shown(other)} for one, other in self.common],
            "ours": [_shown(rule) for rule in self.first],
            "authors": [_shown(rule) for rule in self.second],
        }


@dataclass(frozen=True, slots=True)
class Beside:
    """Our theory beside the authors': the soft rules, and the hard ones."""

    soft: Comparison
    hard: Comparison

    @property
    def as_json(self) -> dict[str, object]:
        """The rules of both kinds as text."""
        return {"soft": self.soft.as_json, "hard": self.hard.as_json}


def compare_soft(first: Theory, second: Theory) -> Comparison:
    """Compare the soft rules; weights may differ.

    >>> from possilog.logic import parse_theory
    >>> ours = parse_theory("0.9 :: p(X) :- q(X). 0.8 :: p(X) :- r(X, Y).")
    >>> found = compare_soft(ours, parse_theory("0.7 :: p(A) :- r(A, B)."))
    >>> len(found.common), [str(rule.clause) for rule in found.first], found.second
    (1, ['p(X) :- q(X).'], ())
    """
    return _compare(first.soft, second.soft)


def compare_hard(first: Theory, second: Theory) -> Comparison:
    """Compare the hard rules."""
    return _compare(first.hard, second.hard)


def _compare(first: Iterable[Rule], second: Iterable[Rule]) -> Comparison:
    ours = {canonical(rule.clause): rule for rule in first}
    theirs = {canonical(rule.clause): rule for rule in second}
    return Comparison(
        tuple((rule, theirs[form]) for form, rule in ours.items() if form in theirs),
        tuple(rule for form, rule in ours.items() if form not in theirs),
        tuple(rule for form, rule in theirs.items() if form not in ours),
    )


def compare(ours: Theory, authors: Theory) -> Beside:
    """Compare all rules of our theory and the authors'."""
    return Beside(compare_soft(ours, authors), compare_hard(ours, authors))


def _shown(rule: Rule) -> dict[str, str]:
    return {"rule": str(rule.clause), "weight": str(rule.weight)}
