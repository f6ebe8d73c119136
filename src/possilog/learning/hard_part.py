"""The hard part of a theory: what of the clauses that hold is hard, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from possilog.entailment import Entailment
from possilog.learning.decoding import clauses, listed, mapped, text, truth, whole
from possilog.logic import Clause, parse_clause
from possilog.structure import HardRules
from possilog.structure.typing import LEAST_SUPPORT

__all__ = ["HardPart", "hard_part"]

LEAST_UNITS = 2
"""A rule with a head that rests on fewer distinct constants is not even tried as a soft one."""


@dataclass(frozen=True, slots=True)
class HardPart:
    """All clauses without a counterexample, and which of them chance would not make hold."""

    all: tuple[Clause, ...] = ()
    """Soft rules are searched, judged and weighed against all of them."""
    earned: tuple[Clause, ...] = ()
    """The hard rules of the theory."""
    demoted: tuple[Clause, ...] = ()
    """Constraints that may hold by chance: they stop conclusions, but do not contradict what is given."""
    by_chance: Mapping[Clause, int] = field(default_factory=dict)
    """Rules with a head that may hold by chance, and on how many units they rest: they are tried as soft rules."""
    units: Mapping[Clause, int] = field(default_factory=dict)
    """On how many units hard rules with a head rest."""
    all_hard: bool = False
    """Are all clauses hard, whether or not that was earned?"""

    @property
    def kept(self) -> tuple[Clause, ...]:
        """What a theory has of them, so that it refutes what they forbid."""
        return (*self.earned, *self.demoted)

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it in JSON's terms; ``from_json`` reads it again."""
        lists = {"all": self.all, "earned": self.earned, "demoted": self.demoted}
        texts = {name: list(map(str, some)) for name, some in lists.items()}
        return {
            **texts,
            "by_chance": _pairs(self.by_chance),
            "units": _pairs(self.units),
            "all_hard": self.all_hard,
        }

    @classmethod
    def from_json(cls, kept: Any) -> HardPart:
        """What ``as_json`` wrote."""
        found = mapped(kept, "all", "earned", "demoted", "by_chance", "units", "all_hard")
        return cls(
            clauses(found["all"]),
            clauses(found["earned"]),
            clauses(found["demoted"]),
            _numbers(found["by_chance"]),
            _numbers(found["units"]),
            truth(found["all_hard"]),
        )

    def without(self, doubted: Collection[Clause]) -> HardPart:
        """The same, where some hard rules with a head are tried as soft ones."""
        earned = tuple(clause for clause in self.earned if clause not in doubted)
        return replace(self, earned=earned, by_chance={**self.by_chance, **{c: self.units[c] for c in doubted}})


def _pairs(units: Mapping[Clause, int]) -> list[list[Any]]:
    return [[str(clause), number] for clause, number in units.items()]


def _numbers(kept: Any) -> dict[Clause, int]:
    return {parse_clause(text(clause)): whole(number) for clause, number in map(listed, listed(kept))}


def hard_part(found: HardRules, every: tuple[Clause, ...], kept: tuple[Clause, ...], *, earn: bool) -> HardPart:
    """What becomes of the clauses that were found; ``every`` are those to go by, ``kept`` those that a person wants.

    If hard rules need not be earned, all of them are hard.
    """
    if not earn:
        return HardPart(every, every, all_hard=True)
    wanted = set(every)
    earned = tuple(dict.fromkeys((*(clause for clause in found.earned if clause in wanted), *kept)))
    left = [rule for rule in found.rules if rule.clause in wanted and not rule.is_earned and rule.clause not in kept]
    with Entailment(earned) as known:
        left = [rule for rule in left if not known.entails(rule.clause)]
    return HardPart(
        every,
        earned,
        tuple(rule.clause for rule in left if not rule.clause.head and rule.support >= LEAST_SUPPORT),
        {rule.clause: rule.units for rule in left if rule.clause.is_definite and rule.units >= LEAST_UNITS},
        {c: found.units[c] for c in earned if c.is_definite and c.body and c not in kept},
    )
