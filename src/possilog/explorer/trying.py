"""Try an edit before it is accepted: the theory with it and without it, side by side."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from possilog.counting import TooLarge
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.errors import DataWarning, PossilogError, QueryError
from possilog.evaluation.models import TheoryModel
from possilog.evaluation.protocol import Protocol
from possilog.evaluation.running import run
from possilog.explorer.edits import Edit, EditKind, applied, needs_weights
from possilog.explorer.exploration import Exploration, Premises
from possilog.explorer.position import Signed
from possilog.explorer.wishes import Wish, wish
from possilog.inference import Reasoner
from possilog.inference.what_if import Difference
from possilog.learning.confidence import Judge
from possilog.learning.settings import SMOOTHING
from possilog.learning.weighing import Weighing, weigh_by
from possilog.logic import Clause, Keep, Rule, Theory, Weight
from possilog.report import TheoryDifference, compare_theories

__all__ = ["DifferenceAsked", "EditAsked", "EditTried", "TrialAsked"]

COUNTING = 8.0
"""Seconds for likelihoods; what cannot be counted by then is estimated, or left out."""

SHARES = (0.2, 0.5, 0.8)
REPEATS = 4
LARGE = 3_000
"""Facts; of more, fewer sets are drawn."""

SHARE = 0.5
"""Of the data, from which changed predictions are drawn, if no evidence is given."""


@dataclass(frozen=True, slots=True)
class EditAsked(Wish):
    """A correction."""

    kind: EditKind = wish("What is done.", EditKind.ADD)  # noqa: RUF009 - it is a field
    rule: str = wish("The rule that it is about; what its variables are called does not matter.", "", most=20_000)
    text: str = wish("A rule that is written instead, or in addition.", "", most=20_000)
    weight: str = wish("A weight to pin.", "", most=500)
    atom: str = wish("The conclusion that is marked.", "", most=20_000)
    right: bool = wish("Is it right?", True)
    refit: bool = wish("Fit the weights of all rules that are not pinned to the data again.", False)
    who: str = wish("Who says so.", "somebody", most=100)
    based_on: int | None = wish("The revision that was looked at; if it is over, the edit is refused.", None)

    @property
    def edit(self) -> Edit:
        """The correction alone."""
        return Edit(self.kind, self.rule, self.text, self.weight, self.atom, self.right)

    @property
    def weighs(self) -> bool:
        """Has the theory to be weighed for it?"""
        return self.refit or needs_weights(self.edit)


@dataclass(frozen=True, slots=True)
class TrialAsked(EditAsked):
    """A correction, and from what both theories are to predict."""

    evidence: tuple[str, ...] = wish("Facts from which both predict; none: half of the data.", ())
    only_theory: bool = wish("Leave out what is costly: likelihood and gain.", False)


@dataclass(frozen=True, slots=True)
class Sides:
    """A number without the edit and with it; None where it could not be had."""

    before: float | None
    after: float | None
    about: str

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"before": self.before, "after": self.after, "about": self.about}


@dataclass(frozen=True, slots=True)
class EditTried:
    """What an edit would change."""

    asked: TrialAsked
    revision: int
    difference: TheoryDifference | None
    likelihood: Sides
    gain: Sides
    remarks: tuple[str, ...]
    value: Theory | None
    """The theory with the edit."""

    @property
    def predictions(self) -> Difference | None:
        """The predictions that change."""
        return None if self.difference is None else self.difference.predictions

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog diff --json`` prints, and both sides of the numbers."""
        return {
            "edit": self.asked.edit.as_json,
            "revision": self.revision,
            "difference": None if self.difference is None else self.difference.as_json,
            "log_likelihood": self.likelihood.as_json,
            "held_out_gain": self.gain.as_json,
            "remarks": list(self.remarks),
        }


_NOT_COUNTED = Sides(None, None, "not asked for")


def trial(here: Exploration, asked: TrialAsked) -> EditTried:
    """The theory with an edit beside the theory without it."""
    revision = here.position.revision
    if not (asked.rule or asked.text or asked.atom or asked.kind is EditKind.REFIT):
        return EditTried(asked, revision, None, _NOT_COUNTED, _NOT_COUNTED, (), None)
    if asked.kind is EditKind.LEARN:
        raise QueryError("a theory is learned again by POST /api/learning")
    moved = applied(here.position, asked.edit, Signed(asked.who, ""))
    facts = here.facts.facts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # hard rules that the data break are said elsewhere
        after, remarks = _weighed(moved.theory, facts) if asked.weighs else (moved.theory, ())
        after.require_weights()
        Reasoner(after)
        if asked.only_theory:
            return EditTried(asked, revision, None, _NOT_COUNTED, _NOT_COUNTED, remarks, after)
        likelihood = _likelihoods(here, after, facts)
    known = Premises(asked.evidence) if asked.evidence else Premises(share=SHARE, seed=1)
    difference = compare_theories(here.theory, after, here.evidence(known), words=here.words)
    return EditTried(asked, revision, difference, likelihood, _gains(here, after), remarks, after)


