"""The rules that may be chosen for each relation of a graph: the best mined ones, with what they conclude."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.learning.graph.named import NamedRules
from possilog.learning.graph.plan import MANY_FACTS
from possilog.logic.measures import PRIOR
from possilog.structure.paths.acyclic import AcyclicRules
from possilog.structure.paths.closed import PathRules
from possilog.structure.paths.conjunctions import ConjunctionRules, PairKeys, conjunctions
from possilog.structure.paths.graph import Graph
from possilog.structure.paths.miners import Miners, Mining, shared_out
from possilog.structure.paths.spelling import Speller
from possilog.workers import Jobs

__all__ = ["LEAST", "USUAL", "Candidates", "PathCandidate", "Wanted"]

Longs = npt.NDArray[np.int64]

USUAL, LEAST = (3, 0.02), (2, 0.01)
"""A rule's least support and confidence, if nobody says otherwise: in general, and where all rules of a large graph are
taken. In small graphs all is connected with all, and there would be too many."""

LONG = 3
"""Paths of so many atoms are a kind by themselves."""

BARE = 10
"""Rules without a body of each relation and direction, where all rules are taken."""

STEPS = 3_000_000
"""Steps of paths that are in memory at a time, a quarter of a gigabyte: with more it takes no less time."""

CONJOINED = 120
"""Paths of a relation that may be conjoined, the most confident ones."""


@dataclass(frozen=True, slots=True)
class PathCandidate:
    """A rule, how often it is right, and what gives the pairs that it concludes."""

    text: str
    true: int
    size: int
    atoms: int
    """Those of the body."""
    pairs: Callable[[], Longs]

    @property
    def confidence(self) -> float:
        """As ranking has it."""
        return self.true / (self.size + PRIOR)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is mined for the choice."""

    body: int = 2
    constants: bool = True
    conjoin: bool = False
    min_support: int = USUAL[0]
    min_confidence: float = USUAL[1]
    most: int | None = 150
    """So many of the most confident rules of a relation may be chosen, and so many of those that give most facts; None
    where all are taken. Then one that names a constant has to give a fact that no better one about it gives."""


