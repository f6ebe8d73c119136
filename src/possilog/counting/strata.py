"""The counts that weights are made of: for every stratum, how many k-subsets and worlds it decides.

The violated rule with the highest weight decides about a k-subset or a world; ⊥ decides where nothing is violated. The
numbers are n_i = |E_{i+1}| - |E_i| and m_i = |M_{i+1}| - |M_i| of the section Weight Learning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

from possilog.counting.count import Count
from possilog.counting.counter import Counter
from possilog.data import Database
from possilog.errors import DataWarning, shortened
from possilog.logic import Clause, Stratum, Theory
from possilog.matching import Matcher

__all__ = ["StrataCounts", "StratumCounts", "broken_rules", "clauses_of", "count_strata", "count_strata_by", "listed"]


@dataclass(frozen=True, slots=True)
class StratumCounts:
    """A stratum, or ⊥, and how many k-subsets (n) and worlds (m) it decides."""

    stratum: Stratum
    n: Count
    m: Count


@dataclass(frozen=True, slots=True)
class StrataCounts:
    """The counts of a theory over the fragments of some data, from ⊥ to the highest stratum."""

    width: int
    constants: int
    subsets: int
    worlds: Count
    """How many worlds satisfy the hard rules."""
    strata: tuple[StratumCounts, ...]


def count_strata(
    database: Database,
    theory: Theory,
    width: int,
    *,
    seed: int = 0,
    limit: int = 2_000_000,
    seconds: float | None = None,
) -> StrataCounts:
    """Count for every stratum of a theory what it decides.

    Worlds are about the predicates of the data and of the theory.
    """
    theory.require_weights()
    hard = [rule.clause for rule in theory.hard]
    if broken := broken_rules(database, (clause for clause in hard if len(clause.variables) <= width)):
        warnings.warn(
            f"the data break {listed(broken)}; the fragments that do are counted too", DataWarning, stacklevel=2
        )
    counter = Counter(database, width, hard=hard, predicates=theory.predicates, seed=seed, limit=limit, seconds=seconds)
    return count_strata_by(counter, theory)


def count_strata_by(counter: Counter, theory: Theory) -> StrataCounts:
    """The same by a counter that has the theory's hard rules; what it counts for one theory serves the next."""
    strata = list(reversed(theory.strata))
    # The cut of each stratum, from the lowest: its rules and all above it. Last, the hard rules alone.
    cuts = [[rule.clause for stratum in strata[place:] for rule in stratum.rules] for place in range(len(strata) + 1)]
    n, m = (_decided([count(cut) for cut in cuts]) for count in (counter.subsets, counter.worlds))
    return StrataCounts(
        counter.width,
        len(counter.database.constants),
        comb(len(counter.database.constants), counter.width),
        counter.worlds(),
        tuple(map(StratumCounts, [Stratum(theory.falsity, ()), *strata], n, m)),
    )


def _decided(satisfying: Sequence[Count]) -> list[Count]:
    """What ⊥ and each stratum decide, from what satisfies each cut: |E_1|, |E_2| - |E_1| and so on."""
    return [satisfying[0], *(above.minus(here) for here, above in pairwise(satisfying))]


def broken_rules(database: Database, hard: Iterable[Clause]) -> list[Clause]:
    """The hard rules that have exceptions in the data."""
    matcher = Matcher(database)
    return [clause for clause in hard if matcher.exists(clause.violation)]


def listed(clauses: Sequence[Clause]) -> str:
    """How many hard rules these are, and the first of them, for a sentence."""
    shown = " ".join(shortened(str(clause)) for clause in clauses[:3]) + (" ..." if len(clauses) > 3 else "")
    return f"{len(clauses)} hard rule{'s' if len(clauses) > 1 else ''} ({shown})"


def clauses_of(stratum: Stratum) -> list[Clause]:
    """The clauses of a stratum; ⊥ for that which has none."""
    return [rule.clause for rule in stratum.rules] or [Clause()]
