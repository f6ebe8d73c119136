"""One door to counting: how many k-subsets of the data, and how many worlds, satisfy a cut or break a level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Protocol

from possilog.counting.count import Count
from possilog.counting.data_profile import DataProfile
from possilog.counting.levels import Candidate, CutLevels, LevelCounts, Levels, ProfileLevels, clauses_of
from possilog.counting.limits import Limit, TooLarge
from possilog.counting.rules import check_rule
from possilog.counting.subsets import count_subsets
from possilog.counting.values import Values
from possilog.counting.world_profile import WorldProfile
from possilog.counting.worlds import Worlds, count_worlds
from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.errors import QueryError
from possilog.logic import BuiltIn, Clause, Predicate
from possilog.workers import Jobs, in_order

__all__ = ["Cut", "CutCounter"]

Cut = frozenset[Clause]
"""Rules on top of the hard rules."""

PROFILE_SHARE = 1 / 3
"""The share of the time that is left which a profile may take."""


class CutCounter:
    """Counts the k-subsets of some data, and the worlds over k constants, that satisfy a cut. Each cut is counted once.

    Counts are read from profiles, exactly. A profile takes in the rules of each cut that comes up. Where it would grow
    beyond the limit, or take too long, cuts with the rules that do not fit are counted one by one.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = Database.of(map(parse_atom, ["fr(ann, bob)", "fr(bob, eve)", "sm(ann)"]))
    >>> counter = CutCounter(facts, 2, hard=[parse_clause(":- fr(X, X).")])
    >>> cut = [parse_clause("sm(Y) :- fr(X, Y), sm(X).")]
    >>> counter.subsets(cut)
    Count(value=2, low=2, high=2, method='profile', confidence=1.0)
    >>> counter.worlds(cut).value, counter.worlds().value
    (12, 16)
    >>> levels = counter.levels(cut)
    >>> [count.value for count in levels.subsets.totals([0])], [count.value for count in levels.worlds.totals([0])]
    ([2, 1], [12, 4])
    """

    def __init__(
        self,
        database: Database,
        width: int,
        *,
        hard: Iterable[Clause] = (),
        predicates: Iterable[Predicate] = (),
        rules: Iterable[Clause] = (),
        seed: int = 0,
        limit: int = 2_000_000,
        profile_seconds: float | None = None,
        stop: Deadline = NEVER,
        jobs: Jobs = 1,
        beside: CutCounter | None = None,
    ) -> None:
        """Take the data and the hard rules. Worlds are about the predicates of both, and any others that are given.

        Rules that name constants or compare numbers are counted if they are among the hard rules or ``rules``: what
        they say of a thing is then a predicate of worlds, too (``values``).
        ``limit`` bounds the sets of constants, or worlds, that a profile is made of, and ``profile_seconds`` the time.
        What cannot be counted before ``stop`` says so raises TooLarge. Worlds of a profile, and cuts that are counted
        one by one, are counted side by side by ``jobs``. What a counter ``beside`` this one knows is not
        counted again: of k-subsets if it is of the same data and width, of worlds if it has the same predicates, hard
        rules and width.
        """
        if not database.constants:
            raise QueryError("the data name no constants, so there are no fragments to count; give others")
        if not 1 <= width <= len(database.constants):
            raise QueryError(f"the width must be between 1 and the {len(database.constants)} constants of the data")
        self.database, self.width, self.hard, self.stop = database, width, tuple(hard), stop
        self._rules = (*self.hard, *rules)
        self._values = Values(self._rules, database.declared)
        spoken = {atom.predicate for clause in self._rules for atom in clause.atoms}
        told = {*database.predicates, *predicates, *spoken}
        self.predicates = tuple(sorted(predicate for predicate in told if not isinstance(predicate, BuiltIn)))
        self._vocabulary = frozenset({*self.predicates, *self._values.predicates})
        self._in_values: dict[Clause, Clause] = {}
        self._seed, self._limit, self._profile_seconds, self._jobs = seed, limit, profile_seconds, jobs
        self._sides: dict[object, _Side] = {} if beside is None else beside._sides
        how = (width, seed, limit)
        # A side keeps its database, so that no other one can have the same identity.
        self._subsets = self._sides.setdefault(
            (id(database), self._values, *how), _Side(_Subsets(database, self._values, width, seed, limit))
        )
        self._worlds = self._sides.setdefault(
            (self.predicates, self._values, self.hard, *how),
            _Side(_Worlds(tuple(sorted(self._vocabulary)), self._values, self.hard, width, seed, limit, jobs)),
        )

    def over(self, database: Database, width: int) -> CutCounter:
        """The same for other data, beside this one; worlds are about the same predicates, at least."""
        return CutCounter(
            database,
            width,
            hard=self.hard,
            predicates=self.predicates,
            rules=self._rules,
            seed=self._seed,
            limit=self._limit,
            profile_seconds=self._profile_seconds,
            stop=self.stop,
            jobs=self._jobs,
            beside=self,
        )

    def subsets(self, cut: Iterable[Clause] = (), share: float = 1.0) -> Count:
        """How many k-subsets of the data satisfy a cut; |E| in the section Weight Learning.

        The hard rules have no exception in the data, so they make no difference. Where there is more to count, this cut
        has a share of the time.
        """
        return self._counts(self._subsets, [(cut, share)])[0]

    def worlds(self, cut: Iterable[Clause] = (), share: float = 1.0) -> Count:
        """How many worlds satisfy the hard rules and a cut; |M| in the section Weight Learning."""
        return self._counts(self._worlds, [(cut, share)])[0]

    def levels(self, candidates: Sequence[Candidate], *, only_profiles: bool = False) -> Levels:
        """What the levels of any ordering of some candidates decide about.

        It is read from profiles of all candidates. Where one cannot be had it is counted cut by cut, or, for
        ``only_profiles``, TooLarge is raised.
        """
        worlds = self.world_levels(candidates, only_profiles=only_profiles)
        return Levels(self.subset_levels(candidates, only_profiles=only_profiles), worlds)

    def subset_levels(self, candidates: Sequence[Candidate], *, only_profiles: bool = False) -> LevelCounts:
        """The same for k-subsets alone."""
        return self._levels(self._subsets, candidates, only_profiles)

    def world_levels(self, candidates: Sequence[Candidate], *, only_profiles: bool = False) -> LevelCounts:
        """The same for worlds alone."""
        return self._levels(self._worlds, candidates, only_profiles)

    def _counts(self, side: _Side, asked: Iterable[tuple[Iterable[Clause], float]]) -> list[Count]:
        cuts = [(Cut(map(self._checked, cut)), share) for cut, share in asked]
        return side.counts(cuts, self.stop, self._for_profile, self._jobs)

    def _levels(self, side: _Side, candidates: Sequence[Candidate], only_profiles: bool) -> LevelCounts:
        levels = [[self._checked(rule) for rule in clauses_of(candidate)] for candidate in candidates]
        try:
            table, bits = side.profile(list(dict.fromkeys(chain(*levels))), self._for_profile())
        except TooLarge:
            if only_profiles:
                raise
            return CutLevels(candidates, partial(self._counts, side))
        return ProfileLevels(table, [sum(bits[rule] for rule in set(level)) for level in levels])

    def _for_profile(self, share: float = 1.0) -> Deadline:
        """The deadline of a profile: earlier, so that there is time for other ways; but there need not be one."""
        timeless = self.stop.left is None and self._profile_seconds is None
        return self.stop if timeless else self.stop.part(share * PROFILE_SHARE, self._profile_seconds)

    def _checked(self, rule: Clause) -> Clause:
        """A rule in terms of the value predicates, if it can be counted."""
        found = self._in_values.get(rule)
        if found is None:
            found = self._in_values[rule] = self._values.clause(rule)
            check_rule(found, self._vocabulary)
        return found


class _Profile(Protocol):
    """What both profiles can do."""

    def add(self, rule: Clause, stop: Deadline) -> None: ...
    def keep(self, rules: int) -> None: ...
    def table(self, stop: Deadline) -> dict[int, int]: ...


_CutTask = tuple[Sequence[Clause], Deadline, float]
"""A cut to be counted, by when all have to be, and its share of the time."""


@dataclass(frozen=True)
class _Subsets:
    """Counts the k-subsets of some data: all of them by a profile, or a cut by itself."""

    database: Database
    values: Values
    width: int
    seed: int
    limit: int

    @cached_property
    def _facts(self) -> Database:
        return self.values.database(self.database)

    def profile(self, stop: Deadline) -> DataProfile:
        return DataProfile(self._facts, self.width, limit=self.limit, stop=stop)

    def count(self, task: _CutTask) -> Count:
        cut, stop, share = task
        return count_subsets(self._facts, cut, self.width, seed=self.seed, stop=stop.part(share))


@dataclass(frozen=True)
class _Worlds:
    """Counts worlds."""

    predicates: tuple[Predicate, ...]
    values: Values
    hard: tuple[Clause, ...]
    width: int
    seed: int
    limit: int
    jobs: Jobs

    @cached_property
    def _all_hard(self) -> tuple[Clause, ...]:
        """With the laws of values, of which there may be very many."""
        return self.values.hard(self.hard)

    def profile(self, stop: Deadline) -> WorldProfile:
        limit = Limit("world profile", "worlds", self.limit, stop)
        limit.check_size(self.values.worlds_of_numbers(self.hard, self.width))
        return WorldProfile(self.predicates, self._all_hard, self.width, limit=self.limit, stop=stop, jobs=self.jobs)

    def count(self, task: _CutTask) -> Count:
        cut, stop, share = task
        worlds = Worlds(self.predicates, self.width, (*self._all_hard, *cut))
        return count_worlds(worlds, seed=self.seed, stop=stop, share=share)


def _counting(way: _Subsets | _Worlds) -> Callable[[_CutTask], Count]:
    return partial(_count_in_time, way)


def _count_in_time(way: _Subsets | _Worlds, task: _CutTask) -> Count:
    if task[1]():
        raise TooLarge(
            "counting cut by cut takes more time than there is; allow more, or give fewer rules or a smaller width"
        )
    return way.count(task)


class _Side:
    """The counts of one side, subsets or worlds: from a profile where it can be had, else by a method for one cut."""

    def __init__(self, way: _Subsets | _Worlds) -> None:
        self._way = way
        self._known: dict[Cut, Count] = {}
        self._bits: dict[Clause, int] = {}
        self._table: dict[int, int] = {}
        self._profile: _Profile | None = None
        self._refused: dict[Clause | None, str] = {}
        """Why the profile does not take some rules; None stands for the profile without any."""

    def counts(
        self, asked: Sequence[tuple[Cut, float]], stop: Deadline, for_profile: Callable[[float], Deadline], jobs: Jobs
    ) -> list[Count]:
        """The numbers of those that satisfy a cut, each with a share of the time."""
        alone: dict[Cut, float] = {}
        for cut, share in asked:
            if cut not in self._known:
                try:
                    self._take(sorted(cut), for_profile(share), together=True)
                    self._known[cut] = self._read(cut)
                except TooLarge:
                    alone[cut] = share
        # The method sees the rules in an order of their own, so that chance treats equal cuts equally.
        tasks = [(sorted(cut), stop, share) for cut, share in alone.items()]
        for cut, count in zip(alone, in_order(partial(_counting, self._way), tasks, jobs), strict=True):
            self._known[cut] = count
        return [self._known[cut] for cut, _ in asked]

    def profile(self, rules: Sequence[Clause], stop: Deadline) -> tuple[dict[int, int], dict[Clause, int]]:
        """The table of a profile that has these rules, maybe among others, and each rule's bit in it."""
        self._take(rules, stop, together=False)
        return self._table, self._bits

    def _read(self, cut: Cut) -> Count:
        bits = sum(self._bits[rule] for rule in cut)
        return Count.of(sum(n for violated, n in self._table.items() if not violated & bits), "profile")

    def _take(self, rules: Sequence[Clause], stop: Deadline, *, together: bool) -> None:
        """Take rules into the profile. Those that do not fit are not tried again, and spoil no others.

        Rules that fit one by one may not fit together. Then none of them is tried again with others, where ``together``
        says so or time was short.
        """
        new = [rule for rule in rules if rule not in self._bits]
        for rule in (None, *new):
            if rule in self._refused:
                raise TooLarge(self._refused[rule])
        refused: Sequence[Clause | None] = [None]
        try:
            profile = self._profile or self._begun(stop)
            for rule in new:
                refused = [rule]
                profile.add(rule, stop)
            refused = new if together else ()
            self._table = profile.table(stop) if new else self._table
        except TooLarge as error:
            if self._profile is not None:
                self._profile.keep(len(self._bits))
            self._refused |= dict.fromkeys(new if stop.passed and self._profile else refused, str(error))
            raise
        self._bits |= {rule: 1 << place for place, rule in enumerate(new, start=len(self._bits))}

    def _begun(self, stop: Deadline) -> _Profile:
        """The profile without rules, when it is first asked for."""
        profile = self._way.profile(stop)
        self._table = profile.table(stop)
        self._profile = profile
        return profile
