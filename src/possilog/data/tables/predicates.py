"""Tables and their mapping, as facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from possilog.data.builder import Builder
from possilog.data.rows import occurring
from possilog.data.tables.cells import as_date, as_number, as_yes, month_of, weekday_of
from possilog.data.tables.table import UNKNOWN, Codes, RawTable, TableColumn
from possilog.data.texts import Texts
from possilog.errors import DataError, listed
from possilog.logic import Becomes, MappedColumn, MappedTable, TableMapping
from possilog.logic.spelling import typed

__all__ = ["add_tables"]

_BATCH = 1 << 17
"""Rows that are added at a time: what is made on the way stays small."""
_PARTS: dict[Becomes, Callable[[str], str]] = {
    Becomes.YEAR: lambda date: str(int(date[:4])),
    Becomes.MONTH: month_of,
    Becomes.WEEKDAY: weekday_of,
}


def add_tables(tables: list[RawTable], mapping: TableMapping, builder: Builder) -> list[str]:
    """Add what some clean tables say, each as its mapping has it; gives remarks on what could not be taken.

    The tables are taken from the list, and a column is forgotten when it has been added: each may have a million names.
    """
    builder.declared |= mapping.declared
    builder.mapping = mapping
    remarks = []
    by_name = {table.name: table for table in tables}
    tables.clear()
    once = _met_once(mapping)
    for mapped in mapping.tables:
        if mapped.name in by_name:
            add = _add_relation if mapped.relation else _add_rows
            remarks += add(by_name.pop(mapped.name), mapped, builder, once)
    if by_name:
        remarks.append(f"tables without a mapping are left out: {listed(by_name)}")
    return remarks


def _met_once(mapping: TableMapping) -> set[str]:
    """The types whose constants are in one column only, so that none of them has to be known again."""
    met = Counter(table.type for table in mapping.tables if not table.relation)
    met.update(column.type for table in mapping.tables for column in table.used)
    return {type for type, times in met.items() if times == 1}


def _add_relation(table: RawTable, mapped: MappedTable, builder: Builder, once: set[str]) -> list[str]:
    if not mapped.used:
        raise DataError(f"{table.source}: the relation {mapped.relation} has no columns; give it some in the mapping")
    columns = [_required(table, column.name) for column in mapped.used]
    whole = np.logical_and.reduce([column.codes != UNKNOWN for column in columns])
    builder.name_arguments(mapped.relation, [column.name for column in columns])
    arguments = [
        _constants(column, end.type, whole, builder, once) for column, end in zip(columns, mapped.used, strict=True)
    ]
    _add(builder, table, mapped.relation, arguments, whole)
    lost = int(np.count_nonzero(~whole))
    return [f"{table.source}: {lost:,} rows with an empty cell are left out"] if lost else []


def _add_rows(table: RawTable, mapped: MappedTable, builder: Builder, once: set[str]) -> list[str]:
    rows, columns = _row_names(table, mapped), {column.name: column for column in table.columns}
    table = replace(table, columns=())
    if mapped.type in once or not mapped.key:
        rows = replace(rows, numbers=builder.listed(rows.values))
    else:
        builder.declare(rows.values)
    remarks = []
    if lost := int(np.count_nonzero(rows.codes == UNKNOWN)):
        remarks.append(f"{table.source}: {lost:,} rows without a key ({', '.join(mapped.key)}) are left out")
    again = int(np.count_nonzero(rows.codes != UNKNOWN)) - len(rows.values)
    if again > 0:
        some = "row has" if again == 1 else "rows have"
        key = ", ".join(mapped.key)
        remarks.append(f"{table.source}: {again:,} {some} the key ({key}) of another row, and speak of the same thing")
    if not mapped.used:
        builder.name_arguments(mapped.name, [mapped.type])
        _add(builder, table, mapped.name, [rows], rows.codes != UNKNOWN)
    orders = {column.name: column.becomes for column in mapped.used if column.becomes.is_date}
    last = {column.name: place for place, column in enumerate(mapped.used)}
    for place, column in enumerate(mapped.used):
        if column.name not in columns:
            remarks.append(f"{table.source}: there is no column {column.name!r}, so {column.predicate} is not known")
            continue
        take = columns.pop if last[column.name] == place else columns.__getitem__
        order = orders.get(column.name, Becomes.DATE)
        remarks += _add_column(table, column, take(column.name), rows, order, builder, once)
    return remarks


def _add_column(
    table: RawTable,
    column: MappedColumn,
    cells: TableColumn,
    rows: TableColumn,
    order: Becomes,
    builder: Builder,
    once: set[str],
) -> list[str]:
    """Add what a column says of the rows."""
    said, odd = _said(cells, column.becomes, order)
    known = (rows.codes != UNKNOWN) & (said.codes != UNKNOWN)
    if column.becomes is Becomes.YES:
        builder.name_arguments(column.predicate, [table.name])
        yes = np.array([*(value == "yes" for value in said.values), False])[said.codes]
        _add(builder, table, column.predicate, [rows], known & yes)
        builder.deny_coded(column.predicate, [_given(rows, np.flatnonzero(known & ~yes))])
    else:
        builder.name_arguments(column.predicate, [table.name, column.name])
        constants = _constants(said, column.type, known, builder, once)
        _add(builder, table, column.predicate, [rows, constants], known)
    if not odd or column.becomes in _PARTS:
        return []
    count, first = int(cells.counts[odd].sum()), cells.first_row(odd[0])
    what = "number" if column.becomes.is_number else "yes nor no" if column.becomes is Becomes.YES else "date"
    some = "cell is" if count == 1 else "cells are"
    return [
        f"{table.source}: {count:,} {some} no {what} in {column.name!r} and counted as unknown, first "
        f"{cells.values[odd[0]]!r} at {table.place(first)}"
    ]


def _said(cells: TableColumn, becomes: Becomes, order: Becomes) -> tuple[TableColumn, list[int]]:
    """What the cells of a column say, each in its one spelling; and the numbers of those that say nothing."""
    if becomes in (Becomes.VALUE, Becomes.REFERENCE):
        return cells, []
    values = [_taken(value, becomes, order) for value in cells.values]
    return cells.rewritten(values), [number for number, value in enumerate(values) if value is None]


def _taken(value: str, becomes: Becomes, order: Becomes) -> str | None:
    """What a cell says, in its one spelling; None where it says nothing."""
    if becomes is Becomes.YES:
        yes = as_yes(value)
        return None if yes is None else "yes" if yes else "no"
    if becomes.is_number:
        return as_number(value, becomes)
    if becomes.is_date or becomes in _PARTS:
        date = as_date(value, order)
        return date if date is None or becomes.is_date else _PARTS[becomes](date)
    return value


def _row_names(table: RawTable, mapped: MappedTable) -> TableColumn:
    """What the rows are about: the values of the key, or their numbers where there is none."""
    if not mapped.key:
        names = Texts(typed(f"{mapped.name}_{number}", mapped.type) for number in range(1, table.rows + 1))
        return TableColumn("", names, np.arange(table.rows, dtype=np.int32))
    columns = [_required(table, name) for name in mapped.key]
    if len(columns) == 1:
        return _typed(columns[0], mapped.type)
    parts = zip(*([(*column.values, None)[code] for code in column.codes.tolist()] for column in columns), strict=True)
    # What an empty cell hides is a part of the name only: the row is numbered, and stays.
    whole = (
        f"{mapped.name}_{number}" if None in row else "/".join(map(str, row))
        for number, row in enumerate(parts, start=1)
    )
    return _typed(TableColumn.of("", whole), mapped.type)


def _required(table: RawTable, name: str) -> TableColumn:
    column = table.column(name)
    if column is None:
        there = listed((column.name for column in table.columns), 10)
        raise DataError(
            f"{table.source}: there is no column {name!r}, which the mapping needs; the columns are {there}"
        )
    return column


def _typed(column: TableColumn, type: str) -> TableColumn:
    return replace(column, values=Texts(typed(value, type) for value in column.values))


def _constants(column: TableColumn, type: str, chosen: Codes, builder: Builder, once: set[str]) -> TableColumn:
    """A column of constants of a type; those of the rows that are chosen are listed, if no other column has any."""
    if type not in once:
        return _typed(column, type)
    used = occurring(column.codes[chosen], len(column.values))
    numbers = np.zeros(len(column.values), dtype=np.intc)
    numbers[used] = builder.listed(Texts(typed(column.values[value], type) for value in used.tolist()))
    return replace(column, numbers=numbers)


def _add(builder: Builder, table: RawTable, predicate: str, arguments: Sequence[TableColumn], chosen: Codes) -> None:
    """Add facts of the rows that are chosen."""
    lines = np.asarray(table.lines if len(table.lines) else range(1, table.rows + 1), dtype=np.intc)
    for start in range(0, len(chosen), _BATCH) if chosen.any() else [0]:
        rows = start + np.flatnonzero(chosen[start : start + _BATCH])
        columns = [_given(column, rows) for column in arguments]
        builder.add_coded(predicate, columns, lines[rows], table.source)


def _given(column: TableColumn, rows: npt.NDArray[np.intp]) -> tuple[Sequence[str] | Codes, Codes]:
    """Some rows of a column, as a builder takes them."""
    return column.values if column.numbers is None else column.numbers, column.codes[rows]
