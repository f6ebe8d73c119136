"""Models on evidence sets: the same for each, in one process or in several."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from possilog.data import Database
from possilog.data.cells import EmptyCells
from possilog.evaluation.models import Model
from possilog.evaluation.protocol import EvidenceSet, Protocol
from possilog.evaluation.scores import Score, score
from possilog.logic import Atom
from possilog.progress import Progress, Step, silent
from possilog.workers import Jobs, in_order

__all__ = ["run"]

_FEW = 50_000
"""Test facts that are made atoms, each found at once; of more, what is predicted is looked up in the facts."""


def run(model: Model, protocol: Protocol, *, jobs: Jobs = 1, progress: Progress = silent) -> tuple[Score, ...]:
    """The scores of a model on all evidence sets, in their order; ``progress`` is told after each.

    Seconds are those of predicting alone, once the model has been laid out. Everything else is the same for any
    number of jobs.
    """
    evidence = protocol.evidence
    scores = []
    for found in in_order(partial(_scorer, model, protocol.test, evidence[0]), evidence, jobs, chunk=4):
        scores.append(found)
        progress(Step(model.name, len(scores), len(evidence), "evidence sets"))
    return tuple(scores)


def _scorer(model: Model, test: Database, first: EvidenceSet) -> Callable[[EvidenceSet], Score]:
    """Scores evidence sets, with a model that has been laid out."""
    model.added(first.facts)  # what is made once is made now
    return partial(_scored, model, frozenset(test) if len(test) <= _FEW else test, EmptyCells(test))


def _scored(model: Model, test: frozenset[Atom] | Database, empty: EmptyCells, given: EvidenceSet) -> Score:
    began = time.perf_counter()
    added = model.added(given.facts)
    seconds = time.perf_counter() - began
    judged = [atom for atom in added if atom not in empty]  # of the others nobody knows whether they are true
    return score(test, given.facts, judged, repeat=given.repeat, seconds=seconds)
