"""What evidence says of single rules: how much more often they are wrong there than where they were learned.

Let a rule cover F heads, given these facts, of which k are given too. If it is right about a share c of its heads, and
a share s of the true facts is given, then k is binomial with F and c·s. What was known of c before, from the data, is
a beta distribution, unless all is different here; the posterior mean says what the rule is worth. A rule that rests on
few heads is doubted soon, and one that holds well here is trusted more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from possilog.inference.surveys import MOST_HEADS, Survey
from possilog.logic import Measured

__all__ = ["Doubt"]

DIFFERENT = 0.1
"""So often a rule has nothing to do with what it was on the data, and any c is as good as another."""

GRID = np.linspace(0.005, 0.995, 100)
"""The values of c that are looked at."""

_LOG = np.log(GRID)

Numbers = npt.NDArray[np.float64]


class Doubt:
    """What was known of rules before any evidence, and what evidence makes of it."""

    def __init__(self, rules: Iterable[Measured]) -> None:
        """Take what was measured of rules."""
        counted = np.array([(rule.counted, rule.false) for rule in rules], dtype=float).reshape(-1, 2)
        heads = counted.sum(axis=1)
        mean, strength = counted[:, 0] / (heads + 1), np.minimum(heads, MOST_HEADS) + 1
        logs = np.outer(mean * strength - 1, _LOG) + np.outer((1 - mean) * strength - 1, np.log(1 - GRID))
        before = (1 - DIFFERENT) * _normal(logs) + DIFFERENT / len(GRID)
        self._before, self._odds = np.log(before), _odds(before)

    def odds(self, places: Sequence[int], surveys: Sequence[Survey], shares: Sequence[float]) -> list[float]:
        """For each of some rules, by their places, the odds that it errs here, divided by those on the data.

        >>> from possilog import parse_clause
        >>> rules = [Measured(parse_clause("p(X) :- q(X)."), true, false, 0) for true, false in ((8, 1), (800, 199))]
        >>> [round(one, 1) for one in Doubt(rules).odds([0, 1], [Survey(100, 10)] * 2, [0.5, 0.5])]
        [11.9, 12.2]
        >>> [round(one, 1) for one in Doubt(rules).odds([0], [Survey(2, 1)], [0.5])]
        [0.9]
        """
        at = list(places)
        given = np.array([survey.given for survey in surveys])
        missing = np.array([survey.covered for survey in surveys]) - given
        told = np.outer(given, _LOG) + missing[:, None] * np.log1p(-np.outer(shares, GRID))
        odds: list[float] = (_odds(_normal(self._before[at] + told)) / self._odds[at]).tolist()
        return odds


def _normal(logs: Numbers) -> Numbers:
    """Distributions over the grid, from their logarithms but for a constant."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    normal: Numbers = weights / weights.sum(axis=1, keepdims=True)
    return normal


def _odds(weights: Numbers) -> Numbers:
    """The odds of error at the mean of each distribution."""
    odds: Numbers = 1 / (weights @ GRID) - 1
    return odds
