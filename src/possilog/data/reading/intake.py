"""What one reading collects: the facts, and remarks on those that were left out or are odd."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, compress, islice
from typing import cast

from possilog.data.builder import Builder
from possilog.data.database import Database
from possilog.data.typing import typed_facts
from possilog.errors import DataError, DataWarning, shortened
from possilog.logic import Atom, Predicate
from possilog.logic.spelling import TYPE_MARK, folded, type_of

__all__ = ["Intake", "Kind"]

_BATCH = 20_000
"""Triples that are taken at a time."""

_MOST = 5
"""Remarks of one kind that are told each by itself."""


class Kind(Enum):
    """What there is to remark: what one says, what several say, and anything more after the first place."""

    AGAIN = "fact is given again", "facts are given again", ""
    EMPTY_CELL = "row with an empty cell is left out", "rows with an empty cell are left out", ""
    HEADER = (
        "first line is taken as a header",
        "first lines are taken as headers",
        "; read with header=True (--header) if that is right, header=False (--no-header) if not",
    )
    NO_HEADER = (
        "first line is taken as a fact",
        "first lines are taken as facts",
        "; read with header=False (--no-header) if that is right, header=True (--header) if not",
    )
    VIEW = "view is left out", "views are left out", "; only tables are read"
    VIRTUAL = (
        "virtual table, or part of one, is left out",
        "virtual tables, or parts of them, are left out",
        "; only plain tables are read",
    )
    ODD_TYPE = (
        "column is left out, since values of its type are no single things",
        "columns are left out, since values of their types are no single things",
        "; make text or numbers of them",
    )
    EMPTY_SHEET = "sheet is empty", "sheets are empty", ""
    EDGE_ATTRIBUTE = "edge has attributes that are left out", "edges have attributes that are left out", ""
    OTHER = "other file or folder is left out", "other files or folders are left out", ""


@dataclass(slots=True)
class _Remark:
    count: int
    first: str


@dataclass(slots=True)
class Intake:
    """A builder, and the remarks by source and kind."""

    builder: Builder = field(default_factory=Builder)
    denied: list[Atom] = field(default_factory=list)
    """Negated facts."""
    _remarks: dict[tuple[str, Kind], _Remark] = field(default_factory=dict)
    _empty: list[str] = field(default_factory=list)
    _tables: set[str] = field(default_factory=set)
    _graphs: set[str] = field(default_factory=set)

    def add(
        self,
        names: Sequence[str],
        columns: Sequence[Sequence[str | None]],
        lines: Sequence[int],
        source: str,
        *,
        missing: str | None = None,
    ) -> None:
        """Add facts of one arity, given by columns; a row where something is missing is left out, with a remark."""
        if missing in names or any(missing in column for column in columns):
            whole = [missing not in row for row in zip(names, *columns, strict=True)]
            first = self._place(source, lines[whole.index(False)])
            self.remark(source, Kind.EMPTY_CELL, first, whole.count(False))
            names, lines = list(compress(names, whole)), list(compress(lines, whole))
            columns = [list(compress(column, whole)) for column in columns]
        if names:
            self.builder.add_columns(names, cast(Sequence[Sequence[str]], columns), lines, source)

    def add_triples(self, triples: Iterable[tuple[str, str, str]], source: str) -> None:
        """Add the facts of a graph, a predicate and two constants each, some thousands at a time.

        A graph is a set, so there is no remark on what it gives again.
        """
        self._graphs.add(source)
        left, first = iter(triples), 1
        while batch := list(islice(left, _BATCH)):
            names, heads, tails = zip(*batch, strict=True)
            lines = range(first, first + len(batch))
            self.add(names, [heads, tails], lines, source, missing="")
            first = lines.stop

    def count_rows(self, source: str) -> None:
        """Say "row" instead of "line" where places in this source are named."""
        self._tables.add(source)

    def remark(self, source: str, kind: Kind, first: str, count: int = 1) -> None:
        """Count something remarkable; ``first`` is where it was seen, and only the first one is told."""
        self._remarks.setdefault((source, kind), _Remark(0, first)).count += count

    def remark_empty(self, source: str) -> None:
        """Note that a file has no facts."""
        self._empty.append(source)

    def _place(self, source: str, line: int) -> str:
        return f"at {'row' if source in self._tables else 'line'} {line}"

    def finish(self) -> Database:
        """Build the database and give the warnings, in the name of whoever called the caller of this."""
        denied: dict[Predicate, list[list[str]]] = defaultdict(list)
        for atom in self.denied:
            denied[atom.predicate].append([term.name for term in atom.arguments])
        for predicate, rows in denied.items():
            self.builder.deny(predicate.name, rows)
        database = typed_facts(self.builder.build(), self.builder.declared)
        _require_types(database)
        for source, (count, line) in self._duplicates().items():
            self.remark(source, Kind.AGAIN, self._place(source, line), count)
        for message in chain(self._empty_files(), self._told(), self._spellings()):
            warnings.warn(message, DataWarning, stacklevel=3)
        return database

    def _empty_files(self) -> Iterator[str]:
        for source in self._empty[:_MOST]:
            yield f"{source}: there are no facts in it"
        if len(self._empty) > _MOST:
            yield f"{len(self._empty) - _MOST:,} more files have no facts in them"

    def _told(self) -> Iterator[str]:
        """The remarks, in words: for each kind the first files, and how much there is in the others."""
        files: Counter[Kind] = Counter()
        rest: Counter[Kind] = Counter()
        for (source, kind), remark in self._remarks.items():
            one, several, more = kind.value
            files[kind] += 1
            if files[kind] > _MOST:
                rest[kind] += remark.count
            else:
                said = one if remark.count == 1 else several
                yield f"{source}: {remark.count:,} {said}, first {shortened(remark.first, 1_000)}{more}"
        for kind, count in rest.items():
            yield f"{files[kind] - _MOST:,} more files: {count:,} {kind.value[0 if count == 1 else 1]}"

    def _duplicates(self) -> dict[str, tuple[int, int]]:
        """For each source how many facts it gives again, and the first line of these."""
        found: dict[str, tuple[int, int]] = {}
        for given in self.builder.duplicates:
            if given.source in self._graphs:
                continue
            count, line = found.get(given.source, (0, given.line))
            found[given.source] = count + given.count, min(line, given.line)
        return found

    def _spellings(self) -> Iterator[str]:
        """A message for predicates that look like others, and how many more do."""
        alike: dict[str, tuple[str, str]] = {}
        count = 0
        for predicate, place in self.builder.first_places().items():
            other, other_place = alike.setdefault(folded(predicate.name), (predicate.name, place))
            count += other != predicate.name
            if other != predicate.name and count <= _MOST:
                yield (
                    f"{place}: {shortened(predicate.name)} looks like {shortened(other)} at {other_place} in another "
                    "spelling; they are two predicates"
                )
        if count > _MOST:
            yield f"{count - _MOST:,} more predicates look like others in another spelling"


def _require_types(database: Database) -> None:
    """Nothing but a declared type stands behind the mark of types."""
    declared = {"", *chain.from_iterable(database.types.values())}
    for name in database.names:
        if TYPE_MARK in name and (type_of(name) not in declared or name.endswith(TYPE_MARK)):
            raise DataError(f"the name {shortened(repr(name))} holds U+FDD0, which no text holds; take it away")
