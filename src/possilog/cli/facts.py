"""The facts that a command is asked to work on."""

from __future__ import annotations

from pathlib import Path

from possilog.data import Database, read
from possilog.data.bundled import load, names

__all__ = ["load_facts"]


def load_facts(data: str, header: bool | None = None, encoding: str = "utf-8") -> Database:
    """Read a file or folder; where there is none of that name, the facts of that name that ship with possilog."""
    if data in names() and not Path(data).exists():
        return load(data)
    return read(data, header=header, encoding=encoding)
