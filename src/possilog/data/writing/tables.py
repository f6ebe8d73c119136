"""Facts as tables of Parquet, DuckDB and SQLite: each predicate is one, with a column of text for each argument."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.data.sql import new_duckdb, open_duckdb, sql_literal, sql_name, sql_told
from possilog.data.writing.names import column_names, file_names, plain_names, require_distinct
from possilog.errors import FormatError
from possilog.logic import Predicate

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["columns_of", "write_duckdb", "write_parquet", "write_sqlite"]

_REFUSAL = "the tables cannot be written", "write a .db file instead"


def write_parquet(database: Database, folder: Path) -> None:
    """Write a Parquet file for each predicate."""
    import duckdb

    files = file_names(database.predicates, ".parquet")
    folder.mkdir()
    with sql_told(duckdb.Error, *_REFUSAL), closing(new_duckdb()) as connection:
        for predicate, table in columns_of(database):
            # The file gets a plain name first: SQL has its own ideas about what a path may contain.
            name = _create(connection, "facts", table)
            connection.execute(f"COPY {name} TO {sql_literal(str(folder / 'facts'))} (FORMAT parquet)")
            connection.execute(f"DROP TABLE {name}")
            (folder / "facts").rename(folder / files[predicate])


def write_duckdb(database: Database, path: Path) -> None:
    """Write a DuckDB file."""
    import duckdb

    require_distinct(database.predicates, "tables")
    with sql_told(duckdb.Error, *_REFUSAL), open_duckdb(path) as connection:
        for predicate, table in columns_of(database):
            _create(connection, predicate.name, table)


def write_sqlite(database: Database, path: Path) -> None:
    """Write a SQLite file."""
    import sqlite3

    require_distinct(database.predicates, "tables")
    with sql_told(sqlite3.Error, *_REFUSAL), closing(sqlite3.connect(path)) as connection:
        for predicate, table in columns_of(database):
            columns = ", ".join(f"{sql_name(name)} TEXT" for name in table)
            connection.execute(f"CREATE TABLE {sql_name(predicate.name)} ({columns})")
            places = ", ".join("?" * len(table))
            rows = zip(*(column.tolist() for column in table.values()), strict=True)
            connection.executemany(f"INSERT INTO {sql_name(predicate.name)} VALUES ({places})", rows)
        connection.commit()


def columns_of(database: Database) -> Iterator[tuple[Predicate, dict[str, npt.NDArray[Any]]]]:
    """Each predicate with its columns of constants by name."""
    constants = np.array(plain_names(database), dtype=object)
    for predicate in database.predicates:
        if not predicate.name or "\0" in predicate.name:
            raise FormatError(f"{predicate.name!r} cannot be the name of a table; write a .db file instead")
        names = column_names(database, predicate)
        rows = database.rows(predicate)
        yield predicate, {name: constants[row] for name, row in zip(names, rows, strict=True)}


def _create(connection: DuckDBPyConnection, name: str, table: dict[str, npt.NDArray[Any]]) -> str:
    """Make a table and fill it; gives its name as SQL writes it."""
    columns = ", ".join(f"{sql_name(column)} VARCHAR" for column in table)
    connection.execute(f"CREATE TABLE main.{sql_name(name)} ({columns})")
    if len(next(iter(table.values()))):
        connection.register("possilog rows", table)
        connection.execute(f'INSERT INTO main.{sql_name(name)} SELECT * FROM "possilog rows"')
        connection.unregister("possilog rows")
    return f"main.{sql_name(name)}"
