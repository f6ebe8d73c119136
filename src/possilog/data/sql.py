"""What reading and writing tables with SQL have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from possilog.errors import FormatError, shortened

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FACTS", "new_duckdb", "open_duckdb", "sql_literal", "sql_name", "sql_told"]

FACTS = "facts"
"""What an open DuckDB file is called inside, whatever its own name: some names mean something else to DuckDB."""

_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
}
"""Nothing is fetched from the network, and no code is loaded, whatever a file asks for. One thread is enough, as it is
Python that takes the rows, and each has its buffers."""


def new_duckdb() -> DuckDBPyConnection:
    """A DuckDB of its own, in memory."""
    import duckdb

    connection = duckdb.connect(config=_ALONE)
    connection.execute("SET enable_progress_bar = false")  # it would print, after two seconds
    return connection


@contextmanager
def open_duckdb(path: Path, *, read_only: bool = False) -> Iterator[DuckDBPyConnection]:
    """A DuckDB in which one file is open, as ``FACTS``, and no other can be.

    By its absolute path: a name that begins with ``md:`` or ``postgres:`` would be taken for a place in the network.
    """
    with closing(new_duckdb()) as connection:
        mode = ", READ_ONLY" if read_only else ""
        connection.execute(f"ATTACH {sql_literal(os.path.abspath(path))} AS {FACTS} (TYPE duckdb{mode})")
        connection.execute(f"USE {FACTS}")
        connection.execute("SET enable_external_access = false")
        yield connection


def sql_name(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def sql_told(kind: type[Exception] | tuple[type[Exception], ...], problem: str, remedy: str) -> Iterator[None]:
    """What a database refuses becomes an error of ours, which gives the first line of its reason."""
    try:
        yield
    except kind as error:
        reason = shortened(str(error).strip().split("\n")[0])
        raise FormatError(f"{problem} ({reason}); {remedy}") from None
