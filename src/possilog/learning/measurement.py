"""Which rules pay, and where? All that a theory's file says of it is measured here, by simulated prediction.

Facts of a part of the data are hidden at several shares and predicted. What single rules gain, and which of them
are needed, is measured with the rules of all the data; how evidence shows its share, what the rules add as a whole and
how often what is said comes true, on parts that were held out: with rules learned without the part.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from possilog.data import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.inference.gate import LITTLE
from possilog.learning.bench import Bench, Place, Shard, drawn, side_by_side
from possilog.learning.decoding import clauses, listed, mapped, number, text, whole
from possilog.learning.dense import Dense
from possilog.learning.elimination import Stage, best_within, eliminate, grow, shortest_best
from possilog.learning.hard_part import HardPart
from possilog.learning.hiding import SIMULATED
from possilog.learning.needs import Needs
from possilog.learning.outcomes import Outcomes, ShareGain, alone_elsewhere, faultless, places_in, seen
from possilog.learning.trials import Drawn, Holdout, Trial
from possilog.logic import Clause, HeldOut, Measured, Measures, Precision, parse_theory
from possilog.progress import Progress, Step, silent
from possilog.workers import Jobs

__all__ = ["Measurement", "ShareGain", "SizeGain", "measure", "measure_as_written", "with_curve"]

PHASE = "simulation"

SETS = 20
"""Evidence sets at each share, over all parts together, by which rules are chosen."""

MANY = 200
"""Of more rules than these, each is tried with so many fewer evidence sets, so that the time does not grow."""

LONG = 3e8
"""Facts, times rules, times rules beside each: where there are more, those that add nothing to rules above them are
left out at once, and only the others are taken away one by one."""

PARTED = 8
"""Evidence sets of each held-out part at each share, by which it is seen what comes true."""

LEAST_PROVED = 3
"""A rule that feeds on its own conclusions needs this many held-out ones that came true."""

LEAST_TRUE = 5
"""And where nothing was held out, so many that are true in the data; without an exception, so many that share no
constant."""

NO_HEADS: Mapping[Clause, int] = MappingProxyType({})

DIGITS = 4
"""Of what is measured, this many stand in a file."""


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
    doubted: tuple[Clause, ...] = ()
    """Rules without exception that are not hard, since too many such rules broke on held-out parts."""
    taken: int = 0
    """The theory of the curve that was taken, by its number of rules."""
    unproved: tuple[Clause, ...] = ()
    """Of these, the rules that are left out: they feed on themselves, and were not seen to do well at it."""

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it in JSON's terms; ``from_json`` reads it again."""
        return {
            "rules": list(map(str, self.rules)),
            "measures": list(self.measures.lines),
            "reason": self.reason,
            "table": list(map(asdict, self.table)),
            "curve": list(map(asdict, self.curve)),
            "doubted": list(map(str, self.doubted)),
            "taken": self.taken,
            "unproved": list(map(str, self.unproved)),
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
            clauses(kept["doubted"]),
            whole(kept["taken"]),
            clauses(kept["unproved"]),
        )


