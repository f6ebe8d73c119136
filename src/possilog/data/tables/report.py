"""What becomes of tables, for people to read, and what they may want to change."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, groupby

from possilog.data.database import Database
from possilog.errors import shortened
from possilog.logic import Becomes, MappedColumn, MappedTable, TableMapping
from possilog.logic.spelling import folded, plain, type_of

__all__ = ["mapping_lines", "shared_types"]

_SHARED = 0.5
"""The share of the smaller type's spellings that two types have in common: then they may be one."""
_FEW = 3
_MOST = 10


def mapping_lines(mapping: TableMapping) -> Iterator[str]:
    """Each table with its key, and what each of its columns became."""
    for table in mapping.tables:
        yield _heading(table)
        width = max((len(column.name) for column in table.columns), default=0)
        for column in table.columns:
            yield f"    {column.name:<{width}}  {_became(table, column)}"


def _heading(table: MappedTable) -> str:
    if table.relation:
        return f"{table.name}: the relation {table.relation}"
    if not table.key:
        return f"{table.name}: no key, so rows are numbered ({table.name}_1, {table.name}_2, ...)"
    about = f", about {table.type}" if table.type != table.name else ""
    return f"{table.name}: key {', '.join(table.key)}{about}"


def _became(table: MappedTable, column: MappedColumn) -> str:
    note = f"; {column.note}" if column.note else ""
    if column.becomes is Becomes.LEFT_OUT:
        return f"left out: {column.note}"
    if table.relation:
        return f"refers to {column.type}{note}"
    if column.becomes is Becomes.YES:
        return f"{column.predicate}({table.type}){note}"
    kind = {Becomes.REFERENCE: f"refers to {column.type}", Becomes.VALUE: "a name"}.get(column.becomes)
    said = kind or f"a {column.becomes.partition('_')[0]}"
    return f"{column.predicate}({table.type}, {column.type}): {said}{note}"


def shared_types(database: Database) -> list[str]:
    """Types that share many spellings: advice to make them one, if they are meant to be."""
    sizes = Counter(map(type_of, database.names))
    shared: dict[tuple[str, str], set[str]] = defaultdict(set)
    for spelling, alike in groupby(database.names, plain):  # what is spelled alike is together, as names are in order
        for pair in combinations(map(type_of, alike), 2):
            shared[pair].add(spelling)
    unasked = {"", *_parts_of_dates(database)}  # that two months are called alike is no news
    found = []
    for (one, other), both in sorted(shared.items()):
        if not unasked.isdisjoint((one, other)) or not _comparable(one, other, database.numbers):
            continue
        small = min(sizes[one], sizes[other])
        if len(both) >= _FEW and len(both) >= _SHARED * small and not _are_numbered(both, one, other):
            said = f"{one} and {other} share {len(both):,} of {small:,} spellings, first {shortened(min(both), 40)}"
            found.append(f'{said}; if they are one kind of thing, write type = "{one}" for both in a mapping')
    more = len(found) - _MOST
    return found[:_MOST] + ([f"and {more:,} more pairs of types share spellings"] if more > 0 else [])


def _parts_of_dates(database: Database) -> set[str]:
    tables = database.mapping.tables if database.mapping else ()
    parts = (Becomes.YEAR, Becomes.MONTH, Becomes.WEEKDAY)
    return {column.type for table in tables for column in table.columns if column.becomes in parts}


def _are_numbered(spellings: set[str], one: str, other: str) -> bool:
    """Are they whole numbers, as keys of any table are, and nothing else speaks for one kind of thing?"""
    return all(map(str.isdecimal, spellings)) and not _alike(one, other)


def _comparable(one: str, other: str, numbers: frozenset[str]) -> bool:
    """Numbers are spelled alike whatever they count; those of equal names may be one thing all the same."""
    if one not in numbers and other not in numbers:
        return True
    return one in numbers and other in numbers and _alike(one, other)


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((folded(one), folded(other)), key=len)
    return longer.endswith(shorter)
