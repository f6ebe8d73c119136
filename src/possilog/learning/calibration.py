"""What can be measured of a theory that nobody learned, on data: its rules are used where they pay from then on.

A theory that was learned for prediction carries what was measured of its rules. One that a person wrote, or that
likelihood chose, has no such numbers, and all its rules are used whatever is known. Facts say how often its rules are
right and what they add at each share of known facts. They do not say what comes true of facts that the rules have never
seen, since nothing was learned without them: there are no held-out cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, replace

from possilog.counting.strata import broken_rules
from possilog.data import Database
from possilog.data.taking import Facts, facts_of
from possilog.deadline import NEVER, Deadline
from possilog.errors import DataError
from possilog.files import AnyPath
from possilog.inference.surveys import derives
from possilog.inference.taken import theory_of
from possilog.learning.confidence import judge_all
from possilog.learning.dense import Dense
from possilog.learning.groups import find_splits
from possilog.learning.hard_part import HardPart
from possilog.learning.measurement import measure_as_written
from possilog.learning.settings import Settings
from possilog.logic import Clause, Measured, Measures, Theory
from possilog.requiring import require_whole
from possilog.workers import Jobs

__all__ = ["calibrated", "counted", "is_calibrated", "is_measurable", "measures_on", "refuting"]

_LEAST_FACTS = 2
"""Of fewer facts none can be hidden beside one that is known."""


def calibrated(theory: Theory | AnyPath, database: Facts, *, seed: int = 0) -> Theory:
    """A theory with what some facts say of its rules, so that they are used only where they pay.

    It is what ``possilog predict --calibrate`` uses, and what ``weigh`` puts into a theory. One that carries measures
    stays as it is. Rules of which nothing can be counted are used whatever is known: those without a body or with
    several heads, constraints, and those whose body never holds.

    >>> from possilog import Reasoner, parse_theory
    >>> facts = [f"flies(t{place})" for place in range(40)] + [f"bird(t{place})" for place in range(30)]
    >>> reasoner = Reasoner(calibrated(parse_theory("0.8 :: bird(X) :- flies(X)."), facts))
    >>> print(reasoner.predict(["flies(a)"]).added[0])
    0.60  0.8  bird(a)
    """
    require_whole("the seed", seed)
    known, facts = theory_of(theory), facts_of(database)
    if is_calibrated(known):
        return known
    if len(facts) < _LEAST_FACTS:
        raise DataError("there are too few facts to calibrate on; give the data that the theory was learned from")
    return replace(known, measures=measures_on(known, facts, seed=seed))


def is_calibrated(theory: Theory) -> bool:
    """Does prediction ask this theory which of its rules pay?"""
    return theory.measures is not None and bool(theory.measures.shares)


def is_measurable(theory: Theory, database: Database) -> bool:
    """May some facts say something of a soft rule, or of one that is to be one?"""
    soft = (*(rule.clause for rule in theory.ranked), *theory.unplaced)
    return len(database) >= _LEAST_FACTS and any(map(derives, soft))


def measures_on(
    theory: Theory, database: Database, *, seed: int = 0, stop: Deadline = NEVER, jobs: Jobs = 1
) -> Measures | None:
    """What some facts say of the soft rules of a theory, each in its place; as it was, where that is nothing.

    OutOfTime when ``stop`` says so.
    """
    hard, demoted = (tuple(rule.clause for rule in rules) for rules in (theory.hard, theory.demoted))
    rules = list(dict.fromkeys(rule.clause for rule in theory.ranked))
    found = {rule.clause: rule for rule in counted(rules, database, refuting(theory, database), stop, jobs)}
    if not found:
        return theory.measures
    standing = [clause for clause in rules if clause not in found and clause.is_horn]
    pool = [found.get(clause, Measured(clause, 0, 0, 0)) for clause in rules if clause in found or clause in standing]
    measures = measure_as_written(
        HardPart(hard, hard, demoted),
        pool,
        database,
        standing=standing,
        dense=_dense(database, seed, stop),
        seed=seed,
        jobs=jobs,
        stop=stop,
    )
    return measures if theory.measures is None else replace(measures, lists=theory.measures.lists)


def refuting(theory: Theory, database: Database) -> list[Clause]:
    """The hard and the demoted rules that the data keep: those by which errors of other rules count as refuted."""
    firm = [rule.clause for rule in (*theory.hard, *theory.demoted)]
    broken = set(broken_rules(database, firm))
    return [clause for clause in firm if clause not in broken]


def counted(
    rules: Iterable[Clause], database: Database, hard: Iterable[Clause], stop: Deadline = NEVER, jobs: Jobs = 1
) -> list[Measured]:
    """The true and false heads of the rules that have some, on facts that keep some hard rules."""
    found = judge_all(database, hard, filter(derives, rules), stop, jobs)
    return [Measured(clause, *astuple(one)) for clause, one in found.items() if one.true + one.false]


def _dense(database: Database, seed: int, stop: Deadline) -> Dense | None:
    """How much is said of each thing, where the data can be cut into parts that say how far off that is."""
    usual = Settings()
    splits = find_splits(database, usual.splits, usual.parts, seed, stop)
    return Dense.fit(database, [part.facts for split in splits for part in split], seed) if splits else None
