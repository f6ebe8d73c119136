"""The paper's experiments (section Experiments), and ours: every model on the same evidence sets.

What is finished is kept in a folder, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from possilog.errors import PossilogError
from possilog.evaluation.comparison import compare
from possilog.evaluation.datasets import DataSet, Scale
from possilog.evaluation.labels import OURS, Label, Origin, Way
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
from possilog.evaluation.reading import ExampleWorld, read_alone, size_of, two_kinds
from possilog.evaluation.results import (
    Areas,
    ErrorCurves,
    FactCounts,
    FoundNetwork,
    FoundTheory,
    LearningCost,
    Paired,
    ReadModel,
    Results,
    Unanswered,
)
from possilog.evaluation.running import run
from possilog.evaluation.scores import Score, summarise
from possilog.files import AnyPath
from possilog.inference import Fragments, Global, Local
from possilog.learning import learn
from possilog.learning.decoding import number_or_none, text
from possilog.learning.files import Work, fingerprint
from possilog.logic import Theory, parse_theory
from possilog.markov import Network, parse_mln
from possilog.markov.structure import LearningSettings, learn_network
from possilog.progress import Progress, Step, silent
from possilog.structure.rules import PRESETS
from possilog.workers import Jobs

__all__ = ["Experiment"]

_T = TypeVar("_T")

_Scores = tuple[Score, ...] | Unanswered

_READ_SETS = 3
"""Evidence sets of each size with which rules are read alone."""

_A_SECOND = 1.0


@dataclass
class Experiment:
    """One data set, all models; ``results`` is what came out."""

    data: DataSet
    scale: Scale
    folder: AnyPath
    given: Theory | None = None
    """A theory of ours that has been learned already."""
    jobs: Jobs = 1
    progress: Progress = silent
    """Is told of each phase, and of the steps in it."""

    @cached_property
    def _work(self) -> Work:
        setting = {
            "plan": asdict(self.scale),
            "test": fingerprint(self.data.test, {}, ""),
            "authors": str(self.data.authors),
            "network": str(self.data.network),
            "theory": str(self.given),
        }
        return Work(Path(self.folder), lambda: fingerprint(self.data.train, setting, version("possilog")))

    def _once(
        self,
        phase: str,
        make: Callable[[], _T],
        encode: Callable[[_T], object],
        decode: Callable[[Any], _T],
        steps: int | None = None,
    ) -> _T:
        """What a phase makes, or made in an earlier run."""
        file = _file_name(phase)
        found = self._work.get(file, decode)
        if found is None:
            self.progress(Step(phase, 0, steps))
            found = make()
            self._work.put(file, encode(found))
        return found

    # What is compared

    @cached_property
    def found_theory(self) -> FoundTheory:
        """Our theory, with the CPU seconds that learning took."""
        if self.given is not None:
            return FoundTheory(str(self.given))
        return self._once("theory", self._learn, lambda found: found.as_json, FoundTheory.from_json)

    def _learn(self) -> FoundTheory:
        preset = self.data.name if self.data.name in PRESETS else None
        spent = self._spent_on_learning()

        def progress(step: Step) -> None:
            spent()
            self.progress(Step("theory", doing=step.phase))

        learned = learn(
            self.data.train,
            preset=preset,
            seed=self.scale.seed,
            jobs=self.jobs,
            work=Path(self.folder) / "learning",
            progress=progress,
        )
        reason = None if learned.measurement is None else learned.measurement.reason
        return FoundTheory(str(learned), spent(), reason)

    def _spent_on_learning(self) -> Callable[[], float]:
        """Tells the CPU seconds so far, and keeps them: the learner goes on where a run that was killed left it."""
        before = self._work.get("learning-seconds", number_or_none) or 0.0
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
        return parse_theory(self.found_theory.theory, "the learned theory")

    @cached_property
    def found_network(self) -> FoundNetwork:
        """The network that our own learner of networks finds, with the CPU seconds that this took."""
        return self._once("network", self._learn_network, lambda found: found.as_json, FoundNetwork.from_json)

    def _learn_network(self) -> FoundNetwork:
        most, seconds = self.scale.network_clauses, self.scale.network_seconds
        settings = LearningSettings(seed=self.scale.seed, most_judged=most, time_limit=seconds)
        began = _cpu_seconds()
        try:
            found = learn_network([self.data.train], settings=settings)
        except PossilogError as error:
            return FoundNetwork(reason=str(error))
        return FoundNetwork(str(found.network), _cpu_seconds() - began, found.complete)

    @cached_property
    def _networks(self) -> dict[Origin, Network]:
        """The published network, and ours."""
        found = {} if self.data.network is None else {Origin.PUBLISHED_NETWORK: self.data.network}
        text = self.found_network.network
        return found if text is None else found | {Origin.LEARNED_NETWORK: parse_mln(text, "the learned network")}

    @cached_property
    def models(self) -> Mapping[Label, Model]:
        """All models, the simplest first."""
        evidence, hard, closure, tree = map(
            Label, (Origin.EVIDENCE, Origin.HARD_RULES, Origin.SYMMETRIC_CLOSURE, Origin.DENSITY_TREE)
        )
        models: dict[Label, Model] = {evidence: EvidenceOnly(), hard: hard_rules_only(str(hard), self.theory)}
        if symmetric := symmetric_predicates(self.data.train):
            models[closure] = SymmetricClosure(symmetric)
        if self._has_unary:
            models[tree] = DensityTreeModel(self.data.train)
        for origin, network in self._networks.items():
            models[Label(origin)] = MarkovModel.of(origin, network, self.data.test.predicates, self.scale.world_seconds)
        if self.data.authors is not None:
            models |= self._theory_models(Origin.AUTHORS, self.data.authors)
        return models | self._theory_models(Origin.OURS, self.theory)

    def _theory_models(self, origin: Origin, theory: Theory) -> dict[Label, Model]:
        """A theory in every way."""
        labels = {way: Label(origin, way) for way in Way}
        names = {way: str(label) for way, label in labels.items()}
        models: dict[Way, Model] = {
            Way.GLOBAL: TheoryModel(names[Way.GLOBAL], theory, Global()),
            Way.REPAIRED: TheoryModel(names[Way.REPAIRED], theory, Global(repair=True)),
            Way.FRAGMENT: TheoryModel(names[Way.FRAGMENT], theory, Fragments()),
            Way.LOCAL: TheoryModel(names[Way.LOCAL], theory, Local()),
            Way.CALIBRATED: CalibratedModel(names[Way.CALIBRATED], theory, self.data.train),
        }
        return {labels[way]: model for way, model in models.items()}

    # What is measured

    @cached_property
    def _ours(self) -> Protocol:
        """Our evidence sets: several of each size."""
        return Protocol(self.data.test, self.scale.sizes, self.scale.repeats, self.scale.seed)

    @cached_property
    def _papers(self) -> Protocol:
        """The paper's evidence sets: one of each size."""
        return Protocol(self.data.test, self.scale.curve, 1, self.scale.seed)

    def _scores(self, phase: str, model: Model, protocol: Protocol) -> _Scores:
        """The scores of a model, or why a network cannot answer."""

        def progress(step: Step) -> None:
            self.progress(replace(step, phase=phase))

        def make() -> _Scores:
            return _asked(model, lambda: run(model, protocol, jobs=self.jobs, progress=progress))

        decode = partial(_decode_scores, protocol)
        return self._once(phase, make, _encode_scores, decode, len(protocol.sizes) * protocol.repeats)

    def _curves(self, answered: Mapping[Label, Model]) -> ErrorCurves:
        """The paper's figure: possibilistic theories against what they are compared with."""
        errors = {}
        for label, model in answered.items():
            if label.origin in (Origin.DENSITY_TREE, Origin.LEARNED_NETWORK) or label.way in (
                Way.FRAGMENT,
                Way.CALIBRATED,
            ):
                continue
            found = self._scores(f"curve of {label}", model, self._papers)
            if not isinstance(found, Unanswered):
                errors[label] = tuple(one.error for one in found)
        return ErrorCurves(self.scale.curve, errors)

    @cached_property
    def results(self) -> Results:
        """Everything."""
        tried = {label: self._scores(f"scores of {label}", model, self._ours) for label, model in self.models.items()}
        scores = {label: found for label, found in tried.items() if not isinstance(found, Unanswered)}
        failed = {label: found.reason for label, found in tried.items() if isinstance(found, Unanswered)}
        answered = {label: self.models[label] for label in scores}
        return Results(
            data=self.data.name,
            sources=self.data.sources,
            train=FactCounts.of(self.data.train),
            test=FactCounts.of(self.data.test),
            seed=self.scale.seed,
            repeats=self.scale.repeats,
            sizes=self.scale.sizes,
            versions={"python": platform.python_version(), **_versions("possilog", "numpy", "scipy", "highspy")},
            learning=self._cost,
            theory=self.found_theory.theory,
            models={label: summarise(found) for label, found in scores.items()},
            paired={
                label: Paired.each(found, scores[OURS], self.scale.seed)
                for label, found in scores.items()
                if label != OURS
            },
            curves=self._curves(answered),
            left_out=self._left_out(failed),
            areas=self._once("areas", partial(self._areas, answered), _encode_areas, _decode_areas),
            readings=self._once("readings", partial(self._readings, answered), _encode_readings, _decode_readings),
            example=self._example(Label(Origin.PUBLISHED_NETWORK) in answered),
            beside=None if self.data.authors is None else compare(self.theory, self.data.authors),
        )

    @property
    def _cost(self) -> LearningCost:
        theory, network = self.found_theory, self.found_network
        return LearningCost(theory.cpu_seconds, theory.reason, network.cpu_seconds, network.complete)

    def _areas(self, answered: Mapping[Label, Model]) -> Areas:
        """The areas of each predicate."""
        unranked = (Way.GLOBAL, Way.REPAIRED, Way.CALIBRATED)
        chosen = {
            label: model
            for label, model in answered.items()
            if label.origin is not Origin.EVIDENCE and label.way not in unranked
        }
        found: dict[Label, dict[str, float | None]] = {}
        for done, (label, model) in enumerate(chosen.items()):
            self.progress(Step("areas", done, len(chosen), str(label)))
            areas = found.setdefault(label, {})
            for predicate in self.data.test.predicates:
                area = _asked(model, partial(predicate_area, model, self.data.test, predicate))
                areas[str(predicate)] = None if isinstance(area, Unanswered) else area
        return found

    def _readings(self, answered: Mapping[Label, Model]) -> dict[Label, ReadModel]:
        """The formulas of networks, and the rules of theories with local inference, read alone."""
        repeats = min(_READ_SETS, self.scale.repeats)
        evidence = Protocol(self.data.test, self.scale.read_with, repeats, self.scale.seed).evidence
        chosen = {
            label: model for label, model in answered.items() if label.origin.is_network or label.way is Way.LOCAL
        }
        found = {}
        for done, (label, model) in enumerate(chosen.items()):
            self.progress(Step("readings", done, len(chosen), str(label)))
            size = size_of(model)
            readings = _asked(model, partial(read_alone, model, self.data.test, evidence))
            if size is not None:
                found[label] = ReadModel(size, () if isinstance(readings, Unanswered) else readings)
        return found

    def _left_out(self, failed: dict[Label, str]) -> dict[Label, str]:
        """Models that could not be learned or asked, and why."""
        reason = self.found_network.reason
        learned = {} if reason is None else {Label(Origin.LEARNED_NETWORK): reason}
        why = "it tells single things apart by unary predicates, and there are none"
        tree = {} if self._has_unary else {Label(Origin.DENSITY_TREE): why}
        return learned | tree | failed

    @property
    def _has_unary(self) -> bool:
        """Is there something to say of single things?"""
        return any(predicate.arity == 1 for predicate in self.data.train.predicates)

    def _example(self, answers: bool) -> tuple[ExampleWorld, ...]:
        """The paper's example, where the network that it is about is there."""
        return two_kinds(self.data.network, "Student", "Professor") if self.data.network is not None and answers else ()


