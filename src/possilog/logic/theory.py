"""Rules with weights, and theories: stratified sets of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from possilog.errors import TheoryError
from possilog.logic.atoms import Predicate
from possilog.logic.clauses import Clause
from possilog.logic.weights import CERTAIN, Weight

__all__ = ["Rule", "Stratum", "Theory"]

UNWEIGHED = Weight(Decimal(1))
"""λ = 0: the weight of ⊥ in a theory that has not been weighed."""


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """A clause and its weight. With weight 1 it is a hard rule.

    It can be read alone: a world that breaks it has probability at most 1 - λ.
    """

    clause: Clause
    weight: Weight = CERTAIN

    @property
    def is_hard(self) -> bool:
        """Has it weight 1?"""
        return self.weight.is_certain

    def __str__(self) -> str:
        return str(self.clause) if self.is_hard else f"{self.weight} :: {self.clause}"


@dataclass(frozen=True, slots=True, order=True)
class Stratum:
    """The rules of one weight: they stand or fall together."""

    weight: Weight
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, order=True)
class Theory:
    """A possibilistic theory: rules by descending weight, and the weight of ⊥.

    Rules of equal weight keep the order in which they were given. ⊥ is always in the theory; where no weight was
    given to it, its weight is 0.
    """

    rules: tuple[Rule, ...] = ()
    falsity: Weight = UNWEIGHED

    def __post_init__(self) -> None:
        if any(rule.clause.is_empty and not rule.is_hard for rule in self.rules):
            raise TheoryError("⊥ stands among the rules; give its weight as the theory's falsity instead")
        if self.falsity.is_certain:
            raise TheoryError("⊥ has weight 1, so that every world is impossible; give it a weight below 1")
        outweighed = next((rule for rule in self.rules if rule.weight < self.falsity), None)
        if outweighed is not None:
            raise TheoryError(
                f"⊥ weighs more than the rule {outweighed}, which can never matter then; lower ⊥ or raise it"
            )
        if any(before.weight < after.weight for before, after in zip(self.rules, self.rules[1:], strict=False)):
            ordered = sorted(self.rules, key=lambda rule: rule.weight.doubt)
            object.__setattr__(self, "rules", tuple(ordered))

    @property
    def hard(self) -> tuple[Rule, ...]:
        """The rules of weight 1."""
        return tuple(rule for rule in self.rules if rule.is_hard)

    @property
    def soft(self) -> tuple[Rule, ...]:
        """The rules of a weight below 1, highest first."""
        return tuple(rule for rule in self.rules if not rule.is_hard)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The soft rules by weight, highest stratum first."""
        groups = groupby(self.soft, key=lambda rule: rule.weight)
        return tuple(Stratum(weight, tuple(rules)) for weight, rules in groups)

    def cut(self, weight: Weight) -> tuple[Rule, ...]:
        """Θ_μ: the rules whose weight is at least μ (section Preliminaries)."""
        return tuple(rule for rule in self.rules if rule.weight >= weight)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates that occur in the rules, in order."""
        return tuple(sorted({atom.predicate for rule in self.rules for atom in rule.clause.atoms}))

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        sections = []
        if self.hard:
            sections.append(["% hard rules", *map(str, self.hard)])
        for stratum in self.strata:
            sections.append(
                [
                    f"% at most {stratum.weight.doubt:.2g}: the probability of a world that breaks this",
                    *map(str, stratum.rules),
                ]
            )
        if self.falsity != UNWEIGHED:
            sections.append(["% ⊥", f"{self.falsity} :: false."])
        return "\n\n".join("\n".join(section) for section in sections) + "\n" if sections else ""
