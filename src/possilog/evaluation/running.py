"""Models on evidence sets: the same for each, in one process or in several."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from possilog.data import Database
from possilog.evaluation.models import Model
from possilog.evaluation.protocol import EvidenceSet, Protocol
from possilog.evaluation.scores import Score, score

__all__ = ["run"]


def run(
    model: Model, protocol: Protocol, *, jobs: int = 1, progress: Callable[[], None] = lambda: None
) -> tuple[Score, ...]:
    """The scores of a model on all evidence sets, in their order; ``progress`` is called after each.

    Seconds are those of predicting alone, once the model has been laid out. Everything else is the same for any
    number of jobs.
    """
    scores = []
    for found in _each(model, protocol.test, protocol.evidence, jobs):
        scores.append(found)
        progress()
    return tuple(scores)


def _each(model: Model, test: Database, evidence: Sequence[EvidenceSet], jobs: int) -> Iterator[Score]:
    if jobs <= 1 or len(evidence) <= 1:
        worker = _Worker(model, test, evidence[0])
        yield from map(worker.score, evidence)
        return
    with ProcessPoolExecutor(min(jobs, len(evidence)), initializer=_take, initargs=(model, test, evidence[0])) as pool:
        yield from pool.map(_score_here, evidence, chunksize=4)


class _Worker:
    """A model that has been laid out."""

    def __init__(self, model: Model, test: Database, first: EvidenceSet) -> None:
        self._model, self._test = model, frozenset(test)
        model.added(first.facts)  # what is made once is made now

    def score(self, given: EvidenceSet) -> Score:
        began = time.perf_counter()
        added = self._model.added(given.facts)
        seconds = time.perf_counter() - began
        return score(self._test, given.facts, added, repeat=given.repeat, seconds=seconds)


_worker: _Worker


def _take(model: Model, test: Database, first: EvidenceSet) -> None:
    """In a worker process: lay out the model once."""
    global _worker
    _worker = _Worker(model, test, first)


def _score_here(given: EvidenceSet) -> Score:
    return _worker.score(given)
