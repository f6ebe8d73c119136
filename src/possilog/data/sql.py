"""What reading and writing tables with SQL have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from possilog.errors import FormatError

__all__ = ["quoted", "sql_told"]


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def sql_told(kind: type[Exception], problem: str, remedy: str) -> Iterator[None]:
    """What a database refuses becomes an error of ours, which gives the first line of its reason."""
    try:
        yield
    except kind as error:
        reason = str(error).strip().split("\n")[0]
        raise FormatError(f"{problem} ({reason}); {remedy}") from None
