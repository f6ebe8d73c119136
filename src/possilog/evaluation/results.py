"""What an experiment found, as frozen data; ``Results.as_json`` is what ``results.json`` holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from possilog.data import Database
from possilog.evaluation.comparison import Beside
from possilog.evaluation.labels import Label
from possilog.evaluation.reading import ExampleWorld, Reading, Size
from possilog.evaluation.scores import Band, Score, Summary, sign_flip
from possilog.learning.decoding import number_or_none, text, text_or_none
from possilog.plotting import Line, Plot

__all__ = [
    "Areas",
    "ErrorCurves",
    "FactCounts",
    "FoundNetwork",
    "FoundTheory",
    "LearningCost",
    "Paired",
    "ReadModel",
    "Results",
    "Unanswered",
]

Areas = Mapping[Label, Mapping[str, float | None]]
"""For each model and predicate, the area under the precision-recall curve; None where a network cannot answer."""


@dataclass(frozen=True, slots=True)
class FoundTheory:
    """Our theory as text, and what it took."""

    theory: str
    cpu_seconds: float | None = None
    """None where it was given."""
    reason: str | None = None
    """Why simulated prediction had no part in it, if so."""

    @classmethod
    def from_json(cls, kept: Mapping[str, object]) -> FoundTheory:
        """What ``as_json`` gave."""
        return cls(text(kept["theory"]), number_or_none(kept["cpu_seconds"]), text_or_none(kept["reason"]))

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {"theory": self.theory, "cpu_seconds": self.cpu_seconds, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class FoundNetwork:
    """The network that our own learner of networks found as text, and what it took."""

    network: str | None = None
    """None where it could not be learned."""
    cpu_seconds: float | None = None
    complete: bool = False
    """Was the search done before time was up?"""
    reason: str | None = None
    """Why it could not be learned."""

    @classmethod
    def from_json(cls, kept: Mapping[str, object]) -> FoundNetwork:
        """What ``as_json`` gave."""
        return cls(
            text_or_none(kept["network"]),
            number_or_none(kept["cpu_seconds"]),
            bool(kept["complete"]),
            text_or_none(kept["reason"]),
        )

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {
            "network": self.network,
            "cpu_seconds": self.cpu_seconds,
            "complete": self.complete,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A network could not answer: it is too large, it contradicts the facts, ..."""

    reason: str


@dataclass(frozen=True, slots=True)
class FactCounts:
    """How much there is to learn from, or to predict."""

    facts: int
    constants: int
    predicates: int

    @classmethod
    def of(cls, database: Database) -> FactCounts:
        """Those of a database."""
        return cls(len(database), len(database.constants), len(database.predicates))

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {"facts": self.facts, "constants": self.constants, "predicates": self.predicates}


@dataclass(frozen=True, slots=True)
class LearningCost:
    """What learning took, and how it ended."""

    theory_cpu_seconds: float | None = None
    reason: str | None = None
    network_cpu_seconds: float | None = None
    network_complete: bool = False

    @property
    def as_json(self) -> dict[str, object]:
        """How it ended."""
        return {"reason": self.reason, "network_complete": self.network_complete}


@dataclass(frozen=True, slots=True)
class Paired:
    """By how much our error is smaller on the same evidence sets of one size: its band and its p-value."""

    size: int
    difference: Band
    p: float

    @classmethod
    def each(cls, scores: Sequence[Score], ours: Sequence[Score], seed: int) -> tuple[Paired, ...]:
        """Another model's scores against ours, size by size."""
        differences: dict[int, list[int]] = {}
        for theirs, one in zip(scores, ours, strict=True):
            differences.setdefault(one.size, []).append(theirs.error - one.error)
        return tuple(cls(size, Band.of(found), sign_flip(found, seed)) for size, found in differences.items())

    @property
    def as_json(self) -> dict[str, object]:
        """Plain numbers."""
        return {
            "size": self.size,
            "mean": self.difference.mean,
            "band": self.difference.interval,
            "p": self.p,
        }


