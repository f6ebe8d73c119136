"""Which constants do facts link? Two are linked where they are the two arguments of one fact, either way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database

__all__ = ["Linked"]


class Linked:
    """The pairs of constants that some facts link, and how many facts link each.

    >>> from possilog.data.taking import facts_of
    >>> facts = facts_of(["knows(ann, bob)", "likes(bob, ann)", "likes(ann, eve)"])
    >>> Linked(facts).facts(np.array([0, 1, 1]), np.array([1, 0, 2]))
    array([2, 2, 0])
    """

    def __init__(self, database: Database) -> None:
        """Look through the facts with two arguments."""
        self._size = max(len(database.constants), 1)
        columns = [database.rows(predicate) for predicate in database.predicates if predicate.arity == 2]
        pairs = np.concatenate([np.empty((2, 0), np.int32), *columns], axis=1)
        found, facts = np.unique(self._either_way(pairs[0], pairs[1]), return_counts=True)
        # The first is none, so that each pair that is looked for has one before it.
        self._pairs: npt.NDArray[np.int64] = np.concatenate([[-1], found])
        self._facts: npt.NDArray[np.int64] = np.concatenate([[0], facts])

    def facts(self, first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many facts link the constants of each pair."""
        sought = self._either_way(first, second)
        place = np.searchsorted(self._pairs, sought, side="right") - 1
        return np.where(self._pairs[place] == sought, self._facts[place], 0)

    def _either_way(self, first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """A number for each pair, the same for both ways."""
        less, more = np.minimum(first, second), np.maximum(first, second)
        found: npt.NDArray[np.int64] = less.astype(np.int64) * self._size + more
        return found
