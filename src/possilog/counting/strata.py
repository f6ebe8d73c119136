"""The counts that weights are made of: for every stratum, how many k-subsets and worlds it decides.

The violated rule with the highest weight decides about a k-subset or a world; ⊥ decides where nothing is violated. The
numbers are n_i = |E_{i+1}| - |E_i| and m_i = |M_{i+1}| - |M_i| of the section Weight Learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from possilog.counting.count import Count
from possilog.counting.data_profile import DataProfile
from possilog.counting.world_profile import WorldProfile
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


def count_strata(database: Database, theory: Theory, width: int) -> StrataCounts:
    """Count for every stratum of a theory, exactly.

    Worlds are about the predicates of the data and of the theory.
    """
    if not 1 <= width <= len(database.constants):
        raise QueryError(f"the width must be between 1 and the {len(database.constants)} constants of the data")
    strata = list(reversed(theory.strata))
    rules = [rule.clause for stratum in strata for rule in stratum.rules]
    # The place of each rule's stratum, counted from ⊥, which has 0.
    places = [place for place, stratum in enumerate(strata, start=1) for _ in stratum.rules]
    predicates = {*database.predicates, *theory.predicates}
    data = DataProfile(database, width, rules)
    worlds = WorldProfile(predicates, [rule.clause for rule in theory.hard], width, rules)
    n, m = (_by_place(table, places, len(strata)) for table in (data.table(), worlds.table()))
    falsity = Stratum(theory.falsity, ())
    counted = (
        StratumCounts(stratum, Count.of(n[place], "profile"), Count.of(m[place], "profile"))
        for place, stratum in enumerate([falsity, *strata])
    )
    return StrataCounts(
        width, len(database.constants), data.subsets, Count.of(worlds.worlds, "profile"), tuple(counted)
    )


def _by_place(table: dict[int, int], places: Sequence[int], highest: int) -> list[int]:
    """Add up a profile by the highest stratum that is violated; rules are in the order of their strata."""
    counts = [0] * (highest + 1)
    for violated, count in table.items():
        counts[places[violated.bit_length() - 1] if violated else 0] += count
    return counts


def clauses_of(stratum: Stratum) -> list[Clause]:
    """The clauses of a stratum; ⊥ for that which has none."""
    return [rule.clause for rule in stratum.rules] or [Clause()]
