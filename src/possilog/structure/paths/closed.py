"""All closed path rules: h(X, Y) if some path leads from X to Y, with their counts, exactly.

First the supports of all rules with the same path but for its last step are counted at once, by triangles; then, for
the few bodies that have a head with enough support, the pairs that they connect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain

import numpy as np
import numpy.typing as npt

from possilog.data.rows import ranges
from possilog.deadline import NEVER, Deadline
from possilog.structure.paths.graph import Bytes, Graph, Ints, Longs, Walk
from possilog.structure.paths.kernel import Closing, Measuring

__all__ = ["EXAMPLES", "MOST_STEPS", "ClosedPaths", "PathRules", "last_steps", "often_enough", "said_twice"]

EXAMPLES = 2
"""Facts that are kept for each rule, of those that it gives."""

MOST_STEPS = 25_000_000
"""Steps that are in memory at a time, about: longer lists of paths are taken in parts."""

_Walks = Callable[[], Iterator[Walk]]
"""The pairs of a path, in parts that begin at different constants; they may be asked for more than once."""


@dataclass(frozen=True, slots=True)
class PathRules:
    """Rules in columns. The path leads from the head's first argument to its second."""

    head: Ints
    """The number of the head's relation."""
    path: Ints
    """A row of codes for each rule, padded with -1 where rules have different lengths."""
    support: Longs
    size: Longs
    known: Longs
    """The pairs of the body whose first constant, or whose second, has some fact of the head's relation there."""
    examples: Ints
    """Pairs that the rule gives right; -1 where there are fewer."""

    def __len__(self) -> int:
        return len(self.head)

    def __getitem__(self, which: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> PathRules:
        return PathRules(
            self.head[which],
            self.path[which],
            self.support[which],
            self.size[which],
            self.known[which],
            self.examples[which],
        )

    @classmethod
    def joined(cls, parts: list[PathRules]) -> PathRules:
        """All of some."""
        length = max((part.path.shape[1] for part in parts), default=1)
        nothing = cls._none(length)
        padded = [np.pad(part.path, ((0, 0), (0, length - part.path.shape[1])), constant_values=-1) for part in parts]
        return cls(
            np.concatenate([nothing.head, *(part.head for part in parts)]),
            np.concatenate([nothing.path, *padded]),
            np.concatenate([nothing.support, *(part.support for part in parts)]),
            np.concatenate([nothing.size, *(part.size for part in parts)]),
            np.concatenate([nothing.known, *(part.known for part in parts)]),
            np.concatenate([nothing.examples, *(part.examples for part in parts)]),
        )

    @classmethod
    def _none(cls, length: int) -> PathRules:
        numbers, pairs = np.empty(0, dtype=np.int64), np.empty((0, EXAMPLES, 2), dtype=np.int32)
        paths, known = np.empty((0, length), dtype=np.int32), np.empty((0, 2), dtype=np.int64)
        return cls(np.empty(0, dtype=np.int32), paths, numbers, numbers, known, pairs)


@dataclass(frozen=True)
class ClosedPaths:
    """All closed path rules of a graph with the support and the confidence; ``heads`` says of which relations.

    OutOfTime as soon as ``stop`` says so.
    """

    graph: Graph
    min_support: int
    min_confidence: float
    heads: Bytes
    stop: Deadline = NEVER
    most: int = MOST_STEPS
    """About so many steps are in memory at a time."""

    def rules(self, body: int, codes: Sequence[int]) -> Iterator[PathRules]:
        """The rules with a path of ``body`` relations that begins with one of some codes."""
        if body == 1:
            yield _single(self.graph, self.min_support, self.min_confidence, self.heads, self.stop.each(codes))
            return
        for path, walks in _walks(self.graph, codes, body - 1, self.stop, self.most):
            yield from self._counter.rules(path, walks)

    @cached_property
    def _counter(self) -> _Counter:
        return _Counter(self.graph, self.min_support, self.min_confidence, np.repeat(self.heads, 2))


def _walks(
    graph: Graph, codes: Sequence[int], length: int, stop: Deadline, most: int
) -> Iterator[tuple[tuple[int, ...], _Walks]]:
    for code in stop.each(codes):
        walk = graph.walk(code)
        if length == 1:
            yield (code,), partial(iter, (walk,))
            continue
        for other in stop.each(graph.following(walk)):
            yield (code, other), partial(graph.longer_parts, walk, other, most)


class _Counter:
    """The two loops with their memory."""

    def __init__(self, graph: Graph, min_support: int, min_confidence: float, heads: Bytes) -> None:
        self._graph, self._least, self._share = graph, min_support, min_confidence
        codes, nodes, links = graph.codes, graph.nodes, graph.most_links
        self._counts = np.zeros(codes * codes, dtype=np.int32)
        self._touched = np.zeros(codes * codes, dtype=np.int32)
        self._examples = np.zeros((codes * codes, EXAMPLES, 2), dtype=np.int32)
        self._closing = Closing(
            codes,
            graph.links,
            graph.links,
            np.zeros(nodes, dtype=np.int32),
            np.zeros(links * codes, dtype=np.uint8),
            np.zeros(min(links * codes, len(graph.row_source)), dtype=np.int64),
            self._counts,
            self._touched,
            self._examples,
            heads,
        )
        self._measuring = Measuring(
            graph.row_source,
            graph.row_start,
            graph.second,
            graph.row_at,
            graph.begins(),
            graph.distinct,
            np.zeros(nodes, dtype=np.int32),
            np.zeros(nodes, dtype=np.int32),
            np.zeros(nodes, dtype=np.int32),
            np.zeros(nodes, dtype=np.int32),
        )

    def rules(self, path: tuple[int, ...], walks: _Walks) -> Iterator[PathRules]:
        """The rules whose body begins with a path and goes one step further."""
        codes, last = self._graph.codes, last_steps(path, self._graph.codes)
        touched, only = [np.empty(0, dtype=np.int32)], None
        for part, walk in enumerate(walks()):
            only = walk if part == 0 else None
            rows = walk.forwards
            number = self._closing.close_paths(rows.source, rows.start, rows.far, walk.witness, last)
            touched.append(self._touched[:number].copy())
        cells = np.sort(np.concatenate(touched))
        support = self._counts[cells]
        self._counts[cells] = 0
        enough = support >= self._least
        cells, support = cells[enough], support[enough]
        if not len(cells):
            return
        ends, heads = (cells // codes).astype(np.int32), (cells % codes).astype(np.int32)
        sizes, known = self._measured(walks() if only is None else iter((only,)), ends, heads, support)
        examples = self._examples[cells]
        examples[np.arange(EXAMPLES) >= support[:, None]] = -1
        kept = (sizes > 0) & ~said_twice(path, ends, heads)
        full = np.column_stack([np.tile(np.array(path, dtype=np.int32), (len(cells), 1)), ends])
        yield _oriented(heads, full, support.astype(np.int64), sizes, known, examples, kept)

    def _measured(self, parts: Iterator[Walk], ends: Ints, heads: Ints, support: Ints) -> tuple[Longs, Longs]:
        """How many pairs the bodies connect, -1 where the confidence is too low; how many are known at their ends."""
        sizes, known = np.zeros(len(ends), dtype=np.int64), np.zeros((len(ends), 2), dtype=np.int64)
        one, other = next(parts), next(parts, None)
        rules = ends, heads, support
        if other is None:
            self._measuring.measure(*one.backwards, *rules, self._share, sizes, known)
            return sizes, known
        for part in chain((one, other), parts):
            of_part = np.zeros_like(sizes), np.zeros_like(known)
            self._measuring.measure(*part.backwards, *rules, 0.0, *of_part)
            sizes += of_part[0]
            known += of_part[1]
        sizes[~often_enough(support, sizes, self._share)] = -1
        return sizes, known


def often_enough(support: Longs | Ints, size: Longs | int, share: float) -> npt.NDArray[np.bool_]:
    """Which rules are right so often? Told by the quotient: 7 of 100 are 0.07, and 0.07 * 100 is more than 7."""
    found: npt.NDArray[np.bool_] = support / np.maximum(size, 1) >= share
    return found


def last_steps(path: tuple[int, ...], codes: int) -> Bytes:
    """Which last steps make a path that comes no later than the same path walked backwards?"""
    last = np.arange(codes, dtype=np.int32)
    backwards = last ^ 1
    inner = np.array(path[1:]).tolist()
    same = [code ^ 1 for code in reversed(inner)]
    tie = inner <= same
    canonical: Bytes = ((backwards > path[0]) | ((backwards == path[0]) & tie)).astype(np.uint8)
    return canonical


def said_twice(path: tuple[int, ...], ends: Ints, heads: Ints) -> npt.NDArray[np.bool_]:
    """Where a path is the same backwards, a head and its inverse are one rule."""
    return (ends == path[0] ^ 1) & (heads % 2 == 1) if len(path) == 1 else np.zeros(len(ends), dtype=bool)


def _oriented(
    heads: Ints,
    path: Ints,
    support: Longs,
    sizes: Longs,
    known: Longs,
    examples: Ints,
    kept: npt.NDArray[np.bool_],
) -> PathRules:
    """The rules with their heads forwards: where a head was met backwards, the path is walked backwards too."""
    back = heads % 2 == 1
    path, known, examples = path.copy(), known.copy(), examples.copy()
    path[back] = path[back][:, ::-1] ^ 1
    known[back] = known[back][:, ::-1]
    examples[back] = examples[back][:, :, ::-1]
    return PathRules(heads // 2, path, support, sizes, known, examples)[kept]


def _single(graph: Graph, min_support: int, min_confidence: float, heads: Bytes, bodies: Iterable[int]) -> PathRules:
    """Rules with one atom in the body: the codes that its links have besides."""
    begins_at = graph.begins()
    found = []
    for body in bodies:
        links = graph.link_of[graph.bound[body] : graph.bound[body + 1]]
        width = graph.link_at[links + 1] - graph.link_at[links]
        own = np.repeat(np.arange(len(links)), width)
        codes = graph.link_code[ranges(graph.link_at[links], width)]
        order = np.argsort(codes, kind="stable")
        head, begins, support = np.unique(codes[order], return_index=True, return_counts=True)
        good = (support >= max(min_support, 1)) & often_enough(support, len(links), min_confidence)
        kept = (head % 2 == 0) & (head != body) & (heads[head // 2] == 1) & good
        head, begins, support = head[kept], begins[kept], support[kept]
        first, second = graph.pairs(body)
        sides = ((head, first), (head + 1, second))
        examples = np.full((len(head), EXAMPLES, 2), -1, dtype=np.int32)
        for number in range(EXAMPLES):
            more = support > number
            pair = own[order[begins[more] + number]]
            examples[more, number] = np.column_stack([first[pair], second[pair]])
        found.append(
            PathRules(
                (head // 2).astype(np.int32),
                np.full((len(head), 1), body, dtype=np.int32),
                support.astype(np.int64),
                np.full(len(head), len(links), dtype=np.int64),
                np.column_stack([begins_at[code][:, side].sum(axis=1, dtype=np.int64) for code, side in sides]),
                examples,
            )
        )
    return PathRules.joined(found)
