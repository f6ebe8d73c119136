"""Is a rule right more often than chance? Where its head is true of most constants anyway, any rule about it is.

Every predicate's constants are relabelled at random within their types, several times: what a predicate is like by
itself stays as it is, and what predicates have to do with each other is chance. How often a rule is right on such
copies is its base rate, and how much that differs from copy to copy says on how many independent cases it rests; where
it is hardly ever right on copies, heads that rest on the same constants are one case. A rule about one predicate alone
is the same on every copy, so what it concludes from the data is looked up on the copies: if nearly all pairs are facts,
being symmetric is no merit. A rule has to beat its base rate, and by so much that none of the many rules that were
tried would do so by luck.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from math import exp, log, prod
from typing import NamedTuple

import numpy as np

from possilog.chance import generator
from possilog.data import Database, infer_types
from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline
from possilog.learning.cases import Cases
from possilog.learning.confidence import Confidence, Judge, judge_all
from possilog.logic import Clause, Measured, Predicate
from possilog.structure.surprise import LEVEL
from possilog.workers import Jobs, in_order

__all__ = ["COPIES", "BaseRate", "members_of", "relabelled"]

COPIES = 20
"""How often the data are relabelled."""

COMMON = 5.0
"""How common a head is counts as much as so many heads of a rule on copies."""

WRONG = 0.05
"""Of the rules that pass, chance may have made this share; they still have to pay on held-out facts."""

Types = dict[str, tuple[str, ...]]
"""The types of each predicate's arguments, as ``infer_types`` gives them."""


class Rate(NamedTuple):
    """What a rule does by chance."""

    right: float
    """How often it is right."""
    true: float
    """How much of an independent case a true head is."""
    false: float
    """How much of one a false head is."""

    def log_chance(self, found: Confidence) -> float:
        """Chernoff's bound: how probable it is that a rule is right in so many of so many cases."""
        true, false = found.true * self.true, found.nontrivial * self.false
        return -(true + false) * _divergence(true / (true + false), self.right) if true else 0.0


class BaseRate:
    """What rules say beyond what chance would make them say, on some data."""

    def __init__(
        self,
        database: Database,
        hard: Iterable[Clause],
        tried: int,
        seed: int = 0,
        stop: Deadline = NEVER,
        jobs: Jobs = 1,
        copies: int = COPIES,
    ) -> None:
        """Take the data, their hard rules, and how many rules were tried; OutOfTime when ``stop`` says so."""
        self._database, self._tried, self._seed, self._stop, self._jobs = database, tried, seed, stop, jobs
        self._copies = copies
        self._hard = [clause for clause in hard if _is_across(clause)]

    def beaten_by(self, pool: Sequence[Measured], kept: Container[Clause] = ()) -> tuple[Measured, ...]:
        """The rules of a pool that are right more often than chance, as Benjamini and Hochberg (1995) choose them.

        Those about one predicate alone are chosen among themselves, since so few of them can be tried at all. Rules to
        be kept stay.
        """
        asked = [rule.clause for rule in pool if rule.clause not in kept]
        chances = {clause: exp(min(chance, 0.0)) for clause, chance in zip(asked, self.log_chances(asked), strict=True)}
        across = [chance for clause, chance in chances.items() if _is_across(clause)]
        alone = [chance for clause, chance in chances.items() if not _is_across(clause)]
        bounds = {True: _bound(across, max(self._tried, len(across))), False: _bound(alone, len(alone))}
        return tuple(rule for rule in pool if chances.get(rule.clause, 0.0) <= bounds[_is_across(rule.clause)])

    def log_chances(self, clauses: Sequence[Clause]) -> list[float]:
        """The logarithms of how probable it is, at most, that chance alone makes each of some rules right so often.

        What counts are the heads that the hard rules leave open: a rule may owe to them that it is right.
        """
        rates = self.rates(clauses)
        judged = judge_all(self._database, self._hard, clauses, self._stop, self._jobs)
        self._stop.check()
        found = map(judged.get, clauses)
        return [rate.log_chance(one) if one else 0.0 for rate, one in zip(rates, found, strict=True)]

    def rates(self, clauses: Sequence[Clause]) -> list[Rate]:
        """How often rules are right by chance, and how much of a case their heads are."""
        if not clauses:
            return []
        make = partial(_Copies, self._database, self._types, self._members, self._seed, tuple(clauses), self._stop)
        copies = zip(*in_order(make, range(self._copies), self._jobs), strict=True)
        parts = in_order(partial(Cases, self._database, self._stop), clauses, self._jobs)
        return list(map(self._rate, clauses, copies, parts))

    def _rate(self, clause: Clause, found: Iterable[tuple[int, int] | None], parts: tuple[float, float]) -> Rate:
        predicate = clause.head[0].predicate
        if denied := self._database.denied_rows(predicate).shape[1]:
            known = self._database.count(predicate)
            return Rate(known / (known + denied), *parts)
        counts = np.array([count for count in found if count is not None], dtype=np.float64).reshape(-1, 2)
        true, covered = counts[:, 0], counts[:, 1]
        # Long bodies hold of next to nothing on copies; then what counts is how common the head is. And one case more
        # than was seen could have been true, as in any test by permutations (Phipson and Smyth 2010).
        more = 1 / parts[0]
        rate = float((true.sum() + more + COMMON * self._density(predicate)) / (covered.sum() + more + COMMON))
        likely = rate * (1 - rate) * float(covered.mean()) if len(counts) else 0.0
        spread = float(np.square(true - rate * covered).mean()) if len(counts) else 0.0
        seen = min(1.0, likely / spread) if spread else 1.0
        trust = likely / (likely + more)  # what is seen of less than a case on each copy says little
        return Rate(rate, *(trust * seen + (1 - trust) * min(part, seen) for part in parts))

    def _density(self, predicate: Predicate) -> float:
        """How much of what can be said of a predicate, within its types, is a fact."""
        sizes = [len(self._members[name]) for name in self._types[predicate.name]]
        return min(self._database.count(predicate) / max(prod(sizes), 1), 1.0)

    @cached_property
    def _types(self) -> Types:
        return infer_types(self._database)

    @cached_property
    def _members(self) -> dict[str, set[int]]:
        return members_of(self._database, self._types)


