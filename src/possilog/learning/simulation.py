"""Which rules pay? Simulated prediction on parts that are held out of the training data.

Likelihood weighs rules well and chooses them badly: it rewards rules whose body is common among worlds and rare in the
data, whether or not they predict anything true. So the candidates are filtered first, by both confidences and by the
length of the body, and how strictly is decided by trying: learn without a part of the data, hide some of that part's
facts, predict them, and count what is gained over the hard rules alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from typing import Any

import numpy as np

from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.learning.decoding import clauses, listed, mapped, number, text, whole
from possilog.learning.hiding import SIMULATED
from possilog.learning.trials import CLEARLY, Gains, Holdout, Judged, Trial, is_clear, is_loss, loses, noise, score
from possilog.logic import Clause
from possilog.progress import Progress, Step, silent

__all__ = ["Filter", "ShareGain", "Simulation", "pool", "simulate"]

OVERALL = (0.5, 0.6, 0.7, 0.8, 0.9)
GUARDED = (0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
"""The confidences that are tried as thresholds."""

ROUGHLY = 3
"""What does badly on this many evidence sets of each kind is not tried on the others."""

NEAR_OVERALL, NEAR_GUARDED = 0.4, 0.7
MOST_NEAR = 40
"""Which candidates beyond the filter are tried one by one, and how many."""


@dataclass(frozen=True, slots=True, order=True)
class Filter:
    """Which candidates may enter the theory: at least these confidences, and no more conditions than these."""

    overall: float
    guarded: float
    body: int

    @classmethod
    def from_json(cls, kept: Any) -> Filter:
        """What JSON made of it."""
        kept = mapped(kept, "overall", "guarded", "body")
        return cls(number(kept["overall"]), number(kept["guarded"]), whole(kept["body"]))

    @property
    def short(self) -> str:
        """In three numbers."""
        return f"{self.overall:g}, {self.guarded:g}, {self.body}"

    def __str__(self) -> str:
        return (
            f"confidence at least {self.overall:g}, at least {self.guarded:g} beyond the hard rules, "
            f"at most {self.body} condition{'s' * (self.body != 1)}"
        )


def pool(judged: Judged, choice: Filter | None) -> tuple[Clause, ...]:
    """The candidates that pass a filter, the most confident first; none without a filter."""
    if choice is None:
        return ()
    passed = [
        clause
        for clause, confidence in judged.items()
        if confidence.overall >= choice.overall
        and confidence.guarded >= choice.guarded
        and len(clause.body) <= choice.body
    ]
    return tuple(sorted(passed, key=lambda clause: (-judged[clause].guarded, -judged[clause].true, str(clause))))


@dataclass(frozen=True, slots=True)
class ShareGain:
    """At one share of known facts: the gain of the hard rules, what the soft rules add, and the noise of that."""

    share: float
    hard: float
    added: float
    noise: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """The filter that was chosen, why, and the table that it was chosen from."""

    choice: Filter | None
    """None: no soft rule clearly pays."""
    reason: str
    table: tuple[ShareGain, ...] = ()
    """The gains of the choice, or of the best filter where none was chosen."""
    tried: tuple[tuple[Filter, float, float], ...] = ()
    """Every filter, what it added on average, and the noise of that."""
    extra: tuple[Clause, ...] = ()
    """Rules that the filter leaves out and that pay all the same."""

    def pool(self, judged: Judged) -> tuple[Clause, ...]:
        """The rules that pay: those that pass the filter, then the others."""
        passed = pool(judged, self.choice)
        return passed + tuple(clause for clause in self.extra if clause not in passed)

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it in JSON's terms; ``from_json`` reads it again."""
        return asdict(replace(self, extra=())) | {"extra": list(map(str, self.extra))}

    @classmethod
    def from_json(cls, kept: Any) -> Simulation:
        """What ``as_json`` wrote; ValueError where it did not."""
        kept = mapped(kept, *(field.name for field in fields(cls)))
        columns = [field.name for field in fields(ShareGain)]
        rows = [mapped(row, *columns) for row in listed(kept["table"])]
        return cls(
            None if kept["choice"] is None else Filter.from_json(kept["choice"]),
            text(kept["reason"]),
            tuple(ShareGain(*(number(row[name]) for name in columns)) for row in rows),
            tuple((Filter.from_json(choice), number(mean), number(error)) for choice, mean, error in kept["tried"]),
            clauses(kept["extra"]),
        )


