"""Rules that a theory carries for ranking only: candidates that were found and judged, and are not among its rules."""

from __future__ import annotations

from collections.abc import Mapping

from possilog.learning.confidence import Confidence
from possilog.logic import Clause, Judged, Theory

__all__ = ["for_ranking"]


def for_ranking(theory: Theory, judged: Mapping[Clause, Confidence], most: int) -> tuple[Judged, ...]:
    """The best of the candidates, by the confidence that ranking uses.

    A rule of the theory is among them if nothing else in the theory says how often it is right.
    """
    measured = set() if theory.measures is None else {rule.clause for rule in theory.measures.rules}
    told = {rule.clause for rule in theory if rule.is_hard or rule.clause in measured}
    found = [
        Judged(clause, confidence.true, confidence.false, confidence.nontrivial)
        for clause, confidence in judged.items()
        if confidence.true and clause not in told
    ]
    return tuple(sorted(found, key=lambda rule: (-rule.confidence, -rule.true, str(rule.clause)))[:most])
