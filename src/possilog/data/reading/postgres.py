"""The tables of a PostgreSQL database, read where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import groupby
from typing import Any

from possilog.data.reading.arrow import coded_batches
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.sheets import Sheet
from possilog.data.reading.tables import add_columns
from possilog.data.servers import Server, open_server, shown
from possilog.data.sql import sql_literal, sql_name
from possilog.data.tables import ForeignKey, TableColumn
from possilog.errors import DataError, listed

__all__ = ["postgres_sheets"]

_PLAIN = "BDEINSTV"
"""The categories of types whose values are one thing each: yes or no, dates, enumerations, addresses, numbers, text,
times, bits."""

_COLUMNS = """
SELECT s.nspname, t.relname, t.relkind::text, c.attname, y.typname, y.typcategory::text
FROM pg_class t JOIN pg_namespace s ON s.oid = t.relnamespace
JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
JOIN pg_type y ON y.oid = c.atttypid
WHERE t.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT t.relispartition AND s.nspname {which}
ORDER BY s.nspname, t.relname, c.attnum
"""
_KEYS = """
SELECT s.nspname, t.relname, k.conname, k.contype::text, r.relname, c.attname
FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_namespace s ON s.oid = t.relnamespace
CROSS JOIN unnest(k.conkey) WITH ORDINALITY p(number, place)
JOIN pg_attribute c ON c.attrelid = k.conrelid AND c.attnum = p.number
LEFT JOIN pg_class r ON r.oid = k.confrelid
WHERE k.contype IN ('p', 'f') AND s.nspname {which}
ORDER BY s.nspname, t.relname, k.conname, p.place
"""
_SYSTEM = "NOT IN ('pg_catalog', 'information_schema', 'pg_toast')"
_Keys = dict[tuple[str, str], tuple[tuple[str, ...], list[ForeignKey]]]


def postgres_sheets(name: str, intake: Intake, open_files: ExitStack) -> list[Sheet]:
    """The tables of a database, or of one schema; those outside ``public`` are called ``schema.table``.

    The connection stays open, in one transaction, until all is read, so that all tables are of one state.
    """
    schema = Server.of(name).schema
    which = _SYSTEM if schema is None else f"= {sql_literal(schema)}"
    cursor = open_files.enter_context(open_server(name))
    keys = _keys(cursor, which)
    cursor.execute(_COLUMNS.format(which=which))
    found = []
    for (space, table, kind), columns in groupby(cursor.fetchall(), key=lambda row: row[:3]):
        called = table if space in ("public", schema) else f"{space}.{table}"
        if kind not in "rp":
            intake.remark(shown(name), Kind.VIEW, called)
            continue
        place = f"{sql_name(space)}.{sql_name(table)}"
        types = {column: (type, category) for *_, column, type, category in columns}
        found.append(_sheet(cursor, name, called, place, types, keys.get((space, table), ((), [])), intake))
    if schema is not None and not found:
        raise DataError(f"{shown(name)}: there are no tables in the schema {schema}; check its name")
    return found


def _keys(cursor: Any, which: str) -> _Keys:
    """The primary key and the foreign keys of each table, by schema and name."""
    cursor.execute(_KEYS.format(which=which))
    found: _Keys = {}
    for (space, table, _, kind, target), rows in groupby(cursor.fetchall(), key=lambda row: row[:5]):
        key, foreign = found.get((space, table), ((), []))
        columns = tuple(column for *_, column in rows)
        if kind == "p":
            key = columns
        else:
            foreign.append(ForeignKey(columns, target))
        found[space, table] = key, foreign
    return found


def _sheet(
    cursor: Any,
    name: str,
    called: str,
    place: str,
    types: dict[str, tuple[str, str]],
    keys: tuple[tuple[str, ...], list[ForeignKey]],
    intake: Intake,
) -> Sheet:
    source = f"{shown(name)}:{called}"
    taken = {column: type for column, (type, category) in types.items() if category in _PLAIN or type == "uuid"}
    if odd := [f"{column} ({types[column][0]})" for column in types if column not in taken]:
        intake.remark(source, Kind.ODD_TYPE, listed(odd), len(odd))

    def question(wanted: Sequence[str]) -> str:
        texts = [f"{_as_text(column, taken[column])} AS {sql_name(column)}" for column in wanted]
        return f"SELECT {', '.join(texts)} FROM {place}"

    def columns(wanted: Sequence[str]) -> list[TableColumn]:
        return coded_batches(wanted, _batches(cursor, question(wanted)))

    labels = tuple(taken)
    key = keys[0] if set(keys[0]) <= set(taken) else ()
    add_facts = partial(_add_facts, cursor, question(labels), called, labels, source)
    return Sheet(called, source, labels, add_facts, columns, key, tuple(keys[1]))


def _as_text(column: str, type: str) -> str:
    text = f"CAST({sql_name(column)} AS text)"
    return f"replace({text}, ' ', 'T')" if type.startswith("timestamp") else text  # as ISO writes it


def _batches(cursor: Any, question: str) -> Iterator[Any]:
    """The rows of a table, some at a time."""
    cursor.execute(question)
    yield from cursor.fetch_record_batch()


def _add_facts(cursor: Any, question: str, name: str, labels: tuple[str, ...], source: str, intake: Intake) -> None:
    """Add the rows of a table as facts of one predicate."""
    intake.count_rows(source)
    intake.builder.name_arguments(name, labels, source=source)
    first = 1
    for batch in _batches(cursor, question):
        rows = range(first, first + batch.num_rows)
        add_columns(name, [column.to_pylist() for column in batch.columns], rows, source, intake)
        first = rows.stop
