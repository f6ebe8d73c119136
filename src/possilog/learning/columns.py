"""Learning from tables: the rules of columns in place of the search over variables, and rows in place of fragments.

Each row of a table is a case, as a classifier would see it: the negatives of a value are the others of its column. So
what a rule is worth is counted on rows, and checked on rows that it was not found on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from possilog.chance import generator
from possilog.data import Database
from possilog.learning.confidence import Confidence
from possilog.learning.found import Found
from possilog.learning.hard_part import HardPart
from possilog.learning.measurement import Measurement
from possilog.learning.phases import Task
from possilog.logic import HeldOut, Measured, Measures, Predicate, canonical
from possilog.structure.columns import ColumnRule, functional, mine_columns, only_one
from possilog.structure.columns.things import Truth

__all__ = ["HELD_OUT", "find_in_columns", "is_of_tables", "measured", "taken"]

SHARES = (0.1, 0.5, 0.9)

LAST = 1e-9
"""Below every confidence."""

SHORT = 8
"""The most rules about one target, unless another number is asked for: the leaves of a decision tree of depth 3."""

HELD_OUT = 3
"""One row in so many is held out."""

WORTH = 0.005
"""A rule of a short theory is right about this share of the rows more often than wrong where no other says anything."""


def is_of_tables(database: Database, objective: str) -> bool:
    """Are the facts of tables, which declare types, and are rules wanted that predict?"""
    return bool(database.types) and objective == "prediction"


def find_in_columns(task: Task) -> Found:
    """The hard rules, the candidates, and the rules that are taken, with what was measured of them."""
    run, settings, database = task.run, task.settings, task.database
    with run.phase("hard rules"):
        unique = functional(database, [predicate for predicate in database.predicates if predicate in database.types])
        every = task.edits.with_hard(map(only_one, unique))
        hard = HardPart(every, every)
    limits = settings.search.limits
    width = None if settings.focus.auto_width else limits.width
    mining = settings.focus.mining(database, width, limits.body, settings.seed)
    mining = replace(mining, otherwise=len(settings.focus.targets) == 1)
    with run.phase("candidates"):
        mined = _allowed(task, mine_columns(database, mining, stop=run.clock.until("candidates"), jobs=task.jobs))
    with run.phase("held-out parts"):
        rows = _Rows(settings.seed)
        stop = run.clock.until("held-out parts")
        without = mine_columns(database, mining, stop=stop, rows=rows.kept, jobs=task.jobs)
    if run.clock.until("held-out parts")():
        run.clock.shorten()
    with run.phase("simulation"):
        decided = {*unique, *(predicate for predicate in database.denied_predicates if predicate.arity == 1)}
        chosen = taken(mined, settings.max_rules, short=len(settings.focus.targets) == 1)
        measurement = measured(chosen, without, decided, as_list=mining.otherwise)
    candidates = {
        rule.clause: Confidence(rule.true, rule.false, rule.false)
        for rule in mined
        if not rule.is_otherwise or rule.clause in measurement.rules
    }
    return Found(hard, candidates, measurement, in_order=True)


def _allowed(task: Task, mined: Sequence[ColumnRule]) -> list[ColumnRule]:
    """What a person did not ban, the most certain first."""
    listed = {rule.clause: rule for rule in mined if task.edits.allows(rule.clause)}
    return sorted(listed.values(), key=lambda rule: (-rule.confidence, -rule.true, str(rule.clause)))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Which rows are looked at, where a third of them is held out."""

    seed: int

    def kept(self, type: str, size: int) -> Truth:
        """Of the things of a type."""
        return np.asarray(generator(self.seed, "held-out rows", type).permutation(size) % HELD_OUT > 0)


# Which rules are taken


def taken(mined: Sequence[ColumnRule], most: int | str | None, *, short: bool) -> list[ColumnRule]:
    """All of them; where there is one target, or a number is given, those that say what the others do not."""
    if not short and not isinstance(most, int):
        return [rule for rule in mined if not rule.is_otherwise]
    chosen = _short([rule for rule in mined if not rule.is_whole], most if isinstance(most, int) else SHORT)
    return sorted(chosen, key=lambda rule: (-_rank(rule), -rule.true, str(rule.clause)))


def _short(mined: Sequence[ColumnRule], most: int) -> list[ColumnRule]:
    """Rules one after the other: always the one that adds most, where the most certain rule for a row decides."""
    states: dict[Predicate, _Decided] = {}
    chosen: list[ColumnRule] = []
    left = list(mined)
    while left and len(chosen) < most:
        gains = [
            states.setdefault(rule.clause.head[0].predicate, _Decided(rule.right.size)).gain(rule) for rule in left
        ]
        best = max(range(len(left)), key=lambda place: (gains[place], -len(left[place].clause.body), -place))
        rule = left.pop(best)
        if gains[best] < max(1.0, WORTH * rule.right.size):
            break
        states[rule.clause.head[0].predicate].take(rule)
        chosen.append(rule)
    return _needed(chosen)


