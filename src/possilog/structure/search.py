"""From facts to rules: how far hard rules are searched, and the two searches one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from possilog.data import Database
from possilog.data.splits import keep_predicates
from possilog.deadline import Deadline
from possilog.logic import Predicate
from possilog.progress import Progress, silent
from possilog.structure.clause_space import fits
from possilog.structure.hard_rules import HardRules, find_hard_rules
from possilog.structure.rules import FoundRules, SearchSettings, Skipped, find_rules
from possilog.workers import Jobs

__all__ = ["hard_rule_variables", "search_rules", "searchable"]

_FEW_VARIABLES = 6
"""Two literals with three arguments each, as in the authors' data."""

Choose = Callable[[Sequence[Predicate], int], int | None]
"""How many variables hard rules about some predicates should have, for a width."""


def hard_rule_variables(predicates: Sequence[Predicate], width: int) -> int | None:
    """How many variables hard rules should have: any number, as the authors had it, unless arities make that too many.

    The width is how many variables the Horn rules have.
    """
    arity = max((predicate.arity for predicate in predicates), default=0)
    return None if 2 * arity <= _FEW_VARIABLES else max(arity, width)


def searchable(
    predicates: Sequence[Predicate], width: int, literals: int = 2, choose: Choose = hard_rule_variables
) -> tuple[Predicate, ...]:
    """The predicates without the widest ones, where hard rules about these are too many to search.

    >>> [str(predicate) for predicate in searchable([Predicate("buys", 2), Predicate("order", 8)], 3)]
    ['buys/2']
    """
    left = tuple(predicates)
    while left:
        widest = max(predicate.arity for predicate in left)
        variables = choose(left, width)
        if fits(left, literals * widest if variables is None else variables, literals):
            break
        left = tuple(predicate for predicate in left if predicate.arity < widest)
    return left


def search_rules(
    database: Database,
    targets: Sequence[Predicate],
    settings: SearchSettings,
    *,
    literals: int = 2,
    unary_literals: int = 5,
    variables: int | None = None,
    jobs: Jobs = 1,
    time_limit: float | None = None,
    progress: Progress = silent,
) -> tuple[HardRules, FoundRules]:
    """Hard rules, and the Horn rules of some predicates beyond them; each search has half of the time.

    Where nobody says how many variables hard rules have, ``hard_rule_variables`` does, and predicates that are too wide
    for that have no part in it: they are skipped.
    """
    stop = Deadline(time_limit)
    wide: list[Skipped] = []
    if variables is None:
        narrow = searchable(database.predicates, settings.limits.width, literals)
        known = frozenset(narrow)
        wide = [Skipped(target, "it has too many arguments to search") for target in targets if target not in known]
        targets = [target for target in targets if target in known]
        variables = hard_rule_variables(narrow, settings.limits.width)
        database = keep_predicates(database, narrow) if len(narrow) < len(database.predicates) else database
    hard = find_hard_rules(
        database,
        literals=literals,
        unary_literals=unary_literals,
        variables=variables,
        time_limit=stop.part(0.5).left,
        seed=settings.seed,
        progress=progress,
    )
    found = find_rules(database, hard.clauses, targets, settings, jobs=jobs, time_limit=stop.left, progress=progress)
    return hard, replace(found, skipped=(*found.skipped, *wide))
