"""A mapping for tables of which nobody said how they are to be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from possilog.data.tables.cells import as_date, month_of, weekday_of
from possilog.data.tables.columns import cleaned, look_at
from possilog.data.tables.composite import find_composite
from possilog.data.tables.keys import Referred, find_keys, find_references, points_nowhere
from possilog.data.tables.table import RawTable, TableColumn
from possilog.logic import Becomes, MappedColumn, MappedTable, TableMapping

__all__ = ["clean_tables", "find_mapping"]

_OVERLAP = 0.3
"""The share of its smaller column's values that both columns of a pair have: then they speak of one kind of thing."""


def find_mapping(tables: Sequence[RawTable], missing: Sequence[str] | None = None) -> TableMapping:
    """How tables that are clean are best read as facts: keys, what refers to them, and what the other columns say.

    >>> rows = {"id": "123", "city": ["Porto", "Lyon", "Lyon"], "gold": ["yes", "no", "no"]}
    >>> columns = tuple(TableColumn.of(name, cells) for name, cells in rows.items())
    >>> print(*find_mapping([RawTable("customers", columns, 3)]).lines, sep="\\n")
    #table customers key id.
    #column value city(customers, city).
    #column yes gold(customers).
    """
    keys = find_keys(tables)
    references = find_references(tables, keys)
    for table in tables:
        keys[table.name] = keys[table.name] or find_composite(table, [c for t, c in references if t == table.name])
    found = _Finding(tables, keys, references)
    mapped = [found.table(table) for table in tables]
    return TableMapping(_named(mapped), None if missing is None else tuple(missing))


def clean_tables(tables: Iterable[RawTable], missing: Sequence[str] | None) -> list[RawTable]:
    """The tables without cells that say that nothing is known."""
    return [replace(table, columns=tuple(cleaned(column, missing) for column in table.columns)) for table in tables]


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is known of all tables when one of them is mapped."""

    tables: Sequence[RawTable]
    keys: Mapping[str, tuple[str, ...]]
    references: Mapping[tuple[str, str], Referred]

    def type_of(self, table: str) -> str:
        """What a table is about: itself, or what it extends."""
        key = self.keys[table]
        found = self.references.get((table, key[0])) if len(key) == 1 else None
        return table if found is None else self.type_of(found.table)

    def table(self, table: RawTable) -> MappedTable:
        key = self.keys[table.name]
        if not len(key) > 1 and (relation := self._relation(table)):
            return relation
        mapped = MappedTable(table.name, self.type_of(table.name), key)
        columns = [each for column in table.columns if key != (column.name,) for each in self._column(table, column)]
        return replace(mapped, columns=tuple(columns))

    def _relation(self, table: RawTable) -> MappedTable | None:
        """A table that is nothing but pairs of names, or names of what another table describes."""
        references = [self.references.get((table.name, column.name)) for column in table.columns]
        if len(table.columns) > 2 or not table.columns:
            return None
        if not all(references):
            pair = len(table.columns) == 2 and not self.keys[table.name]
            if not pair or any(look_at(column).becomes is not Becomes.VALUE for column in table.columns):
                return None
        types = [
            self.type_of(found.table) if found else column.name
            for found, column in zip(references, table.columns, strict=True)
        ]
        if not any(references) and _overlap(*table.columns):
            types = types[:1] * 2
        ends = (
            MappedColumn(column.name, Becomes.REFERENCE, table.name, type)
            for column, type in zip(table.columns, types, strict=True)
        )
        return MappedTable(table.name, table.name, (), tuple(ends), table.name)

    def _column(self, table: RawTable, column: TableColumn) -> list[MappedColumn]:
        name = _as_predicate(column.name)
        found = self.references.get((table.name, column.name))
        if found is not None:
            note = f"{found.dangling:,} of {len(column.values):,} values are not in {found.table}"
            said = note if found.dangling else ""
            return [MappedColumn(column.name, Becomes.REFERENCE, name, self.type_of(found.table), said)]
        look = look_at(column)
        if look.becomes is Becomes.LEFT_OUT:
            return [MappedColumn(column.name, look.becomes, note=look.note)]
        type = "" if look.becomes is Becomes.YES else name
        note = "; ".join(filter(None, (look.note, points_nowhere(column, self.tables, self.keys))))
        mapped = [MappedColumn(column.name, look.becomes, name, type, note)]
        return mapped + (_date_parts(column, look.becomes, name) if look.becomes.is_date else [])


def _overlap(one: TableColumn, other: TableColumn) -> bool:
    small, large = sorted((set(one.values), set(other.values)), key=len)
    return len(small & large) >= _OVERLAP * len(small)


def _date_parts(column: TableColumn, order: Becomes, name: str) -> list[MappedColumn]:
    """Year, month and weekday, as far as they differ from row to row."""
    dates = [date for value in column.values if (date := as_date(value, order)) is not None]
    parts = {Becomes.YEAR: lambda date: date[:4], Becomes.MONTH: month_of, Becomes.WEEKDAY: weekday_of}
    differ = [part for part, of in parts.items() if len(set(map(of, dates))) > 1]
    return [MappedColumn(column.name, part, f"{name}_{part}", f"{name}_{part}") for part in differ]


def _as_predicate(name: str) -> str:
    """A column's name without what a predicate's name cannot have."""
    return re.sub(r"\W+", "_", name).strip("_") or "column"


def _named(tables: Sequence[MappedTable]) -> tuple[MappedTable, ...]:
    """The tables in order, and no predicate twice: the table with most columns keeps the names of its columns."""
    taken = {table.relation or table.name for table in tables if table.relation or not table.used}
    types = {table.type for table in tables} | {
        column.type for table in tables if table.relation for column in table.columns
    }
    named = {}
    for table in sorted(tables, key=lambda table: (-len({column.name for column in table.columns}), table.name)):
        if table.relation:
            named[table.name] = table
            continue
        columns = []
        for column in table.columns:
            predicate = column.predicate and _free(column.predicate, table.name, taken)
            # A name that is left out here, as it says nothing in these rows, still means what it means here.
            taken.add(predicate or _as_predicate(column.name))
            type = column.type
            if type and column.becomes is not Becomes.REFERENCE:
                type = f"{predicate}_value" if predicate in types else predicate
            columns.append(replace(column, predicate=predicate, type=type))
        named[table.name] = replace(table, columns=tuple(columns))
    return tuple(named[name] for name in sorted(named))


def _free(name: str, table: str, taken: set[str]) -> str:
    """The name, or with its table's before it if it is taken, or with a number after it."""
    if name not in taken:
        return name
    name = qualified = f"{_as_predicate(table)}_{name}"
    number = 2
    while name in taken:
        name, number = f"{qualified}_{number}", number + 1
    return name
