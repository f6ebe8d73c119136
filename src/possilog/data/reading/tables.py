"""Parquet files, and the tables of DuckDB and SQLite files."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from possilog.data.formats import Format, stem
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.sheets import Sheet
from possilog.data.reading.values import text_of, texts
from possilog.data.sql import FACTS, new_duckdb, open_duckdb, sql_literal, sql_name, sql_told
from possilog.data.tables import ForeignKey, TableColumn, coded
from possilog.errors import FormatError, RowError

if TYPE_CHECKING:
    import sqlite3

    from duckdb import DuckDBPyConnection

__all__ = ["ParquetFiles", "add_columns", "as_texts", "duckdb_sheets", "sqlite_sheets"]

_BATCH = 20_000
# SQLite's extensions for searching text (FTS) and regions (R-tree) keep the content of a virtual table in plain ones,
# whose names are its own with these endings. The empty one stands for the table itself.
_FTS = ("_content", "_segments", "_segdir", "_docsize", "_stat", "_data", "_idx", "_config")
_VIRTUAL = ("", *_FTS, "_node", "_parent", "_rowid")

# How DuckDB tells a foreign key: FOREIGN KEY (origin) REFERENCES airports(faa)
_REFERENCES = re.compile(r'\bREFERENCES\s+(?:"((?:[^"]|"")+)"|(\w+))\s*\(')
_Told = Callable[[], AbstractContextManager[None]]
"""What is refused inside becomes an error of ours."""


class _Cursor(Protocol):
    """As much of the database interface of Python (PEP 249) as is needed here."""

    @property
    def description(self) -> Sequence[Sequence[object]]: ...

    def fetchmany(self, size: int, /) -> list[tuple[object, ...]]: ...


class ParquetFiles:
    """Reads Parquet files, all with one DuckDB: to start it takes longer than to read a small file."""

    def __init__(self, open_files: ExitStack) -> None:
        """Begin with none; what closes these files ends DuckDB."""
        self._open_files = open_files

    @cached_property
    def _duckdb(self) -> DuckDBPyConnection:
        return self._open_files.enter_context(closing(new_duckdb()))

    def folder(self, folder: Path) -> list[Sheet]:
        """The tables of a folder: its files and folders, or it is one itself, if its parts are called ``year=2020``."""
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        if any(path.is_dir() and "=" in path.name for path in inside):
            inside = [folder]
        tables = [path for path in inside if path.is_dir() or path.suffix.lower() == ".parquet"]
        if not tables:
            raise FormatError(f"{folder}: there is no Parquet file in this folder; name another")
        return [self.sheet(path, os.fspath(path), in_parts=path.is_dir()) for path in tables]

    def sheet(self, path: Path, source: str, *, in_parts: bool = False) -> Sheet:
        """The table of a file, or of a folder of files in which folders called like year=2020 are columns."""
        # DuckDB would take the * and [ of a path for a pattern.
        pattern = glob.escape(os.path.abspath(path)) + ("/**/*.parquet" if in_parts else "")
        # Else what is in a file does not depend on where it lies.
        rows = f"read_parquet(?, hive_partitioning = {in_parts}, union_by_name = {in_parts})"
        told = _duckdb_told(source, Format.PARQUET)
        return _sheet(stem(path), source, lambda wanted: _as_text(self._duckdb, rows, wanted, [pattern]), told)


def duckdb_sheets(path: Path, source: str, intake: Intake, open_files: ExitStack) -> list[Sheet]:
    """The tables of a DuckDB file; outside the main schema a table is called ``schema.table``."""
    listing = (
        "SELECT table_schema, table_name, table_type FROM system.information_schema.tables "
        f"WHERE table_catalog = {sql_literal(FACTS)} ORDER BY ALL"
    )
    told, sheets = _duckdb_told(source, Format.DUCKDB), []
    with told():
        connection = open_files.enter_context(open_duckdb(path, read_only=True))
        connection.execute("BEGIN TRANSACTION")  # so that all tables are of one state
        keys = _duckdb_keys(connection)
        for schema, table, kind in connection.execute(listing).fetchall():
            name = table if schema == "main" else f"{schema}.{table}"
            if kind == "VIEW":
                intake.remark(source, Kind.VIEW, name)
                continue
            place = f"{FACTS}.{sql_name(schema)}.{sql_name(table)}"
            opened = partial(_as_text, connection, place)
            sheets.append(_sheet(name, f"{source}:{name}", opened, told, *keys.get((schema, table), ())))
    return sheets


def _duckdb_told(source: str, format: Format) -> _Told:
    import duckdb

    return lambda: sql_told(duckdb.Error, *_refusal(source, format))


def _duckdb_keys(connection: DuckDBPyConnection) -> dict[tuple[str, str], tuple[tuple[str, ...], list[ForeignKey]]]:
    """The primary key and the foreign keys of each table, by schema and name."""
    found: dict[tuple[str, str], tuple[tuple[str, ...], list[ForeignKey]]] = {}
    listing = (
        "SELECT schema_name, table_name, constraint_type, constraint_column_names, constraint_text "
        f"FROM duckdb_constraints() WHERE database_name = {sql_literal(FACTS)} ORDER BY ALL"
    )
    for schema, table, kind, columns, text in connection.execute(listing).fetchall():
        key, foreign = found.get((schema, table), ((), []))
        if kind == "PRIMARY KEY":
            key = tuple(columns)
        elif kind == "FOREIGN KEY" and (target := _REFERENCES.search(text)):
            foreign.append(ForeignKey(tuple(columns), target[2] or target[1].replace('""', '"')))
        found[schema, table] = key, foreign
    return found


def _as_text(
    connection: DuckDBPyConnection, table: str, wanted: Sequence[str] | None, parameters: Sequence[str] = ()
) -> _Cursor:
    """The rows of a table as text, made by DuckDB: some types cannot leave it without further packages, or at all.

    Only floating-point numbers are left to Python. Without a list of columns, all are meant.
    """
    connection.execute("SET TimeZone = 'UTC'")  # the same text everywhere
    columns = []
    for name, type, *_ in connection.execute(f"DESCRIBE SELECT * FROM {table}", parameters).fetchall():
        if wanted is not None and name not in wanted:
            continue
        text = f"CAST({sql_name(name)} AS VARCHAR)"
        if type.startswith("TIMESTAMP"):
            text = f"replace({text}, ' ', 'T')"  # as ISO writes it
        columns.append(sql_name(name) if type in ("FLOAT", "DOUBLE") else f"{text} AS {sql_name(name)}")
    return connection.execute(f"SELECT {', '.join(columns)} FROM {table}", parameters)


def sqlite_sheets(path: Path, source: str, intake: Intake, open_files: ExitStack) -> list[Sheet]:
    """The tables of a SQLite file."""
    import sqlite3

    listing = (
        "SELECT name, type = 'view', sql LIKE 'CREATE VIRTUAL %' FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    sheets = []

    def told() -> AbstractContextManager[None]:
        # the schema of a damaged file may be no text
        return sql_told((sqlite3.Error, UnicodeDecodeError), *_refusal(source, Format.SQLITE))

    with told():
        address = f"{path.absolute().as_uri()}?mode=ro"
        connection = open_files.enter_context(closing(sqlite3.connect(address, uri=True)))
        connection.execute("BEGIN")  # so that all tables are of one state
        tables = connection.execute(listing).fetchall()
        virtual = {f"{table}{end}" for table, _, is_virtual in tables if is_virtual for end in _VIRTUAL}
        for table, is_view, _ in tables:
            if is_view or table in virtual:
                intake.remark(source, Kind.VIEW if is_view else Kind.VIRTUAL, table)
                continue
            opened = partial(_of_sqlite, connection, table)
            sheets.append(_sheet(table, f"{source}:{table}", opened, told, *_sqlite_keys(connection, table)))
    return sheets


def _of_sqlite(connection: sqlite3.Connection, table: str, wanted: Sequence[str] | None) -> _Cursor:
    """The rows of a table, or some of their columns."""
    columns = "*" if wanted is None else ", ".join(map(sql_name, wanted))
    return connection.execute(f"SELECT {columns} FROM {sql_name(table)}")


def _sqlite_keys(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], list[ForeignKey]]:
    """The primary key and the foreign keys of a table."""
    columns = connection.execute(f"PRAGMA table_info({sql_name(table)})").fetchall()
    key = tuple(name for _, name in sorted((column[5], column[1]) for column in columns if column[5]))
    foreign: dict[int, ForeignKey] = {}
    for number, _, target, column, *_ in connection.execute(f"PRAGMA foreign_key_list({sql_name(table)})"):
        before = foreign[number].columns if number in foreign else ()
        foreign[number] = ForeignKey((*before, column), target)
    return key, list(foreign.values())


def _sheet(
    name: str,
    source: str,
    opened: Callable[[Sequence[str] | None], _Cursor],
    told: _Told,
    key: tuple[str, ...] = (),
    foreign_keys: Sequence[ForeignKey] = (),
) -> Sheet:
    with told():
        labels = tuple(str(column[0]) for column in opened(None).description)

    def add_facts(intake: Intake) -> None:
        with told():
            _read_rows(opened(None), labels, name, source, intake)

    def columns(wanted: Sequence[str]) -> list[TableColumn]:
        with told():
            return coded(wanted, (as_texts(batch, rows, source) for rows, batch in _batches(opened(wanted))))

    file = source.removesuffix(f":{name}")
    return Sheet(name, source, labels, add_facts, columns, key, tuple(foreign_keys), file=file)


def _refusal(source: str, format: Format) -> tuple[str, str]:
    return f"{source}: the {format} file cannot be read", "is it whole, and not in use?"


def add_columns(
    name: str, columns: Sequence[Sequence[object]], rows: Sequence[int], source: str, intake: Intake
) -> None:
    """Add the values of some columns as text."""
    intake.add([name] * len(rows), as_texts(columns, rows, source), rows, source)


def as_texts(columns: Sequence[Sequence[object]], rows: Sequence[int], source: str) -> list[Sequence[str | None]]:
    """The values of some columns as text; an error says in which row a value is that has none."""
    try:
        return [texts(column) for column in columns]
    except TypeError:
        for row, values in zip(rows, zip(*columns, strict=True), strict=True):
            for value in values:
                try:
                    text_of(value)
                except TypeError as error:
                    raise RowError(f"{source}:{row}: {error}; make it text or numbers") from None
        raise


def _read_rows(cursor: _Cursor, labels: Sequence[str], name: str, source: str, intake: Intake) -> None:
    intake.count_rows(source)
    intake.builder.name_arguments(name, labels, source=source)
    for rows, columns in _batches(cursor):
        add_columns(name, columns, rows, source, intake)


def _batches(cursor: _Cursor) -> Iterator[tuple[range, list[tuple[object, ...]]]]:
    """The columns of some rows at a time, and the numbers of these rows."""
    first = 1
    while batch := cursor.fetchmany(_BATCH):
        rows = range(first, first + len(batch))
        yield rows, list(zip(*batch, strict=True))
        first = rows.stop
