"""Parquet files, and the tables of DuckDB and SQLite files: each table is a predicate, its columns its arguments."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from possilog.data.formats import Format, stem
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.values import text_of, texts
from possilog.errors import FormatError, RowError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["ParquetFiles", "add_columns", "quoted", "read_duckdb", "read_sqlite"]

_BATCH = 20_000


class _Cursor(Protocol):
    """As much of the database interface of Python (PEP 249) as is needed here."""

    @property
    def description(self) -> Sequence[Sequence[object]]: ...

    def fetchmany(self, size: int, /) -> list[tuple[object, ...]]: ...


class ParquetFiles:
    """Reads Parquet files, all with one DuckDB: to start it takes longer than to read a small file."""

    @cached_property
    def _duckdb(self) -> DuckDBPyConnection:
        import duckdb

        return duckdb.connect()

    def read(self, path: Path, source: str, intake: Intake) -> None:
        """Add the rows of a file."""
        import duckdb

        with _told(source, Format.PARQUET, duckdb.Error):
            # DuckDB would take the * and [ of a path for a pattern.
            cursor = self._duckdb.execute("SELECT * FROM read_parquet(?)", [glob.escape(os.fspath(path))])
            _read_rows(cursor, stem(path), source, intake)


def read_duckdb(path: Path, source: str, intake: Intake) -> None:
    """Add the tables of a DuckDB file; outside the main schema a table is called ``schema.table``."""
    import duckdb

    listing = "SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY ALL"
    with _told(source, Format.DUCKDB, duckdb.Error), closing(duckdb.connect(path, read_only=True)) as connection:
        for schema, table, kind in connection.execute(listing).fetchall():
            name = table if schema == "main" else f"{schema}.{table}"
            if kind == "VIEW":
                intake.remark(source, Kind.VIEW, name)
            else:
                cursor = connection.execute(f"SELECT * FROM {quoted(schema)}.{quoted(table)}")
                _read_rows(cursor, name, f"{source}:{name}", intake)


def read_sqlite(path: Path, source: str, intake: Intake) -> None:
    """Add the tables of a SQLite file."""
    import sqlite3

    listing = (
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
        "ESCAPE '\\' ORDER BY name"
    )
    address = f"{path.absolute().as_uri()}?mode=ro"
    with _told(source, Format.SQLITE, sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as connection:
        for table, kind in connection.execute(listing).fetchall():
            if kind == "view":
                intake.remark(source, Kind.VIEW, table)
            else:
                cursor = connection.execute(f"SELECT * FROM {quoted(table)}")
                _read_rows(cursor, table, f"{source}:{table}", intake)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


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


@contextmanager
def _told(source: str, format: Format, kind: type[Exception]) -> Iterator[None]:
    """What a database says is wrong becomes an error of ours."""
    try:
        yield
    except kind as error:
        reason = str(error).strip().split("\n")[0]
        raise FormatError(
            f"{source}: the {format} file cannot be read ({reason}); is it whole, and not in use?"
        ) from None
