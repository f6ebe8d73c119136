"""The lines of a theory file about tables, read.

::

    mapping  = [ "#missing" word { "," word } "." ] { table | relation }
    table    = "#table" name [ "key" name { "," name } ] [ "of" type ] "." { column }
    column   = "#column" becomes predicate "(" type [ "," type ] ")" [ "from" name ] "."
    relation = "#relation" predicate "(" type { "," type } ")" "from" name "," name { "," name } "."
"""

from __future__ import annotations

from dataclasses import replace

from possilog.logic.mapping import Becomes, MappedColumn, MappedTable, TableMapping
from possilog.logic.tokens import MAX_ARGUMENTS, Reader

__all__ = ["MAPPING_WORDS", "MappingDraft"]

MAPPING_WORDS = ("#missing", "#table", "#column", "#relation")


class MappingDraft:
    """The statements about tables, as they are read."""

    def __init__(self) -> None:
        """Begin with none."""
        self._tables: list[MappedTable] = []
        self._missing: tuple[str, ...] | None = None

    def mapping(self) -> TableMapping | None:
        """What they say; None where there is none."""
        return TableMapping(tuple(self._tables), self._missing) if self._tables else None

    def statement(self, reader: Reader) -> None:
        """Read one of them."""
        word = reader.advance()
        if word == "#missing":
            self._missing = tuple(word for word in _names(reader, "a word") if word)
        elif word == "#table":
            self._tables.append(_table(reader))
        elif word == "#relation":
            self._tables.append(_relation(reader))
        elif not self._tables or self._tables[-1].relation:
            reader.fail("the line #table of the column's table before it")
        else:
            table = self._tables[-1]
            self._tables[-1] = replace(table, columns=(*table.columns, _column(reader, table)))
        reader.expect(".", "'.'")


def _table(reader: Reader) -> MappedTable:
    name = reader.name("the name of a table")
    key = tuple(_names(reader, "the name of a column")) if reader.take("key") else ()
    return MappedTable(name, reader.name("the name of a type") if reader.take("of") else name, key)


def _column(reader: Reader, table: MappedTable) -> MappedColumn:
    words = [kind for kind in Becomes if kind is not Becomes.LEFT_OUT]
    if reader.token not in words:
        reader.fail(f"one of {', '.join(words)}")
    becomes = Becomes(reader.advance())
    start = reader.position
    predicate, types = _signature(reader)
    if types[0] != table.type or len(types) != 1 + (becomes is not Becomes.YES):
        place = "" if becomes is Becomes.YES else ", and one more type"
        reader.fail(f"{predicate} of {table.type}{place}", at=start)
    name = reader.name("the name of a column") if reader.take("from") else predicate
    return MappedColumn(name, becomes, predicate, "" if becomes is Becomes.YES else types[1])


def _relation(reader: Reader) -> MappedTable:
    predicate, types = _signature(reader)
    reader.expect("from", "'from', a table and its columns")
    start = reader.position
    table, *columns = _names(reader, "the name of a table or column")
    if len(columns) != len(types):
        reader.fail(f"a table and {len(types)} columns of it", at=start)
    ends = (MappedColumn(name, Becomes.REFERENCE, predicate, type) for name, type in zip(columns, types, strict=True))
    return MappedTable(table, table, (), tuple(ends), predicate)


def _signature(reader: Reader) -> tuple[str, list[str]]:
    predicate = reader.name("a predicate's name")
    reader.expect("(", "'(' and the types of its arguments")
    types = _names(reader, "the name of a type")
    reader.expect(")", "',' or ')'")
    return predicate, types


def _names(reader: Reader, expected: str) -> list[str]:
    names = [reader.name(expected)]
    while reader.take(","):
        names.append(reader.name(expected))
        if len(names) > MAX_ARGUMENTS:
            reader.fail(f"at most {MAX_ARGUMENTS} of them")
    return names
