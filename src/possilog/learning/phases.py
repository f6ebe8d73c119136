"""The phases of learning, each a function that returns what it made (sections Structure and Weight Learning)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import comb

from possilog.counting import TooLarge
from possilog.data import Database
from possilog.deadline import Deadline, OutOfTime
from possilog.learning.base_rate import COPIES, BaseRate
from possilog.learning.cases import heads_apart
from possilog.learning.confidence import Confidence, Judge, judge_all
from possilog.learning.dense import Dense
from possilog.learning.doubting import doubted, held_out_rules
from possilog.learning.edits import Edits
from possilog.learning.finishing import finished
from possilog.learning.found import Found, Weighed
from possilog.learning.groups import Part, cut, find_splits
from possilog.learning.hard_part import HardPart
from possilog.learning.judged import for_ranking
from possilog.learning.measurement import Measurement, measure, with_curve
from possilog.learning.notes import rule_notes
from possilog.learning.ordering import Likelihood, complete_order
from possilog.learning.pool import found_again, make_pool
from possilog.learning.result import Curve, Ordered
from possilog.learning.run import LearningRun
from possilog.learning.searching import Rest, Searching, Without, decoded, encoded
from possilog.learning.settings import Settings
from possilog.learning.trials import Holdout
from possilog.learning.weighing import weigh_by
from possilog.logic import Clause, Measured, Measures
from possilog.weights import Ordering, knee, simplify
from possilog.workers import Jobs, in_order

__all__ = ["Task", "find_hard", "find_soft", "order", "predict_held_out", "weigh_order"]

_WORLDS, _WORLDS_OF_TABLES = 2_000_000, 50_000
"""Worlds that are counted to weigh rules; where rows of tables weigh them as well, some seconds of it are enough."""

NO_TIME = "no time to learn without each held-out part: rules of all the data were judged without it"
LEAST_LEFT = 0.5
"""The share of all facts that the parts of a split should hold together."""

UNCUT = "no time to cut the data into parts, so that none was held out"


@dataclass(frozen=True)
class Task:
    """What is learned from what, by whose edits, in which run."""

    database: Database
    settings: Settings
    edits: Edits
    run: LearningRun
    groups: Mapping[str, str]
    jobs: Jobs = 1

    @cached_property
    def searching(self) -> Searching:
        """How rules are searched, of all the data or of a part."""
        return Searching(self.settings, self.edits)

    @cached_property
    def splits(self) -> list[tuple[Part, ...]]:
        """The parts of the data: the given groups, or several ways to find some; none where there is no time."""
        stop, settings = self.run.clock.until("held-out parts"), self.settings
        try:
            if not self.groups:
                return find_splits(self.database, settings.splits, settings.parts, settings.seed, stop)
            given = cut(self.database, self.groups, "group", stop=stop)
        except OutOfTime:
            self.run.remark(UNCUT)
            return []
        return [given] if len(given) > 1 else []


# Hard rules and candidates, of all the data or of what is left without a part


def find_hard(task: Task) -> HardPart:
    """All short clauses without a counterexample, what a person added, and which of them are hard."""
    with task.run.phase("hard rules"):
        return task.run.kept("hard-rules", partial(_hard_rules, task), lambda made: made.as_json, HardPart.from_json)


def _hard_rules(task: Task) -> HardPart:
    clock = task.run.clock
    found, is_whole = task.searching.hard(task.database, clock.until("hard rules"), task.run.told)
    if not is_whole:
        clock.shorten()
    return found


def find_soft(task: Task, hard: HardPart) -> Mapping[Clause, Confidence]:
    """Horn rules for every predicate, each with its confidences."""
    with task.run.phase("candidates"):
        return _candidates(task, hard)


def _candidates(task: Task, hard: HardPart) -> dict[Clause, Confidence]:
    run = task.run

    def make() -> dict[Clause, Confidence]:
        # Without confidences the candidates would be lost, so this may take of the time for the simulation.
        stop, stop_judging = run.clock.until("candidates"), run.clock.until("simulation", 0.5)
        return task.searching.candidates(task.database, hard, stop, stop_judging, task.jobs, run.told)

    return _as_written(task, run.kept("candidates", make, encoded, decoded))


def _as_written(task: Task, judged: Mapping[Clause, Confidence]) -> dict[Clause, Confidence]:
    edits = task.edits
    return {edits.as_written(clause): found for clause, found in judged.items() if edits.allows(clause)}


# Prediction of held-out facts


def predict_held_out(task: Task, found: Found) -> Measurement:
    """Which rules pay, and where? Facts of each part are hidden and predicted by what was learned without it."""
    return task.run.kept("simulation", lambda: _measure(task, found), lambda made: made.as_json, Measurement.from_json)


def _measure(task: Task, found: Found) -> Measurement:
    run, settings = task.run, task.settings
    with run.phase("held-out parts"):
        holdouts = _holdouts(task, found)
    with run.phase("simulation"):
        stop = run.clock.until("simulation")
        came = held_out_rules(holdouts)
        doubts = doubted(found.hard, came, [one.hard for one in holdouts])
        found = replace(found, hard=found.hard.without(doubts))
        holdouts = [replace(one, hard=one.hard.without(doubted(one.hard, came))) for one in holdouts]
        pool = found_again(_pool(task, found, stop), [(one.pool, one.hard) for one in holdouts], task.edits.locked)
        holdouts = _with_surprising(task, holdouts, stop) if pool else holdouts
        measured = measure(
            found.hard,
            pool,
            _parts(task, holdouts),
            holdouts,
            dense=_dense(task),
            apart=_heads_apart(task, pool, stop),
            most=settings.max_rules if isinstance(settings.max_rules, int) else None,
            kept=task.edits.locked,
            seed=settings.seed,
            jobs=task.jobs,
            progress=run.told,
            stop=stop,
        )
        measures = _with_heads(task, found, with_curve(measured))
        return replace(measured, measures=measures, doubted=doubts)


def _with_heads(task: Task, found: Found, measures: Measures) -> Measures:
    """Rules that were tried by the things that they rest on, with the true heads that a reader can count."""
    asked = [rule.clause for rule in measures.rules if rule.clause in found.units]
    judged = judge_all(task.database, (), asked, jobs=task.jobs)
    rules = (
        replace(rule, true=heads.true, units=rule.true)
        if (heads := judged.get(rule.clause)) is not None and heads.true != rule.true
        else rule
        for rule in measures.rules
    )
    return replace(measures, rules=tuple(rules))


def _pool(task: Task, found: Found, stop: Deadline) -> tuple[Measured, ...]:
    """The candidates that may pay, without those that chance explains; none where there is no time to tell."""
    pool, kept = make_pool(found.candidates, found.hard), task.edits.locked
    task.run.tell("which rules chance explains")
    base_rate = BaseRate(task.database, found.hard.earned, len(found.candidates), task.settings.seed, stop, task.jobs)
    try:
        return base_rate.beaten_by(pool, kept)
    except OutOfTime:
        stop.passed = True
        return tuple(rule for rule in pool if rule.clause in kept)


def _with_surprising(task: Task, holdouts: Sequence[Holdout], stop: Deadline) -> list[Holdout]:
    """What was learned without each part, and which rules of it chance does not explain, where there is time."""
    rests = {part.name: part.rest for split in task.splits for part in split}
    found = []
    for done, one in enumerate(holdouts):
        task.run.tell(f"which rules chance explains without {one.name}", done, len(holdouts))
        tried, seed = len(one.judged), task.settings.seed
        base_rate = BaseRate(rests[one.name], one.hard.earned, tried, seed, stop, task.jobs, copies=COPIES // 4)
        try:
            rules = frozenset(rule.clause for rule in base_rate.beaten_by(one.pool))
        except OutOfTime:
            stop.passed = True
            return list(holdouts)
        found.append(replace(one, surprising=rules))
    return found


def _heads_apart(task: Task, pool: Iterable[Measured], stop: Deadline) -> dict[Clause, int]:
    """Of rules without exception that feed on their own conclusions, how many of their heads share no constant."""
    judge = Judge(task.database, (), stop)
    try:
        return {
            rule.clause: heads_apart(judge, rule.clause) for rule in pool if rule.is_recursive and rule.is_faultless
        }
    except OutOfTime:
        stop.passed = True
        return {}


def _dense(task: Task) -> Dense | None:
    """How much is said of each thing, where parts can be held out."""
    parts = [part.facts for split in task.splits for part in split]
    return Dense.fit(task.database, parts, task.settings.seed) if parts else None


def _parts(task: Task, holdouts: Sequence[Holdout]) -> list[tuple[str, Database]]:
    """Where rules of all the data are tried: in the parts; in all the data, where cutting leaves too little."""
    inside = sum(len(holdout.part) for holdout in holdouts)
    if inside < LEAST_LEFT * len(task.splits) * len(task.database):
        return [("all", task.database)]
    return [(holdout.name, holdout.part) for holdout in holdouts]


def _holdouts(task: Task, found: Found) -> list[Holdout]:
    """Every part of every split, and what is learned without it."""
    run = task.run
    stop = run.clock.until("held-out parts")
    parts = [part for split in task.splits for part in split]
    needed = run.seconds["hard rules"] + run.seconds["candidates"]
    if stop.left is not None and stop.left < len(parts) * needed:
        return _judged_again(task, found, parts)
    rests = [Rest(part.rest, len(parts) - place) for place, part in enumerate(parts, 1) if not run.has(part.name)]
    learn = partial(Without.fit, task.searching, stop, run.clock.until("simulation", 0.5))
    learned = in_order(partial(partial, learn), rests, task.jobs)
    holdouts: list[Holdout] = []
    for done, part in enumerate(parts):
        run.tell(f"learning without {part.name}", done, len(parts))
        found_without = run.kept(part.name, partial(_next, run, learned), lambda made: made.as_json, Without.from_json)
        if stop.left == 0:
            learned.close()
            return holdouts + _judged_again(task, found, parts[done:])
        judged = _as_written(task, found_without.judged)
        holdouts.append(Holdout(part.name, part.facts, found_without.hard, judged))
    return holdouts


def _next(run: LearningRun, learned: Iterator[Without]) -> Without:
    found = next(learned)
    if not found.whole:
        run.clock.shorten()
    return found


def _judged_again(task: Task, found: Found, parts: Sequence[Part]) -> list[Holdout]:
    """Where there is no time to learn without a part: the rules of all the data, judged without the part."""
    run = task.run
    run.clock.shorten()
    run.remark(NO_TIME)
    stop = run.clock.until("simulation", 0.5)
    holdouts = []
    for done, part in enumerate(parts):
        run.tell(f"judging without {part.name}", done, len(parts))
        judged = judge_all(part.rest, found.hard.kept, found.candidates, stop, task.jobs)
        holdouts.append(Holdout(part.name, part.facts, found.hard, judged))
    return holdouts


# Ordering and weights


def order(task: Task, found: Found, note: Callable[[Ordering], None]) -> Ordered:
    """The order of the rules: by reliability where they were chosen to predict, else by likelihood.

    ``note`` gets the best ordering so far.
    """
    run = task.run
    with run.phase("ordering"):
        return run.kept("ordering", lambda: _ordered(task, found, note), lambda made: made.as_json, Ordered.from_json)


def _ordered(task: Task, found: Found, note: Callable[[Ordering], None]) -> Ordered:
    return _order(task, found, note) if found.measurement is None else _keep_order(task, found, found.measurement)


def _keep_order(task: Task, found: Found, measurement: Measurement) -> Ordered:
    """The order in which the rules were measured; whether likelihood can weigh them is found out by counting."""
    rules = task.edits.with_locked(measurement.rules)
    task.run.tell("counting fragments and worlds")
    try:
        likelihood = _likelihood(task, found, rules, only_profiles=True)
        likelihood.counter.levels([[rule] for rule in rules], only_profiles=True)
    except TooLarge as error:
        return Ordered(rules, unlikely=str(error))
    return Ordered(rules)


def _likelihood(task: Task, found: Found, rules: tuple[Clause, ...], *, only_profiles: bool) -> Likelihood:
    stop = task.run.clock.until("ordering")
    likelihood = Likelihood.of(
        task.database,
        found.hard.all,
        rules,
        task.settings,
        only_profiles=only_profiles,
        most_worlds=_WORLDS_OF_TABLES if found.in_order else _WORLDS,
        stop=stop,
        jobs=task.jobs,
    )
    task.run.counter = likelihood.counter
    return likelihood


def _order(task: Task, found: Found, note: Callable[[Ordering], None]) -> Ordered:
    """The paper's recipe: likelihood chooses the rules and orders them."""
    rules = task.edits.with_locked(tuple(found.candidates))
    likelihood = _likelihood(task, found, rules, only_profiles=False)
    best: list[Ordering] = []

    def noted(ordering: Ordering) -> None:
        best[:] = [ordering]
        note(ordering)
        task.run.tell(f"{len(ordering.rules)} rules", len(ordering.rules))

    try:
        return _order_by(task, likelihood, noted)
    except TooLarge as error:
        return Ordered(tuple(reversed(best[0].rules)) if best else (), unlikely=str(error))


