"""The facts: a global example (A, C) of the paper's Definition 1, as integer columns."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from possilog.data.comparing import compared_pairs
from possilog.data.rows import (
    Column,
    Rows,
    common,
    copies,
    equal,
    frozen,
    inside,
    ordered,
    rows_of,
    shown,
    sorted_names,
)
from possilog.errors import DataError, QueryError
from possilog.logic import (
    NOTHING_DECLARED,
    Atom,
    BuiltIn,
    Constant,
    Declared,
    Predicate,
    TableMapping,
    Threshold,
    Variable,
)
from possilog.logic.thresholds import number_of
from possilog.notebook import table_in_notebook
from possilog.printing import plural
from possilog.requiring import require_a, require_kind
from possilog.workers import shared

__all__ = ["Database", "Index", "require_database"]

_FACTS = "atoms, as Database.of([parse_atom('likes(ann, bob)')])"


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """The facts of one predicate, sorted by its arguments in some order.

    ``columns[0]`` is sorted; within equal values of it ``columns[1]`` is sorted; and so on. ``starts``, where it pays,
    says at which fact each constant begins in the first column.
    """

    columns: tuple[Column, ...]
    starts: Column | None

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(column.nbytes for column in self.columns) + (0 if self.starts is None else self.starts.nbytes)


@shared
class Database:
    """A set of facts over a set of constants, immutable once built.

    Constants are numbered in the order of their names, and facts are sorted, so that two databases with the same
    content are the same whatever the order in which they were read.

    >>> facts = [Atom.ground("fr", ["alice", "bob"]), Atom.ground("sm", ["alice"])]
    >>> database = Database.of(facts, constants=["eve"])
    >>> len(database), database.constants, facts[0] in database
    (2, ('alice', 'bob', 'eve'), True)
    """

    __slots__ = (
        "_argument_names",
        "_constants",
        "_declared",
        "_denied",
        "_distinct",
        "_indexes",
        "_mapping",
        "_numbers",
        "_pairs",
        "_relations",
    )

    def __init__(
        self,
        constants: Sequence[str],
        relations: Mapping[Predicate, Rows],
        argument_names: Mapping[Predicate, tuple[str, ...]] | None = None,
        denied: Mapping[Predicate, Rows] | None = None,
        declared: Declared = NOTHING_DECLARED,
        mapping: TableMapping | None = None,
    ) -> None:
        """Take sorted constants, and for each predicate sorted rows without repetition; ``of`` takes plain facts."""
        self._constants = ordered(constants)
        require_kind("argument_names", argument_names, Mapping)
        require_a("declared", declared, Declared)
        require_kind("mapping", mapping, TableMapping)
        # Copies, because whoever made the rows may go on writing into them.
        self._relations = copies(relations, len(self._constants))
        self._denied = {p: rows for p, rows in copies(denied or {}, len(self._constants)).items() if rows.shape[1]}
        self._declared = declared
        self._mapping = mapping
        self._argument_names = dict(argument_names or {})
        self._indexes: dict[tuple[Predicate, tuple[int, ...]], Index] = {}
        self._distinct: dict[Predicate, tuple[int, ...]] = {}
        self._numbers: dict[bool, npt.NDArray[np.float64]] = {}
        self._pairs: dict[BuiltIn, Rows] = {}

    def __reduce__(self) -> tuple[object, ...]:
        # Made anew, so that a copy in another process is immutable too; it makes its own indexes when it needs them.
        known = self.constants, self._relations, self._argument_names
        return Database, (*known, self._denied, self._declared, self._mapping)

    @classmethod
    def of(
        cls,
        facts: Iterable[Atom],
        constants: Iterable[str] = (),
        *,
        denied: Iterable[Atom] = (),
        declared: Declared = NOTHING_DECLARED,
    ) -> Database:
        """The database of some ground atoms, and of constants that need not occur in them.

        Atoms may also be denied, and the types of arguments declared: constants of two types are two constants.
        """
        from possilog.data.builder import Builder

        require_a("declared", declared, Declared)
        builder = Builder(declared)
        for some in _grouped(facts, "predicate.arity", declared):
            names = [atom.predicate.name for atom in some]
            columns = [[term.name for term in terms] for terms in zip(*(atom.arguments for atom in some), strict=True)]
            builder.add_columns(names, columns, np.zeros(len(some), dtype=np.intc))
        for some in _grouped(denied, "predicate", declared):
            builder.deny(some[0].predicate.name, [[term.name for term in atom.arguments] for atom in some])
        builder.declare(sorted_names(constants))
        return builder.build()

    # What is in it

    @property
    def constants(self) -> tuple[str, ...]:
        """The constants, in the order of their numbers."""
        if not isinstance(self._constants, tuple):
            self._constants = tuple(self._constants)
        return self._constants

    @property
    def names(self) -> Sequence[str]:
        """The same constants; names by the million take a third of the room, until ``constants`` is asked for."""
        return self._constants

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates, in order."""
        return tuple(self._relations)

    def rows(self, predicate: Predicate) -> Rows:
        """The facts of a predicate in numbers; none where the predicate is unknown.

        Those of a comparison are the constants that it is true of.
        """
        rows = rows_of(predicate, self._relations)
        # A question has dozens of such calls, so what most of them are about is not asked first whether it compares.
        return self._compared(predicate) if not rows.shape[1] and isinstance(predicate, BuiltIn) else rows

    def _compared(self, comparison: BuiltIn) -> Rows:
        """The constants, or pairs of constants, that a comparison is true of."""
        if isinstance(comparison, Threshold):
            numbers = self._as_numbers(comparison.is_date)
            return frozen(np.flatnonzero(comparison.admitted(numbers)).astype(np.int32).reshape(1, -1))
        if comparison not in self._pairs:
            pairs = compared_pairs(comparison, self.constants, *map(self._as_numbers, (False, True)))
            self._pairs[comparison] = frozen(pairs)
        return self._pairs[comparison]

    def _as_numbers(self, dates: bool) -> npt.NDArray[np.float64]:
        """The constants as numbers, or as dates; not a number where they are none."""
        if dates not in self._numbers:
            listed = [number_of(name, dates=dates) for name in self._constants]
            self._numbers[dates] = np.array(listed, dtype=np.float64)
        return self._numbers[dates]

    def count(self, predicate: Predicate) -> int:
        """How many facts a predicate has."""
        return int(self.rows(predicate).shape[1])

    def argument_names(self, predicate: Predicate) -> tuple[str, ...]:
        """What the source calls the predicate's arguments; empty where it does not name them."""
        require_a("predicate", predicate, Predicate)
        return self._argument_names.get(predicate, ())

    @property
    def declared(self) -> Declared:
        """The types of arguments, where tables declare them."""
        return self._declared

    @property
    def types(self) -> Mapping[Predicate, tuple[str, ...]]:
        """The declared types of predicates' arguments; constants of two types are two constants."""
        return self._declared.types

    @property
    def numbers(self) -> frozenset[str]:
        """The declared types whose constants are numbers or dates, and have an order."""
        return self._declared.numbers

    @property
    def mapping(self) -> TableMapping | None:
        """How tables were read as these facts; None where the facts are from no tables."""
        return self._mapping

    @property
    def denied_predicates(self) -> tuple[Predicate, ...]:
        """The predicates of which something is denied, in order."""
        return tuple(self._denied)

    def denied_rows(self, predicate: Predicate) -> Rows:
        """The atoms of a predicate that are said to be false, in numbers."""
        return rows_of(predicate, self._denied)

    @property
    def denied(self) -> tuple[Atom, ...]:
        """The atoms that are said to be false, in order."""
        return tuple(atom for predicate, rows in self._denied.items() for atom in self._as_atoms(predicate, rows))

    @property
    def contradicted(self) -> tuple[Atom, ...]:
        """The facts that are also said to be false, in order."""
        both = ((predicate, common(rows, self.rows(predicate))) for predicate, rows in self._denied.items())
        return tuple(atom for predicate, rows in both if rows.shape[1] for atom in self._as_atoms(predicate, rows))

    def number(self, constant: str) -> int | None:
        """The number of a constant; None where it is unknown."""
        if not isinstance(constant, str):
            raise DataError(f"a constant is a name, as text, and not {shown(constant)[:-1]}")
        place = bisect_left(self._constants, constant)
        known = place < len(self._constants) and self._constants[place] == constant
        return place if known else None

    def facts(self, predicate: Predicate) -> Iterator[Atom]:
        """The facts of a predicate, in order."""
        return self._as_atoms(predicate, self.rows(predicate))

    def _as_atoms(self, predicate: Predicate, rows: Rows) -> Iterator[Atom]:
        names = self.constants
        for row in rows.T.tolist():
            yield Atom(predicate, tuple(Constant(names[number]) for number in row))

    def __iter__(self) -> Iterator[Atom]:
        for predicate in self._relations:
            yield from self.facts(predicate)

    def __len__(self) -> int:
        return sum(rows.shape[1] for rows in self._relations.values())

    def __contains__(self, atom: object) -> bool:
        if not isinstance(atom, Atom):
            return False
        if isinstance(atom.predicate, BuiltIn):
            return atom.is_ground and atom.predicate.holds(*(term.name for term in atom.arguments))
        if atom.predicate not in self._relations:
            return False
        low, high = 0, self.count(atom.predicate)
        for column, term in zip(self.rows(atom.predicate), self._declared.atom(atom).arguments, strict=True):
            number = self.number(term.name) if isinstance(term, Constant) else None
            if number is None:
                return False
            low, high = (low + int(np.searchsorted(column[low:high], number, side)) for side in ("left", "right"))
        return low < high

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Database):
            return NotImplemented
        return (
            self.constants == other.constants
            and equal(self._relations, other._relations)
            and equal(self._denied, other._denied)
        )

    __hash__ = None  # type: ignore[assignment]  # too large to hash, and never needed as a key

    def _repr_html_(self) -> str:
        """In a notebook: the predicates, with their facts."""
        rows = ((str(predicate), f"{self.count(predicate):,}") for predicate in self.predicates)
        return table_in_notebook(repr(self)[1:-1], ("predicate", "facts"), rows, len(self.predicates))

    def __repr__(self) -> str:
        counts = (
            plural(len(self), "fact"),
            plural(len(self._relations), "predicate"),
            plural(len(self._constants), "constant"),
        )
        return f"<Database: {', '.join(counts)}>"

    # Indexes, for the matcher

    def index(self, predicate: Predicate, order: tuple[int, ...]) -> Index:
        """The facts of a predicate sorted by its arguments in the given order; made once, when first asked for."""
        require_a("predicate", predicate, Predicate)
        if not isinstance(order, tuple) or sorted(map(repr, order)) != sorted(map(repr, range(predicate.arity))):
            raise QueryError(
                f"the order of arguments of {predicate} has each place once, as {tuple(range(predicate.arity))}"
            )
        key = (predicate, order)
        if key not in self._indexes:
            self._indexes[key] = _index(self.rows(predicate), order, len(self._constants))
        return self._indexes[key]

    def distinct(self, predicate: Predicate) -> tuple[int, ...]:
        """For each argument of a predicate, how many constants occur there."""
        require_a("predicate", predicate, Predicate)
        if predicate not in self._distinct:
            self._distinct[predicate] = tuple(
                _distinct(column, len(self._constants)) for column in self.rows(predicate)
            )
        return self._distinct[predicate]

    @property
    def nbytes(self) -> int:
        """Bytes of facts and indexes in memory, without the names of the constants."""
        indexes = sum(index.nbytes for index in self._indexes.values())
        return indexes + sum(rows.nbytes for rows in self._relations.values())

    # Other databases made from it

    def fragment(self, constants: Iterable[str]) -> Database:
        """Υ⟨S⟩ (Definition 1): the constants of S, and the facts that have no others.

        >>> facts = [Atom.ground("fr", ["alice", "bob"]), Atom.ground("fr", ["bob", "eve"])]
        >>> [str(fact) for fact in Database.of(facts).fragment(["alice", "bob"])]
        ['fr(alice, bob)']
        """
        kept = sorted_names(constants)
        numbers = [self._number_or_error(constant) for constant in kept]
        renumber = np.full(len(self._constants), -1, dtype=np.int32)
        renumber[numbers] = np.arange(len(kept), dtype=np.int32)
        return self.having(kept, inside(self._relations, renumber), renumber)

    def having(self, constants: Sequence[str], relations: Mapping[Predicate, Rows], renumber: Column) -> Database:
        """Other facts over other constants, with all else that is known here; -1 is the new number of what goes."""
        if np.shape(renumber) != (len(self._constants),):
            raise DataError("renumber has the new number of each constant, and -1 for what goes, in an array")
        denied = inside(self._denied, np.asarray(renumber))
        return Database(constants, relations, self._argument_names, denied, self._declared, self._mapping)

    def having_facts(self, relations: Mapping[Predicate, Rows]) -> Database:
        """Other facts over the same constants, with all else that is known here."""
        return self.having(self.constants, relations, np.arange(len(self._constants), dtype=np.int32))

    def without_denied(self) -> Database:
        """The same facts, and nothing that is said to be false."""
        return self.having_examples({}, {}) if self._denied else self

    def having_examples(self, true: Mapping[Predicate, Rows], false: Mapping[Predicate, Rows]) -> Database:
        """The same with other facts of some predicates, and with nothing else that is said to be false."""
        require_a("true", true, Mapping)
        relations = {**self._relations, **true}
        return Database(self.constants, relations, self._argument_names, false, self._declared, self._mapping)

    def _number_or_error(self, constant: str) -> int:
        number = self.number(constant)
        if number is None:
            raise DataError(f"the constant {constant!r} does not occur in the data; check its spelling")
        return number

    def union(self, *others: Database) -> Database:
        """All facts and all constants of some databases."""
        from possilog.data.builder import Builder

        builder = Builder()
        for database in (self, *others):
            builder.add_database(require_database(database))
        return builder.build()

    def __or__(self, other: Database) -> Database:
        return self.union(other)

    def declare(self, constants: Iterable[str]) -> Database:
        """The same facts over more constants."""
        return self.union(Database(sorted_names(constants), {}))


