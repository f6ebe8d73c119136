"""Rules about one variable that name constants, the acyclic kinds of AnyBURL, with their counts, exactly.

A feature of X is a link to a named constant, r(X, c) or r(c, X). Rules say which features follow from which: from
another feature, ``r(X, c) :- s(X, d)``, from any link of a relation, ``r(X, c) :- s(X, Y)``, or, with bodies of two
atoms, from where a link leads, ``r(X, c) :- s(X, Z), t(Z, d)`` and ``r(X, c) :- s(X, Z), t(Z, Y)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline
from possilog.structure.paths.closed import EXAMPLES, often_enough
from possilog.structure.paths.graph import Bytes, Graph, Ints, Longs
from possilog.structure.paths.kernel import count_meetings

__all__ = ["Acyclic", "AcyclicRules"]


@dataclass(frozen=True, slots=True)
class AcyclicRules:
    """Rules of one body, in columns: the heads' codes and constants, and the counts."""

    path: tuple[int, ...]
    """The codes of the body, from X on."""
    end: int
    """The constant at which the body ends; -1 for any."""
    size: int
    head: Ints
    constant: Ints
    support: Longs
    known: Longs
    """How many of the body's constants have some fact of the head's relation where the head has X."""
    head_size: Longs
    """The facts that the heads match."""
    examples: Ints


class _Features:
    """Which constants have which features that a head may be about."""

    def __init__(self, graph: Graph, least: int, heads: Bytes) -> None:
        """Take features that enough constants have. The graph has facts with equal arguments too."""
        keys = graph.code.astype(np.int64) * graph.nodes + graph.second
        codes, which, members = np.unique(keys, return_inverse=True, return_counts=True)
        may_be_head = (members >= least) & (heads[codes // max(graph.nodes, 1) // 2] == 1)
        number = np.cumsum(may_be_head) - 1
        kept = may_be_head[which]
        order = np.argsort(graph.first[kept], kind="stable")
        self.of_node = number[which[kept][order]].astype(np.int32)
        self.at = np.searchsorted(graph.first[kept][order], np.arange(graph.nodes + 1)).astype(np.int32)
        self.code = (codes[may_be_head] // max(graph.nodes, 1)).astype(np.int32)
        self.constant = (codes[may_be_head] % max(graph.nodes, 1)).astype(np.int32)
        self.members = members[may_be_head]
        self._counts = np.zeros(len(self.code), dtype=np.int32)
        self._touched = np.zeros(len(self.code), dtype=np.int32)
        self.examples = np.zeros((len(self.code), EXAMPLES), dtype=np.int32)

    def met_by(self, members: Ints) -> tuple[Ints, Ints]:
        """The features that some constants have, and how many of them have each."""
        number = count_meetings(members, self.at, self.of_node, self._counts, self._touched, self.examples)
        met = np.sort(self._touched[:number])
        counts = self._counts[met]
        self._counts[met] = 0
        return met, counts


class Acyclic:
    """All such rules of a graph; OutOfTime as soon as ``stop`` says so."""

    def __init__(
        self, graph: Graph, min_support: int, min_confidence: float, heads: Bytes, stop: Deadline = NEVER
    ) -> None:
        """Take the graph, what a rule needs, and which relations it may be about."""
        self._graph, self._least, self._share, self._stop = graph, min_support, min_confidence, stop
        # Distinct variables have to differ from each other, not from the constants that a rule names.
        self._whole = graph.whole
        self._features = _Features(self._whole, min_support, heads)
        self._begins = self._whole.begins()

    def rules(self, body: int, codes: Sequence[int]) -> Iterator[AcyclicRules]:
        """The rules with up to ``body`` atoms in the body, the first of which has one of some codes."""
        features = self._features
        for path, end, members in _bodies(self._graph, self._whole, codes, body, self._least, self._stop):
            met, support = features.met_by(members)
            itself = (features.code[met] == path[0]) & (features.constant[met] == end) & (len(path) == 1)
            good = (support >= self._least) & often_enough(support, len(members), self._share) & ~itself
            if good.any():
                met, support = met[good], support[good]
                # Many features share a relation, and whole rows for each of them would be gigabytes.
                heads, of_head = np.unique(features.code[met], return_inverse=True)
                known = self._begins[np.ix_(heads, members)].sum(axis=1, dtype=np.int64)[of_head]
                examples = features.examples[met]
                examples[np.arange(EXAMPLES) >= support[:, None]] = -1
                yield AcyclicRules(
                    path,
                    end,
                    len(members),
                    features.code[met],
                    features.constant[met],
                    support.astype(np.int64),
                    known,
                    features.members[met],
                    examples,
                )


def _bodies(
    graph: Graph, whole: Graph, codes: Sequence[int], length: int, least: int, stop: Deadline
) -> Iterator[tuple[tuple[int, ...], int, Ints]]:
    """Paths that end at a constant, or anywhere (-1), and the constants that they begin at, where these are enough."""
    for code in stop.each(codes):
        first, _ = graph.pairs(code)
        yield from _if_many((code,), -1, distinct(first), least)
        yield from _by_end((code,), *whole.pairs(code), least)
        if length == 1:
            continue
        walk = graph.walk(code)
        for other in stop.each(whole.following(walk)):
            yield from _if_many((code, other), -1, graph.longer(walk, other).forwards.source, least)
            pairs = whole.extended(walk, other)
            yield from _by_end((code, other), pairs[0], pairs[1], least)


def _by_end(
    path: tuple[int, ...], first: Ints, second: Ints, least: int
) -> Iterator[tuple[tuple[int, ...], int, Ints]]:
    order = np.argsort(second, kind="stable")
    ends, begins, number = np.unique(second[order], return_index=True, return_counts=True)
    for end, begin, many in zip(ends.tolist(), begins.tolist(), number.tolist(), strict=True):
        if many >= least:
            yield path, end, first[order[begin : begin + many]]


def _if_many(path: tuple[int, ...], end: int, members: Ints, least: int) -> Iterator[tuple[tuple[int, ...], int, Ints]]:
    if len(members) >= least:
        yield path, end, np.ascontiguousarray(members)