class Candidates:
    """Mines a graph once, and gives the candidates of each relation."""

    def __init__(self, graph: Graph, wanted: Wanted, stop: Deadline = NEVER, jobs: Jobs = 1) -> None:
        """Mine, for at most half of the time. OutOfTime if it is over before that."""
        stop.check()  # a large graph takes seconds to lay out
        self.graph, self.wanted, self._stop = graph, wanted, stop
        self._whole = graph.whole
        self.keys = PairKeys(graph)
        self._speller = Speller(graph)
        self.finished = True
        """Was everything mined that is wanted?"""
        half, limits = stop.part(0.5), (wanted.min_support, wanted.min_confidence)
        paths = [methodcaller("closed", length) for length in range(1, wanted.body + 1)]
        # The longest take most of the time, and the others should be there when it is over.
        parts: list[PathRules] = self._mined(paths[: LONG - 1], limits, half, jobs)
        named = [methodcaller("acyclic", 1)] * wanted.constants
        bodies: list[AcyclicRules] = self._mined(named, self._least, half, jobs)
        parts += self._mined(paths[LONG - 1 :], limits, half, jobs)
        self._closed = PathRules.joined(parts)
        self._with_constants = NamedRules(graph, bodies)
        self.mined = len(self._closed) + len(self._with_constants)

    @property
    def _least(self) -> tuple[int, float]:
        """What a rule with a constant needs: it is no general rule, and has to be right more often, about more."""
        support, confidence = self.wanted.min_support, self.wanted.min_confidence
        if confidence <= LEAST[1]:
            return support, confidence
        is_large = len(self.graph.code) > 2 * MANY_FACTS and self.wanted.most is not None
        return max(10 if is_large else 0, support), max(0.1, confidence)

    def _mined(
        self, kinds: Sequence[Callable[[Miners], list[Any]]], limits: tuple[int, float], stop: Deadline, jobs: Jobs
    ) -> list[Any]:
        """What is found of some kinds, until the time is over."""
        every = np.ones(len(self.graph.predicates), dtype=np.uint8)
        found: list[Any] = []
        try:
            with shared_out(Mining(self.graph, every, *limits, stop, STEPS), jobs if kinds else 1) as miners:
                for kind in kinds:
                    found += kind(miners)
        except OutOfTime:
            self.finished = False
        return found

    def of_relation(self, relation: int, few: int | None = None) -> list[PathCandidate]:
        """The candidates of a relation, the most confident first; or a few of each kind, which takes little time."""
        most = few or self.wanted.most
        # Each kind by itself: the longer a body may be, the more rules there are, and they would crowd out the short.
        lengths = (self._closed.path >= 0).sum(axis=1)
        found = [*self._paths(relation, lengths < LONG, most), *self._paths(relation, lengths >= LONG, most)]
        found += self._named(relation, most)
        if most is None and self.wanted.constants:
            found += [rule for code in (2 * relation, 2 * relation + 1) for rule in self._bare(code)]
        if self.wanted.conjoin:
            both = list(self._conjoined(relation))
            found += [both[n] for n in _best([rule.true for rule in both], [rule.size for rule in both], most)]
        return sorted(found, key=lambda rule: (-rule.confidence, rule.text))

    def _paths(self, relation: int, kind: npt.NDArray[np.bool_], most: int | None) -> Iterator[PathCandidate]:
        rows = np.flatnonzero((self._closed.head == relation) & kind)
        for row in rows[_best(self._closed.support[rows], self._closed.size[rows], most)].tolist():
            path = tuple(code for code in self._closed.path[row].tolist() if code >= 0)
            text = self._speller.closed(relation, path)
            counts = int(self._closed.support[row]), int(self._closed.size[row])
            yield PathCandidate(text, *counts, len(path), partial(self._pairs, path))

    def _pairs(self, path: tuple[int, ...]) -> Longs:
        return self.keys.pairs(path)[0]

    def _conjoined(self, relation: int) -> Iterator[PathCandidate]:
        rules = self._closed[(self._closed.head == relation) & (self._closed.path[:, 2:] < 0).all(axis=1)]
        rules = rules[np.argsort(-rules.support / (rules.size + PRIOR), kind="stable")[:CONJOINED]]
        limits = self.wanted.min_support, max(0.1, self.wanted.min_confidence)
        found: list[ConjunctionRules] = []
        with suppress(OutOfTime):
            found += conjunctions(self.graph, rules, *limits, only_better=True, stop=self._stop)
        for both in found:
            for number in range(len(both)):
                paths = both.paths(number)
                counts = int(both.support[number]), int(both.size[number])
                text, atoms = self._speller.closed(relation, *paths), sum(map(len, paths))
                yield PathCandidate(text, *counts, atoms, partial(self._both, paths))

    def _both(self, paths: tuple[tuple[int, ...], tuple[int, ...]]) -> Longs:
        (one, lone), (other, also_lone) = map(self.keys.pairs, paths)
        same = np.intersect1d(lone, also_lone, assume_unique=True) // max(self.graph.nodes, 1)
        return np.setdiff1d(np.intersect1d(one, other, assume_unique=True), same)

    def _named(self, relation: int, most: int | None) -> Iterator[PathCandidate]:
        rules = self._with_constants
        if most is None:
            rows = rules.new(relation)
        else:
            rows = rules.about(relation).astype(np.int64)
            rows = rows[_best(rules.support[rows], rules.size(rows), most)]
        for row, size in zip(rows.tolist(), rules.size(rows).tolist(), strict=True):
            code, constant, body = int(rules.head[row]), int(rules.constant[row]), int(rules.of_body[row])
            path, end = int(rules.path[body]), int(rules.end[body])
            text = self._speller.acyclic(code, constant, (path,), end)
            members = partial(self._members, path, end, code, constant)
            yield PathCandidate(text, int(rules.support[row]), size, 1, members)

    def _bare(self, code: int) -> Iterator[PathCandidate]:
        """Rules that link everything to one of the constants to which most is linked: the last to be asked."""
        second = self._whole.pairs(code)[1]
        facts = np.bincount(second, minlength=self.graph.nodes)
        for constant in np.argsort(-facts, kind="stable")[:BARE].tolist():
            if facts[constant] >= self.wanted.min_support:
                pairs = partial(_linked_to, constant, code, self.graph.nodes)
                yield PathCandidate(
                    self._speller.bare(code, constant), int(facts[constant]), self.graph.nodes, 0, pairs
                )

    def _members(self, path: int, end: int, code: int, constant: int) -> Longs:
        graph = self.graph if end < 0 else self._whole
        first, second = graph.pairs(path)
        found = distinct(first if end < 0 else first[second == end]).astype(np.int64)
        nodes = graph.nodes
        return np.asarray(found * nodes + constant if code % 2 == 0 else constant * nodes + found)


def _linked_to(constant: int, code: int, nodes: int) -> Longs:
    """All pairs of a constant, as a code leads to it."""
    every = np.arange(nodes, dtype=np.int64)
    return every * nodes + constant if code % 2 == 0 else constant * nodes + every


def _best(support: npt.ArrayLike, size: npt.ArrayLike, most: int | None) -> npt.NDArray[np.intp]:
    """The most confident rules, and those that give most facts, so many of each; all of them without a number."""
    support = np.asarray(support, dtype=np.float64)
    confidence = support / (np.asarray(size) + PRIOR)
    orders = (np.argsort(-value, kind="stable")[:most] for value in (confidence, support * confidence))
    return distinct(np.concatenate(list(orders)))