def simulate(
    holdouts: Sequence[Holdout],
    judged: Judged,
    longest: int,
    *,
    evidence_sets: int = 10,
    seed: int = 0,
    progress: Progress = silent,
    stop: Deadline = NEVER,
) -> Simulation:
    """Choose the filter whose rules add most to the hard rules' predictions, if any clearly does, then single rules.

    ``judged`` are the candidates of all the data: those that the filter leaves out are tried one by one, and enter if
    they clearly add to what is there. As soon as ``stop`` says so, the choice is made from what was tried.
    """
    if not judged and not any(holdout.judged for holdout in holdouts):
        return Simulation(None, "no soft rule was found, so the hard rules stand alone")
    loose = [_loose(holdout.judged, judged, longest) for holdout in holdouts]
    trials = [Trial(part, rules, evidence_sets, seed, stop) for part, rules in zip(holdouts, loose, strict=True)]
    results = _results(trials, longest, progress)
    if not results:
        why = "there was no time to try any soft rule" if trials else "the data cannot be cut into parts to be held out"
        return Simulation(None, f"{why}, so the hard rules stand alone")
    tried = tuple((choice, *score(added)) for choice, added in results.items())
    most = max(added.shape[1] for added in results.values())
    whole = {choice: added for choice, added in results.items() if added.shape[1] == most}
    sound = {choice: added for choice, added in whole.items() if not loses(added, len(trials))}
    chosen = _best(sound or whole)
    if not sound or not is_clear(results[chosen]):
        best = _best(whole)
        return Simulation(None, _why_none(best, results[best]), _table(trials, results[best]), tried)
    refined = _Refinement(trials, chosen, results[chosen])
    refined.add_what_pays(_near(judged, chosen, longest), progress)
    extra = tuple(refined.extra)
    reason = _why(chosen, results[chosen]) + _why_more(extra, refined.added)
    return Simulation(chosen, reason, _table(trials, refined.added), tried, extra)


def _results(trials: Sequence[Trial], longest: int, progress: Progress) -> dict[Filter, Gains]:
    """What the rules that pass each filter add to the gains of the hard rules, as far as there is time to try."""
    # The strictest first: they are fast, and what to fall back on where time runs out. Those that differ only in the
    # confidence beyond the hard rules, by which pools are sorted, follow each other, since their pools begin alike.
    lengths = range(longest, 0, -1)
    filters = [
        Filter(overall, guarded, body) for overall, body, guarded in product(OVERALL[::-1], lengths, GUARDED[::-1])
    ]
    results: dict[Filter, Gains] = {}
    try:
        for done, choice in enumerate(filters if trials else ()):
            progress(Step("simulation", done, len(filters), f"filter {choice.short}"))
            results[choice] = _added(trials, choice, ROUGHLY)
        hopeful = _hopeful(results, len(trials))
        for done, choice in enumerate(hopeful):
            progress(Step("simulation", done, len(hopeful), f"filter {choice.short} again"))
            results[choice] = _added(trials, choice)
    except OutOfTime:
        pass
    return results


def _added(trials: Sequence[Trial], choice: Filter, most: int | None = None) -> Gains:
    """What the rules that pass a filter add to the gains of the hard rules, on all evidence sets or the first few."""
    added = [trial.gains(pool(trial.judged, choice), most) - trial.gains((), most) for trial in trials]
    return np.concatenate(added, axis=1)


def _hopeful(results: Mapping[Filter, Gains], parts: int) -> list[Filter]:
    """The filters that may turn out to be the best one without a loss."""
    scores = {choice: score(added) for choice, added in results.items()}
    sound = [choice for choice, added in results.items() if not loses(added, parts)] or list(results)
    floor = max((mean - CLEARLY * error for mean, error in map(scores.__getitem__, sound)), default=0.0)
    return [choice for choice, (mean, error) in scores.items() if mean + CLEARLY * error >= floor]


def _loose(judged: Judged, whole: Judged, longest: int) -> tuple[Clause, ...]:
    """All rules that may be tried on a part: those found without it that pass some filter, and those beyond."""
    passed = pool(judged, Filter(min(OVERALL), min(GUARDED), longest))
    return tuple(dict.fromkeys((*passed, *pool(whole, Filter(NEAR_OVERALL, NEAR_GUARDED, longest)))))


