"""Conjunctions of conditions for one head, counted as products of matrices, and which of them are worth keeping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import log, sqrt

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct
from possilog.structure.columns.chance import share, surprise
from possilog.structure.columns.row_conditions import RowCondition
from possilog.structure.columns.things import Truth

__all__ = ["CLEARLY", "LEAST_RIGHT", "LEVEL", "NEARLY_ALWAYS", "OFTEN", "PARENTS", "ConjunctionSearch", "Matrix"]

LEVEL = 0.05
"""Chance alone would make one rule this often, over all that is tried for a target."""

LEAST_RIGHT = 0.5
"""A rule is right more often than this."""

PARENTS = 24
"""Conditions that are extended, and conjunctions of two: those that say most about the target."""

MOST = 60
"""Rules for one value of a target, those first that say most; all are kept that are nearly always right."""

NEARLY_ALWAYS = 0.9

OFTEN = 50
"""A rule about a number that is right so often is worth having beside one that compares it."""

CLEARLY = 0.02
"""A rule is right clearly more often than another by so much."""

DIGITS = 3
"""Of what a rule says, after the point: further ones are a matter of how numbers are added up."""

FEW_LED = 3
"""What keys lead to fewer things than this for is said of these things, as if they were named."""

SPREAD = 2.0
"""By so many standard errors cases that are led to one thing are more alike than others: then they count for less."""

Members = tuple[int, ...]
"""The conditions of a rule, by their places."""

Matrix = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float32]


class ConjunctionSearch:
    """Conjunctions of one, two and three conditions for one head."""

    def __init__(
        self,
        conditions: list[RowCondition],
        matrix: Matrix,
        rows: npt.NDArray[np.intp],
        positive: Truth,
        known: Truth,
        least: int,
        body: int,
        *,
        as_list: bool,
    ) -> None:
        self.conditions, self._matrix, self._rows = conditions, matrix, rows
        self._positive, self._negative = positive.astype(np.float32), (known & ~positive).astype(np.float32)
        self._least, self._body, self._as_list = least, body, as_list
        self._base = float(positive.sum()) / float(known.sum())
        self._kept: dict[Members, tuple[float, float]] = {}
        """What each rule says about the head, in nats, and how often it is right."""
        self._count()

    def add(self, conditions: list[RowCondition], stacked: Callable[[Sequence[RowCondition]], Matrix]) -> None:
        """Take some more conditions."""
        if conditions:
            self.conditions = [*self.conditions, *conditions]
            self._matrix = np.concatenate([self._matrix, stacked(conditions)])
            self._count()

    def _count(self) -> None:
        self._true = self._matrix @ self._positive
        self._false = self._matrix @ self._negative
        self._right = share(self._true, self._false)
        self._says = surprise(self._true, self._false, np.full(len(self._true), self._base))

    def parents(self) -> list[int]:
        """The conditions that say most about the head."""
        often = self._true >= self._least
        order = np.argsort(-np.where(often, self._says, -1.0), kind="stable")
        return [int(place) for place in order[:PARENTS] if often[place] and self._says[place] > 0]

    def _bound(self, tried: float) -> float:
        """What a rule has to say so that chance does not; where there is little data, nearly as much as can be said."""
        most = float(self._positive.sum()) * log(1 / self._base)
        return max(2.0, min(log(max(tried, 2.0) / LEVEL), 0.9 * most))

    def found(self) -> Iterator[tuple[Members, Truth]]:
        """The rules: their conditions, and where they hold."""
        bound = self._bound(len(self.conditions))
        joins = any(one.parts for one in self.conditions)
        places = {one.atoms: place for place, one in enumerate(self.conditions)} if joins else {}
        for place in np.flatnonzero((self._says >= bound) & (self._true >= self._least)).tolist():
            if self._says[place] < bound * self._spread((place,)):
                continue
            joined = [places[part] for part in self.conditions[place].parts if part in places]
            before = max((float(self._right[part]) for part in joined), default=0.0)
            if not joined or float(surprise(self._true[place], self._false[place], before)) >= bound:
                self._kept[place,] = float(self._says[place]), float(self._right[place])
        parents: list[Members] = [(place,) for place in self.parents()]
        for _ in range(2, self._body + 1):
            parents = self._extended(parents)
        for members, holds in self._chosen():
            yield members, holds > 0

    def _holds(self, members: Members) -> Vector:
        return np.asarray(np.prod(self._matrix[list(members)], axis=0), dtype=np.float32)

    # Longer rules

    def _extended(self, parents: list[Members]) -> list[Members]:
        """Conjunctions with one condition more that neither chance nor a part of them explains; the best are next."""
        if not parents:
            return []
        stacked = np.stack([self._holds(members) for members in parents])
        true, false = ((stacked * side) @ self._matrix.T for side in (self._positive, self._negative))
        right = share(true, false)
        own = share(stacked @ self._positive, stacked @ self._negative)
        before = np.maximum(np.maximum(own[:, None], self._right[None, :]), self._base)
        says = surprise(true, false, before)
        says[(true < self._least) | (right <= before + CLEARLY)] = -1.0
        overall = surprise(true, false, np.full_like(true, self._base))
        bound = self._bound(len(parents) * len(self.conditions))
        promising: dict[Members, float] = {}
        for row, place in np.argwhere(says > bound / 3):
            members = tuple(sorted({*parents[row], int(place)}))
            if (
                len(members) == len(parents[row]) + 1
                and members not in promising
                and self._fit(parents[row], int(place))
            ):
                promising[members] = float(overall[row, place])
                counts = float(true[row, place]), float(false[row, place])
                counted = self._independent(members) / self._spread(members)
                if says[row, place] * counted >= bound and self._beats_parts(members, counts, bound):
                    self._kept[members] = float(overall[row, place]), float(right[row, place])
        return sorted(promising, key=lambda members: (-promising[members], members))[:PARENTS]

    def _fit(self, members: Members, other: int) -> bool:
        """May a condition join others? Not about a column that one of them names, nor about the same linked things."""
        new = self.conditions[other]
        for member in members:
            old = self.conditions[member]
            if new.linked and new.linked == old.linked:
                return False
            if new.column == old.column and not _is_other_side(new, old):
                return False
            if not new.agrees(old):
                return False
        return True

    def _independent(self, members: Members) -> float:
        """The share of cases that count as such: where several conditions are about what one key leads to, cases that
        are led to the same thing are one."""
        shared = Counter(self.conditions[member].first for member in members if self.conditions[member].led is not None)
        share = 1.0
        for member in members:
            one = self.conditions[member]
            if one.led is not None and shared[one.first] > 1:
                led = one.led[self._rows][self._holds(members) > 0]
                share = min(share, len(distinct(led)) / len(led))
        return share

    def _spread(self, members: Members) -> float:
        """By how much cases that a key leads to one thing are more alike than chance makes them; 1 where it may."""
        spread = 1.0
        asked = (self._holds(members) > 0) & (self._positive + self._negative > 0)
        for led in self._led(members):
            _, groups = np.unique(led[asked], return_inverse=True)
            size, true = np.bincount(groups), np.bincount(groups, weights=self._positive[asked])
            right, free = float(true.sum() / max(size.sum(), 1)), len(size) - 1
            if free and 0 < right < 1:
                found = float(((true - right * size) ** 2 / size).sum() / (right * (1 - right) * free))
                spread = max(spread, found) if found > 1 + SPREAD * sqrt(2 / free) else spread
        return spread

    def _led(self, members: Members) -> list[npt.NDArray[np.int64]]:
        """Where each key that the conditions follow leads the cases."""
        some = {self.conditions[member].first: self.conditions[member].led for member in members}
        return [led[self._rows] for led in some.values() if led is not None]

    def _beats_parts(self, members: Members, counts: tuple[float, float], bound: float) -> bool:
        """Is it right clearly more often than every kept rule with some of its conditions?"""
        parts = [part for size in range(1, len(members)) for part in combinations(members, size)]
        shares = [self._kept[part][1] for part in parts if part in self._kept]
        return not shares or float(surprise(np.array(counts[0]), np.array(counts[1]), np.array(max(shares)))) >= bound

    # What is kept of all that

    def _chosen(self) -> Iterator[tuple[Members, Vector]]:
        """The rules that say something that those before them do not, the ones that say most first.

        Rules that name one value and are nearly always right are kept anyway: they are what people look for.
        """
        order = [m for m, (_, right) in self._kept.items() if right > LEAST_RIGHT]
        # Of rules that say the same, as far as numbers are exact, the shorter one is first.
        order.sort(key=lambda members: (-round(self._kept[members][0], DIGITS), len(members), members))
        best = np.zeros(len(self._positive), dtype=np.float64)
        chosen: dict[Members, Vector] = {}
        for members in order:
            right, holds = self._kept[members][1], self._holds(members)
            new = int(((best < right - CLEARLY) & (holds > 0) & (self._positive > 0)).sum())
            true = float(holds @ self._positive)
            if self._is_explained(members, holds, chosen):
                continue
            if self._is_plain(members) or (len(chosen) < MOST and new >= max(self._least, 0.1 * true)):
                chosen[members] = holds
                best = np.where(holds > 0, np.maximum(best, right), best)
        for members, holds in chosen.items():
            if self._as_list or self._is_plain(members) or self._stands_alone(members, holds, chosen):
                yield members, holds

    def _is_plain(self, members: Members) -> bool:
        return (
            len(members) == 1
            and self._kept[members][1] >= NEARLY_ALWAYS
            and self.conditions[members[0]].names_value
            and not self.conditions[members[0]].linked
        )

    def _is_explained(self, members: Members, holds: Vector, chosen: dict[Members, Vector]) -> bool:
        """Does it name a thing by its number, or some number, where a rule that holds for it says as much?

        What is said along a key of a few things only is like naming them.
        """
        named = [self.conditions[member] for member in members]
        of_key = any(one.of_key for one in named)
        few = any(len(distinct(led[holds > 0])) < FEW_LED for led in self._led(members))
        if not (of_key or few or any(one.of_number for one in named)):
            return False
        true, false, bound = holds @ self._positive, holds @ self._negative, self._bound(len(self.conditions))
        if true >= OFTEN and not of_key:
            return False
        if of_key and float(surprise(true, false, self._wider(holds))) < bound:
            return True
        for other, held in chosen.items():
            wider = held.sum() > holds.sum() or not any(self.conditions[member].of_key for member in other)
            outside = float((holds * (1 - held)) @ self._positive)
            if wider and outside < self._least and float(surprise(true, false, self._kept[other][1])) < bound:
                return True
        return False

    def _wider(self, holds: Vector) -> float:
        """How often one of the conditions is right that hold for all this, and for more."""
        size = float(holds.sum())
        wide = (self._matrix @ holds >= size) & (self._matrix.sum(axis=1) > size)
        return float(self._right[wide].max(initial=self._base))

    def _stands_alone(self, wide: Members, holds: Vector, chosen: dict[Members, Vector]) -> bool:
        """Is it right where none of the narrower and better rules holds?"""
        rest = holds.copy()
        for narrow, held in chosen.items():
            if self._kept[narrow][1] > self._kept[wide][1] and self._is_narrower(narrow, wide, held, holds):
                rest[held > 0] = 0
        true, false = float(rest @ self._positive), float(rest @ self._negative)
        return true >= 1 and true > LEAST_RIGHT * (true + false)

    def _is_narrower(self, narrow: Members, wide: Members, held: Vector, holds: Vector) -> bool:
        """Has a rule more conditions than another, or a stricter one on its column?"""
        if set(wide) < set(narrow):
            return True
        if len(narrow) > 1 or len(wide) > 1:
            return False
        same = self.conditions[narrow[0]].column == self.conditions[wide[0]].column
        return same and narrow != wide and bool((held <= holds).all())


def _is_other_side(one: RowCondition, other: RowCondition) -> bool:
    """Are they both comparisons of a number, of which one bounds it from above and the other from below?"""
    return one.atoms[:-1] == other.atoms[:-1] and {str(c.atoms[-1].predicate.name)[0] for c in (one, other)} == {
        ">",
        "<",
    }
