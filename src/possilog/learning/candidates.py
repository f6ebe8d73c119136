"""Candidates for a theory: Horn rules for every predicate, each with its confidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from possilog.data import Database
from possilog.learning.confidence import Confidence, Judge
from possilog.logic import Clause, canonical
from possilog.structure.rules import Settings, find_rules

__all__ = ["find_candidates"]


def find_candidates(
    database: Database,
    hard: Sequence[Clause],
    settings: Settings,
    *,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda done: None,
    stop: Callable[[], bool] = lambda: False,
    stop_judging: Callable[[], bool] = lambda: False,
) -> dict[Clause, Confidence]:
    """The rules that two searches find: against non-trivial negatives, as in the paper, and against any false atoms.

    The first alone finds nothing for a predicate whose false atoms all contradict the hard rules, though there is much
    to predict where little is known. ``progress`` is told of each predicate that one of the searches is done with. As
    soon as ``stop`` says so, the predicates that are left are left out; so are rules, for ``stop_judging``.
    """
    found: dict[Clause, Clause] = {}
    for random_negatives in (False, True):
        chosen = replace(settings, random_negatives=random_negatives)
        searched = find_rules(
            database, hard, None, chosen, jobs=jobs, progress=lambda target: progress(str(target)), stop=stop
        )
        for rule in searched.rules:
            found.setdefault(canonical(rule.clause), rule.clause)
    return Judge(database, hard).all(found.values(), stop_judging)
