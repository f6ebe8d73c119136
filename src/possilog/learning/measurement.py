"""Which rules pay, and where? All that a theory's file says of it is measured here, by simulated prediction.

Facts of a part of the data are hidden at several shares and predicted. What single rules gain alone, and which of them
are needed, is measured with the rules of all the data; how evidence shows its share, what the rules add as a whole and
how often what is said comes true, on parts that were held out: with rules learned without the part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from possilog.data import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.inference.doubt import Survey
from possilog.inference.gate import Gate
from possilog.learning.decoding import clauses, listed, mapped, number, text, whole
from possilog.learning.elimination import Stage, eliminate, shortest_best
from possilog.learning.hard_part import HardPart
from possilog.learning.hiding import SIMULATED
from possilog.learning.pool import make_pool
from possilog.learning.trials import Drawn, Holdout, Trial, noise
from possilog.logic import Atom, Clause, HeldOut, Measured, Measures, Precision, Predicate, parse_theory
from possilog.progress import Progress, Step, silent

__all__ = ["Measurement", "ShareGain", "SizeGain", "measure"]

PHASE = "simulation"

SETS = 20
"""Evidence sets at each share, over all parts together, by which rules are chosen."""

MANY = 200
"""Of more rules than these, each is tried with so many fewer evidence sets, so that the time does not grow."""

ROUGHLY = 3
"""Of how many evidence sets one is looked at where it need not be exact."""

PARTED = 4
"""Evidence sets of each held-out part at each share."""

LEAST_RIGHT = 5
"""A rule that feeds on its own conclusions needs this many that came true: held-out ones, if there are any."""

DIGITS = 4
"""Of what is measured, this many stand in a file."""


@dataclass(frozen=True, slots=True)
class ShareGain:
    """At one share of known facts: the gain of the hard rules, what the soft rules add, and the noise of that."""

    share: float
    hard: float
    added: float
    noise: float


@dataclass(frozen=True, slots=True)
class SizeGain:
    """A theory with this many soft rules, and what it gains on average."""

    rules: int
    gain: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """The rules that pay, the highest first, and what was measured of them."""

    rules: tuple[Clause, ...]
    measures: Measures
    reason: str
    table: tuple[ShareGain, ...] = ()
    """On held-out parts."""
    curve: tuple[SizeGain, ...] = ()
    """Gain against number of rules, the largest theory first."""

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it in JSON's terms; ``from_json`` reads it again."""
        return {
            "rules": list(map(str, self.rules)),
            "measures": list(self.measures.lines),
            "reason": self.reason,
            "table": list(map(asdict, self.table)),
            "curve": list(map(asdict, self.curve)),
        }

    @classmethod
    def from_json(cls, kept: Any) -> Measurement:
        """What ``as_json`` wrote; ValueError where it did not."""
        kept = mapped(kept, *(field.name for field in fields(cls)))
        lines = "\n".join(map(text, listed(kept["measures"])))
        columns = [field.name for field in fields(ShareGain)]
        rows = [mapped(row, *columns) for row in listed(kept["table"])]
        sizes = [mapped(row, "rules", "gain") for row in listed(kept["curve"])]
        return cls(
            clauses(kept["rules"]),
            parse_theory(lines).measures or Measures(),
            text(kept["reason"]),
            tuple(ShareGain(*(number(row[name]) for name in columns)) for row in rows),
            tuple(SizeGain(whole(row["rules"]), number(row["gain"])) for row in sizes),
        )


def measure(
    hard: HardPart,
    pool: Sequence[Measured],
    parts: Sequence[tuple[str, Database]],
    holdouts: Sequence[Holdout],
    *,
    most: int | None = None,
    kept: Container[Clause] = (),
    seed: int = 0,
    progress: Progress = silent,
    stop: Deadline = NEVER,
) -> Measurement:
    """Choose the rules that pay somewhere and are not said by others, and measure all that prediction needs to know.

    ``pool`` has the rules to choose from, the most reliable first. ``parts`` are the parts of the data, ``holdouts``
    what was learned without each. At most ``most`` rules are chosen; those to be kept stay. When ``stop`` says so,
    there are no soft rules but these.
    """
    if not pool:
        return Measurement((), Measures(), "no soft rule was found, so the hard rules stand alone")
    if not holdouts:
        return Measurement(
            (), Measures(), "the data cannot be cut into parts to be held out, so the hard rules stand alone"
        )
    try:
        return _Measuring(hard, pool, parts, holdouts, seed, progress, stop).result(most, kept)
    except OutOfTime:
        return Measurement((), Measures(), "there was no time to try the soft rules, so the hard rules stand alone")


