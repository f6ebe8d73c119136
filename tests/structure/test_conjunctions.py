"""Conjunctions of conditions: the search by matrices keeps what loops over sets of rows keep."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest

from possilog.logic import Constant, Predicate, Threshold, Variable
from possilog.structure.columns import search as searching
from possilog.structure.columns.chance import share, surprise
from possilog.structure.columns.row_conditions import SUBJECT, RowCondition
from possilog.structure.columns.search import CLEARLY, LEAST_RIGHT, LEVEL, NEARLY_ALWAYS, OFTEN, ConjunctionSearch

Members = tuple[int, ...]
F = np.float32


def random_conditions(rng: random.Random, rows: int) -> list[RowCondition]:
    """Conditions of every kind: values, comparisons, keys by name, what they lead to, linked things, joined ones."""
    found: list[RowCondition] = []
    for number in range(rng.randint(4, 9)):
        column = rng.randint(0, 4)
        often = rng.choice([0.2, 0.4, 0.7])
        holds = np.array([rng.random() < often for _ in range(rows)])
        if found and rng.random() < 0.3:  # a narrower one
            holds &= rng.choice(found).holds
        predicate = Predicate(f"p{column}", 2)
        led = np.array([rng.randint(0, 6) for _ in range(rows)]) if rng.random() < 0.3 else None
        if rng.random() < 0.3:
            value = Variable(f"V{column}")
            compared = predicate(SUBJECT, value), Threshold.of(rng.choice(["<", ">"]), str(number))(value)
            found.append(RowCondition(compared, holds, f"c{column}", predicate, led=led))
            continue
        atoms = (predicate(SUBJECT, Constant(f"a{number}")),)
        linked = rng.choice(["", "", "", "l1"])
        of_key, of_number = rng.random() < 0.2, rng.random() < 0.2
        found.append(RowCondition(atoms, holds, f"c{column}", predicate, linked, of_number, of_key, led))
    one, other = rng.sample(found, 2)
    both = (*one.atoms, *other.atoms)
    joined = RowCondition(both, one.holds & other.holds, "joined", one.first, parts=(one.atoms, other.atoms))
    return [*found, joined]


class Loops:
    """The same search, rule by rule and row by row."""

    def __init__(self, conditions: list[RowCondition], positive: set[int], known: set[int], least: int) -> None:
        self.conditions, self.least, self.positive, self.negative = conditions, least, positive, known - positive
        self.base = len(positive) / len(known)
        self.kept: dict[Members, tuple[float, float]] = {}

    def rows(self, members: Sequence[int]) -> set[int]:
        return set.intersection(*({*np.flatnonzero(self.conditions[m].holds).tolist()} for m in members))

    def counts(self, members: Sequence[int]) -> tuple[int, int]:
        return len(self.rows(members) & self.positive), len(self.rows(members) & self.negative)

    def right(self, members: Sequence[int]) -> float:
        true, false = self.counts(members)
        return float(share(F(true), F(false)))

    def says(self, members: Sequence[int], expected: float | np.float64) -> float:
        true, false = self.counts(members)
        return float(surprise(F(true), F(false), expected))

    def bound(self, tried: float) -> float:
        most = len(self.positive) * log(1 / self.base)
        return max(2.0, min(log(max(tried, 2.0) / LEVEL), 0.9 * most))

    def found(self, body: int, as_list: bool) -> dict[Members, set[int]]:
        places = range(len(self.conditions))
        says = {place: self.says([place], np.float64(self.base)) for place in places}  # as exactly as the search has it
        often = {place: self.counts([place])[0] >= self.least for place in places}
        bound = self.bound(len(places))
        for place in places:
            parts = [p for p in places if self.conditions[p].atoms in self.conditions[place].parts]
            before = max((self.right([part]) for part in parts), default=0.0)
            told = says[place] >= bound * self.spread([place])
            if often[place] and told and (not parts or self.says([place], before) >= bound):
                self.kept[place,] = says[place], self.right([place])
        order = sorted((place for place in places if often[place] and says[place] > 0), key=lambda p: (-says[p], p))
        parents: list[Members] = [(place,) for place in order[: searching.PARENTS]]
        for _ in range(body - 1):
            parents = self.extended(parents)
        return self.chosen(as_list)

    def extended(self, parents: list[Members]) -> list[Members]:
        bound = self.bound(len(parents) * len(self.conditions))
        promising: dict[Members, float] = {}
        for parent in parents:
            for place in range(len(self.conditions)):
                members = tuple(sorted({*parent, place}))
                before = max(self.right(parent), self.right([place]), self.base)
                says, right = self.says(members, before), self.right(members)
                if self.counts(members)[0] < self.least or right <= before + CLEARLY or says <= bound / 3:
                    continue
                if place in parent or members in promising or not all(self.fit(place, other) for other in parent):
                    continue
                overall = promising[members] = self.says(members, self.base)
                parts = [part for size in range(1, len(members)) for part in combinations(members, size)]
                shares = [self.kept[part][1] for part in parts if part in self.kept]
                if says * self.independent(members) / self.spread(members) >= bound and (
                    not shares or self.says(members, max(shares)) >= bound
                ):
                    self.kept[members] = overall, right
        return sorted(promising, key=lambda members: (-promising[members], members))[: searching.PARENTS]

    def fit(self, place: int, other: int) -> bool:
        one, two = self.conditions[place], self.conditions[other]
        if one.linked and one.linked == two.linked:
            return False
        if one.column == two.column:
            names = {str(c.atoms[-1].predicate.name)[0] for c in (one, two)}
            if one.atoms[:-1] != two.atoms[:-1] or names != {"<", ">"}:
                return False
        return one.agrees(two)

    def independent(self, members: Members) -> float:
        led = [self.conditions[m] for m in members if self.conditions[m].led is not None]
        times = Counter(one.first for one in led)
        shares = [1.0]
        for one in led:
            if times[one.first] > 1 and one.led is not None:
                there = [one.led[row] for row in self.rows(members)]
                shares.append(len(set(there)) / len(there))
        return min(shares)

    def is_plain(self, members: Members) -> bool:
        first = self.conditions[members[0]]
        nearly = self.kept[members][1] >= NEARLY_ALWAYS
        return len(members) == 1 and nearly and first.names_value and not first.linked

    def chosen(self, as_list: bool) -> dict[Members, set[int]]:
        order = [members for members, (_, right) in self.kept.items() if right > LEAST_RIGHT]
        order.sort(key=lambda members: (-round(self.kept[members][0], searching.DIGITS), len(members), members))
        best, chosen = Counter[int](), dict[Members, set[int]]()
        for members in order:
            right, rows = self.kept[members][1], self.rows(members)
            new = sum(best[row] < right - CLEARLY for row in rows & self.positive)
            if self.is_explained(members, chosen):
                continue
            enough = max(self.least, 0.1 * self.counts(members)[0])
            if self.is_plain(members) or (len(chosen) < searching.MOST and new >= enough):
                chosen[members] = rows
                for row in rows:
                    best[row] = max(best[row], right)  # type: ignore[assignment]
        alone = {m: as_list or self.is_plain(m) or self.stands_alone(m, chosen) for m in chosen}
        return {members: rows for members, rows in chosen.items() if alone[members]}

    def is_explained(self, members: Members, chosen: dict[Members, set[int]]) -> bool:
        named = [self.conditions[member] for member in members]
        of_key, rows = any(one.of_key for one in named), self.rows(members)
        few = any(len({led[row] for row in rows}) < searching.FEW_LED for led in self.led(members))
        if not of_key and not few and not any(one.of_number for one in named):
            return False
        if self.counts(members)[0] >= OFTEN and not of_key:
            return False
        bound = self.bound(len(self.conditions))
        wide = [self.right([p]) for p in range(len(self.conditions)) if self.rows([p]) > rows]
        if of_key and self.says(members, max([self.base, *wide])) < bound:
            return True
        for other, held in chosen.items():
            keyless = not any(self.conditions[member].of_key for member in other)
            outside = len((rows - held) & self.positive)
            wider = (len(held) > len(rows) or keyless) and outside < self.least
            if wider and self.says(members, self.kept[other][1]) < bound:
                return True
        return False

    def led(self, members: Sequence[int]) -> list[np.ndarray]:
        by_key = {self.conditions[m].first: self.conditions[m].led for m in members}
        return [led for led in by_key.values() if led is not None]

    def spread(self, members: Sequence[int]) -> float:
        """Pearson's statistic over the things that cases are led to, by its degrees of freedom."""
        found = [1.0]
        for led in self.led(members):
            cases: dict[int, list[bool]] = {}
            for row in self.rows(members) & (self.positive | self.negative):
                cases.setdefault(int(led[row]), []).append(row in self.positive)
            right, free = self.right(members), len(cases) - 1
            if free > 0 and 0 < right < 1:
                parts = [(sum(each) - right * len(each)) ** 2 / len(each) for each in cases.values()]
                spread = sum(parts) / (right * (1 - right) * free)
                found += [spread] if spread > 1 + searching.SPREAD * sqrt(2 / free) else []
        return max(found)

    def stands_alone(self, wide: Members, chosen: dict[Members, set[int]]) -> bool:
        rest = set(chosen[wide])
        for narrow, rows in chosen.items():
            same = len(narrow) == len(wide) == 1 and narrow != wide and rows <= chosen[wide]
            same = same and self.conditions[narrow[0]].column == self.conditions[wide[0]].column
            if self.kept[narrow][1] > self.kept[wide][1] and (set(wide) < set(narrow) or same):
                rest -= rows
        true, false = len(rest & self.positive), len(rest & self.negative)
        return true >= 1 and true > LEAST_RIGHT * (true + false)


