"""Parquet files, and the tables of DuckDB and SQLite files: each table is a predicate, its columns its arguments."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from possilog.data.formats import Format, stem
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.values import text_of, texts
from possilog.data.sql import FACTS, new_duckdb, open_duckdb, sql_literal, sql_name, sql_told
from possilog.errors import RowError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["ParquetFiles", "add_columns", "read_duckdb", "read_sqlite"]

_BATCH = 20_000
# SQLite's extensions for searching text (FTS) and regions (R-tree) keep the content of a virtual table in plain ones,
# whose names are its own with these endings. The empty one stands for the table itself.
_FTS = ("_content", "_segments", "_segdir", "_docsize", "_stat", "_data", "_idx", "_config")
_VIRTUAL = ("", *_FTS, "_node", "_parent", "_rowid")


class _Cursor(Protocol):
    """As much of the database interface of Python (PEP 249) as is needed here."""

    @property
    def description(self) -> Sequence[Sequence[object]]: ...

    def fetchmany(self, size: int, /) -> list[tuple[object, ...]]: ...


class ParquetFiles:
    """Reads Parquet files, all with one DuckDB: to start it takes longer than to read a small file."""

    @cached_property
    def _duckdb(self) -> DuckDBPyConnection:
        return new_duckdb()

    def read(self, path: Path, source: str, intake: Intake) -> None:
        """Add the rows of a file."""
        import duckdb

        with sql_told(duckdb.Error, *_refusal(source, Format.PARQUET)):
            # DuckDB would take the * and [ of a path for a pattern.
            pattern = glob.escape(os.path.abspath(path))
            # Folders called like year=2020 are no columns: what is in a file does not depend on where it lies.
            rows = "read_parquet(?, hive_partitioning = false)", [pattern]
            _read_rows(_as_text(self._duckdb, *rows), stem(path), source, intake)


def read_duckdb(path: Path, source: str, intake: Intake) -> None:
    """Add the tables of a DuckDB file; outside the main schema a table is called ``schema.table``."""
    import duckdb

    listing = (
        "SELECT table_schema, table_name, table_type FROM system.information_schema.tables "
        f"WHERE table_catalog = {sql_literal(FACTS)} ORDER BY ALL"
    )
    with (
        sql_told(duckdb.Error, *_refusal(source, Format.DUCKDB)),
        open_duckdb(path, read_only=True) as connection,
    ):
        for schema, table, kind in connection.execute(listing).fetchall():
            name = table if schema == "main" else f"{schema}.{table}"
            if kind == "VIEW":
                intake.remark(source, Kind.VIEW, name)
            else:
                cursor = _as_text(connection, f"{FACTS}.{sql_name(schema)}.{sql_name(table)}")
                _read_rows(cursor, name, f"{source}:{name}", intake)


def _as_text(connection: DuckDBPyConnection, table: str, parameters: Sequence[str] = ()) -> _Cursor:
    """The rows of a table as text, made by DuckDB: some types cannot leave it without further packages, or at all.

    Only floating-point numbers are left to Python.
    """
    connection.execute("SET TimeZone = 'UTC'")  # the same text everywhere
    columns = []
    for name, type, *_ in connection.execute(f"DESCRIBE SELECT * FROM {table}", parameters).fetchall():
        text = f"CAST({sql_name(name)} AS VARCHAR)"
        if type.startswith("TIMESTAMP"):
            text = f"replace({text}, ' ', 'T')"  # as ISO writes it
        columns.append(sql_name(name) if type in ("FLOAT", "DOUBLE") else f"{text} AS {sql_name(name)}")
    return connection.execute(f"SELECT {', '.join(columns)} FROM {table}", parameters)


def read_sqlite(path: Path, source: str, intake: Intake) -> None:
    """Add the tables of a SQLite file."""
    import sqlite3

    listing = (
        "SELECT name, type = 'view', sql LIKE 'CREATE VIRTUAL %' FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    address = f"{path.absolute().as_uri()}?mode=ro"
    with (
        # the schema of a damaged file may be no text
        sql_told((sqlite3.Error, UnicodeDecodeError), *_refusal(source, Format.SQLITE)),
        closing(sqlite3.connect(address, uri=True)) as connection,
    ):
        tables = connection.execute(listing).fetchall()
        virtual = {f"{table}{end}" for table, _, is_virtual in tables if is_virtual for end in _VIRTUAL}
        for table, is_view, _ in tables:
            if is_view or table in virtual:
                intake.remark(source, Kind.VIEW if is_view else Kind.VIRTUAL, table)
            else:
                cursor = connection.execute(f"SELECT * FROM {sql_name(table)}")
                _read_rows(cursor, table, f"{source}:{table}", intake)


def _refusal(source: str, format: Format) -> tuple[str, str]:
    return f"{source}: the {format} file cannot be read", "is it whole, and not in use?"


def add_columns(
    name: str, columns: Sequence[Sequence[object]], rows: Sequence[int], source: str, intake: Intake
) -> None:
    """Add the values of some columns as text, or say in which row a value is that has none."""
    try:
        intake.add([name] * len(rows), [texts(column) for column in columns], rows, source)
    except TypeError:
        for row, values in zip(rows, zip(*columns, strict=True), strict=True):
            for value in values:
                try:
                    text_of(value)
                except TypeError as error:
                    raise RowError(f"{source}:{row}: {error}; make it text or numbers") from None
        raise


def _read_rows(cursor: _Cursor, name: str, source: str, intake: Intake) -> None:
    intake.count_rows(source)
    intake.builder.name_arguments(name, [str(column[0]) for column in cursor.description], source=source)
    first = 1
    while batch := cursor.fetchmany(_BATCH):
        columns = list(zip(*batch, strict=True))
        add_columns(name, columns, range(first, first + len(batch)), source, intake)
        first += len(batch)
