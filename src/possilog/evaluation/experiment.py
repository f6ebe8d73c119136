"""The paper's experiments (section Experiments), and ours: every model on the same evidence sets.

What is finished is kept in a folder, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from possilog.data import Database
from possilog.errors import PossilogError
from possilog.evaluation.comparison import compare
from possilog.evaluation.datasets import DataSet, Plan
from possilog.evaluation.models import (
    CalibratedModel,
    DensityTreeModel,
    EvidenceOnly,
    MarkovModel,
    Model,
    SymmetricClosure,
    TheoryModel,
    hard_rules_only,
    symmetric_predicates,
)
from possilog.evaluation.protocol import Protocol
from possilog.evaluation.ranking import predicate_area
from possilog.evaluation.reading import World, read_alone, size_of, two_kinds
from possilog.evaluation.running import run
from possilog.evaluation.scores import Band, Score, sign_flip, summarise
from possilog.files import AnyPath
from possilog.learning import learn
from possilog.learning.files import Work, fingerprint
from possilog.logic import Theory, parse_theory
from possilog.markov import Network, parse_mln
from possilog.markov.structure import LearningSettings, learn_network
from possilog.progress import Step
from possilog.structure.rules import PRESETS

__all__ = ["OURS", "Experiment", "cumulative"]

OURS = "ours, local"
"""The model that all others are compared with."""

Advance = Callable[[str], None]
"""Is called after a step of a phase, with what was done."""

Shown = Callable[[str, int | None], AbstractContextManager[Advance]]
"""Shows a phase while it lasts, with so many steps, if that is known."""

_T = TypeVar("_T")

_READ_SETS = 3
"""Evidence sets of each size with which rules are read alone."""

_A_SECOND = 1.0


@dataclass
class Experiment:
    """One data set, all models. ``results`` is what ``results.json`` holds; pages and tables are made from it."""

    data: DataSet
    plan: Plan
    folder: AnyPath
    given: Theory | None = None
    """A theory of ours that has been learned already."""
    jobs: int = 1
    shown: Shown = field(default=lambda phase, steps: nullcontext(lambda step: None))
    """Shows what is being done."""

    @cached_property
    def _work(self) -> Work:
        setting = {
            "plan": asdict(self.plan),
            "test": fingerprint(self.data.test, {}, ""),
            "authors": str(self.data.authors),
            "network": str(self.data.network),
            "theory": str(self.given),
        }
        return Work(Path(self.folder), lambda: fingerprint(self.data.train, setting, version("possilog")))

    def _once(self, phase: str, make: Callable[[Advance], Any], steps: int | None = None) -> Any:
        """What a phase makes, or made in an earlier run."""
        file = _file_name(phase)
        found = self._work.get(file, lambda kept: kept)
        if found is None:
            with self.shown(phase, steps) as advance:
                found = make(advance)
            self._work.put(file, found)
        return found

    # What is compared

    @cached_property
    def learned(self) -> dict[str, Any]:
        """Our theory, as text, with the CPU seconds that learning took."""
        if self.given is not None:
            return {"theory": str(self.given), "cpu_seconds": None, "reason": None}
        found: dict[str, Any] = self._once("theory", self._learn)
        return found

    def _learn(self, advance: Advance) -> dict[str, Any]:
        preset = self.data.name if self.data.name in PRESETS else None
        spent = self._spent_on_learning()

        def progress(step: Step) -> None:
            spent()
            advance(step.phase)

        learned = learn(
            self.data.train,
            preset=preset,
            seed=self.plan.seed,
            jobs=self.jobs,
            work=Path(self.folder) / "learning",
            progress=progress,
        )
        reason = None if learned.simulation is None else learned.simulation.reason
        return {"theory": str(learned), "cpu_seconds": spent(), "reason": reason}

    def _spent_on_learning(self) -> Callable[[], float]:
        """Tells the CPU seconds so far, and keeps them: the learner goes on where a run that was killed left it."""
        before = self._work.get("learning-seconds", float) or 0.0
        began = kept = _cpu_seconds()

        def spent() -> float:
            nonlocal kept
            now = _cpu_seconds()
            if now > kept + _A_SECOND:
                self._work.put("learning-seconds", before + now - began)
                kept = now
            return before + now - began

        return spent

    @cached_property
    def theory(self) -> Theory:
        """Our theory."""
        return parse_theory(self.learned["theory"], "the learned theory")

    @cached_property
    def learned_network(self) -> dict[str, Any]:
        """The network that our own learner of networks finds, as text, with the CPU seconds that this took."""
        found: dict[str, Any] = self._once("network", self._learn_network)
        return found

    def _learn_network(self, advance: Advance) -> dict[str, Any]:
        settings = LearningSettings(seed=self.plan.seed, time_limit=self.plan.network_seconds)
        began = _cpu_seconds()
        try:
            found = learn_network([self.data.train], settings=settings)
        except PossilogError as error:
            return {"network": None, "cpu_seconds": None, "complete": False, "reason": str(error)}
        seconds = _cpu_seconds() - began
        return {"network": str(found.network), "cpu_seconds": seconds, "complete": found.complete, "reason": None}

    @cached_property
    def networks(self) -> dict[str, Network]:
        """The published network, and ours."""
        found = {} if self.data.network is None else {"published MLN": self.data.network}
        text = self.learned_network["network"]
        return found if text is None else found | {"learned MLN": parse_mln(text, "the learned network")}

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """All models, the simplest first."""
        theory, authors, predicates = self.theory, self.data.authors, self.data.test.predicates
        models: list[Model] = [EvidenceOnly(), hard_rules_only("hard rules only", theory)]
        if symmetric := symmetric_predicates(self.data.train):
            models.append(SymmetricClosure(symmetric))
        if self._has_unary:
            models.append(DensityTreeModel(self.data.train))
        models += [
            MarkovModel.of(name, network, predicates, self.plan.world_seconds)
            for name, network in self.networks.items()
        ]
        for name, its in (("authors", authors), ("ours", theory)):
            if its is not None:
                models += [
                    TheoryModel(f"{name}, global", its, "global"),
                    TheoryModel(f"{name}, global, repaired", its, "global", "repair"),
                    TheoryModel(f"{name}, fragment", its, "fragment"),
                    TheoryModel(f"{name}, local", its, "local"),
                    CalibratedModel(f"{name}, calibrated", its, self.data.train),
                ]
        return tuple(models)

    # What is measured

    @cached_property
    def _ours(self) -> Protocol:
        """Our evidence sets: several of each size."""
        return Protocol(self.data.test, self.plan.sizes, self.plan.repeats, self.plan.seed)

    @cached_property
    def _papers(self) -> Protocol:
        """The paper's evidence sets: one of each size."""
        return Protocol(self.data.test, self.plan.curve, 1, self.plan.seed)

    def _scores(self, phase: str, model: Model, protocol: Protocol) -> tuple[Score, ...] | str:
        """The scores of a model; the reason where a network cannot answer."""

        def make(advance: Advance) -> list[dict[str, Any]] | str:
            scores = _asked(
                model, lambda: run(model, protocol, jobs=self.jobs, progress=lambda: advance("evidence sets"))
            )
            return scores if isinstance(scores, str) else [asdict(one) for one in scores]

        found = self._once(phase, make, len(protocol.sizes) * protocol.repeats)
        return found if isinstance(found, str) else tuple(Score(**one) for one in found)

    def _on_curve(self) -> list[Model]:
        """The paper's figure: possibilistic theories against what they are compared with."""
        left_out = ("fragment", "density", "learned MLN", "calibrated")
        return [model for model in self.models if not any(word in model.name for word in left_out)]

    @cached_property
    def results(self) -> dict[str, Any]:
        """Everything, in JSON's terms."""
        tried = {model.name: self._scores(f"scores of {model.name}", model, self._ours) for model in self.models}
        scores = {name: found for name, found in tried.items() if not isinstance(found, str)}
        on_curve = [model for model in self._on_curve() if model.name in scores]
        curves = {model.name: self._scores(f"curve of {model.name}", model, self._papers) for model in on_curve}
        return self._setting | {
            "models": [
                {"model": name, "results": [one.as_json for one in summarise(found)]} for name, found in scores.items()
            ],
            "paired": {
                name: _paired(found, scores[OURS], self.plan.seed) for name, found in scores.items() if name != OURS
            },
            "curve": {"sizes": list(self.plan.curve), "errors": _errors(curves)},
            "left_out": self._left_out({name: found for name, found in tried.items() if isinstance(found, str)}),
            "areas": self._once("areas", lambda advance: self._areas(set(scores), advance)),
            "readings": self._once("readings", lambda advance: self._readings(set(scores), advance)),
            "example": [asdict(world) for world in self._example("published MLN" in scores)],
            "beside_the_authors": None if self.data.authors is None else compare(self.theory, self.data.authors),
        }

    @property
    def _setting(self) -> dict[str, Any]:
        """What was asked of what, and with what."""
        return {
            "data": self.data.name,
            "sources": list(self.data.sources),
            "train": _described(self.data.train),
            "test": _described(self.data.test),
            "seed": self.plan.seed,
            "repeats": self.plan.repeats,
            "sizes": list(self.plan.sizes),
            "versions": {"python": platform.python_version(), **_versions("possilog", "numpy", "scipy", "highspy")},
            "learning": {
                "theory_cpu_seconds": self.learned["cpu_seconds"],
                "reason": self.learned["reason"],
                "network_cpu_seconds": self.learned_network["cpu_seconds"],
                "network_complete": self.learned_network["complete"],
            },
            "theory": self.learned["theory"],
        }

    def _areas(self, answered: set[str], advance: Advance) -> dict[str, dict[str, float | None]]:
        """The areas of each predicate; None where a network cannot answer."""
        left_out = ("evidence only", "global", "repaired", "calibrated")
        found: dict[str, dict[str, float | None]] = {}
        for model in self.models:
            if model.name not in answered or model.name.endswith(left_out):
                continue
            advance(model.name)
            areas = found.setdefault(model.name, {})
            for predicate in self.data.test.predicates:
                area = _asked(model, partial(predicate_area, model, self.data.test, predicate))
                areas[str(predicate)] = None if isinstance(area, str) else area
        return found

    def _readings(self, answered: set[str], advance: Advance) -> dict[str, Any]:
        repeats = min(_READ_SETS, self.plan.repeats)
        evidence = Protocol(self.data.test, self.plan.read_with, repeats, self.plan.seed).evidence
        found = {}
        for model in self.models:
            size = size_of(model)
            if size is None or model.name not in answered or (isinstance(model, TheoryModel) and not _is_local(model)):
                continue
            advance(model.name)
            readings = _asked(model, partial(read_alone, model, self.data.test, evidence))
            rules = [
                {**asdict(one), "confidence": one.confidence, "agreement": one.agreement}
                for one in (() if isinstance(readings, str) else readings)
            ]
            found[model.name] = {"size": asdict(size), "formulas": rules}
        return found

    def _left_out(self, failed: dict[str, str]) -> dict[str, str]:
        """Models that could not be learned or asked, and why."""
        reason = self.learned_network["reason"]
        learned = {} if reason is None else {"learned MLN": reason}
        why = "it tells single things apart by unary predicates, and there are none"
        tree = {} if self._has_unary else {"density-estimation tree": why}
        return learned | tree | failed

    @property
    def _has_unary(self) -> bool:
        """Is there something to say of single things?"""
        return any(predicate.arity == 1 for predicate in self.data.train.predicates)

    def _example(self, answers: bool) -> Sequence[World]:
        """The paper's example, where the network that it is about is there."""
        return two_kinds(self.data.network, "Student", "Professor") if self.data.network is not None and answers else ()


