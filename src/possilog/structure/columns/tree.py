"""A decision tree over the things of a table, whose leaves are rules of a list.

Rules that are found one by one need to be right more often than not, each by itself. Where every thing has one of
several values, and some value has to be said of each, conditions that only part the things better than they were
are worth having as well. So conditions are chosen, as CART chooses them, that leave the values of what meets them and
of the rest least mixed: of a number the other side is said, and of what cannot be said, such as that a colour is not
red, the order takes care.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from possilog.structure.columns.cuts import middle_between
from possilog.structure.columns.row_conditions import Quantity, RowCondition
from possilog.structure.columns.things import Floats, Truth

__all__ = ["TreeLeaf", "TreeSearch"]

OTHER_SIDE = {">=": "<", "<": ">="}

NOTHING = 1e-9
"""What a condition tells that tells nothing, as numbers are rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeLeaf:
    """A value, and the conditions that are said of what has it."""

    label: int
    conditions: tuple[RowCondition, ...]
    after: tuple[int, ...]
    """The leaves that have to come before this one, by their places."""


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    label: int
    split: _Split | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """A condition, what is said of the rest (nothing, where the order has to say it), and the parts."""

    condition: RowCondition
    opposite: RowCondition | None
    met: _Node
    rest: _Node


class TreeSearch:
    """Grows a tree."""

    def __init__(
        self,
        conditions: Sequence[RowCondition],
        numbers: Sequence[Quantity],
        labels: Floats,
        *,
        values: int,
        least: int,
        depth: int,
        differing: Callable[[Sequence[RowCondition]], Truth],
    ) -> None:
        """Take the conditions, the numbers that may be cut, and a row of zeros and a one for each thing.

        It has a place for each of the ``values`` that may be said, and for those that may not. Things with nothing
        but zeros are not looked at. A part has at least ``least`` things.
        """
        self._conditions, self._numbers, self._labels = conditions, numbers, labels
        self._values, self._least, self._differing = values, least, differing
        self._holds = np.array([one.holds for one in conditions], dtype=np.float32).reshape(
            len(conditions), len(labels)
        )
        self._root = self._grown(np.asarray(labels.any(axis=1)), (), depth)

    def _grown(self, things: Truth, said: tuple[RowCondition, ...], depth: int) -> _Node:
        counts = self._labels[things].sum(axis=0)
        label = int(np.argmax(counts[: self._values]))
        if depth == 0 or np.count_nonzero(counts) < 2:
            return _Node(label)
        best = self._best(things, counts, said)
        if best is None:
            return _Node(label)
        condition, others = best
        met = things & condition.holds & self._differing([*said, condition])
        opposite = next((one for one in others if self._is_rest(one, things, met, said)), None)
        told = said if opposite is None else (*said, opposite)
        parts = self._grown(met, (*said, condition), depth - 1), self._grown(things & ~met, told, depth - 1)
        return _Node(label, _Split(condition, opposite, *parts))

    def _is_rest(self, one: RowCondition, things: Truth, met: Truth, said: tuple[RowCondition, ...]) -> bool:
        """Does a condition hold for just the things that did not meet another one?"""
        holds = things & one.holds & self._differing([*said, one])
        return _fits(one, said) and bool((holds == (things & ~met)).all())

    # The best condition

    def _best(
        self, things: Truth, counts: Floats, said: tuple[RowCondition, ...]
    ) -> tuple[RowCondition, list[RowCondition]] | None:
        """The condition that tells most about the values of some things, and what may be said of the rest."""
        found: tuple[float, RowCondition, list[RowCondition]] | None = None
        inside = np.where(things[:, None], self._labels, 0.0).astype(np.float32)
        gains = self._gains((self._holds @ inside).astype(np.float64), counts)
        for place in np.argsort(-gains, kind="stable").tolist():
            if gains[place] <= NOTHING:
                break
            best = self._conditions[place]
            if _fits(best, said):
                others = [one for one in self._conditions if one.column == best.column and one is not best]
                found = float(gains[place]), best, others
                break
        for number in self._numbers:
            cut = self._cut(number, things, counts)
            if cut is not None and (found is None or cut[0] > found[0]):
                condition, opposite = (number.threshold(sign, cut[2]) for sign in (cut[1], OTHER_SIDE[cut[1]]))
                if _fits(condition, said):
                    found = cut[0], condition, [opposite]
        return None if found is None else found[1:]

    def _cut(self, number: Quantity, things: Truth, counts: Floats) -> tuple[float, str, float] | None:
        """Where a number is cut best: how much that tells, which side is asked for, and the number."""
        chosen = number.order[things[number.order]]
        values = number.numbers[chosen]
        ends = np.flatnonzero(values[1:] > values[:-1])
        if not len(ends):
            return None
        below = self._labels[chosen].cumsum(axis=0)
        # What has no number is on neither side: it stays with the rest.
        sides = {">=": below[-1] - below[ends]}
        if len(chosen) < int(things.sum()):
            sides["<"] = below[ends]
        best: tuple[float, str, float] | None = None
        for sign, met in sides.items():
            gains = self._gains(met, counts)
            if gains.max() > NOTHING and (best is None or gains.max() > best[0]):
                end = int(ends[int(np.argmax(gains))])
                low, high = float(values[end]), float(values[end + 1])
                # A date is cut where it is seen: half of it is none.
                cut = high if number.is_date else middle_between(low, high, whole=number.is_whole)
                best = float(gains.max()), sign, cut
        return best

    def _gains(self, met: Floats, counts: Floats) -> Floats:
        """How much less mixed the values are in the parts of things; 0 where a part is too small."""
        size, total = met.sum(axis=1), counts.sum()
        gains = _mixed(counts[None, :]) - _mixed(met) - _mixed(counts - met)
        return np.where((size >= self._least) & (total - size >= self._least), gains, 0.0)

    # Its leaves

    def leaves(self) -> list[TreeLeaf]:
        """The leaves of the tree, in an order in which the first that holds decides."""
        found: list[TreeLeaf] = []
        self._collect(_pruned(self._root), (), (), found)
        return found

    def _collect(
        self, node: _Node, said: tuple[RowCondition, ...], after: tuple[int, ...], found: list[TreeLeaf]
    ) -> tuple[int, ...]:
        """Add the leaves of a part of the tree, and return their places."""
        split = node.split
        if split is None:
            found.append(TreeLeaf(node.label, tuple(_strictest(said)), after))
            return (len(found) - 1,)
        first = self._collect(split.met, (*said, split.condition), after, found)
        told = said if split.opposite is None else (*said, split.opposite)
        before = (*after, *first) if split.opposite is None else after
        return (*first, *self._collect(split.rest, told, before, found))


