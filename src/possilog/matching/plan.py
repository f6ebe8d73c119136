"""How a query is searched: the order of its variables, and for each literal the table sorted in that order.

Here a literal is a predicate, its arguments in numbers (variables count from 0, the constant n is -1 - n) and its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from possilog.data.database import Database
from possilog.data.rows import Column
from possilog.errors import QueryError
from possilog.logic import Predicate
from possilog.matching import kernel as default_kernel
from possilog.matching.kernel import MAX_VARIABLES, Search

__all__ = ["Coded", "Plan", "Planner"]

Coded = tuple[Predicate, tuple[int, ...], bool]
Handle = object
"""What the kernel keeps of a column."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A query made ready for one database: the order in which its variables are bound, and the search itself.

    ``search`` is None where the query can be answered without one: it has no variable, or it cannot match at all;
    ``possible`` tells which.
    """

    order: tuple[int, ...]
    possible: bool
    search: Search | None


@dataclass(frozen=True, slots=True)
class _Table:
    """An index of the database, and what the kernel keeps of it."""

    columns: tuple[Column, ...]
    handles: tuple[Handle, ...]
    starts: Handle | None
    size: int


class Planner:
    """Plans queries over one database."""

    def __init__(self, database: Database, kernel: ModuleType = default_kernel) -> None:
        self._database = database
        self._kernel = kernel
        self._tables: dict[tuple[Predicate, tuple[int, ...]], _Table] = {}
        self._sizes: dict[Predicate, tuple[int, tuple[int, ...]]] = {}

    def plan(
        self,
        literals: Sequence[Coded],
        variables: int,
        bound: Sequence[int] = (),
        first: Sequence[int] = (),
        search: Search | None = None,
    ) -> Plan:
        """Plan a query whose ``bound`` variables will be given, and whose ``first`` variables are to be bound next.

        A search that is given is used again, so that its former plan is lost.
        """
        if variables > MAX_VARIABLES:
            raise QueryError(f"the query has {variables} variables; at most {MAX_VARIABLES} can be matched")
        order = self._order(literals, variables, list(dict.fromkeys([*bound, *first])))
        layout = _Layout(order)
        for predicate, arguments, positive in literals:
            if not self._lay_out(layout, predicate, arguments, positive):
                return Plan(tuple(order), False, None)
        if not variables:
            return Plan((), True, None)
        search = search or self._kernel.Search()
        layout.load(search, len(bound), len(self._database.constants))
        return Plan(tuple(order), True, search)

    # The order of the variables

    def _order(self, literals: Sequence[Coded], variables: int, order: list[int]) -> list[int]:
        """Bind next, again and again, the variable that is expected to have the fewest values."""
        pending = [variable for variable in range(variables) if variable not in order]
        while len(pending) > 1:
            best = min(pending, key=lambda variable: self._expected(literals, variable, order))
            pending.remove(best)
            order.append(best)
        return order + pending

    def _expected(self, literals: Sequence[Coded], variable: int, known: list[int]) -> float:
        """About how many values a variable has once others are known: the least that one of its literals allows."""
        expected = float(len(self._database.constants))
        for predicate, arguments, positive in literals:
            if positive and variable in arguments:
                size, distinct = self._size(predicate)
                fixed = [d for a, d in zip(arguments, distinct, strict=True) if a < 0 or a in known]
                values = float(size) if fixed else float(distinct[arguments.index(variable)])
                for values_there in fixed:
                    values /= max(values_there, 1)
                expected = min(expected, values)
        return expected

    def _size(self, predicate: Predicate) -> tuple[int, tuple[int, ...]]:
        """How many facts a predicate has, and how many constants each of its arguments."""
        size = self._sizes.get(predicate)
        if size is None:
            size = self._sizes[predicate] = self._database.count(predicate), self._database.distinct(predicate)
        return size

    # The literals

    def _lay_out(self, layout: _Layout, predicate: Predicate, arguments: tuple[int, ...], positive: bool) -> bool:
        """Add a literal; false where it is decided already, and no match is possible."""
        ranks = [layout.rank[argument] if argument >= 0 else -1 for argument in arguments]
        order = tuple(sorted(range(len(ranks)), key=ranks.__getitem__))
        if not order:
            return (self._size(predicate)[0] > 0) == positive
        table = self._table(predicate, order)
        low, high = 0, table.size
        given = ranks.count(-1)
        for column, place in zip(table.columns, order[:given], strict=False):
            ends = np.searchsorted(column[low:high], [-1 - arguments[place], -arguments[place]])
            low, high = low + int(ends[0]), low + int(ends[1])
        if low == high or given == len(order):
            return (low < high) == positive
        layout.add(table, given, (low, high), [ranks[place] for place in order[given:]], positive)
        return True

    def _table(self, predicate: Predicate, order: tuple[int, ...]) -> _Table:
        table = self._tables.get((predicate, order))
        if table is None:
            index = self._database.index(predicate, order)
            handle = self._kernel.handle
            starts = None if index.starts is None else handle(index.starts)
            table = _Table(index.columns, tuple(map(handle, index.columns)), starts, len(index.columns[0]))
            self._tables[predicate, order] = table
        return table


class _Layout:
    """The literals as the kernel reads them (see there)."""

    def __init__(self, order: list[int]) -> None:
        self.rank = {variable: rank for rank, variable in enumerate(order)}
        self.columns: list[Handle | None] = []
        self.starts: list[Handle | None] = []
        self.final: list[bool] = []
        self.ranges: list[tuple[int, int]] = []
        self.occurrences: list[list[tuple[int, int, bool]]] = [[] for _ in order]
        self.depends = [0] * len(order)

    def add(self, table: _Table, given: int, rows: tuple[int, int], variables: list[int], positive: bool) -> None:
        """Add a literal whose first columns are given, and whose other columns hold these variables."""
        slot, columns = len(self.columns), len(variables)
        self.columns += table.handles[given:]
        self.columns.append(None)
        self.starts += [None if given else table.starts] + [None] * columns
        self.final += [False] * (columns - 1) + [True, False]
        self.ranges += [rows] + [(0, 0)] * columns
        together = 0
        for variable in dict.fromkeys(variables):
            occurrence = (slot + variables.index(variable), variables.count(variable), positive)
            self.occurrences[variable].append(occurrence)
            self.depends[variable] |= together  # variables come in order, so these are the earlier ones
            together |= 1 << variable

    def load(self, search: Search, bound: int, constants: int) -> None:
        first, listed = [0], []
        for occurrences in self.occurrences:
            listed += occurrences
            first.append(len(listed))
        search.load(
            len(self.rank),
            bound,
            constants,
            self.columns,
            self.starts,
            self.final,
            self.ranges,
            first,
            listed,
            self.depends,
        )
