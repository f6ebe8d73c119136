"""Rules that name constants, by the million: in columns of four bytes each, and looked at a part at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from possilog.learning.graph.telling import Telling
from possilog.logic.measures import PRIOR
from possilog.structure.paths.acyclic import AcyclicRules
from possilog.structure.paths.graph import Graph, Ints, Longs

__all__ = ["NamedRules"]

AT_ONCE = 1 << 21
"""Rules of which it is told at a time whether they tell something new, about."""

_NONE = np.empty(0, dtype=np.int32)


class NamedRules:
    """Rules with one atom in the body, and the relations that they are about."""

    def __init__(self, graph: Graph, bodies: Sequence[AcyclicRules]) -> None:
        """Take their columns, and nothing else of the mined ones: these can go."""
        lengths = [len(rules.head) for rules in bodies]
        self.path = np.array([rules.path[0] for rules in bodies], dtype=np.int32)
        self.end = np.array([rules.end for rules in bodies], dtype=np.int32)
        """The constant at which a body ends; -1 for any."""
        self.of_body = np.repeat(np.arange(len(bodies), dtype=np.int32), lengths)
        self.head = np.concatenate([_NONE, *(rules.head for rules in bodies)])
        self.constant = np.concatenate([_NONE, *(rules.constant for rules in bodies)])
        self.support = np.concatenate([_NONE, *(rules.support.astype(np.int32) for rules in bodies)])
        self._sizes = np.array([rules.size for rules in bodies], dtype=np.int32)
        self._by_relation = self._dealt(len(graph.predicates))
        self._telling = Telling(graph, self.path, self.end)

    def _dealt(self, relations: int) -> list[Ints]:
        """The rules that are about each relation, without those that use the fact that they predict."""
        anything = np.where(self.end < 0, self.path, -1)
        rows = np.flatnonzero(anything[self.of_body] != self.head).astype(np.int32)
        relation = (self.head[rows] // 2).astype(np.uint16 if relations < 1 << 16 else np.int32)
        rows = rows[np.argsort(relation, kind="stable")]
        return np.split(rows, np.cumsum(np.bincount(relation, minlength=relations))[:-1])

    def __len__(self) -> int:
        return len(self.head)

    def about(self, relation: int) -> Ints:
        """The numbers of the rules about a relation."""
        return self._by_relation[relation]

    def size(self, rows: npt.NDArray[np.integer]) -> Ints:
        """How many heads some rules give."""
        sizes: Ints = self._sizes[self.of_body[rows]]
        return sizes

    def new(self, relation: int) -> Longs:
        """Those about a relation that give a fact which no better one with the same head gives; they rise."""
        found = [_NONE]
        for rows in self._parts(self._by_relation[relation]):
            link = self.of_body[rows], self.head[rows], self.constant[rows]
            found.append(rows[self._telling.new(*link, self.support[rows] / (self.size(rows) + PRIOR))])
        return np.sort(np.concatenate(found)).astype(np.int64)

    def _parts(self, rows: Ints) -> Iterator[Ints]:
        """Some rules in parts, those about one constant together: to put all of them in order would take gigabytes."""
        constants, many = np.unique(self.constant[rows], return_counts=True)
        part_of = np.zeros(int(constants.max(initial=0)) + 1, dtype=np.int32)
        part_of[constants] = np.cumsum(many) // AT_ONCE
        part = part_of[self.constant[rows]]
        for number in range(int(part.max(initial=-1)) + 1):
            yield rows[part == number]
