"""What evidence says of single rules: how much more often they are wrong there than where they were learned.

Let a rule cover F heads, given these facts, of which k are given too. If it is right about a share c of its heads, and
a share s of the true facts is given, then k is binomial with F and c·s. What was known of c before, from the data, is
a beta distribution, unless all is different here; the posterior mean says what the rule is worth. A rule that rests on
few heads is doubted soon, and one that holds well here is trusted more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

__all__ = ["HIGHEST", "LOWEST", "Survey", "odds_of_error"]

MOST_HEADS = 50
"""Data that a rule was not learned from are never quite the same: it is not trusted as if it rested on more heads."""

DIFFERENT = 0.1
"""So often a rule has nothing to do with what it was on the data, and any c is as good as another."""

LOWEST, HIGHEST = 0.01, 0.97
"""No share of known facts is thought to be lower, or higher."""

GRID = np.linspace(0.005, 0.995, 100)
"""The values of c that are looked at."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Survey:
    """What one rule, or several, expect of evidence: the heads that they cover, and how many of these are given."""

    covered: float = 0
    given: float = 0
    expected: float = 0.0
    """Of the heads that are covered, those that should be true."""
    variance: float = 0.0
    """Of that number: how often rules are right was seen on the heads that they rest on, and may be otherwise here."""

    @classmethod
    def of(cls, covered: float, given: float, confidence: float, heads: float) -> Survey:
        """What a rule expects that rests on so many heads.

        >>> one = Survey.of(100, 30, 0.6, 1000)
        >>> one.expected, round(one.doubt, 2)
        (60.0, 0.11)
        """
        spread = confidence * (1 - confidence) / min(max(heads, 1), MOST_HEADS)
        return cls(covered, given, confidence * covered, spread * covered * covered)

    @property
    def share_given(self) -> float:
        """How much of what should be true is given; with little to go by, little."""
        return min(max((self.given + 0.4) / (self.expected + 2), LOWEST), HIGHEST)

    @property
    def doubt(self) -> float:
        """The standard error of the share, as a part of it: where one rule says it all, that rule may be worse here."""
        return sqrt(self.variance) / (self.expected + 2)

    def __mul__(self, weight: float) -> Survey:
        return Survey(
            self.covered * weight, self.given * weight, self.expected * weight, self.variance * weight * weight
        )

    def __add__(self, other: Survey) -> Survey:
        return Survey(
            self.covered + other.covered,
            self.given + other.given,
            self.expected + other.expected,
            self.variance + other.variance,
        )


def odds_of_error(
    confidences: Sequence[float], heads: Sequence[int], surveys: Sequence[Survey], shares: Sequence[float]
) -> list[float]:
    """For each rule, the odds that it errs here, divided by those on the data, where it rested on so many heads.

    >>> [round(one, 1) for one in odds_of_error([0.8, 0.8], [10, 1000], [Survey(100, 10, 80)] * 2, [0.5, 0.5])]
    [12.0, 12.2]
    >>> [round(one, 1) for one in odds_of_error([0.8], [10], [Survey(2, 1, 1.6)], [0.5])]
    [0.9]
    """
    if not surveys:
        return []
    mean, strength = np.array(confidences), np.minimum(np.array(heads), MOST_HEADS) + 1.0
    logs = np.outer(mean * strength - 1, np.log(GRID)) + np.outer((1 - mean) * strength - 1, np.log(1 - GRID))
    before = (1 - DIFFERENT) * _normal(logs) + DIFFERENT / len(GRID)
    given = np.array([survey.given for survey in surveys])
    missing = np.array([survey.covered for survey in surveys]) - given
    told = np.outer(given, np.log(GRID)) + missing[:, None] * np.log(1 - np.outer(shares, GRID))
    return [float(odds) for odds in _odds(_normal(np.log(before) + told)) / _odds(before)]


def _normal(logs: Numbers) -> Numbers:
    """Distributions over the grid, from their logarithms but for a constant."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    normal: Numbers = weights / weights.sum(axis=1, keepdims=True)
    return normal


def _odds(weights: Numbers) -> Numbers:
    """The odds of error at the mean of each distribution."""
    odds: Numbers = 1 / (weights @ GRID) - 1
    return odds
