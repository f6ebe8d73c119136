"""Rules whose body is two paths between the same two constants, h(X, Y) if one leads from X to Y and so does the other.

For each head, a matrix says which of its paths connect which pairs. Its product with its own transpose counts, for all
two paths at once, the pairs that both connect; the same columns weighted say how many of these are facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline
from possilog.structure.paths.closed import EXAMPLES, PathRules, often_enough
from possilog.structure.paths.graph import Bytes, Graph, Ints, Longs

__all__ = ["ConjunctionRules", "PairKeys", "conjunctions"]

AT_ONCE = 1 << 22
"""Numbers in a matrix, at most: larger ones are taken in blocks of columns. Between two the time may be over."""

LARGEST_SUM = 1 << 24
"""Up to here every whole number is a 32-bit float."""

MOST_KEPT = 50_000_000
"""Pairs that are kept, at most; then all are forgotten."""


@dataclass(frozen=True, slots=True)
class ConjunctionRules:
    """Rules of one head, in columns: the numbers of their two paths in a list of rules, and the counts."""

    head: int
    rules: PathRules
    first: Ints
    second: Ints
    support: Longs
    size: Longs
    known: Longs
    """The pairs that are known at the first argument, at the second, and at either."""
    right: Sequence[Longs]
    """The facts that each path gives, as numbers."""
    lone: Sequence[Longs]
    """The pairs that each path connects in one way only, with the constant between."""

    def examples(self, number: int, nodes: int) -> Ints:
        """A few facts that a rule gives."""
        one, other = int(self.first[number]), int(self.second[number])
        same = np.intersect1d(self.lone[one], self.lone[other], assume_unique=True) // nodes
        found = np.intersect1d(self.right[one], self.right[other], assume_unique=True)
        found = found[~np.isin(found, same)][:EXAMPLES]
        return np.column_stack([found // nodes, found % nodes]).astype(np.int32)

    def __len__(self) -> int:
        return len(self.first)

    def paths(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The two paths of a rule."""
        one, other = (self.rules.path[int(side[number])].tolist() for side in (self.first, self.second))
        return tuple(code for code in one if code >= 0), tuple(code for code in other if code >= 0)


def conjunctions(
    graph: Graph,
    rules: PathRules,
    min_support: int,
    min_confidence: float,
    *,
    only_better: bool,
    stop: Deadline = NEVER,
) -> Iterator[ConjunctionRules]:
    """The conjunctions of two of some rules with one head: all, or the longer ones that are better than either.

    OutOfTime as soon as ``stop`` says so.
    """
    keys = PairKeys(graph)
    begins = graph.begins()
    for head in stop.each(distinct(rules.head).tolist()):
        of_head = rules[rules.head == head]
        if len(of_head) > 1:
            found = _of_head(graph, keys, begins, of_head, (min_support, min_confidence), only_better, stop)
            if len(found):
                yield found


class PairKeys:
    """The pairs that paths connect, each as one number."""

    def __init__(self, graph: Graph) -> None:
        """Take the graph; paths are walked when they are asked for."""
        self._graph = graph
        self._size = 0
        self._known: dict[tuple[int, ...], tuple[Longs, Longs]] = {}

    def pairs(self, path: Sequence[int]) -> tuple[Longs, Longs]:
        """The pairs of a path; and with the constant between them, those that are connected through one only."""
        key = tuple(code for code in path if code >= 0)
        if key not in self._known:
            first, second, witness = self._graph.pairs_of(key)
            pairs = first.astype(np.int64) * self._graph.nodes + second
            alone = witness >= 0
            self._size += len(pairs)
            if self._size > MOST_KEPT:
                self._known.clear()
                self._size = len(pairs)
            self._known[key] = pairs, pairs[alone] * self._graph.nodes + witness[alone]
        return self._known[key]


class _Weights:
    """What is counted of pairs: all of them, facts, and those known at the first argument, the second, or either."""

    def __init__(self, graph: Graph, begins: Bytes, head: int, facts: Longs) -> None:
        self._nodes, self._facts = max(graph.nodes, 1), facts
        self._first, self._second = begins[2 * head] == 1, begins[2 * head + 1] == 1

    def counted(self, pairs: Longs) -> npt.NDArray[np.bool_]:
        """A row for each count."""
        first, second = self._first[pairs // self._nodes], self._second[pairs % self._nodes]
        return np.stack([np.ones(len(pairs), dtype=bool), np.isin(pairs, self._facts), first, second, first | second])


def _of_head(
    graph: Graph,
    keys: PairKeys,
    begins: Bytes,
    rules: PathRules,
    limits: tuple[int, float],
    only_better: bool,
    stop: Deadline,
) -> ConjunctionRules:
    least, share = limits
    head, nodes = int(rules.head[0]), max(graph.nodes, 1)
    facts, _ = keys.pairs((2 * head,))
    bodies, lone = zip(*map(keys.pairs, stop.each(rules.path.tolist())), strict=True)
    weights = _Weights(graph, begins, head, facts)
    pairs, through = distinct(np.concatenate(bodies)), distinct(np.concatenate(lone))
    # Distinct variables: two paths that both have but one way, through the same constant, do not go together.
    totals = zip(
        _products(bodies, pairs, weights.counted(pairs), stop),
        _products(lone, through, weights.counted(through // nodes), stop),
        strict=True,
    )
    size, support, *known = [every - same for every, same in totals]
    own = rules.support / rules.size
    good = (support >= max(least, 1)) & often_enough(support, size, share)
    if only_better:
        longer = (rules.path >= 0).sum(axis=1) > 1
        good &= (longer[:, None] | longer) & (support / np.maximum(size, 1) > np.maximum(own[:, None], own))
    first, second = np.nonzero(np.triu(good, 1))
    return ConjunctionRules(
        head,
        rules,
        first.astype(np.int32),
        second.astype(np.int32),
        support[first, second],
        size[first, second],
        np.stack([table[first, second] for table in known], axis=1),
        [np.intersect1d(body, facts, assume_unique=True) for body in bodies],
        lone,
    )


def _products(bodies: Sequence[Longs], pairs: Longs, weights: npt.NDArray[np.bool_], stop: Deadline) -> list[Longs]:
    """For each row of weights and any two bodies: the weight of the pairs that both have."""
    places = [np.searchsorted(pairs, body) for body in bodies]
    totals = [np.zeros((len(bodies), len(bodies)), dtype=np.int64) for _ in weights]
    step = max(1, min(AT_ONCE // len(bodies), LARGEST_SUM))
    # Several threads would mostly wait for each other, and on a busy machine that takes ten times as long.
    with threadpool_limits(1, user_api="blas"):
        for begin in stop.each(range(0, len(pairs), step)):
            end = min(begin + step, len(pairs))
            block = np.zeros((len(bodies), end - begin), dtype=np.float32)
            for row, place in enumerate(places):
                block[row, place[np.searchsorted(place, begin) : np.searchsorted(place, end)] - begin] = 1
            for total, weight in zip(totals, weights[:, begin:end], strict=True):
                total += np.rint((block * weight) @ block.T).astype(np.int64)
    return totals