class _Measuring:
    """One measurement under way."""

    def __init__(
        self,
        hard: HardPart,
        pool: Sequence[Measured],
        parts: Sequence[tuple[str, Database]],
        holdouts: Sequence[Holdout],
        seed: int,
        progress: Progress,
        stop: Deadline,
    ) -> None:
        self._pool, self._progress = tuple(pool), progress
        sets = max(1, round(SETS * min(1.0, MANY / max(len(pool), 1)) / len(parts)))
        self._trials = [Trial(hard, pool, part, name, sets=sets, seed=seed, stop=stop) for name, part in parts]
        self._held_out = [
            Trial(one.hard, make_pool(one.judged, one.hard), one.part, one.name, sets=PARTED, seed=seed + 1, stop=stop)
            for one in holdouts
        ]

    def result(self, most: int | None, kept: Container[Clause]) -> Measurement:
        """All steps, one after the other."""
        self._tell("how evidence shows its share")
        measures = Measures(SIMULATED, self._seen(None), (0.0,) * len(SIMULATED))
        self._tell("rules without exception")
        measures = replace(measures, faultless=self._faultless(measures))
        self._tell("what each rule gains alone")
        measures = replace(measures, rules=self._alone(), given=self._given())
        self._tell("which rules are needed")
        path = self._eliminated(measures, kept)
        chosen = shortest_best(path, most)
        rules = [self._pool[place].clause for place in chosen.rules]
        self._tell("what comes true on held-out parts")
        measures = replace(measures, seen=self._seen(set(rules)))
        found = _Outcomes(self._held_out, measures.only(rules), set(rules))
        if unproved := _unproved(found.measures, kept):
            rules = [rule for rule in rules if rule not in unproved]
            found = _Outcomes(self._held_out, measures.only(rules), set(rules))
        table = found.table
        return Measurement(
            tuple(rules),
            _rounded(found.measures),
            _why(table, len(rules)),
            table,
            tuple(SizeGain(len(stage.rules), stage.gain) for stage in path),
        )

    def _tell(self, doing: str) -> None:
        self._progress(Step(PHASE, doing=doing))

    def _seen(self, among: Container[Clause] | None) -> tuple[float, ...]:
        """At each share, how much of what the rules expect is given on held-out parts, all of them together.

        One part alone may be so small that next to nothing is expected.
        """
        found: dict[float, Survey] = defaultdict(Survey)
        for trial in self._held_out:
            gate = trial.gate(Measures(), _places(trial, among))
            for known in trial.known:
                found[known.share] += gate.expected_of(gate.survey(known.evidence))
        return tuple(np.maximum.accumulate([found[share].share_given for share in SIMULATED]).tolist())

    def _faultless(self, measures: Measures) -> HeldOut:
        """How often rules without exception come true on held-out parts, each alone."""
        tally = _Tally()
        for trial in self._held_out:
            places = [place for place, rule in enumerate(trial.pool) if rule.is_faultless]
            gate = trial.gate(measures, places)
            for known in trial.known[::2] if places else ():
                share = gate.use(known.evidence).share or 0.0
                for place in places:
                    said = trial.pool[place].still_right(share)
                    if said > 0.5:
                        tally.add(trial.name, trial.conclusions(known, [place])[1], said)
        return tally.held_out

    def _alone(self) -> tuple[Measured, ...]:
        """What each rule gains alone at each share on the data."""
        found = []
        for place, rule in enumerate(self._pool):
            added: dict[float, list[tuple[int, int]]] = defaultdict(list)
            for trial in self._trials:
                for known in trial.known:
                    added[known.share].append(trial.alone(known, place))
            means = [np.mean(added[share], axis=0).tolist() for share in SIMULATED]
            gains = tuple(round(right - wrong, 9) for right, wrong in means)
            found.append(replace(rule, gains=gains, errors=tuple(wrong for _, wrong in means)))
        return tuple(found)

    def _given(self) -> tuple[float, ...]:
        """How many facts are given at each share where rules are tried alone."""
        sizes = {
            share: [
                len(known.evidence.facts) for trial in self._trials for known in trial.known if known.share == share
            ]
            for share in SIMULATED
        }
        return tuple(float(np.mean(sizes[share])) for share in SIMULATED)

    def _eliminated(self, measures: Measures, kept: Container[Clause]) -> list[Stage]:
        """The theories on the way from all rules that are used somewhere to the shortest."""
        needs = _Needs(self._trials, self._held_out, self._pool, measures)
        stay = {place for place, rule in enumerate(self._pool) if rule.clause in kept}
        return eliminate(sorted(needs.used | stay), needs, kept=stay)