def measure(
    hard: HardPart,
    pool: Sequence[Measured],
    parts: Sequence[tuple[str, Database]],
    holdouts: Sequence[Holdout],
    *,
    dense: Dense | None = None,
    apart: Mapping[Clause, int] = NO_HEADS,
    most: int | None = None,
    kept: Container[Clause] = (),
    seed: int = 0,
    jobs: Jobs = 1,
    progress: Progress = silent,
    stop: Deadline = NEVER,
) -> Measurement:
    """Choose the rules that pay somewhere and are not said by others, and measure all that prediction needs to know.

    ``pool`` has the rules to choose from, the most reliable first. ``parts`` are the parts of the data, ``holdouts``
    what was learned without each, ``dense`` how much is said of each thing, ``apart`` of rules that feed on their own
    conclusions how many true heads share no constant; ``jobs`` try the rules there side by side. At most ``most`` rules
    are chosen; those to be kept stay. When ``stop`` says so, there are no soft rules but these.
    """
    if not pool:
        return Measurement((), Measures(), "no soft rule was found, so the hard rules stand alone")
    if not holdouts:
        return Measurement(
            (), Measures(), "the data cannot be cut into parts to be held out, so the hard rules stand alone"
        )
    sets = max(1, round(SETS * min(1.0, MANY / len(pool)) / len(parts)))
    trials = [Trial(hard, pool, part, name, sets=sets, seed=seed, stop=stop) for name, part in parts]
    held_out = [
        Trial(one.hard, one.pool, one.part, one.name, sets=PARTED, seed=seed + 1, stop=stop) for one in holdouts
    ]
    try:
        with side_by_side(trials, held_out, jobs) as bench:
            surprising = {one.name: one.surprising for one in holdouts}
            facts = sum(len(part) for _, part in parts)
            return _Measuring(bench, pool, surprising, facts, dense, apart, progress).result(most, kept)
    except OutOfTime:
        stop.passed = True  # which a worker may have seen
        return Measurement((), Measures(), "there was no time to try the soft rules, so the hard rules stand alone")


def measure_as_written(
    hard: HardPart,
    pool: Sequence[Measured],
    database: Database,
    *,
    standing: Collection[Clause] = (),
    dense: Dense | None = None,
    seed: int = 0,
    jobs: Jobs = 1,
    stop: Deadline = NEVER,
) -> Measures:
    """What can be measured of rules that nobody learned, on the data alone: none is chosen, and nothing is held out.

    ``pool`` has the soft rules in their order, with what was counted of them. Of those that are ``standing`` nothing
    could be, and they are used at any share. OutOfTime when ``stop`` says so.
    """
    sets = max(1, round(SETS * min(1.0, MANY / len(pool))))
    trial = Trial(hard, pool, database, "all", sets=sets, seed=seed, stop=stop, standing=standing)
    with side_by_side([trial], [trial], jobs) as bench:  # what is asked of held-out parts is asked of the data
        return _Measuring(bench, pool, {}, len(database), dense, NO_HEADS, silent).as_written(standing)


