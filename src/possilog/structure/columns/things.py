"""The things that facts are about, by type, and what each predicate says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from possilog.data import Database, infer_types
from possilog.data.rows import distinct
from possilog.logic import Clause, Predicate, Variable
from possilog.logic.spelling import plain
from possilog.logic.thresholds import is_ordered, number_of

__all__ = ["Column", "Links", "Things", "functional"]

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Truth = npt.NDArray[np.bool_]


def functional(database: Database, predicates: Iterable[Predicate]) -> list[Predicate]:
    """Those of some binary predicates that give each thing at most one value, and give one to several things."""
    found = []
    for predicate in predicates:
        if predicate.arity == 2:
            first = database.rows(predicate)[0]
            if len(first) > 1 and len(distinct(first)) == len(first):
                found.append(predicate)
    return found


def only_one(predicate: Predicate) -> Clause:
    """The constraint that a thing has one value only."""
    first, second, third = map(Variable, "ABC")
    return Clause((), (predicate(first, second), predicate(first, third)))


@dataclass(frozen=True, eq=False)
class Column:
    """A binary predicate as a column of its first argument: for each thing a constant, or -1 where none is known."""

    predicate: Predicate
    type: str
    """Of the values."""
    values: Numbers
    names: tuple[str, ...]
    """Of all constants."""
    is_number: bool

    @property
    def known(self) -> Truth:
        """Which things have a value?"""
        return self.values >= 0

    @cached_property
    def counted(self) -> dict[int, int]:
        """How many things have each value, by the order of the constants."""
        values, counts = np.unique(self.values[self.known], return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

    @cached_property
    def codes(self) -> Numbers:
        """For each thing the number of its value among those of the column, or -1."""
        numbers = np.full(len(self.names) + 1, -1, dtype=np.int64)
        numbers[list(self.counted)] = np.arange(len(self.counted))
        return numbers[self.values]

    @cached_property
    def is_date(self) -> bool:
        """Are the values dates? Then they are compared as dates."""
        some = list(self.counted)[:50]
        return bool(some) and all(np.isfinite(number_of(self.names[value], dates=True)) for value in some)

    @cached_property
    def numbers(self) -> Floats:
        """The values as numbers, or dates in seconds; not a number where there is none."""
        known = list(self.counted)
        listed = [number_of(self.names[value], dates=self.is_date) for value in known]
        table = np.full(len(self.names) + 1, np.nan)
        table[known] = listed
        return table[self.values]


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of things of two types: a fact of a predicate each, read from its first argument or from its second."""

    predicate: Predicate
    forward: bool
    """Is the first argument the thing that conditions are about?"""
    type: str
    """Of the other things."""
    here: Numbers
    there: Numbers
    """Places of the linked things among those of their types."""


