"""How many facts there are for each constant that they mention: another way to see which share of all facts is known.

What rules expect shows a share as well, but where rules are worse than they were on the data, it looks as if less were
known than is, and that is just where they do harm. How much is said of each thing does not depend on any rule.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from math import exp, log

import numpy as np

from possilog.data import Database
from possilog.data.rows import distinct
from possilog.inference.surveys import HIGHEST, LOWEST
from possilog.logic import Measures

__all__ = ["Density", "facts_each", "interpolated", "log_odds"]


def facts_each(facts: Database) -> float:
    """How many facts there are for each constant that they mention.

    >>> from possilog.logic import parse_atom
    >>> facts_each(Database.of(map(parse_atom, ["bird(tom)", "sings(tom)", "bird(ann)"]), constants=["max"]))
    1.5
    """
    columns = [facts.rows(predicate).ravel() for predicate in facts.predicates]
    mentioned = distinct(np.concatenate(columns)) if columns else ()
    return len(facts) / max(len(mentioned), 1)


class Density:
    """Shares by what is said of each thing, as it was measured when a theory was learned."""

    def __init__(self, measures: Measures) -> None:
        """Take what was measured; where that was not, nothing is said of shares."""
        self._measures = measures

    def share(self, facts: Database) -> float:
        """The share of all facts that some facts seem to be."""
        return _within(interpolated(facts_each(facts), *self._curve))

    def combined(self, by_rules: float, facts: Database) -> float:
        """The share between that by what rules expect and that by how much is said of each thing."""
        weight = self._measures.dense_weight
        if not self._measures.dense or not weight:
            return by_rules
        odds = weight * log_odds(self.share(facts)) + (1 - weight) * log_odds(_within(by_rules))
        return 1 / (1 + exp(-odds))

    @cached_property
    def _curve(self) -> tuple[Sequence[float], Sequence[float]]:
        """How much is said of each thing, and the share; it goes on to where all is known."""
        shares, dense = self._measures.shares, list(np.maximum.accumulate(self._measures.dense).tolist())
        if len(shares) < 2 or shares[-1] >= 1:
            return dense, shares
        rise = (dense[-1] - dense[-2]) / (shares[-1] - shares[-2])
        return [*dense, dense[-1] + rise * (1 - shares[-1])], [*shares, 1.0]


def interpolated(at: float, places: Sequence[float], values: Sequence[float]) -> float:
    """A value between those at rising places, and the first or the last one beyond; numpy is slow for a single one.

    >>> [interpolated(at, (0.2, 0.6), (1, 3)) for at in (0, 0.5, 1)]
    [1, 2.5, 3]
    """
    place = bisect_right(places, at)
    if place in (0, len(places)):
        return values[place and -1]
    low, high = places[place - 1], places[place]
    return values[place - 1] + (values[place] - values[place - 1]) * ((at - low) / (high - low))


def log_odds(share: float) -> float:
    """The logarithm of the odds."""
    return log(share / (1 - share))


def _within(share: float) -> float:
    return min(max(share, LOWEST), HIGHEST)