def _pruned(node: _Node) -> _Node:
    """The tree without conditions that change nothing of what is said."""
    if node.split is None:
        return node
    split = node.split
    met, rest = _pruned(split.met), _pruned(split.rest)
    if met.split is None and rest.split is None and met.label == rest.label:
        return met
    return _Node(node.label, _Split(split.condition, split.opposite, met, rest))


def _strictest(said: Sequence[RowCondition]) -> Iterator[RowCondition]:
    """Conditions without those that a later one on the same side of a number makes needless."""
    for place, one in enumerate(said):
        if not any(_same_side(one, later) for later in said[place + 1 :]):
            yield one


def _same_side(one: RowCondition, other: RowCondition) -> bool:
    """Are both comparisons of the same number with the same sign?"""
    if one.names_value or other.names_value or one.atoms[:-1] != other.atoms[:-1]:
        return False
    return str(one.atoms[-1].predicate.name)[0] == str(other.atoms[-1].predicate.name)[0]


def _fits(new: RowCondition, said: Sequence[RowCondition]) -> bool:
    """May a condition join others? Not about the same linked things, nor with another variable for a value."""
    return all(not (new.linked and new.linked == old.linked) and new.agrees(old) for old in said)


def _mixed(counts: Floats) -> Floats:
    """Gini's index of the values in each row of counts, times their number."""
    size = counts.sum(axis=1)
    return np.asarray(size - (counts**2).sum(axis=1) / np.maximum(size, 1))
