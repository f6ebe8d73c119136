"""What evidence counts when it is asked which rules are needed: each kind of it alike.

Where a third of the facts is known, rules gain many times what they gain where next to nothing is known, or nearly
all; and on all the data many times what they gain on the small parts that are held out. Added up as they are, only the
former would say which rules are needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Balance", "Kind"]

Kind = tuple[bool, float]
"""Of evidence: is it from a held-out part, and which share of the facts is known?"""

LEAST = 0.05
"""Evidence with which rules gain or lose next to nothing counts as if it were this part of what they gain at best."""

WHOLE = 1000
"""What evidence counts with which rules gain most. Others count more, in whole numbers, so that nothing is rounded."""


@dataclass(frozen=True, slots=True)
class Balance:
    """How much facts that are gained with evidence of each kind count.

    >>> balance = Balance.of(7, {(False, 0.03): 10, (False, 0.5): 40})
    >>> balance.weights
    {(False, 0.03): 4000, (False, 0.5): 1000}
    >>> balance.gain(4000 * 10 + 1000 * 40), balance.gain(4000 * 10), balance.gain(0)
    (57.0, 32.0, 7.0)
    """

    weights: Mapping[Kind, int]
    whole: int
    """What the soft rules add, so weighed, when all of them are there."""
    hard: int
    """What the hard rules gain alone, in facts."""
    fact: float
    """What one fact counts on average."""

    @classmethod
    def of(cls, hard: int, added: Mapping[Kind, int]) -> Balance:
        """Take what the hard rules gain, and what the soft ones add with each kind of evidence, in facts."""
        most = max(added.values(), default=0)
        counted = {kind: max(abs(facts), LEAST * most) for kind, facts in added.items()}
        weights = {kind: round(WHOLE * most / facts) if most > 0 else WHOLE for kind, facts in counted.items()}
        whole, facts = sum(weights[kind] * facts for kind, facts in added.items()), sum(added.values())
        return cls(weights, whole, hard, whole / facts if whole > 0 and facts > 0 else WHOLE)

    def gain(self, weighed: int) -> float:
        """What is gained in facts, where so much is added: all rules and the hard ones alone gain what they do gain."""
        return self.hard + weighed / self.fact
