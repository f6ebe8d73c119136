"""Conditions on two values of a thing: they are equal, in some order, not far from each other, or facts relate them.

``illegal(B) :- rook_file(B, X), king_file(B, Y), X = Y.`` Values of two columns are compared where they are of one
kind: of one type, or dates, or numbers of which most could be values of the other column, or words of which many are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from possilog.data.comparing import MOST_ORDERED
from possilog.data.rows import distinct
from possilog.logic import BuiltIn, Nearness, Precedence, Predicate, Variable
from possilog.logic.spelling import plain
from possilog.structure.columns.chance import surprise
from possilog.structure.columns.cuts import best_cuts
from possilog.structure.columns.row_conditions import RowCondition, RowValue
from possilog.structure.columns.things import Column, Floats, Things, Truth

__all__ = ["Between", "Compared"]

MOST_CELLS = 30
"""Of more columns, so many are compared with each other: those of the thing itself come first."""

MOST_RELATED = 400
"""Of two columns and facts that relate their values, so many are looked at."""

OVERLAP = 0.5
"""The share of each column's cells that could be of the other: then they are of one kind."""

SOME = 1.0
"""That two numbers are in some order has to say so many nats more than what is said of one of them: of numbers that
have nothing to do with each other, the larger ones are above others. Whether it is chance is decided later."""

BEFORE, EQUAL = Precedence.of("<"), Nearness.of(0)


Compared = tuple[list[RowCondition], list[tuple[RowValue, RowValue, Floats]]]
"""The conditions on two values, and how far they are from each other."""


class Between:
    """The conditions on two values of things of a type."""

    def __init__(
        self,
        things: Things,
        cells: Sequence[RowValue],
        relations: Sequence[Predicate],
        least: int,
        compared: dict[tuple[str, str], Compared],
    ) -> None:
        """Take what can be said of the things, and the predicates that may relate values.

        What was ``compared`` before, for other targets, is known by the names of the values.
        """
        self._things, self._least = things, least
        self._cells = list(cells[:MOST_CELLS])
        # All numbers are compared with each other when the rule is used, and there may be more of them by then.
        self._few_numbers = len(things.numeric) <= MOST_ORDERED // 4
        pairs = [pair for pair in combinations(self._cells, 2) if pair[0].name != pair[1].name]
        self._near: list[tuple[RowValue, RowValue, Floats]] = []
        self._plain: list[RowCondition] = []
        for one, other in pairs:
            names = one.name, other.name
            if names not in compared:
                near: list[tuple[RowValue, RowValue, Floats]] = []
                compared[names] = list(self._compared(one, other, near)), near
            self._plain += compared[names][0]
            self._near += compared[names][1]
        self._plain += list(self._related(pairs, relations))[:MOST_RELATED]

    def conditions(self, positive: Truth, known: Truth, others: Sequence[RowCondition]) -> list[RowCondition]:
        """Those of use for a target: numbers are compared where that says more than either of them does."""
        found = [*self._plain, *self._within(positive, known)]
        base = float(positive[known].mean()) if known.any() else 0.0
        if not found or not 0 < base < 1:
            return []
        named = {name for one in found for name in one.column.split(BETWEEN)}
        single = [one for one in others if one.column in named]
        alone: dict[str, float] = {}
        for one, says in zip(single, _says(single, positive, known, base), strict=True):
            alone[one.column] = max(alone.get(one.column, 0.0), says)
        kept = []
        for one, says in zip(found, _says(found, positive, known, base), strict=True):
            before = max(alone.get(name, 0.0) for name in one.column.split(BETWEEN))
            compares = isinstance(one.atoms[-1].predicate, BuiltIn) and one.atoms[-1].predicate != EQUAL
            kept += [one] if not compares or says >= before + SOME else []
        return kept

    def _compared(
        self, one: RowValue, other: RowValue, near: list[tuple[RowValue, RowValue, Floats]]
    ) -> Iterator[RowCondition]:
        """That two values are equal or in some order; whole numbers that may be ``near`` to each other are noted."""
        both = one.column.known & other.column.known
        if int(both.sum()) < 2 * self._least:
            return
        if one.column.type == other.column.type:
            same = both & (one.column.values == other.column.values)
            shared = Variable(f"{one.variable.name}_{other.variable.name}")
            atoms, keys = (*one.naming(shared), *other.naming(shared)), (*one.keys, *other.keys)
            values = (*keys, (shared, one.column.values))
            led = other.led if one.led is None else one.led
            yield from self._kept(RowCondition(atoms, same, _name(one, other), one.first, led=led, values=values))
        elif _are_alike(one.column, other.column):
            yield from self._kept(self._condition(one, other, EQUAL, both & _equal(one.column, other.column)))
        if _are_comparable(one.column, other.column):
            difference = np.where(both, other.column.numbers - one.column.numbers, np.nan)
            days = difference / 86_400 if one.column.is_date else difference
            if self._few_numbers:
                if bool(np.all(days[np.isfinite(days)] % 1 == 0)):  # of measures, no difference is a round one
                    apart = one.column.values != other.column.values
                    near.append((one, other, np.where(apart, np.abs(days), np.nan)))
                yield from self._kept(self._condition(one, other, BEFORE, difference > 0))
                yield from self._kept(self._condition(other, one, BEFORE, difference < 0))

    def _within(self, positive: Truth, known: Truth) -> Iterator[RowCondition]:
        """That two numbers differ by no more than a bound, which is chosen by what it says about a target."""
        for one, other, difference in self._near:
            asked = np.flatnonzero(known & np.isfinite(difference))
            order = asked[np.argsort(difference[asked], kind="stable")]
            sizes = difference[order]
            for cut in best_cuts(sizes, positive[order], least=self._least):
                bound = float(sizes[np.searchsorted(sizes, cut) - 1])
                if bound > 0:
                    near = Nearness.of(repr(bound))
                    yield from self._kept(self._condition(one, other, near, near.admitted(difference)))

    def _related(
        self, pairs: Sequence[tuple[RowValue, RowValue]], relations: Sequence[Predicate]
    ) -> Iterator[RowCondition]:
        """That facts relate two values."""
        size = len(self._things.database.constants)
        by_types: dict[tuple[str, ...], list[tuple[RowValue, RowValue]]] = {}
        for one, other in (each for pair in pairs for each in (pair, pair[::-1])):
            by_types.setdefault((one.column.type, other.column.type), []).append((one, other))
        for relation in relations:
            fit = by_types.get(self._things.types[relation], ())
            if not fit:
                continue
            rows = self._things.database.rows(relation).astype(np.int64)
            known = distinct(rows[0] * size + rows[1])
            for one, other in fit:
                first, second = one.column.values, other.column.values
                there = (first >= 0) & (second >= 0) & (first != second)
                holds = there & np.isin(first * size + second, known)
                yield from self._kept(self._condition(one, other, relation, holds))

    def _condition(self, one: RowValue, other: RowValue, said: Predicate, holds: Truth) -> RowCondition:
        atoms = (*one.atoms, *other.atoms, said(one.variable, other.variable))
        values = (*one.keys, *other.keys, (one.variable, one.column.values), (other.variable, other.column.values))
        led = other.led if one.led is None else one.led
        return RowCondition(tuple(dict.fromkeys(atoms)), holds, _name(one, other), one.first, led=led, values=values)

    def _kept(self, one: RowCondition) -> Iterator[RowCondition]:
        if self._least <= int(one.holds.sum()) < len(one.holds):
            yield one


