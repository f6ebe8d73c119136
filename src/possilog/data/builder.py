"""Where databases come from: facts are added in any order, then numbered, sorted and frozen."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database, require_database
from possilog.data.rows import Built, Rows, occurring, several
from possilog.data.texts import in_order
from possilog.errors import ArityError, shortened
from possilog.logic import NOTHING_DECLARED, Declared, Predicate, TableMapping
from possilog.logic.tokens import MAX_ARGUMENTS
from possilog.printing import plural

__all__ = ["Builder", "Duplicates"]

_Integers = npt.NDArray[np.intc]
_Places = npt.NDArray[np.intp] | slice

AT_ONCE = 10_000
"""So few facts are put in order all at once: there may be dozens of predicates, and evidence is made all the time."""


class _Numbers(dict[str, int]):
    """Names numbered as they come."""

    def __missing__(self, name: str) -> int:
        self[name] = number = len(self)
        return number


def _integers() -> array[int]:
    return array("i")


@dataclass(slots=True)
class _Facts:
    """All facts of one arity so far, one after the other in numbers, with the place of each."""

    names: _Numbers = field(default_factory=_Numbers)
    """The predicates, numbered."""
    predicates: array[int] = field(default_factory=_integers)
    arguments: array[int] = field(default_factory=_integers)
    lines: array[int] = field(default_factory=_integers)
    sources: list[tuple[int, int]] = field(default_factory=list)
    """How many facts in a row have one source, and which."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """How many facts of a predicate a source gives again, and on which of its lines the first of these stands."""

    predicate: Predicate
    count: int
    source: str
    line: int


class Builder:
    """Collects facts and makes a ``Database`` of them.

    >>> builder = Builder()
    >>> builder.add("friends", [["anna", "bob"], ["bob", "anna"], ["anna", "bob"]], source="facts.csv", first_line=2)
    >>> builder.build()
    <Database: 2 facts, 1 predicate, 2 constants>
    >>> [(duplicates.count, duplicates.line) for duplicates in builder.duplicates]
    [(1, 4)]
    """

    def __init__(self, declared: Declared = NOTHING_DECLARED) -> None:
        """Begin with no facts; types of arguments may be declared, and facts then come with typed constants."""
        self.declared = declared
        self.mapping: TableMapping | None = None
        """How tables are read as these facts."""
        self._numbers = _Numbers()
        self._listed: list[Sequence[str]] = []
        """Names that are not looked up, with the numbers -1, -2 and so on."""
        self._facts: dict[int, _Facts] = {}
        self._denied: dict[Predicate, list[_Integers]] = {}
        self._seen: dict[str, tuple[Predicate, str]] = {}
        self._sources = _Numbers()
        self._argument_names: dict[Predicate, tuple[str, ...]] = {}
        self.duplicates: list[Duplicates] = []
        """What ``build`` found given more than once."""

    # Adding

    def add(self, name: str, rows: Sequence[Sequence[str]], *, source: str = "", first_line: int = 1) -> None:
        """Add facts of one predicate, which stand on consecutive lines of a source."""
        if rows:
            arity = len(rows[0])
            ragged = next((index for index, row in enumerate(rows) if len(row) != arity), None)
            if ragged is not None:
                self._see(name, arity, source, first_line)
                self._see(name, len(rows[ragged]), source, first_line + ragged)  # raises, with both places
            self.add_flat(name, arity, chain.from_iterable(rows), range(first_line, first_line + len(rows)), source)

    def add_flat(self, name: str, arity: int, constants: Iterable[str], lines: Iterable[int], source: str = "") -> None:
        """Add facts of one predicate: all their constants in one sequence, and the line of each fact.

        Raises ArityError, before anything is added, where the predicate was seen with another number of arguments.
        """
        places = np.fromiter(lines, np.intc)
        if len(places):
            self._see(name, arity, source, int(places[0]))
            predicates = np.full(len(places), self._of_arity(arity).names[name], dtype=np.intc)
            self._append(arity, predicates, self._numbered(constants, len(places) * arity), places, source)

    def add_coded(
        self, name: str, columns: Sequence[tuple[Sequence[str] | _Integers, _Integers]], lines: _Integers, source: str
    ) -> None:
        """Add facts of one predicate: for each argument its constants, and the number of each fact's among them.

        Constants that ``listed`` knows are given by what it gave.
        """
        arity = len(columns)
        self._see(name, arity, source, 0)
        arguments = np.empty((len(lines), arity), dtype=np.intc)
        for place, column in enumerate(columns):
            arguments[:, place] = self._coded(*column)
        predicates = np.full(len(lines), self._of_arity(arity).names[name], dtype=np.intc)
        self._append(arity, predicates, arguments, np.asarray(lines, dtype=np.intc), source)

    def _coded(self, constants: Sequence[str] | _Integers, codes: _Integers) -> _Integers:
        if isinstance(constants, np.ndarray):
            return constants[codes]
        # Only those that occur: the others would become constants of the database.
        used = occurring(codes, len(constants))
        numbers = np.zeros(len(constants), dtype=np.intc)
        numbers[used] = self._numbered((constants[code] for code in used.tolist()), len(used))
        return numbers[codes]

    def deny(self, name: str, rows: Sequence[Sequence[str]]) -> None:
        """Add atoms of one predicate that are said to be false."""
        if rows:
            predicate = self._known(name, len(rows[0]))
            columns = self._numbered(chain.from_iterable(rows), len(rows) * predicate.arity)
            self._denied.setdefault(predicate, []).append(columns.reshape(len(rows), predicate.arity).T)

    def deny_coded(self, name: str, columns: Sequence[tuple[Sequence[str] | _Integers, _Integers]]) -> None:
        """Add atoms of one predicate that are said to be false, given as ``add_coded`` has them."""
        if len(columns[0][1]):
            predicate = self._known(name, len(columns))
            self._denied.setdefault(predicate, []).append(np.array([self._coded(*column) for column in columns]))

    def add_columns(
        self,
        names: Sequence[str],
        columns: Sequence[Sequence[str]],
        lines: Sequence[int] | _Integers,
        source: str = "",
    ) -> None:
        """Add facts of several predicates of one arity: the predicate's name of each, each argument, and the line.

        >>> builder = Builder()
        >>> builder.add_columns(["likes", "knows", "likes"], [["ann", "ann", "bob"], ["bob", "bob", "ann"]], [1, 2, 3])
        >>> builder.build()
        <Database: 3 facts, 2 predicates, 2 constants>
        """
        arity, count = len(columns), len(names)
        known = self._of_arity(arity).names
        before = len(known)
        predicates = np.fromiter(map(known.__getitem__, names), np.intc, count)
        for name in list(known)[before:]:
            self._see(name, arity, source, lines[names.index(name)])
        arguments = np.empty((count, arity), dtype=np.intc)
        for place, column in enumerate(columns):
            arguments[:, place] = self._numbered(column, count)
        self._append(arity, predicates, arguments, np.asarray(lines, dtype=np.intc), source)

    def name_arguments(self, name: str, arguments: Sequence[str], *, source: str = "", line: int = 0) -> None:
        """Note what the source calls a predicate's arguments; the predicate is known from now on, facts or not."""
        self._argument_names[self._see(name, len(arguments), source, line)] = tuple(arguments)

    def declare(self, constants: Iterable[str]) -> None:
        """Add constants that need not occur in facts."""
        for constant in several(constants):
            self._numbers[constant]

    def listed(self, constants: Sequence[str]) -> _Integers:
        """Add constants that hardly come again: no table finds them, which takes as much room as the names do.

        Where one does come again, ``build`` notices. Gives their numbers, for ``add_coded``.
        """
        first = sum(map(len, self._listed))
        self._listed.append(constants)
        return -1 - np.arange(first, first + len(constants), dtype=np.intc)

    def add_database(self, database: Database) -> None:
        """Add the facts, constants and argument names of a database."""
        require_database(database)
        known = self._numbered(database.constants, len(database.constants))
        for predicate in database.predicates:
            rows = database.rows(predicate)
            count = rows.shape[1]
            self._see(predicate.name, predicate.arity, "", 0, kind="database")
            number = self._of_arity(predicate.arity).names[predicate.name]
            predicates = np.full(count, number, dtype=np.intc)
            self._append(predicate.arity, predicates, known[rows].T, np.zeros(count, dtype=np.intc), "")
            if database.argument_names(predicate):
                self._argument_names[predicate] = database.argument_names(predicate)
        for predicate in database.denied_predicates:
            self._known(predicate.name, predicate.arity)
            self._denied.setdefault(predicate, []).append(known[database.denied_rows(predicate)])
        self.declared |= database.declared
        self.mapping = self.mapping or database.mapping

    def _of_arity(self, arity: int) -> _Facts:
        return self._facts.setdefault(arity, _Facts())

    def _numbered(self, constants: Iterable[str], count: int) -> _Integers:
        return np.fromiter(map(self._numbers.__getitem__, constants), np.intc, count)

    def _append(self, arity: int, predicates: _Integers, arguments: _Integers, lines: _Integers, source: str) -> None:
        facts = self._of_arity(arity)
        facts.predicates.frombytes(predicates.tobytes())
        facts.arguments.frombytes(arguments.tobytes())
        facts.lines.frombytes(lines.tobytes())
        number = self._sources[source]
        before = facts.sources.pop()[0] if facts.sources and facts.sources[-1][1] == number else 0
        facts.sources.append((before + len(lines), number))

    def _see(self, name: str, arity: int, source: str, line: int, kind: str = "fact") -> Predicate:
        """The predicate of that name, known from now on; its arity must be what it was before."""
        predicate, there = self._seen.get(name, (None, ""))
        if predicate is not None and predicate.arity == arity:
            return predicate
        here = _place(source, line)
        says = f"{f'{here}: ' if here else ''}{shortened(name)} has {plural(arity, 'argument')}"
        if arity > MAX_ARGUMENTS:
            raise ArityError(f"{says}; give it at most {MAX_ARGUMENTS:,}")
        if predicate is not None:
            both = (
                f"here and {predicate.arity} at {there}" if there else f"in one {kind} and {predicate.arity} in another"
            )
            raise ArityError(f"{says} {both}; give the two different names")
        predicate = Predicate(name, arity)
        self._seen[name] = predicate, here
        return predicate

    def _known(self, name: str, arity: int) -> Predicate:
        """A predicate that is denied: it is known without any fact, though the database need not list it."""
        predicate, _ = self._seen.get(name, (Predicate(name, arity), ""))
        if predicate.arity != arity:
            return self._see(name, arity, "", 0)  # raises, with both places
        return predicate

    # What was added

    @property
    def count(self) -> int:
        """How many facts were added so far; a fact given twice counts twice."""
        return sum(len(facts.lines) for facts in self._facts.values())

    @property
    def constants(self) -> tuple[str, ...]:
        """The constants so far, as they came."""
        return (*self._numbers, *chain.from_iterable(self._listed))

    def first_places(self) -> dict[Predicate, str]:
        """Where each predicate was seen first."""
        return dict(self._seen.values())

    # Building

    def build(self) -> Database:
        """The database of all that was added; facts given twice are in it once, and are listed in ``duplicates``."""
        names, renumber = self._sorted()
        self.duplicates = []
        relations = Built({predicate: np.empty((predicate.arity, 0), np.int32) for predicate, _ in self._seen.values()})
        for arity, facts in self._facts.items():
            if facts.names:
                relations |= self._relations(arity, facts, renumber)
        denied = {
            predicate: np.unique(renumber[np.concatenate(parts, axis=1)], axis=1)
            for predicate, parts in self._denied.items()
        }
        return Database(names, relations, self._argument_names, denied, self.declared, self.mapping)

    def _sorted(self) -> tuple[Sequence[str], npt.NDArray[np.int32]]:
        """All names in order, each once, and for each number the place of its name."""
        if not self._listed:
            names = sorted(self._numbers)
            places = np.empty(len(names), dtype=np.int32)
            places[self._numbered(names, len(names))] = np.arange(len(names), dtype=np.int32)
            return names, places
        found, places = in_order(chain(self._numbers, *self._listed))
        return found, np.append(places[: len(self._numbers)], places[len(self._numbers) :][::-1])  # -1 is the last

    def _relations(self, arity: int, facts: _Facts, renumber: npt.NDArray[np.int32]) -> dict[Predicate, Rows]:
        """The facts of an arity, sorted, each once: many by predicate, so that what is made on the way stays small."""
        predicates, arguments = _view(facts.predicates), _view(facts.arguments).reshape(len(facts.predicates), arity)
        known = [self._seen[name][0] for name in facts.names]
        relations: dict[Predicate, Rows] = {}
        for first, some, places in _batches(predicates, known):
            rows = np.concatenate(((predicates[places] - first)[None], renumber[arguments[places]].T))
            ordered = rows[:, _order(rows, len(some) * len(renumber) ** arity, len(renumber))]
            again = _equal_to_the_one_before(ordered)
            if again.any():
                self._note_duplicates(some, facts, places, rows)
                ordered = ordered[:, ~again]
            bounds = np.searchsorted(ordered[0], np.arange(len(some) + 1)).tolist()
            relations |= {
                one: ordered[1:, start:stop] for one, (start, stop) in zip(some, pairwise(bounds), strict=True)
            }
        return relations

    def _note_duplicates(self, predicates: Sequence[Predicate], facts: _Facts, places: _Places, rows: Rows) -> None:
        """Of equal facts, the one on the first line of the first source counts as given, the others as given again."""
        counts, numbers = np.array(facts.sources).T
        lines, sources = _view(facts.lines)[places], np.repeat(numbers, counts)[places]
        order = np.lexsort([lines, sources, *rows[::-1]])
        again = order[_equal_to_the_one_before(rows[:, order])]
        known = list(self._sources)
        for kind, source in sorted(set(zip(rows[0, again].tolist(), sources[again].tolist(), strict=True))):
            given = lines[again[(rows[0, again] == kind) & (sources[again] == source)]]
            self.duplicates.append(Duplicates(predicates[kind], len(given), known[source], int(given.min())))


