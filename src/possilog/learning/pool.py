"""The loose pool: all rules that may pay at some share of known facts, the most reliable first."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from possilog.learning.confidence import Confidence
from possilog.learning.hard_part import HardPart
from possilog.logic import Clause, Measured, canonical

__all__ = ["found_again", "make_pool"]

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


def found_again(
    pool: Sequence[Measured], without: Iterable[tuple[Iterable[Measured], HardPart]], kept: Container[Clause] = ()
) -> tuple[Measured, ...]:
    """The rules of a pool that are found without some part of the data as well: in its pool, or as hard rules.

    What nobody would find without this part, and without that one, and without any other, only all of the data together
    show: of hundreds of rules some look good by chance, and these are wrong elsewhere. Rules to be kept stay.
    """
    found: set[Clause] = set()
    for rules, hard in without:
        found.update(map(canonical, (*(rule.clause for rule in rules), *hard.earned)))
    return tuple(rule for rule in pool if rule.clause in kept or canonical(rule.clause) in found)


def _reliability(rule: Measured) -> float:
    """Where nothing is known: a rule whose errors others refute has to come after these."""
    return rule.confidence(0)
