"""Mining shared out between workers: by the relations that bodies begin with, or by heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline
from possilog.structure.paths.acyclic import Acyclic, AcyclicRules
from possilog.structure.paths.closed import MOST_STEPS, ClosedPaths, PathRules
from possilog.structure.paths.conjunctions import ConjunctionRules, conjunctions
from possilog.structure.paths.graph import Bytes, Graph
from possilog.workers import Jobs, hands, ready
from possilog.workers.chunks import in_chunks
from possilog.workers.places import Tasks

__all__ = ["Miners", "Mining", "shared_out"]

SHARES = 8
"""Into so many shares for each worker relations are dealt, since some take much longer than others."""


@dataclass(frozen=True)
class _Task:
    """Which kind of rules is mined, and of what: relations that a body begins with, or rules with one head."""

    kind: str
    length: int = 1
    codes: Sequence[int] = ()
    rules: PathRules | None = None


@dataclass(frozen=True)
class Mining:
    """What is mined: a graph, heads, and what a rule needs; and what is laid out for it, once for each worker."""

    graph: Graph
    heads: Bytes
    support: int
    confidence: float
    stop: Deadline = NEVER
    most: int = MOST_STEPS
    """Steps of paths that are in memory at a time."""

    def __call__(self, task: _Task) -> list[Any]:
        """The rules; OutOfTime as soon as ``stop`` says so."""
        if task.rules is not None:
            limits, better = (self.support, self.confidence), task.kind == "better"
            return list(conjunctions(self.graph, task.rules, *limits, only_better=better, stop=self.stop))
        if task.kind == "acyclic":
            return list(self._acyclic.rules(task.length, task.codes))
        if task.kind == "single":
            return list(replace(self._closed, min_confidence=0.0).rules(1, task.codes))
        return list(self._closed.rules(task.length, task.codes))

    @cached_property
    def _closed(self) -> ClosedPaths:
        return ClosedPaths(self.graph, self.support, self.confidence, self.heads, self.stop, self.most)

    @cached_property
    def _acyclic(self) -> Acyclic:
        return Acyclic(self.graph, self.support, self.confidence, self.heads, self.stop)


class Miners:
    """Those who mine, as who asks sees them."""

    def __init__(self, ask: Tasks[_Task, list[Any]], codes: int, shares: int) -> None:
        """Take what does a task, how many codes there are, and into how many shares they are dealt."""
        self._ask = ask
        self._codes = in_chunks(range(codes), max(1, -(-codes // shares)))

    def closed(self, length: int) -> list[PathRules]:
        """Closed paths of one length."""
        return self._found([_Task("closed", length, codes) for codes in self._codes])

    def single(self) -> list[PathRules]:
        """Closed paths of one atom, however seldom they are right."""
        return self._found([_Task("single", 1, codes) for codes in self._codes])

    def acyclic(self, length: int) -> list[AcyclicRules]:
        """Rules that name constants, with bodies up to a length."""
        return self._found([_Task("acyclic", length, codes) for codes in self._codes])

    def conjunctions(self, rules: PathRules, *, only_better: bool) -> list[ConjunctionRules]:
        """Two of some rules together, head by head."""
        kind = "better" if only_better else "both"
        return self._found([_Task(kind, rules=rules[rules.head == head]) for head in distinct(rules.head).tolist()])

    def _found(self, tasks: Sequence[_Task]) -> list[Any]:
        return list(chain.from_iterable(self._ask(tasks, 1)))


@contextmanager
def shared_out(mining: Mining, jobs: Jobs = 1) -> Iterator[Miners]:
    """Those who mine, each with the graph laid out."""
    number = hands(jobs)
    with ready(partial(_itself, mining), jobs) as ask:
        yield Miners(ask, mining.graph.codes, SHARES * number if number > 1 else 1)


def _itself(mining: Mining) -> Mining:
    return mining