# Weights


def _weighed(theory: Theory, facts: Database) -> tuple[Theory, tuple[str, ...]]:
    """The theory with new weights; where they cannot be counted, what waits for a place stands beside its like."""
    try:
        return _fitted(theory, facts).theory, ()
    except (PossilogError, TooLarge) as error:
        if not theory.unplaced:
            return theory, (f"the weights stay as they are: {error}",)
        remark = "the weights could not be counted, so that the rule stands with those that are right as often"
        return _beside_its_like(theory, facts), (f"{remark} ({error})",)


def _fitted(theory: Theory, facts: Database) -> Weighing:
    """With the most likely weights. Rules without numbers stay without: trying an edit is to be quick."""
    return weigh_by(None, theory, facts, None, smoothing=SMOOTHING, stop=Deadline(COUNTING))


def _beside_its_like(theory: Theory, facts: Database) -> Theory:
    """What waits for a place gets the weight of the lowest rule that is right at least as often."""
    judge = Judge(facts, [rule.clause for rule in theory.hard])
    rates = {clause: found.overall for clause, found in judge.all(_all(theory)).items()}
    rules = list(theory.rules)
    for clause in theory.unplaced:
        rate = rates.get(clause) or 0.0
        above = [rule.weight for rule in theory.ranked if (rates.get(rule.clause) or 0.0) >= rate]
        lowest = [rule.weight for rule in theory.ranked]
        weight = min(above) if above else max(lowest, default=Weight.of(0.9))
        rules.append(Rule(clause, weight, Keep.LOCKED if clause in theory.locked else Keep.FREE))
    return replace(theory, rules=tuple(rules), unplaced=(), locked=())


def _all(theory: Theory) -> list[Clause]:
    return [*(rule.clause for rule in theory.ranked), *theory.unplaced]


def _likelihoods(here: Exploration, after: Theory, facts: Database) -> Sides:
    about = "of all fragments of the data, with the most likely weights for the order of the rules"
    before, reason = here.remembered("likelihood", lambda: _likelihood(here.theory, facts), marked=True)
    now, other = _likelihood(after, facts)
    return Sides(before, now, reason or other or about)


def _likelihood(theory: Theory, facts: Database) -> tuple[float | None, str]:
    try:
        return _fitted(theory, facts).fit.log_likelihood, ""
    except (PossilogError, TooLarge) as error:
        return None, f"it could not be counted: {error}"


# Hidden facts


def _gains(here: Exploration, after: Theory) -> Sides:
    """The mean gain of both on the same facts: right conclusions less wrong ones."""
    test = here.sources.test
    facts = here.data if test is None else test
    if len(facts) < 2:
        return Sides(None, None, "there are too few facts to hide some")
    large = len(facts) > LARGE
    sizes = tuple(dict.fromkeys(max(1, round(share * len(facts))) for share in (SHARES[1:2] if large else SHARES)))
    protocol = Protocol(facts, sizes, 1 if large else REPEATS)
    gains = {}
    for name, theory in (("before", here.theory), ("after", after)):
        scores = run(TheoryModel(name, theory), protocol)
        gains[name] = sum(score.gain for score in scores) / len(scores)
    sets = len(protocol.evidence)
    if test is None:
        whose = "facts of the data that were hidden at random; the rules may have been learned from them"
    else:
        whose = "test facts that were hidden at random"
    return Sides(gains["before"], gains["after"], f"right conclusions less wrong ones, mean of {sets} sets of {whose}")


# Since the beginning


@dataclass(frozen=True, slots=True)
class DifferenceAsked(Wish):
    """What has changed?"""

    predictions: bool = wish("Also predictions that change, from half of the data?", False)


@dataclass(frozen=True, slots=True)
class Changed:
    """What people changed."""

    difference: TheoryDifference

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog diff --json`` prints."""
        return self.difference.as_json


def difference(here: Exploration, asked: DifferenceAsked) -> Changed:
    """The theory as it was begun with, and as it stands."""
    begun = here.position.begun or here.theory
    evidence = here.evidence(Premises(share=SHARE, seed=1)) if asked.predictions else None
    return Changed(compare_theories(begun, here.theory, evidence, words=here.words))
