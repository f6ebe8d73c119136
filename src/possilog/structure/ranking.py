"""Rules ranked by how many exceptions they have: first-order possibilistic inductive logic programming.

Serrurier and Prade, Introducing possibilistic logic in ILP for dealing with exceptions (Artificial Intelligence 171,
2007): rules without a counterexample are the most certain, and rules that tolerate more exceptions lie in lower strata.
The ranks are qualitative: which stratum a rule is in counts, and no number. A rule is kept only if it covers a fact
that no rule before it covers, so that a lower stratum says what the ones above do not. Exceptions are counted in all
the data, also those that hard rules explain; the negative examples of the search know only some of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from possilog.data import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.logic import Clause, Predicate, Term
from possilog.matching import Matcher
from possilog.matching.cover import Body, Cover
from possilog.structure.examples import distinct_heads
from possilog.structure.rules import FoundRule

__all__ = ["TOLERANCES", "RankedRule", "RankedStratum", "count_exceptions", "rank_rules"]

TOLERANCES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
"""The share of exceptions that each stratum tolerates."""


@dataclass(frozen=True, slots=True)
class RankedRule:
    """A rule, the facts that it gives, and its exceptions: the atoms that it gives and that are not true."""

    clause: Clause
    support: int
    exceptions: int

    @property
    def exception_share(self) -> float:
        """The share of exceptions among the atoms that the rule gives."""
        return self.exceptions / max(self.support + self.exceptions, 1)

    @property
    def as_json(self) -> dict[str, Any]:
        """One of the rules that ``possilog rules --ranked --json`` prints."""
        return {"rule": str(self.clause), "support": self.support, "exceptions": self.exceptions}


@dataclass(frozen=True, slots=True)
class RankedStratum:
    """Rules with no larger share of exceptions than the tolerance, the one that covers the most new facts first."""

    tolerance: float
    rules: tuple[RankedRule, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """One of the strata that ``possilog rules --ranked --json`` prints."""
        return {"tolerance": self.tolerance, "rules": [rule.as_json for rule in self.rules]}


def rank_rules(
    database: Database,
    rules: Sequence[FoundRule],
    tolerances: Sequence[float] = TOLERANCES,
    stop: Deadline = NEVER,
) -> dict[Predicate, tuple[RankedStratum, ...]]:
    """The strata of each target, highest first; rules with more exceptions than all tolerate are left out.

    Targets for which there is no time are left out as well.
    """
    ranked: dict[Predicate, tuple[RankedStratum, ...]] = {}
    try:
        for target in dict.fromkeys(rule.target for rule in rules):
            own = [rule for rule in rules if rule.target == target]
            ranked[target] = _strata(database, target, own, sorted(tolerances), stop)
    except OutOfTime:
        pass
    return ranked


def _strata(
    database: Database, target: Predicate, rules: Sequence[FoundRule], tolerances: Sequence[float], stop: Deadline
) -> tuple[RankedStratum, ...]:
    matcher = Matcher(database)
    heads = distinct_heads(database, target)
    cover = Cover(database, heads)
    new = np.ones(len(heads), dtype=bool)
    judged = [_judged(matcher, rule, tolerances[-1], stop) for rule in rules]
    strata, before = [], -1.0
    for tolerance in tolerances:
        waiting = [rule for rule in judged if before < rule.exception_share <= tolerance]
        covered = {
            rule: np.asarray(cover.covered(_body(rule), np.arange(len(heads))), dtype=bool)
            for rule in stop.each(waiting)
        }
        kept = []
        while waiting:
            stop.check()
            best = max(waiting, key=lambda rule: (int((covered[rule] & new).sum()), -rule.exception_share))
            if not (covered[best] & new).any():
                break
            waiting.remove(best)
            kept.append(best)
            new &= ~covered[best]
        strata.append(RankedStratum(tolerance, tuple(kept)))
        before = tolerance
    return tuple(stratum for stratum in strata if stratum.rules)


def _judged(matcher: Matcher, rule: FoundRule, most: float, stop: Deadline) -> RankedRule:
    """The rule with its exceptions, which are counted only until their share is larger than any that counts."""
    limit = None if most >= 1 else int(most / (1 - most) * rule.support) + 1
    return RankedRule(rule.clause, rule.support, count_exceptions(matcher, rule.clause, limit, stop))


def count_exceptions(matcher: Matcher, clause: Clause, limit: int | None = None, stop: Deadline = NEVER) -> int:
    """How many atoms a Horn rule gives that are not true; counted only up to the limit. OutOfTime when it is over."""
    rows = matcher.projection_rows(clause.violation, clause.head[0].variables, limit=limit)
    return sum(map(len, stop.each(rows)))


def _body(rule: RankedRule) -> Body:
    """The body in numbers: the head's variables count from 0, the others follow."""
    numbers: dict[Term, int] = {variable: number for number, variable in enumerate(rule.clause.variables)}
    return [(atom.predicate, tuple(numbers[term] for term in atom.arguments)) for atom in rule.clause.body]
