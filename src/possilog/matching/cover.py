"""Which heads do bodies cover? The same question for very many bodies, as rule learning asks it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.logic import Predicate
from possilog.matching.kernel import Search
from possilog.matching.matcher import cover
from possilog.matching.plan import Planner

__all__ = ["Body", "Cover"]

Body = Sequence[tuple[Predicate, tuple[int, ...]]]
"""Atoms in numbers: the head's variables count from 0, the others follow without a gap."""


class Cover:
    """Answers for fixed heads, given as rows of numbers. One search is used again and again."""

    def __init__(self, database: Database, heads: npt.NDArray[np.int32]) -> None:
        self._planner = Planner(database)
        self._search = Search()
        self._heads = np.ascontiguousarray(heads, dtype=np.int32)

    def covered(self, body: Body, among: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """For each of the heads with these numbers: do its values extend to a match of the body?"""
        width = self._heads.shape[1]
        variables = max((a + 1 for _, arguments in body for a in arguments), default=0)
        literals = [(predicate, arguments, True) for predicate, arguments in body]
        plan = self._planner.plan(literals, max(variables, width), range(width), search=self._search)
        if plan.search is None:
            return np.full(len(among), plan.possible)
        return cover(plan.search, self._heads[among])
