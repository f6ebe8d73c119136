"""Several files or folders, each of which is a part of the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from possilog.data.database import Database
from possilog.data.servers import conceal
from possilog.logic import TableMapping

__all__ = ["Read", "in_parts"]

Read = Callable[[Sequence[str], TableMapping | None], Database]
"""Reads some paths together."""


def in_parts(paths: Sequence[str], read: Read) -> dict[str, Database]:
    """The facts by path. The same tables in several folders are read alike; different tables are one part together."""
    paths = list(map(conceal, paths))
    parts = {path: read([path], None) for path in paths}
    mappings = [part.mapping for part in parts.values() if part.mapping is not None]
    if len(parts) == 1 or not mappings:
        return parts
    if len(mappings) == len(parts) and len({_names(mapping) for mapping in mappings}) == 1:
        return {
            path: part if part.mapping == mappings[0] else read([path], mappings[0]) for path, part in parts.items()
        }
    return {", ".join(parts): read(paths, None)}


def _names(mapping: TableMapping) -> frozenset[str]:
    return frozenset(table.name for table in mapping.tables)
