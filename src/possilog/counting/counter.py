"""One door to counting: how many k-subsets of the data, and how many worlds, satisfy a cut."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import Protocol

from possilog.counting.count import Count
from possilog.counting.data_profile import DataProfile
from possilog.counting.limits import TooLarge
from possilog.counting.rules import check_rule
from possilog.counting.subsets import count_subsets
from possilog.counting.world_profile import WorldProfile
from possilog.counting.worlds import Worlds, count_worlds
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Clause, Predicate

__all__ = ["Counter", "Cut"]

Cut = frozenset[Clause]
"""Rules on top of the hard rules."""


A_MINUTE = 60.0


class Counter:
    """Counts the k-subsets of some data, and the worlds over k constants, that satisfy a cut. Each cut is counted once.

    Counts are read from profiles, exactly. A profile takes in the rules of each cut that comes up. Where it would grow
    beyond the limit, or take more than some seconds, cuts with the rules that do not fit are counted one by one.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = Database.of(map(parse_atom, ["fr(ann, bob)", "fr(bob, eve)", "sm(ann)"]))
    >>> counter = Counter(facts, 2, hard=[parse_clause(":- fr(X, X).")])
    >>> cut = [parse_clause("sm(Y) :- fr(X, Y), sm(X).")]
    >>> counter.subsets(cut)
    Count(value=2, low=2, high=2, method='profile', confidence=1.0)
    >>> counter.worlds(cut).value, counter.worlds().value
    (12, 16)
    """

    def __init__(
        self,
        database: Database,
        width: int,
        *,
        hard: Iterable[Clause] = (),
        predicates: Iterable[Predicate] = (),
        seed: int = 0,
        limit: int = 2_000_000,
        seconds: float | None = None,
    ) -> None:
        """Take the data and the hard rules. Worlds are about the predicates of both, and any others that are given.

        Without seconds, profiles are limited by their size only, and exact counts of worlds to a minute each.
        """
        if not database.constants:
            raise QueryError("the data name no constants, so there are no fragments to count; give others")
        if not 1 <= width <= len(database.constants):
            raise QueryError(f"the width must be between 1 and the {len(database.constants)} constants of the data")
        self.database, self.width, self.hard = database, width, tuple(hard)
        spoken = {atom.predicate for clause in self.hard for atom in clause.atoms}
        self.predicates = tuple(sorted({*database.predicates, *spoken, *predicates}))
        self._seed, self._limit, self._seconds = seed, limit, seconds
        self._subsets = _Side(lambda: DataProfile(database, width, limit=limit, seconds=seconds), self._count_subsets)
        self._worlds = _Side(
            lambda: WorldProfile(self.predicates, self.hard, width, limit=limit, seconds=seconds), self._count_worlds
        )

    def subsets(self, cut: Iterable[Clause] = ()) -> Count:
        """How many k-subsets of the data satisfy a cut; |E| in the section Weight Learning.

        The hard rules have no exception in the data, so they make no difference.
        """
        return self._subsets.count(self._checked(cut))

    def worlds(self, cut: Iterable[Clause] = ()) -> Count:
        """How many worlds satisfy the hard rules and a cut; |M| in the section Weight Learning."""
        return self._worlds.count(self._checked(cut))

    def _checked(self, cut: Iterable[Clause]) -> Cut:
        rules = frozenset(cut)
        for rule in rules:
            check_rule(rule, self.predicates)
        return rules

    def _count_subsets(self, cut: Collection[Clause]) -> Count:
        return count_subsets(self.database, cut, self.width, seed=self._seed)

    def _count_worlds(self, cut: Collection[Clause]) -> Count:
        worlds = Worlds(self.predicates, self.width, (*self.hard, *cut))
        return count_worlds(worlds, seconds=A_MINUTE if self._seconds is None else self._seconds, seed=self._seed)


class _Profile(Protocol):
    """What both profiles can do."""

    def add(self, rule: Clause) -> None: ...
    def keep(self, rules: int) -> None: ...
    def table(self) -> dict[int, int]: ...


class _Side:
    """The counts of one side, subsets or worlds: from a profile where it can be had, else by a method for one cut."""

    def __init__(self, make: Callable[[], _Profile], method: Callable[[Collection[Clause]], Count]) -> None:
        self._make, self._method = make, method
        self._known: dict[Cut, Count] = {}
        self._bits: dict[Clause, int] = {}
        self._table: dict[int, int] = {}
        self._refused: set[Clause] = set()

    def count(self, cut: Cut) -> Count:
        """The number of those that satisfy a cut."""
        if cut not in self._known:
            # The method sees the rules in an order of their own, so that chance treats equal cuts equally.
            self._known[cut] = self._read(cut) if self._take(cut) else self._method(sorted(cut))
        return self._known[cut]

    def _read(self, cut: Cut) -> Count:
        bits = sum(self._bits[rule] for rule in cut)
        return Count.of(sum(n for violated, n in self._table.items() if not violated & bits), "profile")

    def _take(self, cut: Cut) -> bool:
        """Take the rules of a cut into the profile. Rules that do not fit are not tried again, and spoil no others."""
        new = sorted(cut - self._bits.keys())
        if self._profile is None or not self._refused.isdisjoint(new):
            return False
        refused = new
        try:
            for rule in new:
                refused = [rule]
                self._profile.add(rule)
            refused = new
            self._table = self._profile.table() if new else self._table
        except TooLarge:
            self._profile.keep(len(self._bits))
            self._refused.update(refused)
            return False
        self._bits |= {rule: 1 << place for place, rule in enumerate(new, start=len(self._bits))}
        return True

    @cached_property
    def _profile(self) -> _Profile | None:
        """The profile, when it is first asked for; None where it is too large even without rules."""
        try:
            profile = self._make()
            self._table = profile.table()
        except TooLarge:
            return None
        return profile
