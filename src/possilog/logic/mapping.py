"""How tables become predicates: which column is the key, and what each of the others says of it.

The mapping is found by ``possilog.data``, changed by people, and kept in the theory, so that evidence in tables is read
as the facts were that the theory was learned from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from possilog.errors import TheoryError
from possilog.logic.atoms import Predicate
from possilog.logic.declared import Declared
from possilog.logic.spelling import quoted, spell_predicate

__all__ = ["Becomes", "MappedColumn", "MappedTable", "TableMapping"]


class Becomes(StrEnum):
    """What a column becomes."""

    REFERENCE = "reference"
    """A predicate of the row and what the value is the key of, in another table."""
    VALUE = "value"
    """A predicate of the row and the value, which is a name."""
    NUMBER = "number"
    """Likewise, and the value is a number; it may have commas between thousands: 12,000.5."""
    NUMBER_COMMA = "number_comma"
    """A number that is written with a decimal comma: 12.000,5."""
    DATE = "date"
    """Likewise, and the value is a date, year first or with the month in letters."""
    DATE_DMY = "date_dmy"
    """A date that is written with the day first."""
    DATE_MDY = "date_mdy"
    """A date that is written with the month first."""
    YEAR = "year"
    """A predicate of the row and the year of a date."""
    MONTH = "month"
    """Likewise with the month, from 1 to 12."""
    WEEKDAY = "weekday"
    """Likewise with the name of the day."""
    YES = "yes"
    """A predicate of the row alone, which the value asserts or denies."""
    LEFT_OUT = "left_out"
    """Nothing."""

    @property
    def is_date(self) -> bool:
        """Are the values dates?"""
        return self in (Becomes.DATE, Becomes.DATE_DMY, Becomes.DATE_MDY)

    @property
    def is_number(self) -> bool:
        """Are the values numbers, as they stand in the cells?"""
        return self in (Becomes.NUMBER, Becomes.NUMBER_COMMA)

    @property
    def is_ordered(self) -> bool:
        """Have the values an order?"""
        return self.is_date or self.is_number or self in (Becomes.YEAR, Becomes.MONTH)


@dataclass(frozen=True, slots=True, order=True)
class MappedColumn:
    """A column, and what becomes of it."""

    name: str
    becomes: Becomes
    predicate: str = ""
    type: str = ""
    """Of the values."""
    note: str = ""
    """Why it is left out, or what is odd."""


@dataclass(frozen=True, slots=True, order=True)
class MappedTable:
    """A table, and what becomes of its columns."""

    name: str
    type: str
    """Of its rows: what the table is about."""
    key: tuple[str, ...] = ()
    """The columns that tell its rows apart; without them, rows are numbered."""
    columns: tuple[MappedColumn, ...] = ()
    relation: str = ""
    """The predicate of a table whose rows are nothing but pairs; its columns are the arguments."""

    @property
    def heading(self) -> frozenset[str]:
        """What its columns are called."""
        return frozenset((*self.key, *(column.name for column in self.columns)))

    @property
    def wanted(self) -> frozenset[str]:
        """The columns without which it is not known what becomes of the table."""
        return frozenset((*self.key, *(column.name for column in self.used)))

    @property
    def used(self) -> tuple[MappedColumn, ...]:
        """The columns that become something."""
        return tuple(replace(each, note="") for each in self.columns if each.becomes is not Becomes.LEFT_OUT)

    @property
    def signatures(self) -> Iterator[tuple[Predicate, tuple[str, ...], MappedColumn | None]]:
        """The predicates, the types of their arguments, and the column of each that is no relation's."""
        if self.relation:
            yield Predicate(self.relation, len(self.used)), tuple(column.type for column in self.used), None
            return
        for column in self.used:
            if column.becomes is Becomes.YES:
                yield Predicate(column.predicate, 1), (self.type,), column
            else:
                yield Predicate(column.predicate, 2), (self.type, column.type), column
        if not self.used:
            yield Predicate(self.name, 1), (self.type,), None

    @property
    def lines(self) -> Iterator[str]:
        """The statements of a theory file."""
        key = f" key {', '.join(map(spell_predicate, self.key))}" if self.key else ""
        about = f" of {spell_predicate(self.type)}" if self.type != self.name else ""
        if self.relation:
            ends = ", ".join(map(spell_predicate, (column.type for column in self.used)))
            columns = ", ".join(map(spell_predicate, (self.name, *(column.name for column in self.used))))
            yield f"#relation {spell_predicate(self.relation)}({ends}) from {columns}."
            return
        yield f"#table {spell_predicate(self.name)}{key}{about}."
        for column in self.used:
            types = [self.type] if column.becomes is Becomes.YES else [self.type, column.type]
            spelled = ", ".join(map(spell_predicate, types))
            source = f" from {spell_predicate(column.name)}" if column.name != column.predicate else ""
            yield f"#column {column.becomes} {spell_predicate(column.predicate)}({spelled}){source}."


@dataclass(frozen=True, slots=True, order=True)
class TableMapping:
    """What becomes of each table.

    >>> delay = MappedColumn("dep_delay", Becomes.NUMBER, "delay", "delay")
    >>> mapping = TableMapping((MappedTable("flights", "flights", columns=(delay,)),))
    >>> print(*mapping.lines, sep="\\n")
    #table flights.
    #column number delay(flights, delay) from dep_delay.
    """

    tables: tuple[MappedTable, ...] = ()
    missing: tuple[str, ...] | None = None
    """Words that stand for an unknown value; None for the usual ones."""

    def __post_init__(self) -> None:
        names = Counter(table.name for table in self.tables)
        twice = next((name for name, count in names.items() if count > 1), None)
        if twice is not None:
            raise TheoryError(f"the table {twice!r} is mapped twice; take one of the two away")
        predicates = Counter(predicate.name for table in self.tables for predicate, _, _ in table.signatures)
        shared = next((name for name, count in predicates.items() if count > 1), None)
        if shared is not None:
            raise TheoryError(f"two columns would become the predicate {shared!r}; give them different predicates")

    @property
    def declared(self) -> Declared:
        """The types of all predicates."""
        types, numbers = {}, set()
        for table in self.tables:
            for predicate, some, column in table.signatures:
                types[predicate] = some
                if column and column.becomes.is_ordered:
                    numbers.add(some[-1])
        return Declared(types, frozenset(numbers))

    @property
    def kin(self) -> dict[Predicate, frozenset[Predicate]]:
        """For each predicate those that are made of the same column: a date, its year, its month and its weekday."""
        found: dict[Predicate, frozenset[Predicate]] = {}
        for table in self.tables:
            of_column: dict[str, set[Predicate]] = {}
            for predicate, _, column in table.signatures:
                of_column.setdefault(column.name if column else "", set()).add(predicate)
            found |= {predicate: frozenset(some) for some in of_column.values() for predicate in some}
        return found

    @property
    def used(self) -> TableMapping:
        """The mapping without the columns that are left out, as a theory keeps it."""
        return replace(self, tables=tuple(replace(table, columns=table.used) for table in self.tables))

    @property
    def lines(self) -> Iterator[str]:
        """The statements of a theory file."""
        if self.missing is not None:
            yield f"#missing {', '.join(map(quoted, self.missing or ('',)))}."
        for table in self.tables:
            yield from table.lines
