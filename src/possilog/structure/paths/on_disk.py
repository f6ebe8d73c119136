"""Path rules of a graph that does not fit into memory, mined from parts of it.

A path of two relations that begins in a part needs the links of that part, whatever their relation, and the whole of
its second relation. So a *block* is a part and a group of relations: what begins in the part, joined with the group.
Pairs that begin in different parts are different, so supports and sizes of the blocks add up. First all supports are
counted; then, for bodies with a head that has enough, the pairs that they connect, until there are too many.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from possilog.data.partitions import LinkColumns, Partitions, Scratch
from possilog.data.rows import distinct
from possilog.logic.spelling import spell_predicate
from possilog.printing import plural
from possilog.progress import Progress, Step, silent
from possilog.structure.paths.closed import last_steps, often_enough, said_twice
from possilog.structure.paths.graph import Adjacency, Bytes, Fan, Ints, Longs, Walk
from possilog.structure.paths.kernel import Closing, Measuring
from possilog.structure.paths.mined import Mined, MinedRule
from possilog.structure.paths.spelling import closed_text

__all__ = ["MEGABYTES", "DiskBlock", "DiskPlan", "mine_parts", "plan_for"]

MEGABYTES = 500.0
"""The memory limit, if nobody says otherwise."""

BYTES_PER_LINK = 80
"""What a link takes while it is laid out."""

BYTES_LAID = 30
"""What it takes afterwards."""

BYTES_PER_NODE = 60
"""What a constant takes, whatever is in a block."""

LEAST_ROOM = 20_000_000
"""Bytes for a block, however much the constants take."""

NO_OTHERS = "rules with constants, with two paths, or with three atoms: only paths of one and two atoms are mined here"
UNGUARDED = "functional dependencies: guarded sizes are those of the bodies"


@dataclass(frozen=True, slots=True)
class DiskPlan:
    """What is joined where."""

    facts: int
    parts: int
    groups: tuple[tuple[int, ...], ...]
    """The relations that are whole in memory at the same time, by number."""
    megabytes: float
    """About how much memory the largest block and the constants take."""

    def __str__(self) -> str:
        blocks = self.parts * len(self.groups)
        return (
            f"plan: {self.facts:,} facts in {self.parts:,} parts by the hash of the constant where a path begins, and "
            f"{plural(len(self.groups), 'group')} of relations\n"
            f"  each of {blocks:,} blocks joins the links of a part with the relations of a group: once for supports, "
            f"once for sizes\n  about {self.megabytes:,.0f} MB at a time"
        )


def plan_for(facts: Partitions, memory_limit: float) -> DiskPlan:
    """Relations in groups, as few as there is room for."""
    fixed = facts.nodes * (BYTES_PER_NODE + 2 * len(facts.relations))
    of_part = 2 * sum(facts.facts) / facts.parts * BYTES_PER_LINK
    room = max(memory_limit * 1e6 - fixed, LEAST_ROOM)
    # A group is laid out first, and then stays while one part after the other is.
    groups = facts.groups(min(room / BYTES_PER_LINK, max(room - of_part, LEAST_ROOM) / BYTES_LAID))
    largest = max(sum(2 * facts.facts[relation] for relation in group) for group in groups)
    most = max(largest * BYTES_PER_LINK, largest * BYTES_LAID + of_part)
    return DiskPlan(sum(facts.facts), facts.parts, tuple(map(tuple, groups)), (fixed + most) / 1e6)


@dataclass(frozen=True, slots=True)
class _Laid:
    """Links as the kernels of mining want them: by code, then in rows by where they begin; and by constant."""

    row_source: Ints
    row_start: Ints
    row_at: Ints
    """Where the rows of a code begin."""
    second: Ints
    links: Adjacency

    @classmethod
    def of(cls, links: LinkColumns, codes: int, nodes: int) -> _Laid:
        """Lay out links."""
        begins = np.flatnonzero((np.diff(links.first, prepend=-1) != 0) | (np.diff(links.code, prepend=-1) != 0))
        return cls(
            links.first[begins],
            np.append(begins, len(links)).astype(np.int32),
            np.searchsorted(begins, np.searchsorted(links.code, np.arange(codes + 1))).astype(np.int32),
            links.second,
            _by_constant(links, nodes),
        )

    def rows(self, code: int) -> Fan:
        """The path of one step."""
        inside = slice(int(self.row_at[code]), int(self.row_at[code + 1]))
        start = self.row_start[inside.start : inside.stop + 1]
        return Fan(self.row_source[inside], start - start[0], self.second[int(start[0]) : int(start[-1])])

    @property
    def arrays(self) -> tuple[Ints, ...]:
        """What is put down of it."""
        return self.row_source, self.row_start, self.row_at, self.second, *self.links

    @classmethod
    def from_arrays(cls, arrays: tuple[Ints, ...]) -> _Laid:
        """What was put down."""
        source, start, at, second, *links = arrays
        return cls(source, start, at, second, (links[0], links[1], links[2], links[3]))


class DiskBlock:
    """What begins in a part, to be joined with the relations of a group."""

    def __init__(self, part: _Laid, group: _Laid, codes: int, nodes: int) -> None:
        """Take links, a group, and the numbers of codes and constants."""
        self.codes, self.nodes = codes, nodes
        self._part, self._group = part, group

    def rows(self, code: int) -> Fan:
        """The path of one step that begins in the part, by where it begins."""
        return self._part.rows(code)

    def walk(self, code: int) -> Walk:
        """The same, also by where it ends."""
        rows = self.rows(code)
        first = np.repeat(rows.source, np.diff(rows.start))
        return Walk.of(first, rows.far, np.full(len(first), -1, dtype=np.int32), self.nodes)

    def closing(self, counts: Ints, touched: Ints, examples: Ints, wanted: Bytes) -> Closing:
        """What counts the heads that close paths here."""
        own = self._part.links
        links = int(np.diff(own[0]).max(initial=0))
        seen = np.zeros(links * self.codes, dtype=np.uint8)
        noted = np.zeros(min(links * self.codes, len(self._group.row_source)), dtype=np.int64)
        place = np.zeros(self.nodes, dtype=np.int32)
        return Closing(self.codes, self._group.links, own, place, seen, noted, counts, touched, examples, wanted)

    def measuring(self, member: Bytes) -> Measuring:
        """What counts the pairs that bodies connect here."""
        marks = [np.zeros(self.nodes, dtype=np.int32) for _ in range(4)]
        group = self._group
        return Measuring(group.row_source, group.row_start, group.second, group.row_at, member, True, *marks)


def _by_constant(links: LinkColumns, nodes: int) -> Adjacency:
    """The links of every constant, sorted, and the codes of every link."""
    order = np.argsort(links.first.astype(np.int64) * nodes + links.second, kind="stable")  # codes stay in order
    first, second, code = links.first[order], links.second[order], links.code[order]
    begins = np.flatnonzero((np.diff(first, prepend=-1) != 0) | (np.diff(second, prepend=-1) != 0))
    at = np.concatenate([[0], np.cumsum(np.bincount(first[begins], minlength=nodes))]).astype(np.int32)
    return at, np.ascontiguousarray(second[begins]), np.append(begins, len(first)).astype(np.int32), code


@dataclass
class _Rules:
    """Rules whose path begins with one code, in columns: the last code, the head, and what was counted."""

    last: Ints
    head: Ints
    support: Longs
    size: Longs
    known: Longs

    def __len__(self) -> int:
        return len(self.last)


def mine_parts(
    facts: Partitions,
    *,
    body: int = 2,
    min_support: int = 10,
    min_confidence: float = 0.1,
    memory_limit: float = MEGABYTES,
    limit: int | None = None,
    progress: Progress = silent,
) -> Mined:
    """All closed path rules of one and two atoms, with exact counts, as ``mine`` counts them.

    ``memory_limit`` says about how many megabytes a block and the constants may take.
    """
    began = time.perf_counter()
    plan = plan_for(facts, memory_limit)
    with facts.scratch() as scratch:
        job = _DiskJob(facts, plan, scratch, min_support, min_confidence, progress)
        found = list(job.single()) + (list(job.double()) if body > 1 else [])
    found.sort(key=lambda rule: (-rule.confidence, -rule.support, rule.rule))
    listed = tuple(found[:limit])
    return Mined(listed, len(found), (NO_OTHERS, UNGUARDED), time.perf_counter() - began)


class _DiskJob:
    """What is mined, block by block."""

    def __init__(
        self, facts: Partitions, plan: DiskPlan, scratch: Scratch, support: int, confidence: float, progress: Progress
    ) -> None:
        self._facts, self._plan, self._least, self._share = facts, plan, max(support, 1), confidence
        self._scratch = scratch
        self._progress, self._codes = progress, 2 * len(facts.relations)
        self._apart = np.zeros(self._codes, dtype=np.int64)
        self._names = [spell_predicate(name) for name in facts.relations]

    @cached_property
    def _member(self) -> Bytes:
        """For each code, which constants a link leads from."""
        found = np.zeros((self._codes, self._facts.nodes), dtype=np.uint8)
        for part in range(self._facts.parts):
            links = self._facts.part(part)
            found[links.code, links.first] = 1
        return found

    # One atom

    def single(self) -> Iterator[MinedRule]:
        """Rules with one atom in the body: the codes that its links have besides."""
        support = np.zeros((self._codes, self._codes), dtype=np.int64)
        size = self._apart
        known = np.zeros((self._codes, self._codes, 2), dtype=np.int64)
        for number in range(self._facts.parts):
            self._progress(Step("mining", number, self._facts.parts, "one atom"))
            links = self._facts.part(number).apart
            size += np.bincount(links.code, minlength=self._codes)
            _count_together(links, self._facts.nodes, support)
            for code in range(self._codes):
                inside = slice(*np.searchsorted(links.code, (code, code + 1)))
                known[code, :, 0] += self._member[:, links.first[inside]].sum(axis=1, dtype=np.int64)
                known[code, :, 1] += self._member[:, links.second[inside]].sum(axis=1, dtype=np.int64)
        for body, head in zip(*np.nonzero(support), strict=True):
            enough = support[body, head] >= self._least and support[body, head] / size[body] >= self._share
            if head % 2 == 0 and head != body and enough:
                yield self._rule(int(head), [int(body)], support[body, head], size[body], known[body, head, 0])

    # Two atoms

    def double(self) -> Iterator[MinedRule]:
        """Rules with two atoms in the body, group by group."""
        for number, group in enumerate(self._plan.groups):
            whole = _Laid.of(self._facts.whole(group).apart, self._codes, self._facts.nodes)
            begun = self._supports(group, whole, number)
            self._measure(whole, number, begun)
            for code, rules in begun.items():
                yield from self._listed(code, rules)

    def _blocks(self, whole: _Laid, number: int, doing: str) -> Iterator[DiskBlock]:
        for part in range(self._facts.parts):
            done = number * self._facts.parts + part
            self._progress(Step(f"mining: {doing}", done, len(self._plan.groups) * self._facts.parts, doing))
            yield DiskBlock(self._part(part), whole, self._codes, self._facts.nodes)

    def _part(self, number: int) -> _Laid:
        """A part, laid out once: every group meets it twice."""
        facts, codes = self._facts, self._codes
        return _Laid.from_arrays(
            self._scratch.kept(number, lambda: _Laid.of(facts.part(number).apart, codes, facts.nodes).arrays)
        )

    def _supports(self, group: Sequence[int], whole: _Laid, number: int) -> dict[int, _Rules]:
        """By the code that a path begins with, the rules with enough support whose path ends in the group."""
        codes = self._codes
        counts, touched = np.zeros(codes * codes, dtype=np.int32), np.zeros(codes * codes, dtype=np.int32)
        examples, wanted = np.zeros((codes * codes, 0, 2), dtype=np.int32), np.ones(codes, dtype=np.uint8)
        totals: dict[int, list[tuple[Ints, Ints]]] = defaultdict(list)
        mine = np.repeat(np.isin(np.arange(codes // 2), group), 2)
        for block in self._blocks(whole, number, "supports"):
            closing = block.closing(counts, touched, examples, wanted)
            for code in range(codes):
                rows, last = block.rows(code), (last_steps((code,), codes) & mine).astype(np.uint8)
                alone = np.full(len(rows.far), -1, dtype=np.int32)
                changed = closing.close_paths(rows.source, rows.start, rows.far, alone, last)
                cells = np.sort(touched[:changed])
                totals[code].append((cells, counts[cells]))
                counts[cells] = 0
        return {code: self._enough(code, found) for code, found in totals.items()}

    def _enough(self, code: int, found: Sequence[tuple[Ints, Ints]]) -> _Rules:
        cells, place = np.unique(np.concatenate([cells for cells, _ in found]), return_inverse=True)
        support = np.bincount(place, np.concatenate([many for _, many in found]), len(cells)).astype(np.int64)
        ends, heads = (cells // self._codes).astype(np.int32), (cells % self._codes).astype(np.int32)
        kept = (support >= self._least) & ~said_twice((code,), ends, heads)
        number = int(kept.sum())
        nothing = np.zeros(number, dtype=np.int64), np.zeros((number, 2), dtype=np.int64)
        return _Rules(ends[kept], heads[kept], support[kept], *nothing)

    def _measure(self, whole: _Laid, number: int, begun: dict[int, _Rules]) -> None:
        """Add up the pairs that bodies connect; those with too many are let go."""
        for block in self._blocks(whole, number, "sizes"):
            measuring = block.measuring(self._member)
            for code, rules in begun.items():
                if len(rules):
                    begun[code] = self._measured(measuring, block.walk(code), rules)

    def _measured(self, measuring: Measuring, walk: Walk, rules: _Rules) -> _Rules:
        sizes, known = np.zeros_like(rules.size), np.zeros_like(rules.known)
        # What is left of the support is for the pairs of this block, and of those to come.
        left = np.ceil(rules.support - self._share * rules.size).astype(np.int32)
        measuring.measure(*walk.backwards, rules.last, rules.head, left, self._share, sizes, known)
        size, all_known = rules.size + sizes, rules.known + known
        kept = (sizes >= 0) & often_enough(rules.support, size, self._share)
        return _Rules(rules.last[kept], rules.head[kept], rules.support[kept], size[kept], all_known[kept])

    def _listed(self, code: int, rules: _Rules) -> Iterator[MinedRule]:
        for last, head, support, size, known in zip(
            rules.last.tolist(), rules.head.tolist(), rules.support, rules.size, rules.known, strict=True
        ):
            if size > 0:
                path = [code, last] if head % 2 == 0 else [last ^ 1, code ^ 1]
                yield self._rule(head, path, support, size, known[head % 2])

    def _rule(self, head: int, path: Sequence[int], support: int, size: int, known: int) -> MinedRule:
        text = closed_text(self._names, head // 2, path)
        return MinedRule(text, int(support), int(size), int(self._apart[head]), int(known), int(size))


def _count_together(links: LinkColumns, nodes: int, support: Longs) -> None:
    """For any two codes: how many pairs have a link of both?"""
    _, _, begins, code = _by_constant(links, nodes)
    lengths = np.diff(begins)
    for length in distinct(lengths[lengths > 1]).tolist():
        rows = code[begins[:-1][lengths == length][:, None] + np.arange(length)]
        for one, other in permutations(range(length), 2):
            np.add.at(support, (rows[:, one], rows[:, other]), 1)