def _needed(chosen: list[ColumnRule]) -> list[ColumnRule]:
    """The rules without those that are hardly missed, now that there are others."""
    kept = list(chosen)
    for rule in sorted(chosen, key=_rank):
        without = [other for other in kept if other is not rule]
        if _total(kept) - _total(without) < max(1.0, WORTH * rule.right.size):
            kept = without
    return kept


def _total(rules: Sequence[ColumnRule]) -> float:
    """The rows that rules are right about, less those that they are wrong about."""
    states: dict[Predicate, _Decided] = {}
    for rule in rules:
        states.setdefault(rule.clause.head[0].predicate, _Decided(rule.right.size)).take(rule)
    return sum(state.score for state in states.values())


def _rank(rule: ColumnRule) -> float:
    """Which rule decides a row: the most certain one, and what is said of whatever is left comes last."""
    return LAST if rule.is_otherwise else rule.confidence


class _Decided:
    """For each row: how certain the rule is that decides it, and whether it is right."""

    def __init__(self, size: int) -> None:
        self._certain = np.zeros(size)
        self._score = np.zeros(size)

    @property
    def score(self) -> float:
        """Rows that are right, less those that are wrong."""
        return float(self._score.sum())

    def rest(self, rule: ColumnRule) -> tuple[int, int]:
        """How often a rule is right and wrong where it decides."""
        mine = self._certain == _rank(rule)
        return int((rule.right & mine).sum()), int((rule.wrong & mine).sum())

    def gain(self, rule: ColumnRule) -> float:
        """Rows that the rule sets right, less those that it sets wrong."""
        new = _rank(rule) > self._certain
        return float(
            (rule.right & new).sum() - (rule.wrong & new).sum() - self._score[(rule.right | rule.wrong) & new].sum()
        )

    def take(self, rule: ColumnRule) -> None:
        """Let the rule decide its rows."""
        new = (rule.right | rule.wrong) & (_rank(rule) > self._certain)
        self._score[new] = np.where(rule.right[new], 1.0, -1.0)
        self._certain[new] = _rank(rule)


# What was measured


def measured(
    chosen: Sequence[ColumnRule], without: Sequence[ColumnRule], decided: Iterable[Predicate], *, as_list: bool
) -> Measurement:
    """The rules that are taken, and what came of them on rows that they were not found on.

    Rules of a list are of use where none before them says anything, and that is where they are counted.
    """
    known = set(decided)
    states: dict[Predicate, _Decided] = {}
    if as_list:
        for rule in chosen:
            states.setdefault(rule.clause.head[0].predicate, _Decided(rule.right.size)).take(rule)
    tried = {canonical(rule.clause): _held_out(rule) for rule in without if sum(rule.outside)}
    rules = []
    for rule in chosen:
        # A cell that is known is not concluded otherwise: what is wrong there is refuted.
        predicate, true, false = rule.clause.head[0].predicate, rule.true, rule.false
        if as_list:
            true, false = states[predicate].rest(rule)
        held_out = (
            HeldOut() if (true, false) != (rule.true, rule.false) else tried.get(canonical(rule.clause), HeldOut())
        )
        rules.append(Measured(rule.clause, true, false, 0 if predicate in known else false, held_out))
    every = _together(tried.values())
    faultless = _together(_held_out(rule) for rule in without if not rule.false and any(rule.outside))
    gain = max(2 * every.right - every.cases, 0.0)
    added = tuple(round(gain * (1 - share), 4) for share in SHARES)
    measures = Measures(SHARES, SHARES, added, tuple(rules), (), _rounded(faultless))
    return Measurement(tuple(rule.clause for rule in chosen), measures, _why(chosen, every))


def _held_out(rule: ColumnRule) -> HeldOut:
    true, false = rule.outside
    return HeldOut(true, round(rule.confidence * (true + false), 2), true + false)


def _together(cases: Iterable[HeldOut]) -> HeldOut:
    return sum(cases, HeldOut())


def _rounded(found: HeldOut) -> HeldOut:
    return HeldOut(round(found.right, 2), round(found.said, 2), found.cases)


def _why(taken: Sequence[ColumnRule], every: HeldOut) -> str:
    if not taken:
        return "no rule of the columns is right often enough not to be chance, so the hard rules stand alone"
    about = len({rule.clause.head[0].predicate for rule in taken})
    found = f"{len(taken)} rule{'s' * (len(taken) != 1)} about {about} predicate{'s' * (about != 1)}"
    if not every.cases:
        return f"{found}; there were too few rows to hold some out"
    return (
        f"{found}; on rows that were held out, rules found without them are right in {every.right / every.cases:.1%} "
        f"of {every.cases:,} cases, where they promised {every.said / every.cases:.1%}"
    )