def _order_by(task: Task, likelihood: Likelihood, better: Callable[[Ordering], None]) -> Ordered:
    settings, constants = task.settings, len(task.database.constants)
    task.run.tell("counting without a held-out part")
    held_out = _held_out(task, likelihood)
    most = settings.max_rules
    if isinstance(most, str):
        # Where no part can be held out, there is no curve to go by.
        most = knee(held_out) if held_out else None
    task.run.tell("counting fragments and worlds")
    orderings = likelihood.order(max_rules=most, penalty="bic", better=better)
    subsets = comb(constants, min(settings.width, constants))
    curve = Curve(tuple(ordering.log_likelihood / subsets for ordering in orderings.path), held_out)
    # What a person locked stays, even if likelihood has no use for it.
    return Ordered(complete_order(orderings.best, task.edits.locked)[:most], curve)


def _held_out(task: Task, likelihood: Likelihood) -> tuple[float, ...]:
    """The curve of a part of the data, under orderings that were found without it."""
    if not likelihood.candidates or not task.splits:
        return ()
    part = task.splits[0][0]
    return likelihood.held_out(part.rest, part.facts)


def weigh_order(task: Task, found: Found) -> Weighed:
    """The most likely weights for the order; then the hard part is what was earned, and the measures are put down."""
    run, settings, database = task.run, task.settings, task.database
    with run.phase("weights"):
        stop = run.clock.until("weights")
        weighing = None
        if found.ordered.unlikely is None:
            theory = task.edits.to_weigh(found.hard.all, found.ordered.rules)
            width = min(settings.width, len(database.constants))
            try:
                weighing = weigh_by(
                    run.counter,
                    theory,
                    database,
                    width,
                    smoothing=settings.smoothing,
                    seed=settings.seed,
                    stop=stop,
                    jobs=task.jobs,
                )
            except TooLarge:
                run.clock.shorten()
        judged = _kept_judged(task, found, stop) if weighing is None else {}
        weighed = found.theory(task.edits, judged) if weighing is None else task.edits.marked(weighing.theory)
        theory = (
            simplify(weighed, stop=stop).theory if found.measurement is None else finished(weighed, found, database)
        )
        theory = replace(theory, judged=for_ranking(theory, found.candidates, settings.rank_rules))
        new = [rule.clause for rule in theory if rule.clause not in found.candidates]
        return Weighed(theory, weighing, rule_notes(new, database, found.hard.kept, stop, found.units), judged)


def _kept_judged(task: Task, found: Found, stop: Deadline) -> dict[Clause, Confidence]:
    """What a person keeps and no search has found, judged as candidates are."""
    new = [clause for clause in found.ordered.rules if clause not in found.judged]
    return judge_all(task.database, found.hard.kept, new, stop, task.jobs)
