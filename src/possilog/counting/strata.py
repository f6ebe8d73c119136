"""The counts that weights are made of: for every stratum, how many k-subsets and worlds it decides.

The violated rule with the highest weight decides about a k-subset or a world; ⊥ decides where nothing is violated. The
numbers are n_i = |E_{i+1}| - |E_i| and m_i = |M_{i+1}| - |M_i| of the section Weight Learning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

from possilog.counting.count import Count
from possilog.counting.data_profile import DataProfile
from possilog.counting.limits import TooLarge
from possilog.counting.subsets import count_subsets
from possilog.counting.world_profile import WorldProfile
from possilog.counting.worlds import Worlds, count_worlds
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Clause, Stratum, Theory

__all__ = ["StrataCounts", "StratumCounts", "count_strata"]


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
    database: Database, theory: Theory, width: int, *, seed: int = 0, limit: int = 2_000_000
) -> StrataCounts:
    """Count for every stratum of a theory: by profiles, exactly, and where these grow beyond the limit cut by cut.

    Worlds are about the predicates of the data and of the theory.
    """
    if not 1 <= width <= len(database.constants):
        raise QueryError(f"the width must be between 1 and the {len(database.constants)} constants of the data")
    strata = list(reversed(theory.strata))
    cuts = [[rule.clause for rule in stratum.rules] for stratum in strata]
    hard = [rule.clause for rule in theory.hard]
    predicates = tuple(sorted({*database.predicates, *theory.predicates}))

    def subsets(rules: Sequence[Clause]) -> Count:
        return count_subsets(database, rules, width, seed=seed)

    def worlds(rules: Sequence[Clause]) -> Count:
        return count_worlds(Worlds(predicates, width, (*hard, *rules)), seed=seed)

    n = _counts(cuts, lambda rules: DataProfile(database, width, rules, limit=limit), subsets)
    m = _counts(cuts, lambda rules: WorldProfile(predicates, hard, width, rules, limit=limit), worlds)
    counted = zip([Stratum(theory.falsity, ()), *strata], n, m, strict=True)
    all_worlds = Count.of(sum(count.value for count in m), "profile") if all(c.exact for c in m) else worlds([])
    return StrataCounts(
        width,
        len(database.constants),
        comb(len(database.constants), width),
        all_worlds,
        tuple(StratumCounts(*triple) for triple in counted),
    )


def _counts(
    cuts: Sequence[Sequence[Clause]],
    profile: Callable[[Sequence[Clause]], DataProfile | WorldProfile],
    count: Callable[[Sequence[Clause]], Count],
) -> list[Count]:
    """What each stratum decides, from ⊥ upwards: from a profile of all rules, or from a count for each cut."""
    rules = [rule for stratum in cuts for rule in stratum]
    try:
        table = profile(rules).table()
    except TooLarge:
        # |E_i| or |M_i|: what satisfies the i-th stratum and all above it.
        satisfying = [count([rule for stratum in cuts[place:] for rule in stratum]) for place in range(len(cuts) + 1)]
        return [satisfying[0], *(above.minus(here) for here, above in pairwise(satisfying))]
    # The place of each rule's stratum, counted from ⊥, which has 0. Rules are in the order of their strata.
    places = [place for place, stratum in enumerate(cuts, start=1) for _ in stratum]
    totals = [0] * (len(cuts) + 1)
    for violated, number in table.items():
        totals[places[violated.bit_length() - 1] if violated else 0] += number
    return [Count.of(total, "profile") for total in totals]


def clauses_of(stratum: Stratum) -> list[Clause]:
    """The clauses of a stratum; ⊥ for that which has none."""
    return [rule.clause for rule in stratum.rules] or [Clause()]
