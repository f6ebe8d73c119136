"""How often is a rule right? Two answers, since the hard and the demoted rules refute some of its errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from possilog.data import Database
from possilog.data.cells import filled_cells
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.logic import Clause, Constant, Literal, Predicate, Query, Variable, variables_of
from possilog.logic.measures import rests_on
from possilog.matching import Matcher
from possilog.structure.refutation import Refutation
from possilog.workers import Jobs, hands, in_order
from possilog.workers.chunks import in_chunks

__all__ = ["NOT_REFUTED", "Confidence", "Judge", "contained", "judge_all"]

NOT_REFUTED = "not refuted"
"""What is said of conclusions that nothing in the theory speaks against: no hard rule, and no demoted one."""

MOST_HEADS = 500_000
"""A rule that covers more heads than this is not judged."""

TOGETHER = 25
"""Rules about one predicate that one worker judges: what the hard rules say of a head is found out once for them."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """The distinct heads that a rule covers on complete data: true, false, and false without being trivial.

    A false head is trivial if the rest of the theory, its hard and its demoted rules, refutes it, given the data.
    Inference never concludes what the evidence refutes, so trivial errors vanish as more becomes known; the others do
    not.

    >>> print(Confidence(16, 6, 1))
    support 16, confidence 0.727 (16 of 22; not refuted: 16 of 17, 0.941)
    """

    true: int
    false: int
    nontrivial: int

    @property
    def overall(self) -> float:
        """The share of true heads among all that are covered: what the rule is worth where little is known."""
        return self.true / (self.true + self.false) if self.true else 0.0

    @property
    def guarded(self) -> float:
        """The share among those that are not refuted: what it is worth where much is known."""
        return self.true / (self.true + self.nontrivial) if self.true else 0.0

    def __str__(self) -> str:
        if not self.true + self.false:
            return "its body never holds"
        said = f"support {self.true}, confidence {self.overall:.3g}"
        if not self.false:
            return said
        cases = f"{self.true} of {self.true + self.false}"
        if self.nontrivial == self.false:
            return f"{said} ({cases})"
        left = f"{self.true} of {self.true + self.nontrivial}, {self.guarded:.3g}"
        return f"{said} ({cases}; {NOT_REFUTED}: {left})"

    def resting_on(self, units: int) -> str:
        """The same of a rule of which the things that it rests on are counted, if these are not its cases.

        >>> print(Confidence(10, 0, 0).resting_on(5))
        support 10, confidence 1, rests on 5 things
        """
        return f"{self}, {rests_on(units)}" if units not in (0, self.true) else str(self)


class Judge:
    """Judges rules by complete data and hard rules that hold in them."""

    def __init__(self, database: Database, hard: Iterable[Clause], stop: Deadline = NEVER) -> None:
        """Take the data and the hard rules. As soon as ``stop`` says so, rules are not judged any more."""
        self._database, self._hard = database, tuple(hard)
        self._stop = stop
        self._matcher = Matcher(database)
        self._told = filled_cells(database)
        self._refuted: dict[Predicate, dict[tuple[int, ...], bool]] = defaultdict(dict)

    @cached_property
    def _refutation(self) -> Refutation:
        return Refutation(self._database, self._hard)

    def all(self, clauses: Iterable[Clause]) -> dict[Clause, Confidence]:
        """The confidences of rules, where they have one; when the time is over, what is left is left out."""
        judged: dict[Clause, Confidence] = {}
        try:
            for clause in self._stop.each(clauses):
                confidence = self.confidence(clause)
                if confidence is not None:
                    judged[clause] = confidence
        except OutOfTime:
            pass
        return judged

    def confidence(self, clause: Clause) -> Confidence | None:
        """How often a rule is right; None unless it has one head, all of it bound, and does not cover too much.

        OutOfTime when the time is over.
        """
        rows = self.heads(clause)
        if rows is None:
            return None
        predicate = clause.head[0].predicate
        is_true = self.are_true(predicate, rows)
        false = rows[~is_true]
        denied = self._database.denied_rows(predicate).T
        if len(denied):  # what is neither true nor said to be false is not known, and what is said to be is no trifle
            false = false[contained(false, denied, len(self._database.constants))]
            return Confidence(int(is_true.sum()), len(false), len(false))
        told = self._told.get(predicate)
        if told is not None:  # of empty cells nothing is known
            false = false[np.isin(false[:, 0], told)]
        nontrivial = sum(not self._is_refuted(predicate, tuple(row)) for row in self._stop.each(false.tolist()))
        return Confidence(int(is_true.sum()), len(false), nontrivial)

    def are_true(self, predicate: Predicate, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which of these atoms of a predicate, as rows of numbers, are facts?"""
        return contained(rows, self._database.rows(predicate).T, len(self._database.constants))

    def heads(self, clause: Clause, beside: Sequence[Variable] = ()) -> npt.NDArray[np.int32] | None:
        """The distinct heads that a rule covers, as rows of numbers, with what other variables of its body stand for.

        None unless it has one head, all of it bound, and does not cover too much.
        """
        if not clause.is_definite or not set(clause.head[0].variables) <= set(variables_of(clause.body)):
            return None
        head = clause.head[0]
        variables, terms = (*head.variables, *beside), (*head.arguments, *beside)
        query = Query(tuple(map(Literal, clause.body)))
        if any(self._number(term) is None for term in head.arguments if isinstance(term, Constant)):
            return np.empty((0, len(terms)), dtype=np.int32)
        chunks, total = [np.empty((0, len(variables)), dtype=np.int32)], 0
        for chunk in self._stop.each(self._matcher.projection_rows(query, variables)):
            chunks.append(chunk)
            total += len(chunk)
            if total > MOST_HEADS:
                return None
        found = np.concatenate(chunks)
        rows = np.empty((len(found), len(terms)), dtype=np.int32)
        for place, term in enumerate(terms):
            if isinstance(term, Constant):
                rows[:, place] = np.full(len(found), self._number(term))
            else:
                rows[:, place] = found[:, variables.index(term)]
        return rows

    def _number(self, term: Constant) -> int | None:
        return self._database.number(term.name)

    def _is_refuted(self, predicate: Predicate, row: tuple[int, ...]) -> bool:
        known = self._refuted[predicate]
        if row not in known:
            known[row] = self._refutation.refutes([(predicate, row)])
        return known[row]