class Things:
    """All things of all types. Types are declared by tables; otherwise they are found."""

    def __init__(self, database: Database) -> None:
        """Take the facts."""
        self.database = database
        self.types: Mapping[Predicate, tuple[str, ...]] = _types(database)
        self.functional = frozenset(functional(database, self.types))
        self._members: dict[str, Numbers] = {}
        self._numbered: dict[str, bool] = {}
        self._columns: dict[Predicate, Column] = {}

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """The types of things that something is said of: they stand first in some predicate."""
        return tuple(sorted({types[0] for predicate, types in self.types.items() if predicate.arity in (1, 2)}))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The types of numbers and dates: the declared ones, or those that look so where none is declared."""
        if self.database.types:
            return self.database.numbers
        names = self.database.constants
        every = {type for types in self.types.values() for type in types}
        return frozenset(
            t for t in every if len(self.members(t)) and all(is_ordered(names[m]) for m in self.members(t))
        )

    @cached_property
    def numeric(self) -> list[str]:
        """All constants that are numbers or dates."""
        return [name for name in self.database.constants if is_ordered(name)]

    def kin(self, predicate: Predicate) -> frozenset[Predicate]:
        """The predicates that say the same as another in part, and explain nothing: it, and others of its column."""
        return self._kin.get(predicate, frozenset({predicate}))

    @cached_property
    def _kin(self) -> Mapping[Predicate, frozenset[Predicate]]:
        mapping = self.database.mapping
        return {} if mapping is None else mapping.kin

    def is_numbered(self, type: str) -> bool:
        """Are most things of a type, of which something is said, called by numbers, such as S12?"""
        if type not in self._numbered:
            names = [plain(self.database.constants[member]) for member in self.members(type).tolist()]
            numbered = sum(any(map(str.isdigit, name)) for name in names)
            self._numbered[type] = type in self.subjects and 2 * numbered > len(names)
        return self._numbered[type]

    def members(self, type: str) -> Numbers:
        """The constants of a type, in order."""
        if type not in self._members:
            found = [np.empty(0, dtype=np.int64)]
            for predicate, types in self.types.items():
                rows = (*self.database.rows(predicate), *self.database.denied_rows(predicate))
                found += [row for row, its in zip(rows, (*types, *types), strict=True) if its == type]
            self._members[type] = distinct(np.concatenate(found)).astype(np.int64)
        return self._members[type]

    def place(self, type: str) -> Numbers:
        """For each constant its place among those of a type, or -1."""
        places = np.full(len(self.database.constants) + 1, -1, dtype=np.int64)
        places[self.members(type)] = np.arange(len(self.members(type)))
        return places

    def unary(self, type: str) -> list[Predicate]:
        """What is said of the things of a type alone."""
        return [predicate for predicate, types in self.types.items() if types == (type,)]

    def columns(self, type: str) -> list[Column]:
        """The columns of a type: predicates that give its things one value each."""
        return [self.column(p) for p, types in self.types.items() if types[0] == type and p in self.functional]

    def column(self, predicate: Predicate) -> Column:
        """A predicate as a column."""
        if predicate not in self._columns:
            type, values_type = self.types[predicate]
            subjects, found = self.database.rows(predicate)
            values = np.full(len(self.members(type)), -1, dtype=np.int64)
            values[self.place(type)[subjects]] = found
            is_number = values_type in self.numbers
            column = Column(predicate, values_type, values, self.database.constants, is_number)
            self._columns[predicate] = column
        return self._columns[predicate]

    def links(self, type: str) -> list[Links]:
        """The things that facts link to those of a type, other than by a column of theirs."""
        found = []
        for predicate, types in self.types.items():
            if predicate.arity != 2:
                continue
            if types[0] == type and types[1] in self.subjects and predicate not in self.functional:
                found.append(self._links(predicate, True))
            if types[1] == type and types[0] in self.subjects:
                found.append(self._links(predicate, False))
        return found

    def _links(self, predicate: Predicate, forward: bool) -> Links:
        here, there = self.types[predicate] if forward else reversed(self.types[predicate])
        rows = self.database.rows(predicate)
        rows = rows[:, rows[0] != rows[1]]  # distinct variables stand for distinct things
        ends = rows if forward else rows[::-1]
        return Links(predicate, forward, there, self.place(here)[ends[0]], self.place(there)[ends[1]])

    def said(self, predicate: Predicate) -> Truth:
        """Of which things of its type is a unary predicate true?"""
        type = self.types[predicate][0]
        true = np.zeros(len(self.members(type)), dtype=bool)
        true[self.place(type)[self.database.rows(predicate)[0]]] = True
        return true

    def decided(self, predicate: Predicate) -> Truth:
        """Of which things is it known whether a unary predicate is true? All of them, where nothing is denied."""
        denied = self.database.denied_rows(predicate)
        if not denied.shape[1]:
            return np.ones(len(self.members(self.types[predicate][0])), dtype=bool)
        known = self.said(predicate)
        known[self.place(self.types[predicate][0])[denied[0]]] = True
        return known


def _types(database: Database) -> dict[Predicate, tuple[str, ...]]:
    known = (*database.predicates, *database.denied_predicates)
    if database.types:
        return {p: tuple(database.types[p]) for p in dict.fromkeys(known) if p in database.types and p.arity}
    inferred = infer_types(database)
    return {p: tuple(inferred[p.name]) for p in database.predicates if p.arity}
