"""Learning from tables: the rules of columns in place of the search over variables, and rows in place of fragments.

Each row of a table is a case, as a classifier would see it: the negatives of a value are the others of its column. So
what a rule is worth is counted on rows, and checked on rows that it was not found on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from possilog.data import Database
from possilog.learning.confidence import Confidence
from possilog.learning.found import Found
from possilog.learning.hard_part import HardPart
from possilog.learning.lists import Thirds, best_list, decides, taken
from possilog.learning.measurement import Measurement
from possilog.learning.phases import Task
from possilog.logic import HeldOut, Measured, Measures, Precision, Predicate, canonical
from possilog.structure.columns import ColumnRule, functional, mine_columns, only_one

__all__ = ["find_in_columns", "is_of_tables", "measured"]

SHARES = (0.1, 0.5, 0.9)


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
    mining = replace(mining, otherwise=len(mining.targets) == 1)
    with run.phase("candidates"):
        mined = _allowed(task, mine_columns(database, mining, stop=run.clock.until("candidates"), jobs=task.jobs))
    with run.phase("held-out parts"):
        stop = run.clock.until("held-out parts")
        without = mine_columns(database, mining, stop=stop, rows=Thirds(settings.seed).kept, jobs=task.jobs)
    if run.clock.until("held-out parts")():
        run.clock.shorten()
    with run.phase("simulation"):
        decided = {*unique, *(predicate for predicate in database.denied_predicates if predicate.arity == 1)}
        if mining.otherwise and set(mining.targets) <= set(unique):
            chosen, held_out = best_list(task, mining, mined, without)
            lists = tuple(Precision(target, held_out) for target in mining.targets)
        else:
            chosen, lists = taken(mined, settings.max_rules, short=mining.otherwise), ()
        measurement = measured(chosen, without, decided, as_list=mining.otherwise, lists=lists)
    candidates = {
        rule.clause: Confidence(rule.true, rule.false, rule.false)
        for rule in (*(rule for rule in mined if not rule.is_otherwise), *chosen)
    }
    return Found(hard, candidates, measurement, in_order=True)


def _allowed(task: Task, mined: Sequence[ColumnRule]) -> list[ColumnRule]:
    """What a person did not ban, the most certain first."""
    listed = {rule.clause: rule for rule in mined if task.edits.allows(rule.clause)}
    return sorted(listed.values(), key=lambda rule: (-rule.confidence, -rule.true, str(rule.clause)))


# What was measured


def measured(
    chosen: Sequence[ColumnRule],
    without: Sequence[ColumnRule],
    decided: Iterable[Predicate],
    *,
    as_list: bool,
    lists: tuple[Precision, ...] = (),
) -> Measurement:
    """The rules that are taken, and what came of them on rows that they were not found on.

    Rules of a list are of use where none before them says anything, and that is where they are counted.
    """
    known = set(decided)
    tried = {canonical(rule.clause): _held_out(rule) for rule in without if sum(rule.outside) and not rule.is_otherwise}
    rules = []
    rest = decides(chosen) if as_list else []
    for place, rule in enumerate(chosen):
        # A cell that is known is not concluded otherwise: what is wrong there is refuted.
        predicate, true, false = rule.clause.head[0].predicate, rule.true, rule.false
        if as_list:
            true, false = (int(cases.sum()) for cases in rest[place])
        everywhere = (true, false) == (rule.true, rule.false)
        held_out = tried.get(canonical(rule.clause), HeldOut()) if everywhere else HeldOut()
        rules.append(Measured(rule.clause, true, false, 0 if predicate in known else false, held_out))
    every = _together(tried.values())
    faultless = _together(_held_out(rule) for rule in without if not rule.false and any(rule.outside))
    gain = max(2 * every.right - every.cases, 0.0)
    added = tuple(round(gain * (1 - share), 4) for share in SHARES)
    measures = Measures(SHARES, SHARES, added, tuple(rules), (), _rounded(faultless), lists=lists)
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
