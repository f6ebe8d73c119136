"""Candidates for a theory: Horn rules for every predicate, each with its confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.learning.confidence import Confidence, judge_all
from possilog.logic import Clause, Predicate, canonical
from possilog.progress import Progress, Step, silent
from possilog.structure.paths.mining import mine
from possilog.structure.rules import SearchSettings, find_rules
from possilog.workers import Jobs

__all__ = ["find_candidates", "mined_candidates"]

MINED = 400
"""Path rules that are candidates, at most."""

LEAST_RIGHT = 0.2
"""How often a path rule has to be right to be a candidate."""


def find_candidates(
    database: Database,
    hard: Sequence[Clause],
    settings: SearchSettings,
    *,
    kept: Sequence[Clause] | None = None,
    targets: Sequence[Predicate] | None = None,
    jobs: Jobs = 1,
    progress: Progress = silent,
    stop: Deadline = NEVER,
    stop_judging: Deadline = NEVER,
) -> dict[Clause, Confidence]:
    """The rules that two searches find: against non-trivial negatives, as in the paper, and against any false atoms.

    The first alone finds nothing for a predicate whose false atoms all contradict the hard rules, though there is much
    to predict where little is known. ``kept`` are the hard rules that refute errors where the theory is used, if not
    all of them; ``targets`` are the predicates that rules are about, if not all. ``progress`` is told of each predicate
    that one of the searches is done with. As soon as ``stop`` says so, the predicates that are left are left out; so
    are rules, for ``stop_judging``.
    """
    found: dict[Clause, Clause] = {}
    number = len(database.predicates if targets is None else targets)
    for before, random_negatives in ((0, False), (number, True)):
        chosen = replace(settings, random_negatives=random_negatives)
        # Both searches have as much time.
        share = stop if random_negatives else stop.part(0.5)

        def tell(step: Step, before: int = before) -> None:
            progress(Step("candidates", before + step.done, 2 * number, step.doing))

        searched = find_rules(database, hard, targets, chosen, jobs=jobs, time_limit=share.left, progress=tell)
        if share():
            stop.passed = True
        for rule in searched.rules:
            found.setdefault(canonical(rule.clause), rule.clause)
    if not found or stop_judging():
        return {}
    return judge_all(database, hard if kept is None else kept, found.values(), stop_judging, jobs)


def mined_candidates(
    database: Database,
    hard: Sequence[Clause],
    settings: SearchSettings,
    *,
    targets: Sequence[Predicate] | None = None,
    kept: Sequence[Clause] | None = None,
    progress: Progress = silent,
    stop: Deadline = NEVER,
    stop_judging: Deadline = NEVER,
    jobs: Jobs = 1,
) -> dict[Clause, Confidence]:
    """Path rules of binary facts: all are counted, and those taken that are right much more often than wrong."""
    mined = mine(
        database,
        body=min(settings.limits.body, settings.limits.width - 1),
        min_support=settings.limits.min_support,
        min_confidence=LEAST_RIGHT,
        constants=False,
        targets=None if targets is None else [predicate.name for predicate in targets],
        time_limit=stop.left,
        jobs=jobs,
        progress=progress,
    )
    if stop():
        stop.passed = True
    best = sorted(mined, key=lambda rule: (rule.body_size - 2 * rule.support, rule.rule))[:MINED]
    return judge_all(database, hard if kept is None else kept, [rule.clause for rule in best], stop_judging, jobs)
