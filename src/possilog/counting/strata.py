"""The counts that weights are made of: for every stratum, how many k-subsets and worlds it decides.

The violated rule with the highest weight decides about a k-subset or a world; ⊥ decides where nothing is violated. The
numbers are n_i = |E_{i+1}| - |E_i| and m_i = |M_{i+1}| - |M_i| of the section Weight Learning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb
from typing import Any

from possilog.counting.count import Count
from possilog.counting.counter import CutCounter
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.errors import DataWarning, shortened
from possilog.logic import Clause, Stratum, Theory
from possilog.matching import Matcher
from possilog.printing import Printed
from possilog.workers import Jobs

__all__ = ["StrataCounts", "StratumCounts", "broken_rules", "count_strata", "rules_listed"]


@dataclass(frozen=True, slots=True, repr=False)
class StratumCounts(Printed):
    """A stratum, or ⊥, and how many k-subsets (n) and worlds (m) it decides."""

    stratum: Stratum
    n: Count
    m: Count

    def __str__(self) -> str:
        return f"{self.n!s:>18}  {self.m!s:>14}  {self.text}"

    @property
    def text(self) -> str:
        """The rules of the stratum in one line; ⊥ where it has none."""
        return " ".join(map(str, [rule.clause for rule in self.stratum.rules] or [Clause()]))

    @property
    def as_json(self) -> dict[str, Any]:
        """The rules, their weight, and what was counted for them, in JSON's terms."""
        methods = dict.fromkeys([self.n.method, self.m.method])
        return {
            "rule": self.text,
            "weight": str(self.stratum.weight),
            **self.n.json_fields("n"),
            **self.m.json_fields("m"),
            "method": ", ".join(methods),
            "exact": self.n.exact and self.m.exact,
        }


@dataclass(frozen=True, slots=True, repr=False)
class StrataCounts:
    """The counts of a theory over the fragments of some data, from ⊥ to the highest stratum.

    They print as the command line shows them.
    """

    width: int
    constants: int
    subsets: int
    worlds: Count
    """How many worlds satisfy the hard rules."""
    strata: tuple[StratumCounts, ...]

    @classmethod
    def of(cls, counter: CutCounter, strata: Sequence[Stratum], n: Sequence[Count], m: Sequence[Count]) -> StrataCounts:
        """What was counted for some strata, from ⊥ upwards."""
        constants = len(counter.database.constants)
        counted = tuple(map(StratumCounts, strata, n, m))
        return cls(counter.width, constants, comb(constants, counter.width), counter.worlds(), counted)

    @property
    def title(self) -> str:
        """What was counted, in a line."""
        return f"{self.subsets:,} subsets of {self.width} constants; {self.worlds} worlds with the hard rules"

    def __str__(self) -> str:
        return "\n".join([self.title, "", f"{'subsets':>18}  {'worlds':>14}", *map(str, self.strata)])

    def __repr__(self) -> str:
        return f"<StrataCounts: {len(self.strata):,} strata, {self.subsets:,} subsets of {self.width} constants>"

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog count --json`` prints, but for the seconds."""
        return {
            "width": self.width,
            "constants": self.constants,
            "subsets": self.subsets,
            **self.worlds.json_fields("worlds"),
            "strata": [counted.as_json for counted in self.strata],
        }


def count_strata(
    database: Database,
    theory: Theory,
    width: int,
    *,
    seed: int = 0,
    limit: int = 2_000_000,
    time_limit: float | None = None,
    jobs: Jobs = 1,
) -> StrataCounts:
    """Count for every stratum of a theory what it decides.

    Worlds are about the predicates of the data and of the theory. Where ``time_limit`` seconds are not enough for exact
    counts, there are estimates with their intervals; where they are not even enough for these, TooLarge is raised.
    """
    stop = Deadline(time_limit)
    theory.require_weights()
    hard = [rule.clause for rule in theory.hard]
    if broken := broken_rules(database, (clause for clause in hard if len(clause.variables) <= width)):
        warnings.warn(
            f"the data break {rules_listed(broken)}; the fragments that do are counted too", DataWarning, stacklevel=2
        )
    strata = list(reversed(theory.strata))
    candidates = [[rule.clause for rule in stratum.rules] for stratum in strata]
    counter = CutCounter(
        database,
        width,
        hard=hard,
        predicates=theory.predicates,
        rules=chain(*candidates),
        seed=seed,
        limit=limit,
        stop=stop,
        jobs=jobs,
    )
    levels = counter.levels(candidates)
    n, m = levels.totals(range(len(strata)))
    return StrataCounts.of(counter, [Stratum(theory.falsity, ()), *strata], n, m)


def broken_rules(database: Database, hard: Iterable[Clause]) -> list[Clause]:
    """The hard rules that have exceptions in the data."""
    matcher = Matcher(database)
    return [clause for clause in hard if matcher.exists(clause.violation)]


def rules_listed(clauses: Sequence[Clause], what: str = "hard rule") -> str:
    """How many hard rules these are, and the first of them, for a sentence."""
    shown = " ".join(shortened(clause) for clause in clauses[:3]) + (" ..." if len(clauses) > 3 else "")
    return f"{len(clauses)} {what}{'s' if len(clauses) > 1 else ''} ({shown})"
