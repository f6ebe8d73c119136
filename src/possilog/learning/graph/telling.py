"""Of the rules that name constants, those that tell something: a fact that no better rule with the same head gives.

Where all rules of a graph are wanted there are millions of these, and most of them say what others say. Without those,
the rest rank better, since nothing is counted twice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from possilog.learning.graph.kernel import mark_new
from possilog.structure.paths.graph import Graph, Ints, Longs

__all__ = ["Telling"]


class Telling:
    """The bodies of such rules, and the constants that each of them is true of."""

    def __init__(self, graph: Graph, path: Ints, end: Ints) -> None:
        """Lay them out. Bodies have one atom each, and end at a constant, or anywhere (-1)."""
        whole = graph.whole
        self._nodes = max(graph.nodes, 1)
        self._keys = whole.code.astype(np.int64) * self._nodes + whole.first
        self._members = np.concatenate([whole.second, graph.row_source])
        code, constant = path.astype(np.int64), end.astype(np.int64)
        row_at = graph.row_at.astype(np.int64) + len(whole.second)
        anything = constant < 0
        links = self._links_to(code, constant)
        self._begin = np.where(anything, row_at[code], links[0])
        self._end = np.where(anything, row_at[code + 1], links[1])

    def _links_to(self, code: Longs, constant: Longs) -> tuple[Longs, Longs]:
        """Where the links of codes to constants begin and end: they are those of the way back that begin there."""
        sought = (code ^ 1) * self._nodes + constant
        return np.searchsorted(self._keys, sought, "left"), np.searchsorted(self._keys, sought, "right")

    def new(self, body: Ints, code: Ints, constant: Ints, confidence: npt.NDArray[np.float64]) -> Longs:
        """The rules, by the number of the body and the head's link, that tell something new; they rise."""
        order = np.lexsort((-confidence, constant, code))
        body = body[order]
        is_new = np.zeros(len(order), dtype=np.uint8)
        told = np.ones(self._nodes, dtype=np.uint8)
        facts = self._links_to(code[order].astype(np.int64), constant[order].astype(np.int64))
        mark_new(self._begin[body], self._end[body], self._members, *facts, told, is_new)
        return np.sort(order[is_new == 1])
