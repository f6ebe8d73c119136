"""Learning from examples: what is true and what is not are both given, as for inductive logic programming.

Where all targets have facts that are said to be false, these and the true ones are the cases, and nothing else is taken
to be false. So a rule is worth what it says of them, and what the rest of the data says is not hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from possilog.chance import generator
from possilog.data import Database
from possilog.data.rows import Rows
from possilog.learning.columns import measured
from possilog.learning.confidence import Judge, contained
from possilog.learning.found import Found
from possilog.learning.lists import HELD_OUT, taken
from possilog.learning.phases import Task, find_hard, find_soft
from possilog.logic import Clause, Predicate
from possilog.structure.columns import ColumnRule

__all__ = ["find_by_examples", "has_examples"]


def has_examples(database: Database, targets: Sequence[Predicate], objective: str) -> bool:
    """Is something said to be false of each target, and are rules wanted that predict?"""
    return objective == "prediction" and bool(targets) and {*targets} <= {*database.denied_predicates}


def find_by_examples(task: Task) -> Found:
    """The hard rules, the candidates, and the rules that are taken, with what was measured of them."""
    hard = find_hard(task)
    candidates = find_soft(task, hard)
    examples = {p: _Examples(task, p) for p in task.settings.focus.predicates(task.database)}
    with task.run.phase("held-out parts"):
        kept = [[each.kept(side) for side in (True, False)] for each in examples.values()]
        fewer = task.database.having_examples(
            *(dict(zip(examples, side, strict=True)) for side in zip(*kept, strict=True))
        )
        stop = task.run.clock.until("held-out parts")
        without = task.searching.candidates(fewer, hard, stop, stop, task.jobs)
    with task.run.phase("simulation"):
        judge = Judge(task.database, hard.kept)
        rules, others = (_ranked(judge, examples, some) for some in (candidates, without))
        chosen = taken([rule for rule in rules if rule.true > rule.false], task.settings.max_rules, short=True)
        measurement = measured(chosen, others, examples, as_list=False)
    asked = {clause: found for clause, found in candidates.items() if clause.head[0].predicate in examples}
    return Found(hard, asked, measurement, in_order=True)


def _ranked(judge: Judge, examples: Mapping[Predicate, _Examples], clauses: Iterable[Clause]) -> list[ColumnRule]:
    """The rules about the targets with their examples, the most certain first."""
    asked = [(examples[p], clause) for clause in clauses if (p := clause.head[0].predicate) in examples]
    rules = [rule for each, clause in asked if (rule := each.rule(judge, clause)) is not None]
    return sorted(rules, key=lambda rule: (-rule.confidence, -rule.true, len(rule.clause.body), str(rule.clause)))


class _Examples:
    """What is true of a target, and what is not."""

    def __init__(self, task: Task, predicate: Predicate) -> None:
        database = task.database
        true, false = database.rows(predicate).T, database.denied_rows(predicate).T
        self._rows, self._size = np.concatenate([true, false]), len(database.constants)
        self._positive = np.arange(len(self._rows)) < len(true)
        drawn = generator(task.settings.seed, "held-out examples", predicate.name).permutation(len(self._rows))
        self._held_out = drawn % HELD_OUT == 0

    def kept(self, side: bool) -> Rows:
        """The true ones that are not held out, or those that are false."""
        return np.ascontiguousarray(self._rows[~self._held_out & (self._positive == side)].T)

    def rule(self, judge: Judge, clause: Clause) -> ColumnRule | None:
        """A rule with the examples that it is right and wrong about; None where it covers too much to say."""
        heads = judge.heads(clause)
        if heads is None:
            return None
        holds = contained(self._rows, heads, self._size)
        right, wrong, outside = holds & self._positive, holds & ~self._positive, self._held_out
        return ColumnRule(clause, right, wrong, (int((right & outside).sum()), int((wrong & outside).sum())))