class _Measuring:
    """One measurement under way."""

    def __init__(
        self,
        bench: Bench,
        pool: Sequence[Measured],
        surprising: Mapping[str, frozenset[Clause]],
        facts: int,
        dense: Dense | None,
        apart: Mapping[Clause, int],
        progress: Progress,
    ) -> None:
        self._bench, self._pool, self._surprising = bench, tuple(pool), surprising
        self._facts, self._dense, self._apart, self._progress = facts, dense, apart, progress

    def result(self, most: int | None, kept: Container[Clause]) -> Measurement:
        """All steps, one after the other."""
        bench = self._bench
        self._tell("how evidence shows its share")
        measures = Measures(SIMULATED, seen(bench, None), (0.0,) * len(SIMULATED))
        measures = measures if self._dense is None else self._dense.within(measures)
        self._tell("rules without exception")
        measures = replace(measures, faultless=faultless(bench, measures, self._surprising))
        self._tell("what each rule gains alone")
        rules, given = self._alone()
        measures = replace(measures, rules=rules, given=given)
        self._tell("which rules are needed")
        path = self._eliminated(measures, kept)
        self._tell("what comes true on held-out parts")
        stage, unproved, found = self._taken(measures, path, most, kept)
        chosen, table = self._clauses(stage, unproved), found.table
        elsewhere = alone_elsewhere(bench, measures, self._surprising)
        return Measurement(
            tuple(chosen),
            _rounded(replace(found.measures, added=_no_more_than(found.measures.added, elsewhere))),
            _why(table, len(chosen)),
            table,
            tuple(SizeGain(len(stage.rules), stage.gain) for stage in path),
            taken=len(stage.rules),
            unproved=tuple(self._pool[place].clause for place in stage.rules if place in unproved),
        )

    def as_written(self, standing: Collection[Clause]) -> Measures:
        """What the rules add in their places; what only held-out facts could tell is absent."""
        rules, given = self._alone()
        nothing = (0.0,) * len(SIMULATED)
        measures = Measures(SIMULATED, nothing, nothing, rules=rules, given=given)
        measures = measures if self._dense is None else self._dense.within(measures)
        asked = [rule.clause for rule in self._pool if rule.clause not in standing]
        found = self._outcomes(measures, asked).measures
        rules = tuple(replace(rule, held_out=HeldOut()) for rule in found.rules)
        return _rounded(replace(found, rules=rules, certain=()))

    def _tell(self, doing: str) -> None:
        self._progress(Step(PHASE, doing=doing))

    def _alone(self) -> tuple[tuple[Measured, ...], tuple[float, ...]]:
        """What each rule gains alone at each share on the data, and how many facts are given there."""
        asked = self._bench.each(_Alone(len(self._pool)))
        given = tuple(float(np.mean([one.given for one in asked if one.share == share])) for share in SIMULATED)
        return _with_gains(self._pool, asked), given

    def _taken(
        self, measures: Measures, path: Sequence[Stage], most: int | None, kept: Container[Clause]
    ) -> tuple[Stage, set[int], Outcomes]:
        """The theory that is taken, the rules of it that are left out as unproved, and what comes true of the others.

        What is not proved in the shortest best theory is left out of smaller ones, too, so that these have as many
        rules as was asked for.
        """
        stage = shortest_best(path)
        found = self._outcomes(measures, self._clauses(stage))
        clauses = _unproved(found.measures, kept, self._apart)
        unproved = {place for place in stage.rules if self._pool[place].clause in clauses}
        taken = best_within(path, most, unused=unproved)
        if unproved or taken != stage:
            found = self._outcomes(measures, self._clauses(taken, unproved))
        return taken, unproved, found

    def _clauses(self, stage: Stage, unproved: Container[int] = ()) -> list[Clause]:
        """The rules of a theory on the way, without those that are left out."""
        return [self._pool[place].clause for place in stage.rules if place not in unproved]

    def _outcomes(self, measures: Measures, chosen: Sequence[Clause]) -> Outcomes:
        """What comes true of chosen rules, each of which is used where it gains something in its place."""
        rules = frozenset(chosen)
        measures = replace(measures.only(chosen), seen=seen(self._bench, rules))
        measures = replace(measures, rules=_with_gains(measures.rules, self._bench.each(_InPlace(measures, rules))))
        return Outcomes(self._bench, measures, rules)

    def _eliminated(self, measures: Measures, kept: Container[Clause]) -> list[Stage]:
        """The theories on the way from all rules that are used somewhere to the shortest."""
        needs = Needs(self._bench, self._pool, measures)
        stay = {place for place, rule in enumerate(self._pool) if rule.clause in kept}
        rules = sorted(needs.used | stay)
        if self._facts * len(rules) ** 2 > LONG:
            rules = grow(rules, needs, kept=stay)
        lengths = {place: len(self._pool[place].clause.body) for place in rules}
        return eliminate(rules, needs, lengths, kept=stay)


@dataclass(frozen=True, slots=True)
class _Added:
    """With one evidence set: its share, how many facts it has, and the right and wrong conclusions of each rule."""

    share: float
    given: int
    added: list[tuple[int, int]]


@dataclass(frozen=True)
class _Alone:
    """What do rules, each alone, add to evidence drawn from all the data?"""

    rules: int

    def answer(self, shard: Shard) -> list[tuple[Place, _Added]]:
        return [
            (place, _Added(known.share, len(known.evidence.facts), self._added(trial, known)))
            for trial, places in shard.of_data
            for place, known in drawn(trial, places)
        ]

    def _added(self, trial: Trial, known: Drawn) -> list[tuple[int, int]]:
        return [trial.added(known, rule) for rule in range(self.rules)]


