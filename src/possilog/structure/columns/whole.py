"""Rules about a whole column, which name no value: it is copied from another, or shared with things that are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from possilog.data.rows import distinct
from possilog.logic import Clause, Predicate, Variable
from possilog.logic.canonical_forms import variable_name
from possilog.structure.columns.things import Column, Numbers, Things

__all__ = ["whole_rules"]

SUBJECT, KEY, VALUE, OTHER, SHARED = map(Variable, ("S", "K", "V", "O", "H"))

LEAST_SHARED = 0.9
"""A shared value is worth a rule with four variables where it is nearly always right."""

Counted = tuple[Clause, int, int]


def whole_rules(
    things: Things, predicate: Predicate, width: int | None, uses: Callable[[Predicate], bool]
) -> Iterator[Counted]:
    """The rules for all values of a column, each with how often it is right and wrong."""
    if predicate not in things.functional:
        return
    target = things.column(predicate)
    columns = [one for one in things.columns(things.types[predicate][0]) if one.predicate not in things.kin(predicate)]
    columns = [one for one in columns if uses(one.predicate)]
    for column in columns:
        yield from _copied(things, target, column, uses)
        if width is None or width >= 4:
            yield from _shared(target, column)


def _copied(things: Things, target: Column, column: Column, uses: Callable[[Predicate], bool]) -> Iterator[Counted]:
    """Is a value that of another column, or that of what a key leads to?"""
    if column.type == target.type:
        yield _equal(
            target, column.values, Clause((target.predicate(SUBJECT, VALUE),), (column.predicate(SUBJECT, VALUE),))
        )
    if column.type not in things.subjects:
        return
    places = things.place(column.type)[column.values]
    for further in things.columns(column.type):
        if further.type == target.type and uses(further.predicate) and further.predicate != target.predicate:
            values = np.where(places >= 0, further.values[places], -1)
            body = (column.predicate(SUBJECT, KEY), further.predicate(KEY, VALUE))
            yield _equal(target, values, Clause((target.predicate(SUBJECT, VALUE),), body))


def _equal(target: Column, values: Numbers, clause: Clause) -> Counted:
    asked = target.known & (values >= 0)
    true = int((target.values[asked] == values[asked]).sum())
    return _named(clause), true, int(asked.sum()) - true


def _shared(target: Column, column: Column) -> Iterator[Counted]:
    """Do things that share one value share another?"""
    asked = target.known & column.known
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
        yield _named(Clause((target.predicate(SUBJECT, VALUE),), body)), true, false


def _named(clause: Clause) -> Clause:
    """The rule with variables A, B, … as they come."""
    return clause.substitute({v: Variable(variable_name(number)) for number, v in enumerate(clause.variables)})
