"""The loose pool: all rules that may pay at some share of known facts, the most reliable first."""

from __future__ import annotations

from collections.abc import Mapping

from possilog.learning.confidence import Confidence
from possilog.learning.hard_part import HardPart
from possilog.logic import Clause, Measured

__all__ = ["make_pool"]

LEAST_TRUE = 2
LEAST_GUARDED = 0.5
LEAST_OVERALL = 0.2
"""What a candidate has to reach: true heads, and both confidences. Below that it pays nowhere."""

MOST = 300
"""Candidates in the pool, those first that are right much more often than wrong."""


def make_pool(judged: Mapping[Clause, Confidence], hard: HardPart) -> tuple[Measured, ...]:
    """The candidates that may pay, and the rules without exception that are not hard, the most reliable first.

    Each is a stratum of its own: reliability orders them, since the weight of a world that breaks a rule with few
    chances to be broken is low whatever the rule is worth.
    """
    passed = [
        Measured(clause, found.true, found.false, found.nontrivial)
        for clause, found in judged.items()
        if found.true >= LEAST_TRUE and found.guarded >= LEAST_GUARDED and found.overall >= LEAST_OVERALL
    ]
    passed = sorted(passed, key=lambda rule: (rule.nontrivial - rule.true, str(rule.clause)))[:MOST]
    passed += [Measured(clause, units, 0, 0) for clause, units in hard.by_chance.items() if clause not in judged]
    return tuple(sorted(passed, key=lambda rule: (-_reliability(rule), -rule.true, str(rule.clause))))


def _reliability(rule: Measured) -> float:
    """Where nothing is known: a rule whose errors others refute has to come after these."""
    return rule.confidence(0)