BETWEEN = " ~ "


def _says(conditions: Sequence[RowCondition], positive: Truth, known: Truth, base: float) -> list[float]:
    """What each condition says about a target, in nats."""
    if not conditions:
        return []
    asked, right = np.flatnonzero(known), np.flatnonzero(known & positive)
    counts = [(np.count_nonzero(one.holds[right]), np.count_nonzero(one.holds[asked])) for one in conditions]
    true, size = np.array(counts, dtype=np.float64).T
    return surprise(true, size - true, base).tolist()  # type: ignore[no-any-return]


def _name(one: RowValue, other: RowValue) -> str:
    return BETWEEN.join(sorted((one.name, other.name)))


def _are_comparable(one: Column, other: Column) -> bool:
    """Are they dates, or numbers of one size?"""
    if not (one.is_number and other.is_number) or one.is_date != other.is_date:
        return False
    if one.is_date or one.type == other.type:
        return True
    return all(_inside(a.numbers[a.known], b.numbers[b.known]) >= OVERLAP for a, b in ((one, other), (other, one)))


def _inside(some: Floats, others: Floats) -> float:
    """The share of some numbers that are between the least and the largest of others."""
    return float(((some >= others.min()) & (some <= others.max())).mean()) if len(some) and len(others) else 0.0


def _are_alike(one: Column, other: Column) -> bool:
    """Do two columns have many values in common, but for their types?"""
    if one.is_number != other.is_number or one.is_date != other.is_date:
        return False
    first, second = ({plain(column.names[value]) for value in column.counted} for column in (one, other))
    return len(first & second) >= max(2, OVERLAP * min(len(first), len(second)))


def _equal(one: Column, other: Column) -> Truth:
    """Of which things are two values of different types equal?"""
    if one.is_number:
        return np.asarray(one.numbers == other.numbers)
    numbers = {plain(one.names[value]): value for value in one.counted}
    table = np.full(len(other.names) + 1, -2, dtype=np.int64)
    for value in other.counted:
        table[value] = numbers.get(plain(other.names[value]), -2)
    return np.asarray(one.values == table[other.values])