class _Prediction:
    """One evidence set of a trial, and the rules that are used with it: by their places in the trial, and in all."""

    def __init__(self, trial: Trial, known: Drawn, rules: Sequence[int], numbers: Sequence[int]) -> None:
        self._trial, self._known, self._places = trial, known, dict(zip(numbers, rules, strict=True))
        self.gain = trial.gain(known, rules)
        """What the rules that are left gain."""

    @property
    def numbers(self) -> Iterable[int]:
        """The rules that are left."""
        return self._places

    def loss(self, number: int) -> int:
        """What is lost without a rule."""
        if number not in self._places:
            return 0
        rest = [place for other, place in self._places.items() if other != number]
        return self.gain - self._trial.gain(self._known, rest)

    def remove(self, number: int) -> int:
        """Go on without a rule, and say what is lost by it."""
        lost = self.loss(number)
        self._places.pop(number, None)
        self.gain -= lost
        return lost


class _Needs:
    """Which of the rules are needed: what all of them gain, each where it is used, and what is lost without one.

    What counts are predictions by the rules of all the data, and on held-out parts by what was learned without them:
    the former have all rules, the latter know what new facts are like.
    """

    def __init__(
        self, trials: Iterable[Trial], held_out: Iterable[Trial], pool: Sequence[Measured], measures: Measures
    ) -> None:
        numbers = {rule.clause: number for number, rule in enumerate(pool)}
        self._predictions = []
        for trial in (*trials, *held_out):
            gate = trial.gate(measures, _places(trial, numbers))
            for known in trial.known:
                rules = trial.used(gate, known)[1]
                places = [numbers[trial.pool[rule].clause] for rule in rules]
                self._predictions.append(_Prediction(trial, known, rules, places))
        self._total = sum(one.gain for one in self._predictions)
        self.used = {number for one in self._predictions for number in one.numbers}

    @property
    def gain(self) -> float:
        """What the rules that are left gain on average."""
        return self._total / len(self._predictions)

    def loss(self, rule: int, *, roughly: bool = False) -> float:
        """What is lost on average without a rule."""
        some = self._predictions[::ROUGHLY] if roughly else self._predictions
        return sum(one.loss(rule) for one in some) / len(some)

    def remove(self, rule: int) -> None:
        """Go on without a rule."""
        self._total -= sum(one.remove(rule) for one in self._predictions)


class _Tally:
    """Conclusions about held-out facts, and what came of them."""

    def __init__(self) -> None:
        self._right = self._number = 0
        self._said = 0.0
        self._atoms: set[tuple[str, Atom]] = set()

    def add(self, part: str, concluded: Iterable[tuple[Atom, bool]], said: float) -> None:
        """Count conclusions of each of which the same was said."""
        for atom, right in concluded:
            self._right += right
            self._number += 1
            self._said += said
            self._atoms.add((part, atom))

    @property
    def held_out(self) -> HeldOut:
        """All of them: an atom is one case, however often it was concluded."""
        cases = len(self._atoms)
        return (
            HeldOut(cases * self._right / self._number, cases * self._said / self._number, cases)
            if cases
            else HeldOut()
        )


