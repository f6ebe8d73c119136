"""Mappings of tables as text that people can change: TOML, a line for each column."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from possilog.errors import FormatError, TheoryError, represented, shortened
from possilog.files import AnyPath, read_bytes, require_path, write_atomically
from possilog.logic import Becomes, MappedColumn, MappedTable, TableMapping
from possilog.logic.spelling import quoted

__all__ = ["mapping_text", "parse_mapping", "read_mapping", "write_mapping"]

_EXPLAINED = """\
# How tables are read as facts. A row is about its key, and without a key ([]) about itself.
# A column becomes: reference (to the table of that type), value, number, number_comma (3,5), date, date_dmy, date_mdy,
# year, month, weekday, yes (a predicate of the row alone), or left_out. Columns of one type have values in common:
# give two columns the same type if equal values are to mean the same thing.
"""
_TABLE = {"type", "key", "relation", "columns"}
_COLUMN = {"column", "becomes", "predicate", "type", "note"}


def read_mapping(path: AnyPath) -> TableMapping:
    """Read a mapping from a file.

    Parameters
    ----------
    path : str or path
        A file that ``write_mapping`` wrote, as it was or changed by hand.

    Returns
    -------
    TableMapping
        What becomes of each table.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is no mapping; it says what is wrong.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mapping.toml")
    ...     _ = path.write_text('[tables.planes]\\ncolumns = [{ column = "year", becomes = "number" }]')
    ...     print(*read_mapping(path).lines)
    #table planes. #column number year(planes, year).
    """
    require_path(path, "a mapping")
    source = os.fspath(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{source}: a mapping is text in UTF-8; save the file in that encoding") from None
    return parse_mapping(text, source)


def write_mapping(mapping: TableMapping, path: AnyPath) -> None:
    """Write a mapping to a file, for people to change.

    Parameters
    ----------
    mapping : TableMapping
        What becomes of each table.
    path : str or path
        The file, which is replaced if it is there.

    Returns
    -------
    None

    Raises
    ------
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> mapping = TableMapping((MappedTable("planes", "planes", ("tailnum",)),))
    >>> with TemporaryDirectory() as folder:
    ...     write_mapping(mapping, Path(folder, "mapping.toml"))
    ...     read_mapping(Path(folder, "mapping.toml")) == mapping
    True
    """
    require_path(path, "a mapping")
    write_atomically(path, mapping_text(mapping).encode())


def mapping_text(mapping: TableMapping) -> str:
    """A mapping as TOML; ``parse_mapping`` reads it back."""
    return "\n".join([_EXPLAINED, *_lines(mapping)]) + "\n"


def _lines(mapping: TableMapping) -> Iterator[str]:
    if mapping.missing is not None:
        yield f"missing = [{', '.join(map(quoted, mapping.missing))}]\n"
    for table in mapping.tables:
        yield f"[tables.{quoted(table.name)}]"
        yield f"type = {quoted(table.type)}"
        yield (
            f"relation = {quoted(table.relation)}" if table.relation else f"key = [{', '.join(map(quoted, table.key))}]"
        )
        yield "columns = ["
        for column in table.columns:
            told = {"column": column.name, "becomes": column.becomes, "predicate": column.predicate}
            told |= {"type": column.type, "note": column.note}
            yield f"    {{ {', '.join(f'{name} = {quoted(text)}' for name, text in told.items() if text)} }},"
        yield "]\n"


def parse_mapping(text: str, source: str = "<mapping>") -> TableMapping:
    """Read a mapping from text."""
    try:
        found = tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"{source}: {shortened(error)}; a mapping is TOML, as possilog schema --write gives it"
        ) from None
    reader = _Reader(source)
    reader.only(found, {"missing", "tables"}, "the mapping")
    tables = reader.table_of(found.get("tables", {}), "tables")
    missing = reader.texts(found["missing"], "missing") if "missing" in found else None
    mapped = tuple(sorted(reader.mapped_table(name, each) for name, each in tables.items()))
    try:
        return TableMapping(mapped, missing)
    except TheoryError as error:
        raise FormatError(f"{source}: {error}") from None


class _Reader:
    """Takes what TOML holds, or says what would be right."""

    def __init__(self, source: str) -> None:
        self._source = source

    def mapped_table(self, name: str, given: object) -> MappedTable:
        place = f"the table {name!r}"
        table = self.table_of(given, place)
        self.only(table, _TABLE, place)
        relation = self.text(table.get("relation", ""), f"relation of {place}")
        columns = table.get("columns", [])
        if not isinstance(columns, list):
            self._fail(f"columns of {place}", "a list of columns", columns)
        mapped = [self._column(each, place) for each in columns]
        if relation:
            mapped = [
                replace(each, predicate=relation) if each.becomes is not Becomes.LEFT_OUT else each for each in mapped
            ]
        key = self.texts(table.get("key", []), f"key of {place}")
        type = self.text(table.get("type", name), f"type of {place}") or name
        return MappedTable(name, type, key, tuple(mapped), relation)

    def _column(self, given: object, place: str) -> MappedColumn:
        place = f"a column of {place}"
        column = {key: self.text(value, f"{key} of {place}") for key, value in self.table_of(given, place).items()}
        self.only(column, _COLUMN, place)
        name = column.get("column", "")
        if not name:
            self._fail(place, 'column = "its name"', given)
        becomes = column.get("becomes", "value")
        if becomes not in list(Becomes):
            raise FormatError(f"{self._source}: {name!r} becomes {becomes!r}; it can become {', '.join(Becomes)}")
        kind = Becomes(becomes)
        if kind is Becomes.LEFT_OUT:
            return MappedColumn(name, kind, note=column.get("note", ""))
        predicate = column.get("predicate") or name
        type = "" if kind is Becomes.YES else column.get("type") or predicate
        return MappedColumn(name, kind, predicate, type, column.get("note", ""))

    def only(self, given: Mapping[str, Any], known: set[str], place: str) -> None:
        unknown = next((name for name in given if name not in known), None)
        if unknown is not None:
            words = ", ".join(sorted(known))
            raise FormatError(f"{self._source}: {place} has {unknown!r}, which means nothing; it can have {words}")

    def table_of(self, given: object, place: str) -> dict[str, Any]:
        return given if isinstance(given, dict) else self._fail(place, "a table", given)

    def text(self, given: object, place: str) -> str:
        return given if isinstance(given, str) else self._fail(place, "text", given)

    def texts(self, given: object, place: str) -> tuple[str, ...]:
        if isinstance(given, str):
            return (given,)
        listed = given if isinstance(given, list) else self._fail(place, "a list of texts", given)
        return tuple(self.text(each, place) for each in listed)

    def _fail(self, place: str, expected: str, found: object) -> Any:
        raise FormatError(f"{self._source}: {place} is {expected}, and not {represented(found)}")