def require_database(given: object) -> Database:
    """What is given, if it is a database; else an error that says how to get one."""
    if not isinstance(given, Database):
        raise DataError(f"a {type(given).__name__} was given instead of a Database; read('facts.db') gives one")
    return given


def _atoms(given: Iterable[Atom]) -> Iterator[Atom]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise DataError(f"{shown(given)} was given instead of facts; write {_FACTS}")
    for one in given:
        if not isinstance(one, Atom):
            raise DataError(f"{shown(one)} is not a fact; write {_FACTS}")
        yield one


def _grouped(atoms: Iterable[Atom], by: str, declared: Declared) -> Iterable[list[Atom]]:
    """Ground atoms that have something in common, with the types that are declared."""
    listed = list(_atoms(atoms))
    if Variable in map(type, chain.from_iterable(atom.arguments for atom in listed)):
        free = next(atom for atom in listed if not atom.is_ground)
        raise DataError(f"{free} is not a fact: it has variables; replace them by constants")
    groups: dict[object, list[Atom]] = defaultdict(list)
    typed = [declared.atom(atom) for atom in listed] if declared else listed
    for shared_by, atom in zip(map(attrgetter(by), typed), typed, strict=True):
        groups[shared_by].append(atom)
    return groups.values()


def _distinct(column: Column, constants: int) -> int:
    occurs = np.zeros(constants, dtype=bool)
    occurs[column] = True
    return int(np.count_nonzero(occurs))


def _index(rows: Rows, order: tuple[int, ...], constants: int) -> Index:
    if order == tuple(range(len(order))):
        columns = tuple(rows)
    else:
        arrangement = np.lexsort([rows[place] for place in reversed(order)])
        columns = tuple(frozen(rows[place][arrangement]) for place in order)
    first = columns[0]
    # A table over all constants makes the first step of a search free; where facts are few it would be mostly empty.
    starts = None
    if constants <= 4 * len(first):
        starts = frozen(np.searchsorted(first, np.arange(constants + 1)).astype(np.int32))
    return Index(columns, starts)