class _Outcomes:
    """What the chosen rules add on held-out parts, and how often what is said comes true."""

    def __init__(self, trials: Sequence[Trial], measures: Measures, rules: Container[Clause]) -> None:
        self._measures = measures
        self._hard: dict[float, list[int]] = defaultdict(list)
        self._added: dict[float, list[int]] = defaultdict(list)
        self._by_rule: dict[Clause, _Tally] = defaultdict(_Tally)
        self._certain: dict[Predicate, _Tally] = defaultdict(_Tally)
        for trial in trials:
            gate = trial.gate(measures, _places(trial, rules))
            for known in trial.known:
                self._take(trial, known, gate)

    def _take(self, trial: Trial, known: Drawn, gate: Gate) -> None:
        use, rules = trial.used(gate, known)
        hard = trial.gain(known, ())
        self._hard[known.share].append(hard)
        self._added[known.share].append(trial.gain(known, rules) - hard)
        certain, *concluded = trial.conclusions(known, rules)
        for place, conclusions in zip(rules, concluded, strict=True):
            rule = trial.pool[place]
            share = use.share_of(rule.clause.head[0].predicate)
            self._by_rule[rule.clause].add(trial.name, conclusions, gate.believed(rule, share or 0.0, use))
        for atom, right in certain:
            self._certain[atom.predicate].add(trial.name, [(atom, right)], 1.0)

    @property
    def measures(self) -> Measures:
        """The measures, with what was found out."""
        added = [np.array(self._added[share], dtype=np.float64) for share in SIMULATED]
        rules = tuple(replace(rule, held_out=self._by_rule[rule.clause].held_out) for rule in self._measures.rules)
        certain = tuple(Precision(predicate, tally.held_out) for predicate, tally in sorted(self._certain.items()))
        floor = tuple(round(float(row.mean()), 9) for row in added)  # what is 0 but for rounding is 0: its sign decides
        return replace(self._measures, added=floor, rules=rules, certain=certain)

    @property
    def table(self) -> tuple[ShareGain, ...]:
        """What the hard rules gain and the soft ones add, at each share."""
        return tuple(
            ShareGain(share, float(np.mean(self._hard[share])), float(row.mean()), _finite(noise(row)))
            for share in SIMULATED
            for row in [np.array(self._added[share], dtype=np.float64)]
        )


def _unproved(measures: Measures, kept: Container[Clause]) -> set[Clause]:
    """Rules that feed on their own conclusions, and were not seen to do well at it on held-out facts.

    One wrong conclusion of such a rule may lead to thousands: what it gains where chains are short says little.
    """
    return {
        rule.clause for rule in measures.rules if rule.is_recursive and rule.clause not in kept and not _is_proved(rule)
    }


def _is_proved(rule: Measured) -> bool:
    found = rule.held_out
    return found.right >= LEAST_RIGHT and found.right > found.cases / 2 if found.cases else rule.true >= LEAST_RIGHT


def _places(trial: Trial, among: Container[Clause] | None) -> list[int]:
    """The rules of a trial's pool that are among these, or all."""
    return [place for place, rule in enumerate(trial.pool) if among is None or rule.clause in among]


def _finite(error: float) -> float:
    return error if np.isfinite(error) else 0.0


def _why(table: Sequence[ShareGain], rules: int) -> str:
    if not rules:
        return "no soft rule pays at any share of known facts, so the hard rules stand alone"
    mean = sum(row.added for row in table) / len(table)
    where = [f"{row.share:.0%}" for row in table if row.added > 0]
    return (
        f"{rules} soft rule{'s' * (rules != 1)}, each used where it pays, add {mean:+.1f} right facts on average to a "
        f"prediction of held-out facts, and something where {', '.join(where) or 'nothing'} of the facts are known"
    )


def _rounded(measures: Measures) -> Measures:
    """What stands in a file: not more digits than were measured."""

    def row(numbers: Iterable[float]) -> tuple[float, ...]:
        return tuple(float(f"{each:.{DIGITS}g}") for each in numbers)

    def held_out(found: HeldOut) -> HeldOut:
        return HeldOut(round(found.right, 2), round(found.said, 2), found.cases)

    rules = tuple(
        replace(rule, held_out=held_out(rule.held_out), gains=row(rule.gains), errors=row(rule.errors))
        for rule in measures.rules
    )
    certain = tuple(Precision(one.predicate, held_out(one.held_out)) for one in measures.certain)
    return replace(
        measures,
        seen=row(measures.seen),
        added=row(measures.added),
        given=row(measures.given),
        rules=rules,
        certain=certain,
        faultless=held_out(measures.faultless),
    )