def _batches(predicates: _Integers, known: list[Predicate]) -> Iterator[tuple[int, list[Predicate], _Places]]:
    """Facts that are put in order together: the number of the first predicate, the predicates, and the places."""
    if len(predicates) <= AT_ONCE:
        yield 0, known, slice(None)
        return
    by_predicate = np.argsort(predicates, kind="stable")
    ends = np.searchsorted(predicates, np.arange(len(known)), side="right", sorter=by_predicate)
    for number, places in enumerate(np.split(by_predicate, ends[:-1])):
        yield number, known[number : number + 1], places


def _view(numbers: array[int]) -> _Integers:
    return np.frombuffer(numbers, dtype=np.intc) if numbers else np.empty(0, dtype=np.intc)


def _order(rows: Rows, possible: int, constants: int) -> npt.NDArray[np.intp]:
    """The order of facts by predicate and arguments, of which so many are possible."""
    if possible >= 2**63:
        return np.lexsort(rows[::-1])
    # Facts that fit into one number each sort many times faster.
    packed = rows[0].astype(np.int64)
    for row in rows[1:]:
        packed *= constants
        packed += row
    return np.argsort(packed, kind="stable")


def _equal_to_the_one_before(rows: Rows) -> npt.NDArray[np.bool_]:
    equal = np.zeros(rows.shape[1], dtype=bool)
    equal[1:] = (rows[:, 1:] == rows[:, :-1]).all(axis=0)
    return equal


def _place(source: str, line: int) -> str:
    return f"{source}:{line}" if source and line else source
