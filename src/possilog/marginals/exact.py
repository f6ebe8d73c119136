"""Theories of one width with exact weights."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from possilog.errors import QueryError
from possilog.logic import Clause, Predicate, Rule, Theory, Weight
from possilog.marginals.distribution import check_width
from possilog.marginals.local import LocalExample, holds
from possilog.matching import Matcher

__all__ = ["DoubtfulClause", "ExactTheory"]


@dataclass(frozen=True, slots=True)
class DoubtfulClause:
    """A clause (¬α, λ) with 1 - λ as an exact fraction."""

    clause: Clause
    doubt: Fraction

    @property
    def certainty(self) -> Fraction:
        """λ itself."""
        return 1 - self.doubt


@dataclass(frozen=True, slots=True)
class ExactTheory:
    """Weighted clauses such that every local example of the width breaks one of them or more."""

    width: int
    predicates: tuple[Predicate, ...]
    formulas: tuple[DoubtfulClause, ...]

    def possibility(self, example: LocalExample) -> Fraction:
        """π(ω) = min{1 - λ | (α, λ) ∈ Θ, ω ⊭ α} (section Preliminaries)."""
        check_width(example, self.width)
        strange = {atom.predicate for atom in example.atoms} - set(self.predicates)
        if strange:
            raise QueryError(f"the theory does not speak of {min(strange)}; leave its atoms out")
        matcher = Matcher(example.database)
        return min(formula.doubt for formula in self.formulas if not holds(formula.clause, matcher))

    def theory(self, digits: int = 50) -> Theory:
        """The same as a theory in text; weights are decimal there, so 1 - λ is rounded to this many digits.

        ⊥ takes the lowest weight. That changes nothing, as every local example breaks a rule of at least this weight.
        """
        weights = [_rounded(formula.doubt, digits) for formula in self.formulas]
        rules = (Rule(formula.clause, weight) for formula, weight in zip(self.formulas, weights, strict=True))
        return Theory(tuple(rule for rule in rules if not rule.clause.is_empty), min(weights))


def _rounded(doubt: Fraction, digits: int) -> Weight:
    return Weight(Context(prec=digits).divide(Decimal(doubt.numerator), Decimal(doubt.denominator)))