def _asked(model: Model, ask: Callable[[], _T]) -> _T | Unanswered:
    """What a model answers, or why a network cannot."""
    try:
        return ask()
    except PossilogError as error:
        if isinstance(model, MarkovModel):
            return Unanswered(str(error))
        raise


# What is kept, in JSON's terms


def _encode_scores(found: _Scores) -> object:
    return found.reason if isinstance(found, Unanswered) else [one.as_json for one in found]


def _decode_scores(protocol: Protocol, kept: Any) -> _Scores:
    if isinstance(kept, str):
        return Unanswered(kept)
    scores = tuple(map(Score.from_json, kept))
    if [(one.size, one.repeat) for one in scores] != list(product(protocol.sizes, range(protocol.repeats))):
        raise ValueError("they are not the scores of these evidence sets")
    return scores


def _encode_areas(found: Areas) -> object:
    return {str(label): areas for label, areas in found.items()}


def _decode_areas(kept: Any) -> Areas:
    return {
        Label.from_json(name): {text(predicate): number_or_none(area) for predicate, area in areas.items()}
        for name, areas in kept.items()
    }


def _encode_readings(found: Mapping[Label, ReadModel]) -> object:
    return {str(label): one.as_json for label, one in found.items()}


def _decode_readings(kept: Any) -> Mapping[Label, ReadModel]:
    return {Label.from_json(name): ReadModel.from_json(one) for name, one in kept.items()}


def _versions(*packages: str) -> dict[str, str]:
    """Those of the packages that are installed."""
    return {package: version(package) for package in packages if find_spec(package)}


def _file_name(text: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text).split())


def _cpu_seconds() -> float:
    """Of this process and of the workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