@dataclass(frozen=True)
class _InPlace:
    """What do rules add to the hard rules and to those above them that are used, with evidence drawn from the data?

    What is said of a rule is about what no rule above it concludes, and those may refute its errors.
    """

    measures: Measures
    rules: Collection[Clause]

    def answer(self, shard: Shard) -> list[tuple[Place, _Added]]:
        answers = []
        for trial, places in shard.of_data:
            rules = places_in(trial, self.rules)
            gate = trial.gate(self.measures, rules)
            for place, known in drawn(trial, places):
                used = trial.used(gate, known)[1]
                added = [trial.added(known, rule, (above for above in used if above < rule)) for rule in rules]
                answers.append((place, _Added(known.share, len(known.evidence.facts), added)))
        return answers


def _with_gains(rules: Sequence[Measured], asked: Sequence[_Added]) -> tuple[Measured, ...]:
    """Rules with what they add at each share, on average."""
    by_share = {share: [one for one in asked if one.share == share] for share in SIMULATED}
    found = []
    for place, rule in enumerate(rules):
        means = [np.mean([one.added[place] for one in by_share[share]], axis=0).tolist() for share in SIMULATED]
        gains = tuple(round(right - wrong, 9) for right, wrong in means)
        found.append(replace(rule, gains=gains, errors=tuple(wrong for _, wrong in means)))
    return tuple(found)


def _no_more_than(added: Sequence[float], elsewhere: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """What the soft rules add at each share, and nothing where rules lose that were found without the part.

    Of those it is known what they gain and how much they conclude. The chosen ones were chosen by what they add on
    held-out parts, too. The others were not, but each is alone, and at small shares there are few cases: so they are
    asked beyond the share where they gain most. A little of that is chance.
    """
    gains = [gain for gain, _ in elsewhere]
    most = max(range(len(gains)), key=gains.__getitem__)
    little = [LITTLE * min(max(gains[most], 0.0), concluded) for _, concluded in elsewhere]
    return tuple(
        min(one, 0.0) if place > most and gains[place] < little[place] else one for place, one in enumerate(added)
    )


def _unproved(measures: Measures, kept: Container[Clause], apart: Mapping[Clause, int]) -> set[Clause]:
    """Rules that feed on their own conclusions, and were not seen to do well at it on held-out facts.

    One wrong conclusion of such a rule may lead to thousands: what it gains where chains are short says little.
    """
    return {
        rule.clause
        for rule in measures.rules
        if rule.is_recursive and rule.clause not in kept and not _is_proved(rule, apart.get(rule.clause, 0))
    }


def _is_proved(rule: Measured, apart: int) -> bool:
    found = rule.held_out
    if found.cases:
        return found.right >= LEAST_PROVED and found.right > found.cases / 2
    # One circle of friends shows no exception, and says nothing of the next.
    return (apart if rule.is_faultless else rule.true) >= LEAST_TRUE


def _why(table: Sequence[ShareGain], rules: int) -> str:
    if not rules:
        return "no soft rule pays at any share of known facts, so the hard rules stand alone"
    mean = sum(row.added for row in table) / len(table)
    where = [f"{row.share:.0%}" for row in table if row.added > 0]
    return (
        f"{rules} soft rule{'s' * (rules != 1)}, each used where it pays, add {mean:+.1f} right facts on average to a "
        f"prediction of held-out facts, and something where {', '.join(where) or 'nothing'} of the facts are known"
    )


def with_curve(measured: Measurement) -> Measures:
    """What was measured, with what theories of other sizes gain: the smallest first, as a file has it."""
    sizes = {one.rules: float(f"{one.gain:.{DIGITS}g}") for one in measured.curve}
    return replace(measured.measures, curve=tuple(sorted(sizes.items())), taken=measured.taken)


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
        dense=row(measures.dense),
        dense_weight=round(measures.dense_weight, 2),
        rules=rules,
        certain=certain,
        faultless=held_out(measures.faultless),
    )
