"""What is counted of a rule, as people read it: how often it is right, of how many, and what it adds to the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from possilog.chance import wilson
from possilog.data import Database
from possilog.learning.confidence import Judge
from possilog.logic import Clause, HeldOut, Measures, Predicate, Theory
from possilog.logic.measures import rests_on
from possilog.printing import plural

__all__ = ["Adds", "Numbers", "counted", "measured"]


@dataclass(frozen=True, slots=True)
class Adds:
    """The heads that a rule covers and that no other rule of the theory covers directly: true ones, and false ones."""

    true: int
    false: int

    def __str__(self) -> str:
        if not self.true + self.false:
            return "adds nothing to the other rules"
        if not self.true:
            return f"adds nothing right to the other rules, and {plural(self.false, 'wrong fact')}"
        wrong = f", and {plural(self.false, 'wrong one')}" if self.false else ""
        return f"adds {plural(self.true, 'fact')} to the other rules{wrong}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """How often a rule is right. What was not counted is None.

    >>> print(Numbers(10, 10, units=5))
    right in 10 of 10 (100 %, 72 to 100 %), rests on 5 things
    >>> print(Numbers(18, 19, held_out=HeldOut(right=20, said=18.5, cases=22)))
    right in 18 of 19 (95 %, 75 to 99 %); 20 of 22 held-out cases
    """

    support: int
    """The distinct heads that the rule covers and that are true."""
    cases: int
    """All distinct heads that it covers."""
    held_out: HeldOut | None = None
    """What came true of its conclusions about facts that it was not learned from."""
    adds: Adds | None = None
    units: int = 0
    """On how many things the cases rest, where the learner counted these instead; else 0."""

    @property
    def exceptions(self) -> int:
        """The heads that it covers and that are false."""
        return self.cases - self.support

    @property
    def confidence(self) -> float | None:
        """How often it is right; None where its body never holds."""
        return self.support / self.cases if self.cases else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where its true confidence lies, by 95 %, if heads were drawn at random."""
        return wilson(self.support, self.cases)

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        held_out, adds = self.held_out, self.adds
        return {
            "confidence": self.confidence,
            "interval": list(self.interval) if self.cases else None,
            "support": self.support,
            "cases": self.cases,
            "held_out": None if held_out is None else {"right": held_out.right, "cases": held_out.cases},
            "adds": None if adds is None else {"true": adds.true, "false": adds.false},
            "units": self.units or None,
        }

    def __str__(self) -> str:
        return "; ".join([self.rate, *([self.said_held_out] if self.held_out else [])])

    @property
    def rate(self) -> str:
        """The confidence in words."""
        if self.confidence is None:
            return "its conditions never hold"
        low, high = (100 * bound for bound in self.interval)
        share = f"{100 * self.confidence:.0f} %, {low:.0f} to {high:.0f} %"
        units = f", {rests_on(self.units)}" if self.units else ""
        return f"right in {self.support:,} of {self.cases:,} ({share}){units}"

    @property
    def said_held_out(self) -> str:
        """What came true of it, in words."""
        if self.held_out is None or not self.held_out.cases:
            return "no held-out case"
        return f"{self.held_out.right:.0f} of {self.held_out.cases:,} held-out cases"


def measured(clause: Clause, measures: Measures | None) -> Numbers | None:
    """What a theory's file says of a rule; None of one that was never measured."""
    found = None if measures is None else measures.measured(clause)
    if found is None:
        return None
    return Numbers(found.true, found.true + found.false, found.held_out, units=found.units)


def counted(theory: Theory, clauses: Sequence[Clause], facts: Database) -> dict[Clause, Numbers]:
    """The numbers of rules in some facts, with what each adds to all rules of the theory.

    Constraints, and rules that leave variables of their heads open, have none.
    """
    judge = Judge(facts, ())
    heads = {clause: rows for clause in clauses if (rows := judge.heads(clause)) is not None}
    others = (rule.clause for rule in theory if rule.clause not in heads)
    hidden = {clause: rows for clause in others if (rows := judge.heads(clause)) is not None}
    truth = {clause: judge.are_true(clause.head[0].predicate, rows) for clause, rows in heads.items()}
    adds = _additions(heads, hidden, truth, len(facts.constants))
    found = {}
    for clause, is_true in truth.items():
        known = measured(clause, theory.measures) or Numbers(0, 0)
        found[clause] = Numbers(int(is_true.sum()), len(is_true), known.held_out, adds[clause], known.units)
    return found


_Rows = npt.NDArray[np.int32]


def _additions(
    heads: Mapping[Clause, _Rows],
    others: Mapping[Clause, _Rows],
    truth: Mapping[Clause, npt.NDArray[np.bool_]],
    base: int,
) -> dict[Clause, Adds]:
    """What each rule covers alone."""
    found = {}
    mine, others_by = _by_predicate(heads), _by_predicate(others)
    for predicate, some in mine.items():
        keys_of = {clause: _keys(rows, base) for clause, rows in some.items()}
        more = [_keys(rows, base) for rows in others_by.get(predicate, {}).values()]
        keys, times = np.unique(np.concatenate([*keys_of.values(), *more]), return_counts=True)
        alone = keys[times == 1]
        for clause, its in keys_of.items():
            only = np.isin(its, alone)
            found[clause] = Adds(int((only & truth[clause]).sum()), int((only & ~truth[clause]).sum()))
    return found


def _by_predicate(heads: Mapping[Clause, _Rows]) -> dict[Predicate, dict[Clause, _Rows]]:
    found: dict[Predicate, dict[Clause, _Rows]] = {}
    for clause, rows in heads.items():
        found.setdefault(clause.head[0].predicate, {})[clause] = rows
    return found


def _keys(rows: _Rows, base: int) -> npt.NDArray[Any]:
    """A number for each row; where numbers do not reach so far, its bytes."""
    if base ** rows.shape[1] < 2**63:
        return rows.astype(np.int64) @ (base ** np.arange(rows.shape[1], dtype=np.int64))
    return np.ascontiguousarray(rows).view(f"V{rows.shape[1] * rows.itemsize}").ravel()