@pytest.mark.parametrize("part", range(4))
def test_the_search_keeps_what_loops_keep(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, rules, longer = random.Random(part), 0, 0
    if part == 3:
        monkeypatch.setattr(searching, "PARENTS", 3)
        monkeypatch.setattr(searching, "MOST", 2)
    for _ in range(80):
        rows = rng.choice([40, 150, 400])
        conditions = random_conditions(rng, rows)
        cause = rng.sample(conditions, rng.choice([1, 2, 2, 3]))
        true = np.logical_and.reduce([one.holds for one in cause]) ^ np.array(
            [rng.random() < 0.05 for _ in range(rows)]
        )
        known = np.array([rng.random() < 0.9 for _ in range(rows)])
        positive = true & known
        if not positive.any() or positive.sum() == known.sum():
            continue
        least, body, as_list = rng.randint(1, 4), rng.randint(1, 3), rng.random() < 0.3
        matrix = np.stack([one.holds for one in conditions]).astype(np.float32)
        late = rng.randint(1, len(conditions))  # some are added later
        search = ConjunctionSearch(
            conditions[:late], matrix[:late], np.arange(rows), positive, known, least, body, as_list=as_list
        )
        search.add(conditions[late:], lambda some: np.stack([one.holds for one in some]).astype(np.float32))
        found = {members: {*np.flatnonzero(holds).tolist()} for members, holds in search.found()}
        loops = Loops(conditions, {*np.flatnonzero(positive).tolist()}, {*np.flatnonzero(known).tolist()}, least)
        assert found == loops.found(body, as_list)
        rules += len(found)
        longer += sum(len(members) > 1 for members in found)
    assert rules > 40 and longer > 5


def test_parents_have_enough_cases_and_say_most_first() -> None:
    """One condition has just enough cases of the head, one has one less, and one says nothing about it."""
    rows, positive = 40, np.arange(40) < 10
    holds = [np.arange(40) < size for size in (3, 2, 8)] + [np.arange(40) % 4 == 0, np.arange(40) >= 0]
    conditions = [
        replace(one, holds=true)
        for one, true in zip(random_conditions(random.Random(1), rows) * 9, holds, strict=False)
    ]
    matrix = np.stack(holds).astype(np.float32)
    search = ConjunctionSearch(
        conditions, matrix, np.arange(rows), positive, np.ones(rows, dtype=bool), 3, 2, as_list=False
    )
    assert search.parents()[:2] == [2, 0] and not {1, 4} & {*search.parents()}


def test_cases_that_one_key_leads_to_one_thing_are_one() -> None:
    """Where two conditions are about what a key leads to, the cases of both count by the things they are led to."""
    rows, things = 12, np.array([0, 0, 0, 1, 1, 2] * 2)
    some = random_conditions(random.Random(1), rows)[0]
    key, other = Predicate("key", 2), Predicate("other", 2)
    wide, narrow = np.arange(rows) < 10, np.arange(rows) < 5
    kinds = [(wide, key, things), (narrow, key, things), (wide, other, things), (wide, key, None)]
    conditions = [replace(some, holds=holds, first=first, led=led) for holds, first, led in kinds]
    matrix = np.stack([one.holds for one in conditions]).astype(np.float32)
    positive = np.arange(rows) % 2 == 0
    search = ConjunctionSearch(
        conditions, matrix, np.arange(rows), positive, np.ones(rows, dtype=bool), 1, 2, as_list=False
    )
    assert search._independent((0, 1)) == pytest.approx(2 / 5)  # five rows, two things
    assert search._independent((0, 2)) == search._independent((0, 3)) == search._independent((0,)) == 1


@pytest.mark.parametrize("least", [29, 30, 31])
def test_rules_of_one_condition_have_enough_cases(least: int) -> None:
    """Thirty of forty things of the head, and nobody else: that is no chance."""
    holds, positive = np.arange(400) < 30, np.arange(400) < 40
    predicate = Predicate("p", 2)
    some = RowCondition((predicate(SUBJECT, Constant("a")),), holds, "c", predicate)
    matrix = holds[None].astype(np.float32)
    search = ConjunctionSearch(
        [some], matrix, np.arange(400), positive, np.ones(400, dtype=bool), least, 2, as_list=False
    )
    assert [members for members, _ in search.found()] == [(0,)] * (least <= 30)
