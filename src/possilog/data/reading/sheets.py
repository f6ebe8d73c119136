"""Tables as their sources have them, before it is known what they are: facts as they stand, or tables with keys."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from possilog.data.reading.intake import Intake
from possilog.data.tables import ForeignKey, RawTable, TableColumn, add_tables, clean_tables, find_mapping
from possilog.data.tables.files import read_mapping
from possilog.errors import DataError, DataWarning, shortened
from possilog.files import AnyPath
from possilog.logic import TableMapping

__all__ = ["HowTables", "Sheet", "add_sheets", "how_tables"]

_WIDE = 3
_MOST_REMARKS = 20


@dataclass(frozen=True, slots=True)
class HowTables:
    """How tables are read."""

    as_is: bool
    """Is each table a predicate, with its columns as arguments?"""
    mapping: TableMapping | None
    """What becomes of each table; None to find out."""
    missing: tuple[str, ...] | None
    """Words that stand for an unknown value; None for the usual ones."""

    @property
    def headings(self) -> dict[str, frozenset[str]]:
        """What the columns of each table are called, where the mapping says so."""
        return {table.name: table.heading for table in self.mapping.tables} if self.mapping and not self.as_is else {}


def how_tables(
    as_is: bool = False, mapping: TableMapping | AnyPath | None = None, missing: Iterable[str] | None = None
) -> HowTables:
    """How tables are read, as it was asked for."""
    if mapping is not None and not isinstance(mapping, TableMapping):
        mapping = read_mapping(mapping)
    if isinstance(missing, str) or not isinstance(missing, Iterable | None):
        raise DataError(f"words that are missing values are given in a list, such as ['none'], and not as {missing!r}")
    words = None if missing is None else tuple(missing)
    if words and not all(isinstance(word, str) for word in words):
        raise DataError(f"words that are missing values are text, and not all of {shortened(repr(words))} are")
    return HowTables(as_is, mapping, words)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table in its source."""

    name: str
    source: str
    labels: tuple[str, ...] | None
    """What its columns are called; None where they have no names."""
    add_facts: Callable[[Intake], None]
    """Adds its rows as facts of one predicate."""
    columns: Callable[[Sequence[str]], Sequence[TableColumn]]
    """Fetches the cells of these columns; a source that has them all in memory may give more."""
    key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    lines: Sequence[int] = ()
    file: str = ""
    """Of which it is a part."""

    @property
    def is_table(self) -> bool:
        """Does it look like more than the facts of one predicate?"""
        if self.labels is None or all(re.fullmatch(f"argument{n}_*", name) for n, name in enumerate(self.labels, 1)):
            return False
        return len(self.labels) >= _WIDE or bool(self.key or self.foreign_keys)

    def table(self, mapping: TableMapping | None = None) -> RawTable:
        """The table that it holds; of the columns that become nothing by a mapping, none is fetched."""
        labels = self.labels or ()
        if mapping is not None:
            wanted = next((table.wanted for table in mapping.tables if table.name == self.name), frozenset())
            # How many rows there are is to be known in any case.
            labels = tuple(label for label in labels if label in wanted) or labels[:1]
        columns = tuple(self.columns(labels))
        rows = len(columns[0].codes) if columns else 0
        return RawTable(self.name, columns, rows, self.source, self.key, self.foreign_keys, self.lines)


def add_sheets(
    sheets: Sequence[Sheet], how: HowTables, intake: Intake, fetched: Callable[[], object] = lambda: None
) -> None:
    """Add what some sheets hold: where one of them is a table, all that have a header are; else all are facts.

    ``fetched`` is called when their sources are not needed any more, before tables become facts.
    """
    mapped = {table.name for table in how.mapping.tables} if how.mapping else set()
    are_tables = not how.as_is and any(sheet.is_table or sheet.name in mapped for sheet in sheets)
    if how.mapping is not None:
        intake.builder.declared |= how.mapping.declared
        intake.builder.mapping = how.mapping
    tables = [sheet.table(how.mapping) for sheet in sheets if are_tables and sheet.labels is not None]
    _add_facts([sheet for sheet in sheets if not are_tables or sheet.labels is None], intake)
    sheets = ()  # they may hold what the tables hold
    fetched()
    if are_tables:
        for table in tables:
            if not table.rows:
                intake.remark_empty(table.source)
        tables = clean_tables(tables, how.mapping.missing if how.mapping else how.missing)
        mapping = how.mapping or find_mapping(tables, how.missing)
        remarks = add_tables(tables, mapping, intake.builder)
        for remark in remarks[:_MOST_REMARKS]:
            warnings.warn(remark, DataWarning, stacklevel=4)
        if len(remarks) > _MOST_REMARKS:
            warnings.warn(f"and {len(remarks) - _MOST_REMARKS:,} more remarks", DataWarning, stacklevel=4)


def _add_facts(sheets: Sequence[Sheet], intake: Intake) -> None:
    """Add the rows of some sheets as facts, and remark files that have none."""
    counts: Counter[str] = Counter()
    for sheet in sheets:
        before = intake.builder.count
        sheet.add_facts(intake)
        counts[sheet.file] += intake.builder.count - before
    for file, count in counts.items():
        if file and not count:
            intake.remark_empty(file)
