"""Rules about a whole column, which name no value: it is copied from another, or shared with things that are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from possilog.data.rows import distinct
from possilog.logic import Clause, Predicate, Variable
from possilog.structure.columns.chance import surprise
from possilog.structure.columns.column_rules import with_named_variables
from possilog.structure.columns.things import Column, Numbers, Things

__all__ = ["Counted", "whole_rules"]

SUBJECT, KEY, VALUE, OTHER, SHARED = map(Variable, ("S", "K", "V", "O", "H"))

LEAST_SHARED = 0.9
"""A shared value is worth a rule with four variables where it is nearly always right."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A rule about a whole column, and how often it is right and wrong."""

    clause: Clause
    true: int
    false: int
    says: float
    """How unlikely chance is to make it as good, in nats."""


def whole_rules(
    things: Things, predicate: Predicate, width: int | None, uses: Callable[[Predicate], bool]
) -> Iterator[Counted]:
    """The rules for all values of a column."""
    if predicate not in things.functional:
        return
    target = things.column(predicate)
    columns = [one for one in things.columns(things.types[predicate][0]) if one.predicate not in things.kin(predicate)]
    columns = [one for one in columns if uses(one.predicate)]
    for column in columns:
        yield from _copied(things, target, column, uses)
        if width is None or width >= 4:
            yield from _shared(things, target, column)


def _copied(things: Things, target: Column, column: Column, uses: Callable[[Predicate], bool]) -> Iterator[Counted]:
    """Is a value that of another column, or that of what a key leads to?"""
    if column.type == target.type:
        yield _equal(
            target, column.values, Clause((target.predicate(SUBJECT, VALUE),), (column.predicate(SUBJECT, VALUE),))
        )
    if column.type not in things.subjects:
        return
    things_here = things.members(things.types[target.predicate][0])
    places = np.where(column.values == things_here, -1, things.place(column.type)[column.values])
    for further in things.columns(column.type):
        # The column itself is as good, where a key leads to another thing of the same kind.
        if further.type == target.type and uses(further.predicate):
            values = np.where(places >= 0, further.values[places], -1)
            # Distinct variables stand for distinct things.
            values = np.where((values == things_here) | (values == column.values), -1, values)
            body = (column.predicate(SUBJECT, KEY), further.predicate(KEY, VALUE))
            yield _equal(target, values, Clause((target.predicate(SUBJECT, VALUE),), body))


def _equal(target: Column, values: Numbers, clause: Clause) -> Counted:
    asked = target.known & (values >= 0)
    here, there = target.values[asked], values[asked]
    true, false = int((here == there).sum()), int((here != there).sum())
    return Counted(with_named_variables(clause), true, false, float(surprise(true, false, _alike(here, there))))


def _alike(one: Numbers, other: Numbers) -> float:
    """How often values would be equal that have nothing to do with each other."""
    sizes = [Counter(each.tolist()) for each in (one, other)]
    return sum(count * sizes[1][value] for value, count in sizes[0].items()) / max(len(one) * len(other), 1)


def _shared(things: Things, target: Column, column: Column) -> Iterator[Counted]:
    """Do things that share one value share another? Not where the other may be one of these things, or the first."""
    own = things.types[target.predicate][0]
    if target.type in (own, column.type):
        return
    asked = target.known & column.known & (column.values != things.members(own))
    width = len(target.counted)
    pairs, counts = np.unique(column.codes[asked] * width + target.codes[asked], return_counts=True)
    kinds = np.bincount(pairs // max(width, 1))
    groups = np.bincount(pairs // max(width, 1), weights=counts)
    if int((groups > 1).sum()) < 2 or len(distinct(pairs % max(width, 1))) < 2:
        return
    # A thing is given the values of the others of its group: its own, if another has it too, and each other one.
    true = int(counts[counts > 1].sum())
    false = int((groups * (kinds - 1)).sum())
    if true >= LEAST_SHARED * (true + false):
        body = (column.predicate(SUBJECT, SHARED), column.predicate(OTHER, SHARED), target.predicate(OTHER, VALUE))
        clause = with_named_variables(Clause((target.predicate(SUBJECT, VALUE),), body))
        # Of things that share a value, the first tells nothing of itself.
        told = max(true - int((groups > 1).sum()), 0)
        values = target.values[asked]
        yield Counted(clause, true, false, float(surprise(told, false, _alike(values, values))))
