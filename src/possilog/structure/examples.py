"""The positive and negative examples for a predicate (section Constructing Training Examples)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from possilog.chance import generator
from possilog.data import Database
from possilog.logic import Predicate
from possilog.structure.consistency import Consistency
from possilog.structure.negatives import Negatives, find_negatives

__all__ = ["Examples", "make_examples"]


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Heads with distinct arguments, true ones first, and what one of each kind counts for."""

    heads: npt.NDArray[np.int32]
    positives: int
    positive_weight: float
    negative_weight: float
    negatives: Negatives

    def accuracy(self, positives: int, negatives: int) -> float:
        """The weighted accuracy of a rule that covers this many of either kind (section Learning Horn Rules)."""
        all_negatives = len(self.heads) - self.positives
        right = self.positive_weight * positives + self.negative_weight * (all_negatives - negatives)
        return right / (self.positive_weight * self.positives + self.negative_weight * all_negatives)


def make_examples(
    consistency: Consistency, predicate: Predicate, *, negatives: int, positives: int, seed: int
) -> Examples:
    """At most this many examples of either kind.

    The negatives are those that are given; where none are, those that the hard rules do not explain.
    """
    true = distinct_heads(consistency.database, predicate)
    chosen = true
    if len(true) > positives:
        numbers = generator(seed, "positives", predicate.name).choice(len(true), positives, replace=False)
        chosen = true[np.sort(numbers)]
    false = _denied(consistency.database, predicate, negatives, seed)
    if false is None:
        false = find_negatives(consistency, predicate, negatives, seed)
    heads = np.concatenate([chosen, false.rows.reshape(-1, predicate.arity)])
    return Examples(heads, len(chosen), len(true) / max(len(chosen), 1), false.weight, false)


def _denied(database: Database, predicate: Predicate, count: int, seed: int) -> Negatives | None:
    """What is said to be false, at most this many; None where nothing is, so that negatives have to be found."""
    rows = _distinct(database.denied_rows(predicate).T)
    total = len(rows)
    if not total:
        return None
    if total > count:
        chosen = generator(seed, "denied", predicate.name).choice(total, count, replace=False)
        rows = rows[np.sort(chosen)]
    return Negatives(predicate, rows, total, True, (total, total), total, 0)


def distinct_heads(database: Database, predicate: Predicate) -> npt.NDArray[np.int32]:
    """The facts whose arguments are distinct: under object identity no rule's head P(X1, …, Xm) covers another."""
    return _distinct(database.rows(predicate).T)


def _distinct(rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    ordered = np.sort(rows, axis=1)
    return np.ascontiguousarray(rows[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)])