def judge_all(
    database: Database, hard: Iterable[Clause], clauses: Iterable[Clause], stop: Deadline = NEVER, jobs: Jobs = 1
) -> dict[Clause, Confidence]:
    """The confidences of rules, where they have one, judged side by side; for the rest there was no time."""
    asked = list(clauses)
    if hands(jobs) == 1:
        return Judge(database, hard, stop).all(asked)
    by_head: dict[Predicate | None, list[Clause]] = defaultdict(list)
    for clause in asked:
        by_head[clause.head[0].predicate if clause.head else None].append(clause)
    tasks = [some for same in by_head.values() for some in in_chunks(same, TOGETHER)]
    found: dict[Clause, Confidence] = {}
    for judged in in_order(partial(_judging, database, tuple(hard), stop), tasks, jobs):
        found |= judged
    stop()  # which remembers what a worker saw
    return {clause: found[clause] for clause in asked if clause in found}


def _judging(
    database: Database, hard: Sequence[Clause], stop: Deadline
) -> Callable[[Iterable[Clause]], dict[Clause, Confidence]]:
    return Judge(database, hard, stop).all


def contained(rows: npt.NDArray[np.int32], among: npt.NDArray[np.int32], constants: int) -> npt.NDArray[np.bool_]:
    """Which rows are among others?"""
    if not rows.shape[1]:
        return np.full(len(rows), len(among) > 0)
    if constants ** rows.shape[1] >= 2**63:
        known = set(map(tuple, among.tolist()))
        return np.array([tuple(row) in known for row in rows.tolist()], dtype=bool)
    powers = constants ** np.arange(rows.shape[1], dtype=np.int64)
    asked, known_keys = rows @ powers, np.sort(among @ powers)
    return np.searchsorted(known_keys, asked) < np.searchsorted(known_keys, asked, side="right")
