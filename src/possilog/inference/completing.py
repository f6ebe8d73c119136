"""What path rules conclude from facts on disk, relation by relation: for graphs that do not fit into memory.

A rule with two atoms in its body joins the links of a part with the whole of its second relation, as in mining. What
is concluded is concluded in one step, from facts, and is as certain as the most confident rule that gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from possilog.data.partitions import LinkColumns, Partitions, require_new_folder
from possilog.data.rows import distinct
from possilog.files import AnyPath, replacing
from possilog.inference.ranking import ranking_rules
from possilog.logic import Clause, Theory
from possilog.printing import Printed, plural
from possilog.progress import Progress, Step, silent
from possilog.requiring import require_number

__all__ = ["Completed", "complete"]

Longs = npt.NDArray[np.int64]

BYTES_PER_LINK = 40
"""What a link takes while it is read and put in order."""

BYTES_PER_STEP = 80
"""What a step of a path takes while pairs are put in order."""

LEAST_STEPS = 100_000
"""So many steps are taken at a time, however little memory there is."""


@dataclass(frozen=True, slots=True)
class _PathRule:
    """A rule by its place among all, the relation of its head, and the codes of its path."""

    number: int
    head: int
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Completed(Printed):
    """How many facts were added to each relation, and how many rules had no part in it."""

    folder: str
    added: Mapping[str, int]
    rules: int
    left_out: int

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog complete --json`` prints."""
        return {"folder": self.folder, "added": dict(self.added), "rules": self.rules, "left_out": self.left_out}

    def __str__(self) -> str:
        total = f"{self.folder}: {sum(self.added.values()):,} facts added by {plural(self.rules, 'rule')}"
        lines = [f"  {number:>12,}  {name}" for name, number in self.added.items() if number]
        other = (
            f"{plural(self.left_out, 'rule is', 'rules are')} no path of one or two atoms, or speak of other relations"
        )
        return "\n".join([total, *lines, *([f"left out: {other}"] if self.left_out else [])])


def complete(
    facts: Partitions,
    theory: Theory,
    folder: AnyPath,
    *,
    min_confidence: float = 0.5,
    memory_limit: float = 500.0,
    progress: Progress = silent,
) -> Completed:
    """Write what the path rules of a theory add to facts on disk, into a folder for each relation.

    Rules that are right less often than ``min_confidence`` are not used. ``memory_limit`` says about how many megabytes
    may be taken. The folder is there whole, or not at all.
    """
    require_number("min_confidence", min_confidence)
    require_number("memory_limit", memory_limit)
    require_new_folder(folder)
    ranked = sorted(
        (rule for rules in ranking_rules(theory).values() for rule in rules), key=lambda rule: -rule.confidence
    )
    used = [rule for rule in ranked if rule.confidence >= min_confidence]
    numbers = {name: number for number, name in enumerate(facts.relations)}
    paths = [
        found for number, rule in enumerate(used) if (found := _path_rule(number, rule.clause, numbers)) is not None
    ]
    job = _Completing(facts, paths, memory_limit, progress)
    spelled = [(rule.confidence, str(rule.clause)) for rule in used]
    with replacing(folder) as fresh:
        fresh.mkdir()
        added = job.run(fresh, spelled)
    return Completed(str(folder), dict(zip(facts.relations, added, strict=True)), len(paths), len(used) - len(paths))


def _path_rule(number: int, clause: Clause, relations: Mapping[str, int]) -> _PathRule | None:
    """The rule as codes; None where it is no path from the head's first argument to its second."""
    atoms = (*clause.head, *clause.body)
    binary = all(len(atom.variables) == atom.predicate.arity == 2 for atom in atoms)
    if len(atoms) not in (2, 3) or not binary or any(atom.predicate.name not in relations for atom in atoms):
        return None
    here, end = clause.head[0].arguments
    path: list[int] = []
    left = list(clause.body)
    while left:
        step = next((atom for atom in left if here in atom.arguments), None)
        if step is None:
            return None
        way = step.arguments.index(here)
        path.append(2 * relations[step.predicate.name] + way)
        here = step.arguments[1 - way]
        left.remove(step)
    return _PathRule(number, relations[clause.head[0].predicate.name], tuple(path)) if here == end else None