@dataclass(frozen=True, slots=True)
class ErrorCurves:
    """The paper's figure: errors with one evidence set of each size."""

    sizes: tuple[int, ...] = ()
    errors: Mapping[Label, tuple[int, ...]] = field(default_factory=dict)

    def cumulative(self, model: Label, other: Label) -> list[int]:
        """The sum of (other model's error - this one's) over all sizes so far.

        >>> from possilog.evaluation.labels import OURS, Origin
        >>> curves = ErrorCurves((1, 2, 3), {OURS: (5, 4, 4), Label(Origin.EVIDENCE): (6, 6, 3)})
        >>> curves.cumulative(OURS, Label(Origin.EVIDENCE))
        [1, 3, 2]
        """
        pairs = zip(self.errors[model], self.errors[other], strict=True)
        return list(accumulate(theirs - error for error, theirs in pairs))

    @property
    def as_json(self) -> dict[str, object]:
        """The sizes, and the errors by the models' names."""
        return {"sizes": list(self.sizes), "errors": {str(label): list(its) for label, its in self.errors.items()}}


@dataclass(frozen=True, slots=True)
class ReadModel:
    """How much there is to read of a model, and its formulas read alone."""

    size: Size
    formulas: tuple[Reading, ...]

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> ReadModel:
        """What ``as_json`` gave."""
        return cls(Size.from_json(kept["size"]), tuple(map(Reading.from_json, kept["formulas"])))

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {"size": self.size.as_json, "formulas": [one.as_json for one in self.formulas]}


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that an experiment found; tables, plots and pages are made from it."""

    data: str
    """The name of the data set."""
    sources: tuple[str, ...]
    train: FactCounts
    test: FactCounts
    seed: int
    repeats: int
    sizes: tuple[int, ...]
    versions: Mapping[str, str]
    learning: LearningCost
    theory: str
    models: Mapping[Label, tuple[Summary, ...]]
    """For each model that answered, its means for each size."""
    paired: Mapping[Label, tuple[Paired, ...]]
    """All other models against ours, for each size."""
    curves: ErrorCurves
    left_out: Mapping[Label, str]
    """Models that could not be learned or asked, and why."""
    areas: Areas
    readings: Mapping[Label, ReadModel]
    example: tuple[ExampleWorld, ...]
    """The paper's example, where the network that it is about is there."""
    beside: Beside | None
    """Our rules beside the authors'."""

    def plot(self) -> Plot:
        """Hamming curves: the mean error of each model by the number of facts that are given."""
        lines = {
            str(label): Line(self.sizes, [one.error.mean for one in found]) for label, found in self.models.items()
        }
        return Plot("errors", f"Hamming error, {self.data}", "evidence, facts", "error, facts", lines)

    @property
    def as_json(self) -> dict[str, object]:
        """What ``results.json`` holds: models go by their names. No times are in it, so a run again gives it again."""
        return {
            "data": self.data,
            "sources": list(self.sources),
            "train": self.train.as_json,
            "test": self.test.as_json,
            "seed": self.seed,
            "repeats": self.repeats,
            "sizes": list(self.sizes),
            "versions": dict(self.versions),
            "learning": self.learning.as_json,
            "theory": self.theory,
            "models": [
                {"model": str(label), "results": [one.answers for one in found]} for label, found in self.models.items()
            ],
            "paired": {str(label): [one.as_json for one in found] for label, found in self.paired.items()},
            "curve": self.curves.as_json,
            "left_out": {str(label): reason for label, reason in self.left_out.items()},
            "areas": {str(label): dict(found) for label, found in self.areas.items()},
            "readings": {str(label): found.as_json for label, found in self.readings.items()},
            "example": [world.as_json for world in self.example],
            "beside_the_authors": None if self.beside is None else self.beside.as_json,
        }

    @property
    def times(self) -> dict[str, object]:
        """What ``times.json`` holds: the CPU seconds of learning, and the seconds of a prediction for each size."""
        return {
            "theory_cpu_seconds": self.learning.theory_cpu_seconds,
            "network_cpu_seconds": self.learning.network_cpu_seconds,
            "sizes": list(self.sizes),
            "seconds": {str(label): [one.shown_seconds for one in found] for label, found in self.models.items()},
        }
