"""What a database is made of: names in order, and rows of their numbers; and what is none of these, refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import lt
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from possilog.data.texts import Texts
from possilog.errors import DataError, shortened
from possilog.logic import Predicate
from possilog.requiring import require_a

__all__ = [
    "Built",
    "Column",
    "Rows",
    "common",
    "copies",
    "distinct",
    "equal",
    "frozen",
    "inside",
    "occurring",
    "ordered",
    "ranges",
    "rows_of",
    "several",
    "shown",
    "sorted_names",
]

Rows = npt.NDArray[np.int32]
"""Facts of one predicate: a row of numbers for each argument, a column for each fact."""

Column = npt.NDArray[np.int32]
"""One argument of many facts."""

_Number = TypeVar("_Number", bound=np.integer)


def several(constants: Iterable[str]) -> Iterable[str]:
    """The constants as they are given, unless it is one name: its letters would be taken for constants."""
    if not isinstance(constants, Iterable):
        raise DataError(f"{shown(constants)} was given where several constants are asked for; write ['ann', 'bob']")
    if isinstance(constants, str):
        name = shortened(repr(constants))
        raise DataError(f"{name} is one name where several constants are asked for; write [{name}]")
    return constants


def sorted_names(constants: Iterable[str]) -> list[str]:
    """Names in order, each once."""
    listed = list(several(constants))
    for name in listed:
        if not isinstance(name, str):
            raise DataError(f"{shown(name)} is among the constants; write ['ann', 'bob']")
    return sorted(set(listed))


def ordered(constants: Sequence[str]) -> Sequence[str]:
    """Names in order, each once."""
    if isinstance(constants, Texts):
        return constants  # nobody but a builder has them, and it has put them in order
    names = tuple(several(constants))
    are_names = {str}.issuperset(map(type, names)) or all(isinstance(name, str) for name in names)
    if not are_names or not all(map(lt, names, islice(names, 1, None))):
        raise DataError("the constants of a Database are names in order, each once; Database.of takes plain facts")
    return names


class Built(dict[Predicate, Rows]):
    """Rows that who made them keeps no longer: they are in order, and nobody else writes into them."""


def copies(relations: Mapping[Predicate, Rows], constants: int) -> dict[Predicate, Rows]:
    """The rows of predicates over so many constants, which nobody else can write into."""
    if isinstance(relations, Built):
        return {predicate: frozen(np.ascontiguousarray(relations[predicate])) for predicate in sorted(relations)}
    if not isinstance(relations, Mapping) or not all(isinstance(predicate, Predicate) for predicate in relations):
        raise DataError(f"rows by predicate make a Database, and not {shown(relations)} Database.of takes plain facts")
    return {p: frozen(_rows(p, relations[p], constants)) for p in sorted(relations)}


def _rows(predicate: Predicate, given: Rows, constants: int) -> Rows:
    """A copy of rows, if they can be the facts of a predicate over so many constants."""
    rows = np.array(given, order="C") if isinstance(given, np.ndarray) else np.empty(0)
    fits = rows.dtype.kind in "iu" and rows.ndim == 2 and len(rows) == predicate.arity
    if not fits or (rows.size and not (rows.min() >= 0 and rows.max() < constants)) or not _is_sorted(rows):
        what = (
            f"{predicate.arity} rows of numbers of constants, sorted, each column once; Database.of takes plain facts"
        )
        raise DataError(f"the facts of {predicate} are an array of {what}")
    return rows.astype(np.int32, copy=False)


def _is_sorted(rows: Rows) -> bool:
    """Is each column less than the next?"""
    before, after = rows[:, :-1], rows[:, 1:]
    equal, less = np.ones(before.shape[1], dtype=bool), np.zeros(before.shape[1], dtype=bool)
    for one, other in zip(before, after, strict=True):
        less |= equal & (one < other)
        equal &= one == other
    return bool(less.all())


def rows_of(predicate: Predicate, relations: Mapping[Predicate, Rows]) -> Rows:
    """The rows of one predicate; none where it is unknown."""
    require_a("predicate", predicate, Predicate, 'write Predicate("likes", 2)')
    rows = relations.get(predicate)
    return np.empty((predicate.arity, 0), dtype=np.int32) if rows is None else rows


def equal(one: Mapping[Predicate, Rows], other: Mapping[Predicate, Rows]) -> bool:
    """Are they the same facts?"""
    return one.keys() == other.keys() and all(np.array_equal(rows, other[p]) for p, rows in one.items())


def common(one: Rows, other: Rows) -> Rows:
    """The columns that two have, of which each has none twice.

    >>> common(np.array([[3, 4]]), np.array([[4, 5]])).tolist(), common(np.empty((0, 1)), np.empty((0, 1))).shape
    ([[4]], (0, 1))
    """
    both = np.concatenate([one, other], axis=1)
    if len(both):  # what has no arguments is one column without a row
        both = both[:, np.lexsort(both[::-1])]
    return both[:, 1:][:, (both[:, 1:] == both[:, :-1]).all(axis=0)]


def inside(relations: Mapping[Predicate, Rows], renumber: Column) -> dict[Predicate, Rows]:
    """The rows that lose no constant, in new numbers."""
    kept = {}
    for predicate, rows in relations.items():
        mapped = renumber[rows]
        kept[predicate] = mapped[:, (mapped >= 0).all(axis=0)]
    return kept


def distinct(numbers: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Numbers in order, each once; ``np.unique`` of numpy 2.4 takes fifty times as long for half a million.

    >>> distinct(np.array([4, 2, 4])).tolist()
    [2, 4]
    """
    in_order = np.sort(numbers, axis=None)
    new = np.ones(len(in_order), dtype=bool)
    np.not_equal(in_order[1:], in_order[:-1], out=new[1:])
    return in_order[new]


def occurring(column: Column, constants: int) -> npt.NDArray[np.int64]:
    """The numbers that occur in a column, in order, of so many constants.

    >>> occurring(np.array([4, 2, 4], dtype=np.int32), 5).tolist()
    [2, 4]
    """
    if constants > 8 * len(column):
        return distinct(column).astype(np.int64)
    occurs = np.zeros(constants, dtype=bool)  # a tenth of the time of sorting
    occurs[column] = True
    return np.flatnonzero(occurs)


def frozen(rows: Rows) -> Rows:
    """The rows, which cannot be written into any more."""
    rows.setflags(write=False)
    return rows


def shown(given: object) -> str:
    """What was given, in a message."""
    return f"a {type(given).__name__}, {shortened(repr(given))},"


def ranges(start: npt.NDArray[np.integer], length: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """The numbers of some ranges, one range after the other.

    >>> ranges(np.array([5, 1]), np.array([2, 3])).tolist()
    [5, 6, 1, 2, 3]
    """
    before = np.cumsum(length) - length
    numbers: npt.NDArray[np.int64] = np.arange(length.sum(), dtype=np.int64) + np.repeat(start - before, length)
    return numbers
