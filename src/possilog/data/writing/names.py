"""Names that files, tables and columns can have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from possilog.data.database import Database
from possilog.errors import FormatError
from possilog.files import folded, is_safe_name
from possilog.logic import Predicate
from possilog.logic.spelling import plain

__all__ = ["column_names", "file_names", "plain_names", "require_distinct"]

# A mark at the beginning would be taken for a byte order mark; halves of characters cannot be encoded.
_BAD_IN_COLUMNS = re.compile("^$|^\ufeff|[\0\ud800-\udfff]")


def column_names(
    database: Database, predicate: Predicate, is_taken: Callable[[str], bool] = lambda name: False
) -> list[str]:
    """A name for each argument: the source's own where it can serve, else ``argument1`` and so on.

    No two are equal, not even when case is ignored.
    """
    if not predicate.arity:
        raise FormatError(f"{predicate} has no arguments, and a table needs a column; write a .db file instead")
    own = database.argument_names(predicate) or ("",) * predicate.arity
    names: dict[str, str] = {}
    for place, name in enumerate(own, start=1):
        fallback = f"argument{place}"
        while _BAD_IN_COLUMNS.search(name) or is_taken(name) or folded(name) in names:
            name, fallback = fallback, f"{fallback}_"
        names[folded(name)] = name
    return list(names.values())


def plain_names(database: Database) -> list[str]:
    """The constants as people spell them, in the order of their numbers."""
    return [plain(name) for name in database.constants]


def file_names(predicates: Iterable[Predicate], extension: str) -> dict[Predicate, str]:
    """The name of each predicate's file."""
    predicates = list(predicates)
    require_distinct(predicates, "files of one folder")
    for predicate in predicates:
        if not is_safe_name(predicate.name):
            raise FormatError(
                f"the predicate {predicate.name!r} cannot be the name of a file; write a .db or .duckdb file instead"
            )
    return {predicate: f"{predicate.name}{extension}" for predicate in predicates}


def require_distinct(predicates: Iterable[Predicate], where: str) -> None:
    """Refuse names that only case tells apart, since many file systems and databases cannot."""
    seen: dict[str, Predicate] = {}
    for predicate in predicates:
        other = seen.setdefault(folded(predicate.name), predicate)
        if other != predicate:
            raise FormatError(
                f"{other.name!r} and {predicate.name!r} cannot both be names of {where}, where case may not count; "
                "write a .db file instead"
            )
