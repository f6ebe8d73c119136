"""Rules tried on a held-out part: what they gain over the hard rules alone, on evidence sets drawn from the part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from possilog.data import Database, Evidence
from possilog.deadline import Deadline
from possilog.inference.horn import HornTheory
from possilog.learning.confidence import Confidence
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.learning.steps import Steps
from possilog.logic import Clause, Rule, Theory, Weight

__all__ = ["CLEARLY", "Gains", "Holdout", "Judged", "Trial", "is_clear", "is_loss", "loses", "noise", "ranked", "score"]

CLEARLY = 2.0
"""A gain counts if it is this many standard errors above 0."""

Judged = Mapping[Clause, Confidence]

Gains = npt.NDArray[np.float64]
"""Right conclusions less wrong ones: a row for each share, a column for each evidence set."""


@dataclass(frozen=True, slots=True)
class Holdout:
    """A part of the data, and what was learned without it."""

    name: str
    part: Database
    hard: tuple[Clause, ...]
    judged: Judged


class Trial:
    """One held-out part, with its evidence sets, and all rules that may be tried on it."""

    def __init__(self, holdout: Holdout, soft: Sequence[Clause], evidence_sets: int, seed: int, stop: Deadline) -> None:
        """Take the part, the rules that may be tried, and how much evidence is drawn; OutOfTime when time is over."""
        self._holdout, self._stop, self._seed = holdout, stop, seed
        self._truth = frozenset(holdout.part)
        self._theory = HornTheory(ranked(holdout.hard, soft))
        self._number = {clause: number for number, clause in enumerate(soft)}
        self._steps: dict[tuple[float, int], Steps] = {}
        self._measured: dict[tuple[int, ...], dict[tuple[float, int], int]] = {}
        self._sets = evidence_sets
        self.judged = holdout.judged

    def _evidence(self, share: float, number: int) -> Evidence:
        """What is left of the part when only a share of its facts is known."""
        part, name = self._holdout.part, self._holdout.name
        return Evidence(draw_known(part, number_of(part, share), self._seed, name, str(share), str(number)))

    def gains(self, soft: tuple[Clause, ...], most: int | None = None) -> Gains:
        """What rules gain on all evidence sets, or on the first few."""
        columns = range(self._sets if most is None else min(most, self._sets))
        strata = tuple([self._number[clause] for clause in soft])
        found = [[self._gain(strata, share, column) for column in columns] for share in SIMULATED]
        return np.array(found, dtype=np.float64)

    def _gain(self, strata: tuple[int, ...], share: float, number: int) -> int:
        measured = self._measured.setdefault(strata, {})
        if (share, number) not in measured:
            self._stop.check()
            if (share, number) not in self._steps:
                self._steps[share, number] = Steps(self._theory, self._evidence(share, number), self._truth)
            measured[share, number] = self._steps[share, number].gain(strata)
        return measured[share, number]


def ranked(hard: Iterable[Clause], soft: Sequence[Clause]) -> Theory:
    """A theory of rules in this order, each a stratum of its own; the weights say nothing else."""
    doubts = [Weight.of_doubt(f"{place}e-9") for place in range(1, len(soft) + 1)]
    return Theory((*map(Rule, hard), *map(Rule, soft, doubts)))


def score(added: Gains) -> tuple[float, float]:
    """The mean over shares of what is added, and its standard error."""
    means = added.mean(axis=0)
    return float(means.mean()), noise(means)


def noise(values: Gains) -> float:
    """The standard error of a mean."""
    return float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else float("inf")


def is_clear(added: Gains) -> bool:
    """Is the mean clearly above 0?"""
    mean, error = score(added)
    return mean > CLEARLY * error


def loses(added: Gains, parts: int) -> bool:
    """Is there a clear loss at some share, or on average in some part?"""
    return any(map(is_loss, added)) or any(part.mean() < 0 for part in np.split(added, parts, axis=1))


def is_loss(row: Gains) -> bool:
    """Is what was added at a share a clear loss?"""
    return bool(row.mean() < 0 and row.mean() < -noise(row))