class _Completing:
    """What is concluded, part by part and group of relations by group."""

    def __init__(self, facts: Partitions, rules: Sequence[_PathRule], megabytes: float, progress: Progress) -> None:
        self._facts, self._rules, self._progress = facts, rules, progress
        links = megabytes * 1e6 / 2 / BYTES_PER_LINK - 2 * sum(facts.facts) / facts.parts
        self._groups = facts.groups(max(links, LEAST_STEPS))
        self._most = max(LEAST_STEPS, int(megabytes * 1e6 / 4 / BYTES_PER_STEP))

    def run(self, folder: Path, spelled: Sequence[tuple[float, str]]) -> list[int]:
        """Write all of it, and say how many facts each relation has more."""
        added = np.zeros(len(self._facts.relations), dtype=np.int64)
        with TemporaryDirectory(dir=folder.parent) as scratch:
            for number, group in enumerate(self._groups):
                self._conclude(number, group, Path(scratch))
            for part in range(self._facts.parts):
                self._progress(Step("writing", part, self._facts.parts, "parts"))
                found = self._together(part, Path(scratch))
                if found is not None:
                    added += np.bincount(found["relation"], minlength=len(added))
                    self._facts.write_facts(found, spelled, folder / f"part-{part:04}")
        return added.tolist()

    def _conclude(self, number: int, group: Sequence[int], scratch: Path) -> None:
        """What rules whose path ends in a group of relations conclude; those with one atom belong to the first."""
        mine = [rule for rule in self._rules if (rule.path[1] // 2 in group if len(rule.path) > 1 else number == 0)]
        whole = self._facts.whole(sorted({rule.path[1] // 2 for rule in mine if len(rule.path) > 1})).apart
        for part in range(self._facts.parts if mine else 0):
            done = number * self._facts.parts + part
            self._progress(Step("concluding", done, len(self._groups) * self._facts.parts, "parts"))
            links = self._facts.part(part)
            for head in sorted({rule.head for rule in mine}):
                found = self._of_head(head, [rule for rule in mine if rule.head == head], links, whole)
                np.save(scratch / f"{part}-{head}-{number}.npy", found)

    def _of_head(self, head: int, rules: Sequence[_PathRule], part: LinkColumns, whole: LinkColumns) -> Longs:
        """The pairs that rules conclude, as numbers, without those that are known; and the best rule of each."""
        nodes = self._facts.nodes
        inside = _of_code(part, 2 * head)
        known = part.first[inside].astype(np.int64) * nodes + part.second[inside]
        best = np.empty((2, 0), dtype=np.int64)
        for rule in rules:  # the most confident first
            for pairs in self._pairs(rule, part.apart, whole):
                new = pairs[~_among(pairs, known) & ~_among(pairs, best[0])]
                if len(new):
                    both = np.concatenate([best, np.stack([new, np.full(len(new), rule.number)])], axis=1)
                    best = both[:, np.argsort(both[0], kind="stable")]
        return best

    def _pairs(self, rule: _PathRule, part: LinkColumns, whole: LinkColumns) -> Iterator[Longs]:
        """The pairs that a path connects from the part on, some at a time."""
        inside = _of_code(part, rule.path[0])
        first, through = part.first[inside].astype(np.int64), part.second[inside]
        if len(rule.path) == 1:
            yield first * self._facts.nodes + through
            return
        row = _of_code(whole, rule.path[1])
        sources, ends = whole.first[row], whole.second[row]
        begin, end = np.searchsorted(sources, through, "left"), np.searchsorted(sources, through, "right")
        steps = np.concatenate([[0], np.cumsum(end - begin)])
        bounds = np.append(np.flatnonzero(np.diff(steps[:-1] // self._most, prepend=-1)), len(first))
        for one, other in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            width = (end - begin)[one:other]
            before = np.cumsum(width) - width
            place = np.arange(width.sum()) + np.repeat(begin[one:other] - before, width)
            x, y = np.repeat(first[one:other], width), ends[place]
            yield distinct((x * self._facts.nodes + y)[x != y])

    def _together(self, part: int, scratch: Path) -> dict[str, npt.NDArray[np.int32]] | None:
        """What was concluded of a part, each pair once for its relation, by its best rule."""
        tables = []
        for head in range(len(self._facts.relations)):
            files = [scratch / f"{part}-{head}-{number}.npy" for number in range(len(self._groups))]
            found = np.concatenate(
                [np.empty((2, 0), dtype=np.int64), *(np.load(f) for f in files if f.exists())], axis=1
            )
            order = np.lexsort((found[1], found[0]))
            found = found[:, order]
            found = found[:, np.diff(found[0], prepend=-1) != 0]
            tables.append(np.stack([np.full(found.shape[1], head), *np.divmod(found[0], self._facts.nodes), found[1]]))
        rows = np.concatenate(tables, axis=1).astype(np.int32)
        names = ("relation", "first", "second", "rule")
        return dict(zip(names, rows, strict=True)) if rows.shape[1] else None


def _of_code(links: LinkColumns, code: int) -> slice:
    return slice(*np.searchsorted(links.code, (code, code + 1)).tolist())


def _among(pairs: Longs, known: Longs) -> npt.NDArray[np.bool_]:
    """Which are among others, that are sorted?"""
    if not len(known):
        return np.zeros(len(pairs), dtype=bool)
    return np.asarray(known[np.minimum(np.searchsorted(known, pairs), len(known) - 1)] == pairs)
