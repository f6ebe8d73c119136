"""Binary facts as a graph of integer columns, in which every relation can be walked both ways.

Relation number r has two codes, 2r for the way from first to second argument and 2r+1 for the way back. So a body that
is a path from X to Y is a row of codes, the same path walked from Y to X is the same row backwards with the last bit of
each code flipped, and a rule needs a look at one of the two only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.data.rows import ranges
from possilog.logic import Predicate
from possilog.workers import shared

__all__ = ["Adjacency", "Bytes", "Fan", "Graph", "Ints", "Longs", "Walk"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Adjacency = tuple[Ints, Ints, Ints, Ints]
"""By constant: where its links begin, to whom they lead, where the codes of a link begin, and these."""


@dataclass(frozen=True, slots=True)
class Fan:
    """Pairs of constants by the first one: row number i leads from ``source[i]`` to ``far[start[i]:start[i+1]]``."""

    source: Ints
    start: Ints
    far: Ints

    @classmethod
    def of(cls, first: Ints, second: Ints) -> Fan:
        """The rows of sorted pairs."""
        begins = np.flatnonzero(np.diff(first, prepend=-1)).astype(np.int32)
        start = np.append(begins, np.int32(len(first))).astype(np.int32)
        return cls(np.ascontiguousarray(first[begins]), start, np.ascontiguousarray(second))


@dataclass(frozen=True)
class Walk:
    """The pairs that a path connects, over so many constants.

    ``witness`` is the one constant that all paths of a pair go through, where distinct variables forbid it for
    what comes next; -1 where there is none.
    """

    forwards: Fan
    witness: Ints
    nodes: int

    @classmethod
    def of(cls, first: Ints, second: Ints, witness: Ints, nodes: int) -> Walk:
        """Of pairs that are sorted by their first constant, then by their second."""
        return cls(Fan.of(first, second), np.ascontiguousarray(witness), nodes)

    @cached_property
    def backwards(self) -> tuple[Ints, Ints, Ints]:
        """By the constant where it ends: where its pairs begin, from where they come, and the witnesses.

        Most walks have no rule, so that nobody asks; it takes as long as there are constants.
        """
        order = np.argsort(self.forwards.far, kind="stable")
        at = np.concatenate([[0], np.cumsum(np.bincount(self.forwards.far, minlength=self.nodes))]).astype(np.int32)
        return at, np.ascontiguousarray(self.first[order]), np.ascontiguousarray(self.witness[order])

    @property
    def first(self) -> Ints:
        """Where each pair begins."""
        return np.repeat(self.forwards.source, np.diff(self.forwards.start))

    def __len__(self) -> int:
        return len(self.forwards.far)

    def rows(self, begin: int, end: int) -> Walk:
        """Some of the rows, to be made longer."""
        start = self.forwards.start[begin : end + 1]
        inside = slice(int(start[0]), int(start[-1]))
        part = Fan(self.forwards.source[begin:end], start - start[0], self.forwards.far[inside])
        return Walk(part, self.witness[inside], self.nodes)


@shared
class Graph:
    """The binary facts of a database, by constant and by relation.

    Where variables are ``distinct``, facts with equal arguments are left out: no path can use them.
    """

    def __init__(self, database: Database, *, distinct: bool) -> None:
        """Take all binary predicates of the database."""
        self.database = database
        self.distinct = distinct
        self.nodes = len(database.constants)
        self.predicates = tuple(predicate for predicate in database.predicates if predicate.arity == 2)
        self.codes = 2 * len(self.predicates)
        columns = [_pairs(database, predicate, distinct) for predicate in self.predicates]
        self.facts = [len(first) for first, _ in columns]
        self._by_relation(columns)
        self._by_constant()

    @cached_property
    def whole(self) -> Graph:
        """The same facts where variables may coincide; only facts with equal arguments make it another layout."""
        if not self.distinct:
            return self
        if sum(self.facts) < sum(self.database.count(predicate) for predicate in self.predicates):
            return Graph(self.database, distinct=False)
        same = copy(self)
        same.distinct = False
        return same

    def _by_relation(self, columns: Sequence[tuple[Ints, Ints]]) -> None:
        """All codes' pairs one after the other, each sorted."""
        nothing = np.empty(0, dtype=np.int32)
        firsts, seconds = [nothing], [nothing]
        for first, second in columns:
            back = np.lexsort((first, second))
            firsts += [first, second[back]]
            seconds += [second, first[back]]
        sizes = np.repeat(self.facts, 2).astype(np.int64)
        self.bound = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.first, self.second = np.concatenate(firsts), np.concatenate(seconds)
        self.code = np.repeat(np.arange(self.codes, dtype=np.int32), sizes)
        is_new = (np.diff(self.first, prepend=-1) != 0) | (np.diff(self.code, prepend=-1) != 0)
        begins = np.flatnonzero(is_new)
        self.row_source = np.ascontiguousarray(self.first[begins])
        self.row_start = np.append(begins, len(self.first)).astype(np.int32)
        self.row_at = np.searchsorted(begins, self.bound).astype(np.int32)

    def _by_constant(self) -> None:
        """The links of every constant, sorted, and the codes of every link."""
        order = np.lexsort((self.code, self.second, self.first))
        first, second = self.first[order], self.second[order]
        is_new = (np.diff(first, prepend=-1) != 0) | (np.diff(second, prepend=-1) != 0)
        begins = np.flatnonzero(is_new)
        self.near = np.ascontiguousarray(second[begins])
        self.at = np.searchsorted(first[begins], np.arange(self.nodes + 1)).astype(np.int32)
        self.link_at = np.append(begins, len(first)).astype(np.int32)
        self.link_code = np.ascontiguousarray(self.code[order])
        self.link_of = np.empty(len(order), dtype=np.int32)
        self.link_of[order] = np.cumsum(is_new) - 1

    @property
    def links(self) -> Adjacency:
        """The links of all constants."""
        return self.at, self.near, self.link_at, self.link_code

    @property
    def most_links(self) -> int:
        """How many other constants the best connected one has facts with."""
        return int(np.diff(self.at).max(initial=0))

    def pairs(self, code: int) -> tuple[Ints, Ints]:
        """The pairs of a relation, walked one way, sorted."""
        inside = slice(int(self.bound[code]), int(self.bound[code + 1]))
        return self.first[inside], self.second[inside]

    def walk(self, code: int) -> Walk:
        """The path of one step."""
        first, second = self.pairs(code)
        return Walk.of(first, second, np.full(len(first), -1, dtype=np.int32), self.nodes)

    def following(self, walk: Walk) -> list[int]:
        """The codes of the steps that lead on from where a walk ends: of hundreds of relations, few do."""
        ends = np.unique(walk.forwards.far)
        links = ranges(self.at[ends], self.at[ends + 1] - self.at[ends])
        codes = self.link_code[ranges(self.link_at[links], self.link_at[links + 1] - self.link_at[links])]
        return np.flatnonzero(np.bincount(codes, minlength=self.codes)).tolist()

    def _steps(self, code: int, constants: Ints) -> tuple[Longs, Longs]:
        """For each of some constants, where the pairs of a relation begin that lead from it, and how many there are."""
        rows = slice(int(self.row_at[code]), int(self.row_at[code + 1]))
        sources = self.row_source[rows]
        at = np.searchsorted(sources, constants)
        is_there = np.append(sources, -1)[at] == constants
        begin = self.row_start[rows.start + at].astype(np.int64)
        end = self.row_start[rows.start + at + is_there]
        return begin, end - begin

    def longer(self, walk: Walk, code: int) -> Walk:
        """The path with one more step, which ends at a constant other than where it began if variables are distinct."""
        return Walk.of(*self.extended(walk, code), self.nodes)

    def longer_parts(self, walk: Walk, code: int, most: int) -> Iterator[Walk]:
        """The same in parts that begin at different constants, each from about so many steps at most.

        What begins at one constant stays together, so that pairs are in one part only.
        """
        _, steps = self._steps(code, walk.forwards.far)
        before = np.concatenate([[0], np.cumsum(steps)])[walk.forwards.start]
        parts = before[:-1] // most
        bounds = np.append(np.flatnonzero(np.diff(parts, prepend=-1)), len(parts))
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if before[end] > before[begin]:
                yield self.longer(walk.rows(begin, end), code)

    def extended(self, walk: Walk, code: int) -> tuple[Ints, Ints, Ints]:
        """The pairs of the path with one more step, sorted, and the constant before the last where there is but one."""
        far = walk.forwards.far
        at, fan = self._steps(code, far)
        begin = np.repeat(walk.first, fan)
        through = np.repeat(far, fan)
        end = self.second[ranges(at, fan)]
        if self.distinct:
            other = (begin != end) & (np.repeat(walk.witness, fan) != end)
            begin, through, end = begin[other], through[other], end[other]
        keys = begin.astype(np.int64) * self.nodes + end
        order = np.argsort(keys, kind="stable")
        keys, through = keys[order], through[order]
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        alone = np.diff(np.append(begins, len(keys))) == 1
        witness = np.where(alone & self.distinct, through[begins], -1).astype(np.int32)
        nodes = max(self.nodes, 1)
        return (keys[begins] // nodes).astype(np.int32), (keys[begins] % nodes).astype(np.int32), witness

    def pairs_of(self, path: Sequence[int]) -> tuple[Ints, Ints, Ints]:
        """The pairs that a path of up to three steps connects, sorted, and its witnesses."""
        walk = self.walk(path[0])
        for code in path[1:]:
            walk = self.longer(walk, code)
        return walk.first, walk.forwards.far, walk.witness

    def begins(self) -> Bytes:
        """For each code, which constants a fact leads from; facts with equal arguments count too."""
        found = np.zeros((self.codes, self.nodes), dtype=np.uint8)
        for number, predicate in enumerate(self.predicates):
            first, second = self.database.rows(predicate)
            found[2 * number, first] = 1
            found[2 * number + 1, second] = 1
        return found

    def predicate(self, code: int) -> Predicate:
        """The predicate of a code."""
        return self.predicates[code // 2]


def _pairs(database: Database, predicate: Predicate, distinct: bool) -> tuple[Ints, Ints]:
    first, second = database.rows(predicate)
    if distinct:
        apart = first != second
        first, second = first[apart], second[apart]
    return np.ascontiguousarray(first), np.ascontiguousarray(second)