def _near(judged: Judged, chosen: Filter, longest: int) -> tuple[Clause, ...]:
    """Candidates that a filter leaves out, though not by far."""
    passed = set(pool(judged, chosen))
    near = [clause for clause in pool(judged, Filter(NEAR_OVERALL, NEAR_GUARDED, longest)) if clause not in passed]
    return tuple(sorted(near, key=lambda clause: -judged[clause].true)[:MOST_NEAR])


def _best(results: Mapping[Filter, Gains]) -> Filter:
    """The filter that adds most; the strictest of those that add the same."""
    return max(results, key=lambda choice: (round(score(results[choice])[0], 9), choice))


def _why(chosen: Filter, added: Gains) -> str:
    return f"{chosen}: {_shown(added)}, and nowhere a clear loss"


def _why_more(extra: Sequence[Clause], added: Gains) -> str:
    """What is said of single rules: they pay on average, and maybe not at every share."""
    if not extra:
        return ""
    lost = [f"{share:.0%}" for share, row in zip(SIMULATED, added, strict=True) if is_loss(row)]
    but = f", with a loss where {' or '.join(lost)} of the facts are known" if lost else ""
    one = len(extra) == 1
    return f"; and {len(extra)} more rule{'s' * (not one)} that pay{'s' * one} on average{but}"


def _why_none(best: Filter, added: Gains) -> str:
    return f"no soft rule clearly pays, so the hard rules stand alone; the best filter, {best}, gave {_shown(added)}"


def _shown(added: Gains) -> str:
    mean, error = score(added)
    return f"{mean:+.1f} ± {error:.1f} facts per simulated prediction"


class _Refinement:
    """The pool of a filter in every trial, and rules that are added to all of them."""

    def __init__(self, trials: Sequence[Trial], chosen: Filter, added: Gains) -> None:
        self._trials = trials
        self._pools = [pool(trial.judged, chosen) for trial in trials]
        self.extra: list[Clause] = []
        self.added = added
        """What all of them add to the hard rules."""

    def add_what_pays(self, near: Sequence[Clause], progress: Progress) -> None:
        """Greedily: the rule that pays most on average, as long as one clearly pays and there is time."""
        left: dict[Clause, Gains] = {}
        try:
            for done, clause in enumerate(near):
                progress(Step("simulation", done, len(near), str(clause)))
                if self._is_hopeful(clause):
                    left[clause] = self._pays(clause)
            self._add_from(left)
        except OutOfTime:
            pass

    def _add_from(self, left: dict[Clause, Gains]) -> None:
        """A rule pays less when others have come in, so one is measured again only when it comes first."""
        while left:
            clause = max(left, key=lambda clause: (round(score(left[clause])[0], 9), str(clause)))
            measured = self._pays(clause)
            if score(measured)[0] < score(left[clause])[0] - 1e-9:
                left[clause] = measured
                continue
            del left[clause]
            if score(measured)[0] <= 0:
                return
            if is_clear(measured):
                added = self._gains((*self.extra, clause)) - self._hard()
                self.extra.append(clause)
                self.added = added

    def _is_hopeful(self, clause: Clause) -> bool:
        """May a rule turn out to pay?"""
        mean, error = score(self._pays(clause, ROUGHLY))
        return mean + CLEARLY * error > 0

    def _pays(self, clause: Clause, most: int | None = None) -> Gains:
        """What a rule adds to the pools that do not have it already."""
        return self._gains((*self.extra, clause), most) - self._gains(self.extra, most)

    def _gains(self, more: Sequence[Clause], most: int | None = None) -> Gains:
        """What the pools gain with more rules."""
        pools = [tuple(dict.fromkeys((*rules, *more))) for rules in self._pools]
        gains = [trial.gains(rules, most) for trial, rules in zip(self._trials, pools, strict=True)]
        return np.concatenate(gains, axis=1)

    def _hard(self) -> Gains:
        return np.concatenate([trial.gains(()) for trial in self._trials], axis=1)


def _table(trials: Sequence[Trial], added: Gains) -> tuple[ShareGain, ...]:
    sets = added.shape[1] // len(trials)
    hard = np.concatenate([trial.gains((), sets) for trial in trials], axis=1)
    return tuple(
        ShareGain(share, float(base.mean()), float(more.mean()), noise(more))
        for share, base, more in zip(SIMULATED, hard, added, strict=True)
    )
