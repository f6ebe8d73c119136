"""Results as a table of a database, on a PostgreSQL server or in a DuckDB or SQLite file; whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from possilog.data.servers import Server, is_server, open_server, shown
from possilog.data.sql import open_duckdb, sql_literal, sql_name, sql_told
from possilog.errors import FileError, FormatError
from possilog.files import told

__all__ = ["PLACES", "Value", "check_place", "write_table"]

Value = str | int | float | bool | None
_TYPES = {str: "TEXT", int: "BIGINT", float: "DOUBLE PRECISION", bool: "BOOLEAN"}
_FILES = ("duckdb:", "sqlite:")
_BATCH = 10_000
PLACES = "postgresql://user@host/database/schema, duckdb:FILE or sqlite:FILE"
"""Where tables can be written, in words."""

_Run = Callable[[str, Sequence[Sequence[Value]]], Sequence[object]]
"""Runs a command, once, or for each of several rows; gives what comes of it."""


def check_place(place: str, name: str, *, force: bool) -> None:
    """Refuse now, before anything is computed, what could not be written later."""
    if not is_server(place) and not place.startswith(_FILES):
        raise FormatError(f"{place}: this is no database; name one like {PLACES}")
    with _opened(place) as run:
        _is_there(run, place, name, force)


def write_table(
    place: str, name: str, columns: Mapping[str, type], rows: Sequence[Sequence[Value]], *, force: bool = False
) -> None:
    """Write a table, in one transaction; one of that name is replaced if that is asked for, and else refused."""
    check_place(place, name, force=force)
    schema = _schema(place)
    table = sql_name(name) if schema is None else f"{sql_name(schema)}.{sql_name(name)}"
    with _opened(place) as run:
        if schema is not None and not run(f"SELECT 1 FROM pg_namespace WHERE nspname = {sql_literal(schema)}", ()):
            run(f"CREATE SCHEMA {sql_name(schema)}", ())
        if _is_there(run, place, name, force):
            run(f"DROP TABLE {table}", ())
        typed = ", ".join(f"{sql_name(column)} {_TYPES[type]}" for column, type in columns.items())
        run(f"CREATE TABLE {table} ({typed})", ())
        for begin in range(0, len(rows), _BATCH):
            run(f"INSERT INTO {table} VALUES ", rows[begin : begin + _BATCH])


def _schema(place: str) -> str | None:
    return Server.of(place).schema if is_server(place) else None


def _is_there(run: _Run, place: str, name: str, force: bool) -> bool:
    """Is there a table of that name? It is refused, unless it may be replaced."""
    schema = _schema(place)
    space = "current_schema()" if schema is None else sql_literal(schema)
    asked = f"SELECT 1 FROM information_schema.tables WHERE table_name = {sql_literal(name)} AND table_schema = {space}"
    if place.startswith("sqlite:"):
        asked = f"SELECT 1 FROM sqlite_master WHERE name = {sql_literal(name)}"
    if not run(asked, ()):
        return False
    if not force:
        raise FileError(f"{shown(place)}: there is a table {name} already; give --force to replace it")
    return True


@contextmanager
def _opened(place: str) -> Iterator[_Run]:
    """What runs commands, all in one transaction."""
    if is_server(place):
        with open_server(place, write=True) as cursor:
            yield _runs(cursor.execute, cursor.fetchall)
        return
    path = Path(place.partition(":")[2])
    with told(path, "written"), (_duckdb if place.startswith("duckdb:") else _sqlite)(path) as database:
        database.execute("BEGIN")
        yield _runs(database.execute, database.fetchall)
        database.execute("COMMIT")


@contextmanager
def _duckdb(path: Path) -> Iterator[Any]:
    import duckdb

    with sql_told(duckdb.Error, *_refusal(path)), open_duckdb(path) as connection:
        yield connection


@contextmanager
def _sqlite(path: Path) -> Iterator[Any]:
    import sqlite3

    with sql_told(sqlite3.Error, *_refusal(path)), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection.cursor()


def _refusal(path: Path) -> tuple[str, str]:
    return f"{path}: the table cannot be written", "is it a database, and not in use?"


def _runs(execute: Callable[[str], object], fetch: Callable[[], Sequence[object]]) -> _Run:
    def run(command: str, rows: Sequence[Sequence[Value]]) -> Sequence[object]:
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        execute(f"{command}{values}")
        return fetch() if command.startswith("SELECT") else ()

    return run


def _literal(value: Value) -> str:
    """A value as SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return sql_literal(value) if isinstance(value, str) else repr(value)
