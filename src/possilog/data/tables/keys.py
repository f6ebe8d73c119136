"""Keys and foreign keys: declared where the source declares them, else found by uniqueness, names and containment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from possilog.data.tables.columns import is_whole
from possilog.data.tables.table import RawTable, TableColumn
from possilog.logic.spelling import folded

__all__ = ["Referred", "find_keys", "find_references"]

_CONTAINED = 0.9
"""The share of a column's values that are keys of a table: then it refers to it, whatever it is called."""
_CONTAINED_BY_NAME = 0.5
"""The same for columns that are called like the key or its table."""
_FEW_VALUES = 3
_LONG_NAME = 60
_GENERIC = {"id", "key", "code", "name", "nr", "no", "number", "index", "title", "label", "type", "value", "row", ""}
_ID = re.compile(r"(?:.*[_\W])?(?:id|key|code|uuid|guid|nr|no|number)|.*[a-z]I[dD]")


@dataclass(frozen=True, slots=True)
class Referred:
    """A column that refers to a table, and how many of its values are no keys there."""

    table: str
    dangling: int


def find_keys(tables: Sequence[RawTable]) -> dict[str, tuple[str, ...]]:
    """The key of each table: a declared one, or the likeliest column that tells all rows apart, if there is one."""
    names = {folded(column.name) for table in tables for column in table.columns}
    shared = {name for name in names if sum(_has(table, name) for table in tables) > 1}
    return {table.name: table.key or _likeliest(table, shared) for table in tables}


def _has(table: RawTable, name: str) -> bool:
    return any(folded(column.name) == name for column in table.columns)


def _likeliest(table: RawTable, shared: set[str]) -> tuple[str, ...]:
    unique = [column for column in table.columns if column.is_unique and _can_be_key(column)]
    own = {f"{name}{end}" for name in _spellings(table.name) for end in ("", "id", "key", "code", "no", "nr")}
    for choice in (
        [column for column in unique if folded(column.name) in {"id", "key", *own}],
        [column for column in unique if column is table.columns[0]],
        [column for column in unique if folded(column.name) in shared - _GENERIC],
        [column for column in unique if _ID.fullmatch(column.name)],
    ):
        if choice:
            return (choice[0].name,)
    return ()


def _can_be_key(column: TableColumn) -> bool:
    if is_whole(column):
        return True
    dates = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b.*|[+-]?\d*\.?\d+(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
    long = sum(map(len, column.values)) > _LONG_NAME * len(column.values)
    return not long and not all(map(dates.fullmatch, column.values))


def find_references(tables: Sequence[RawTable], keys: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, str], Referred]:
    """The table that each column refers to, by its table and name; columns that refer to none are not in it."""
    targets = {table.name: column for table in tables if (column := _single(table, keys[table.name])) is not None}
    held = {name: frozenset(column.values) for name, column in targets.items()}
    sizes = {table.name: (-table.rows, table.name) for table in tables}
    found = {}
    for table in tables:
        for column in table.columns:
            is_key = keys[table.name] == (column.name,)
            choices = list(_choices(table, column, targets, held))
            if is_key:  # it may extend a larger table, but two tables do not extend each other
                choices = [each for each in choices if sizes[each[1]] < sizes[table.name]]
            if choices:
                _, name, inside = max(choices, key=lambda each: (each[0], -sizes[each[1]][0]))
                found[table.name, column.name] = Referred(name, len(column.values) - inside)
    return found


def _single(table: RawTable, key: tuple[str, ...]) -> TableColumn | None:
    return table.column(key[0]) if len(key) == 1 else None


def _choices(
    table: RawTable, column: TableColumn, targets: Mapping[str, TableColumn], held: Mapping[str, frozenset[str]]
) -> Iterator[tuple[tuple[bool, bool, float], str, int]]:
    """The tables that a column may refer to: how likely, which one, and how many values are keys there."""
    declared = {foreign.table for foreign in table.foreign_keys if foreign.columns == (column.name,)}
    for name, key in targets.items():
        if (name == table.name and key.name == column.name) or not column.values:
            continue
        inside = sum(value in held[name] for value in column.values)
        share = inside / len(column.values)
        by_name = _is_called_like(column.name, name, key.name)
        if name in declared or _refers(column, share, by_name=by_name, is_own=name == table.name):
            yield (name in declared, by_name, share), name, inside


def _refers(column: TableColumn, share: float, *, by_name: bool, is_own: bool) -> bool:
    if by_name and share >= _CONTAINED_BY_NAME:
        return True
    if 2 * sum(map(str.isdecimal, column.values)) > len(column.values):  # small numbers are keys of any table
        return is_own and share == 1 and _ID.fullmatch(column.name) is not None and len(column.values) >= _FEW_VALUES
    return share >= _CONTAINED and len(column.values) >= _FEW_VALUES


def _is_called_like(column: str, table: str, key: str) -> bool:
    """Does a column's name speak of a table: by the name of its key, or by its own?"""
    name, key_name = folded(column), folded(key)
    if name == key_name and name not in _GENERIC:
        return True
    about = _spellings(table)
    return name in about or any(name == f"{one}{end}" for one in about for end in (key_name, "id", "key", "code", "no"))


def _spellings(table: str) -> set[str]:
    """A table's name, and what one of its rows would be called."""
    name = folded(table.rpartition(".")[2])
    singular = {name.removesuffix("s"), name.removesuffix("es")}
    if name.endswith("ies"):
        singular.add(f"{name[:-3]}y")
    return {name, *singular} - {""}