def cumulative(errors: Sequence[int], others: Sequence[int]) -> list[int]:
    """The paper's figure: the sum of (other model's error - ours) over all sizes so far.

    >>> cumulative([5, 4, 4], [6, 6, 3])
    [1, 3, 2]
    """
    return list(accumulate(other - error for error, other in zip(errors, others, strict=True)))


def _paired(scores: Sequence[Score], ours: Sequence[Score], seed: int) -> list[dict[str, Any]]:
    """By how much our error is smaller on the same evidence sets, with its band and p-value, size by size."""
    differences: dict[int, list[int]] = {}
    for theirs, one in zip(scores, ours, strict=True):
        differences.setdefault(one.size, []).append(theirs.error - one.error)
    return [
        {"size": size, "mean": band.mean, "band": band.interval, "p": sign_flip(found, seed)}
        for size, found in differences.items()
        for band in [Band.of(found)]
    ]


def _errors(curves: Mapping[str, tuple[Score, ...] | str]) -> dict[str, list[int]]:
    return {name: [one.error for one in found] for name, found in curves.items() if not isinstance(found, str)}


def _asked(model: Model, ask: Callable[[], _T]) -> _T | str:
    """What a model answers; the reason where a network cannot: it is too large, it contradicts the facts, ..."""
    try:
        return ask()
    except PossilogError as error:
        if isinstance(model, MarkovModel):
            return str(error)
        raise


def _is_local(model: TheoryModel) -> bool:
    return model.name.endswith(", local")


def _described(database: Database) -> dict[str, int]:
    return {
        "facts": len(database),
        "constants": len(database.constants),
        "predicates": len(database.predicates),
    }


def _versions(*packages: str) -> dict[str, str]:
    """Those of the packages that are installed."""
    return {package: version(package) for package in packages if find_spec(package)}


def _file_name(text: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text).split())


def _cpu_seconds() -> float:
    """Of this process and of the workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
