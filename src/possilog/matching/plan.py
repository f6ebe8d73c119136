"""How a query is searched: the order of its variables, and for each literal the index sorted in that order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np

from possilog.data.database import Column, Database
from possilog.errors import QueryError
from possilog.logic import Atom, Constant, Literal, Query, Variable
from possilog.matching import kernel as default_kernel
from possilog.matching.kernel import Search

__all__ = ["MAX_VARIABLES", "Plan", "make_plan"]

MAX_VARIABLES = 60
"""The kernel keeps sets of variables in the bits of one number."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A query made ready for one database: the order in which its variables are bound, and the search itself.

    ``search`` is None where the query can be answered without one: it has no variable, or it cannot match at all;
    ``possible`` tells which.
    """

    variables: tuple[Variable, ...]
    bound: int
    possible: bool
    search: Search | None


def make_plan(
    database: Database,
    query: Query,
    bound: Sequence[Variable] = (),
    first: Sequence[Variable] = (),
    kernel: ModuleType = default_kernel,
) -> Plan:
    """Plan a query whose ``bound`` variables will be given, and whose ``first`` variables are to be bound next."""
    if len(query.variables) > MAX_VARIABLES:
        raise QueryError(f"the query has {len(query.variables)} variables; at most {MAX_VARIABLES} can be matched")
    tables = [_table(database, literal) for literal in dict.fromkeys(query.literals)]
    variables = _order(database, query, [*bound, *(v for v in first if v not in bound)])
    # A negated literal about a constant that does not exist holds by itself; a positive one never does.
    impossible = any(table.unknown and table.literal.positive for table in tables)
    slots = _Slots()
    for table in tables:
        if not table.unknown and not impossible:
            impossible = not slots.add(database, table, variables)
    if impossible or not variables:
        return Plan(variables, len(bound), not impossible, None)
    return Plan(variables, len(bound), True, slots.search(variables, len(bound), len(database.constants), kernel))


@dataclass(frozen=True, slots=True)
class _Table:
    """A literal, with its constants in numbers."""

    literal: Literal
    numbers: dict[str, int]
    unknown: bool


def _table(database: Database, literal: Literal) -> _Table:
    names = {term.name for term in literal.atom.arguments if isinstance(term, Constant)}
    numbers = {name: database.number(name) for name in names}
    known = {name: number for name, number in numbers.items() if number is not None}
    return _Table(literal, known, len(known) < len(names))


def _order(database: Database, query: Query, order: list[Variable]) -> tuple[Variable, ...]:
    """Bind next, again and again, the variable that is expected to have the fewest values."""
    positive = [literal.atom for literal in query.literals if literal.positive]
    pending = [variable for variable in query.variables if variable not in order]
    while pending:
        known = set(order)
        best = min(pending, key=lambda variable: _expected(database, positive, variable, known))
        pending.remove(best)
        order.append(best)
    return tuple(order)


def _expected(database: Database, atoms: Sequence[Atom], variable: Variable, known: set[Variable]) -> float:
    """About how many values a variable has once others are known: the least that one of its literals allows."""
    expected = float(len(database.constants))
    for atom in atoms:
        if variable in atom.arguments:
            distinct = database.distinct(atom.predicate)
            values = float(database.count(atom.predicate))
            fixed = False
            for term, size in zip(atom.arguments, distinct, strict=True):
                if isinstance(term, Constant) or term in known:
                    values /= max(size, 1)
                    fixed = True
            if not fixed:
                values = float(distinct[atom.arguments.index(variable)])
            expected = min(expected, values)
    return expected


@dataclass(slots=True)
class _Slots:
    """The literals as the kernel reads them (see there)."""

    columns: list[Column | None] = field(default_factory=list)
    starts: list[Column | None] = field(default_factory=list)
    final: list[bool] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    occurrences: list[tuple[int, int, int, bool]] = field(default_factory=list)  # variable, slot, span, positive
    neighbours: list[set[int]] = field(default_factory=list)  # the variables of each literal

    def add(self, database: Database, table: _Table, variables: tuple[Variable, ...]) -> bool:
        """Add a literal; false where it is decided already, and no match is possible."""
        atom, positive = table.literal.atom, table.literal.positive
        place = {variable: number for number, variable in enumerate(variables)}
        keys = [table.numbers[t.name] if isinstance(t, Constant) else place[t] for t in atom.arguments]  # type: ignore[index]
        given = [isinstance(term, Constant) for term in atom.arguments]
        order = tuple(sorted(range(len(keys)), key=lambda column: (not given[column], keys[column])))
        if not order:
            return (database.count(atom.predicate) > 0) == positive
        index = database.index(atom.predicate, order)
        low, high = 0, len(index.columns[0])
        fixed = sum(given)
        for column in range(fixed):
            number = keys[order[column]]
            low, high = (
                low + int(np.searchsorted(index.columns[column][low:high], number, s)) for s in ("left", "right")
            )
        if low == high or fixed == len(order):
            return (low < high) == positive
        self._add_slots(index.columns[fixed:], index.starts if fixed == 0 else None, (low, high))
        self._add_occurrences([keys[column] for column in order[fixed:]], positive)
        return True

    def _add_slots(self, columns: Sequence[Column], starts: Column | None, rows: tuple[int, int]) -> None:
        self.columns += [*columns, None]
        self.starts += [starts] + [None] * len(columns)
        self.final += [False] * (len(columns) - 1) + [True, False]
        self.ranges += [rows] + [(0, 0)] * len(columns)

    def _add_occurrences(self, variables: list[int], positive: bool) -> None:
        slot = len(self.columns) - len(variables) - 1
        for variable in dict.fromkeys(variables):
            self.occurrences.append((variable, slot + variables.index(variable), variables.count(variable), positive))
        self.neighbours.append(set(variables))

    def search(self, variables: tuple[Variable, ...], bound: int, constants: int, kernel: ModuleType) -> Search:
        depth = len(variables)
        occurrences = sorted(self.occurrences)
        first = [sum(1 for occurrence in occurrences if occurrence[0] < v) for v in range(depth + 1)]
        depends = [
            sum(1 << other for other in set().union(*(n for n in self.neighbours if v in n)) if other < v)
            for v in range(depth)
        ]
        search: Search = kernel.Search(
            depth,
            bound,
            constants,
            self.columns,
            self.starts,
            self.final,
            self.ranges,
            first,
            [slot for _, slot, _, _ in occurrences],
            [span for _, _, span, _ in occurrences],
            [positive for _, _, _, positive in occurrences],
            depends,
        )
        return search