class _Copies:
    """Copies of the data, relabelled: what rules say on each."""

    def __init__(
        self,
        database: Database,
        types: Types,
        members: Mapping[str, set[int]],
        seed: int,
        clauses: Sequence[Clause],
        stop: Deadline,
    ) -> None:
        self._database, self._types, self._members, self._seed = database, types, members, seed
        self._clauses, self._stop = clauses, stop
        self._heads = cache(Judge(database, (), stop).heads)

    def __call__(self, number: int) -> list[tuple[int, int] | None]:
        """On a copy, of each rule: the true heads, and all heads; None where it covers too much."""
        self._stop.check()
        chance = generator(self._seed, "base rate", str(number))
        judge = Judge(relabelled(self._database, self._types, self._members, chance), (), self._stop)
        return [self._counted(judge, clause) for clause in self._stop.each(self._clauses)]

    def _counted(self, judge: Judge, clause: Clause) -> tuple[int, int] | None:
        predicate = clause.head[0].predicate
        if self._database.denied_rows(predicate).shape[1]:
            return None  # what is said to be false tells more than chance does
        rows = judge.heads(clause) if _is_across(clause) else self._heads(clause)
        return None if rows is None else (int(judge.are_true(predicate, rows).sum()), len(rows))


def members_of(database: Database, types: Types) -> dict[str, set[int]]:
    """The constants of each type, as numbers."""
    members: dict[str, set[int]] = {}
    for predicate in database.predicates:
        for name, column in zip(types[predicate.name], database.rows(predicate), strict=True):
            members.setdefault(name, set()).update(distinct(column).tolist())
    return members


def relabelled(
    database: Database, types: Types, members: Mapping[str, set[int]], chance: np.random.Generator
) -> Database:
    """The same facts with the constants of every predicate relabelled at random, within their types."""
    relations = {}
    for predicate in database.predicates:
        named = np.arange(len(database.constants), dtype=np.int32)
        for name in sorted(set(types[predicate.name])):
            places = np.array(sorted(members[name]), dtype=np.int32)
            named[places] = chance.permutation(places)
        rows = named[database.rows(predicate)]
        relations[predicate] = rows[:, np.lexsort(rows[::-1])] if len(rows) else rows
    return Database(database.constants, relations)


def _is_across(clause: Clause) -> bool:
    """Does it speak of several predicates?"""
    return len({atom.predicate for atom in clause.atoms}) > 1


def _divergence(share: float, rate: float) -> float:
    """Chernoff's bound for one case: that something happens in this share of cases, where it does at a lower rate."""
    if share <= rate:
        return 0.0
    rest = (1 - share) * log((1 - share) / (1 - rate)) if share < 1 else 0.0
    return share * log(share / rate) + rest


def _bound(chances: Iterable[float], tried: int) -> float:
    """How probable chance may be at most: so that of all rules that pass, it made no more than a share of ``WRONG``.

    Where no rule is a surprise by itself, however many were tried, chance may have made all of them.
    """
    rising = np.sort(np.array(list(chances), dtype=np.float64))
    if not len(rising) or rising[0] * max(tried, 1) > LEVEL:
        return 0.0
    enough = np.flatnonzero(rising * max(tried, 1) <= WRONG * np.arange(1, len(rising) + 1))
    return float(rising[enough[-1]])
