"""Groundings of clauses by joins: only those are made whose conditions can hold.

A condition is a pattern of atoms that must be in some set of ground atoms, or must not. Sets are joined over the
variables they share, smallest first; a variable that no set binds runs over its type. Unlike in ``matching``, different
variables may stand for equal constants, variables have types, and the sets change with every solution, so the joins are
made of whole columns and need no index that has to be kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct
from possilog.errors import QueryError
from possilog.logic import Atom, Predicate, Term, Variable
from possilog.markov.cnf import WeightedClause
from possilog.markov.domain import Domain, Numbers

__all__ = [
    "AtomPattern",
    "AtomSet",
    "CodedClause",
    "Groundings",
    "TooManyGroundings",
    "check_rows",
    "code",
    "free_groundings",
    "match",
    "row_codes",
]

MAX_ROWS = 20_000_000
"""Groundings made at a time, at most; more would not fit into memory."""


class AtomSet:
    """A set of ground atoms: sorted numbers, and the columns of each predicate."""

    def __init__(self, domain: Domain, numbers: Numbers) -> None:
        """Take sorted numbers without repetition."""
        self.domain = domain
        self.numbers = numbers
        self._columns: dict[Predicate, list[Numbers]] = {}

    def numbers_of(self, predicate: Predicate) -> Numbers:
        """The numbers of the predicate's atoms."""
        low, high = np.searchsorted(self.numbers, self.domain.span(predicate))
        return self.numbers[low:high]

    def columns(self, predicate: Predicate) -> list[Numbers]:
        """The arguments of the predicate's atoms."""
        if predicate not in self._columns:
            self._columns[predicate] = self.domain.columns(predicate, self.numbers_of(predicate))
        return self._columns[predicate]

    def has(self, numbers: Numbers) -> npt.NDArray[np.bool_]:
        """Which of some atoms are in it?"""
        if not len(self.numbers):
            return np.zeros(len(numbers), dtype=bool)
        places = np.searchsorted(self.numbers, numbers)
        places[places == len(self.numbers)] = 0
        found: npt.NDArray[np.bool_] = self.numbers[places] == numbers
        return found

    def union(self, numbers: Numbers) -> AtomSet:
        """It and some more atoms."""
        return AtomSet(self.domain, distinct(np.concatenate([self.numbers, numbers]))) if len(numbers) else self


@dataclass(frozen=True, slots=True)
class AtomPattern:
    """An atom in numbers: for each argument the number of a variable, or -1 - the place of a constant."""

    predicate: Predicate
    arguments: tuple[int, ...]

    @property
    def variables(self) -> tuple[int, ...]:
        """Its variables, each once."""
        return tuple(dict.fromkeys(argument for argument in self.arguments if argument >= 0))

    @property
    def is_general(self) -> bool:
        """Is every atom of the predicate an instance?"""
        return len(self.variables) == len(self.arguments)

    def instances(self, columns: Sequence[Numbers]) -> npt.NDArray[np.bool_] | None:
        """Which atoms, given by their columns, are instances; None means all."""
        if self.is_general:
            return None
        fits = np.ones(len(columns[0]), dtype=bool)
        for place, argument in enumerate(self.arguments):
            if argument < 0:
                fits &= columns[place] == -1 - argument
            elif (first := self.arguments.index(argument)) < place:
                fits &= columns[place] == columns[first]
        return fits


@dataclass(frozen=True, slots=True)
class CodedClause:
    """A clause in numbers: variables are 0, 1, ..., with the sizes of their types."""

    source: WeightedClause
    head: tuple[AtomPattern, ...]
    body: tuple[AtomPattern, ...]
    distinct: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]

    @property
    def weight(self) -> float:
        """The weight of each grounding."""
        return self.source.weight

    @property
    def literals(self) -> tuple[tuple[AtomPattern, bool], ...]:
        """The head's patterns, and the body's negated."""
        return tuple((pattern, True) for pattern in self.head) + tuple((pattern, False) for pattern in self.body)


def code(clause: WeightedClause, domain: Domain) -> CodedClause | None:
    """Write a clause in the numbers of a domain; None where its equalities alone make it true.

    A grounding can violate ``x != y v ...`` only if x and y are the same, so they become one variable.
    """
    merged: dict[Variable, Term] = {}
    for one, other in ((_end(merged, left), _end(merged, right)) for left, right in clause.equal):
        if one == other:
            continue
        if isinstance(one, Variable):
            merged[one] = other
        elif isinstance(other, Variable):
            merged[other] = one
        else:
            return None
    bindings = {variable: _end(merged, variable) for variable in merged}
    pairs = [(_end(merged, left), _end(merged, right)) for left, right in clause.distinct]
    if any(one == other for one, other in pairs):
        return None
    pairs = [pair for pair in pairs if any(isinstance(term, Variable) for term in pair)]
    kept = [(variable, name) for variable, name in clause.types if variable not in merged]
    number = {variable: number for number, (variable, _) in enumerate(kept)}
    types = dict(clause.types)

    def coded(term: Term, type_name: str) -> int:
        return number[term] if isinstance(term, Variable) else -1 - domain.place(type_name, term.name)

    def pattern(atom: Atom) -> AtomPattern:
        declared = domain.declarations[atom.predicate].types
        return AtomPattern(atom.predicate, tuple(map(coded, atom.substitute(bindings).arguments, declared)))

    distinct = []
    for one, other in pairs:
        shared = next(types[term] for term in (one, other) if isinstance(term, Variable))
        distinct.append((coded(one, shared), coded(other, shared)))
    return CodedClause(
        clause,
        tuple(map(pattern, clause.clause.head)),
        tuple(map(pattern, clause.clause.body)),
        tuple(distinct),
        tuple(domain.size(name) for _, name in kept),
    )


def _end(merged: Mapping[Variable, Term], term: Term) -> Term:
    while isinstance(term, Variable) and term in merged:
        term = merged[term]
    return term


class Groundings:
    """Some groundings of a clause: for each variable bound so far a column of places."""

    def __init__(self, domain: Domain, clause: CodedClause, count: int = 1) -> None:
        """Begin with the one grounding that binds nothing."""
        self.domain = domain
        self.clause = clause
        self.count = count
        self.columns: dict[int, Numbers] = {}

    @classmethod
    def of(cls, domain: Domain, clause: CodedClause, rows: Numbers) -> Groundings:
        """The groundings of some rows, which have a column for each variable of the clause."""
        found = cls(domain, clause, len(rows))
        found.columns = dict(enumerate(rows.T))
        return found

    def rows(self) -> Numbers:
        """A row for each grounding, a column for each variable of the clause."""
        if not self.clause.sizes:
            return np.zeros((self.count, 0), dtype=np.int64)
        return np.stack([self.columns[variable] for variable in range(len(self.clause.sizes))], axis=1)

    def atoms(self, pattern: AtomPattern) -> Numbers:
        """The instance of a pattern for each grounding."""
        columns = [self.columns[a] if a >= 0 else np.int64(-1 - a) for a in pattern.arguments]
        return self.domain.numbers(pattern.predicate, columns, self.count)  # type: ignore[arg-type]

    def keep(self, chosen: npt.NDArray[np.bool_] | Numbers, count: int) -> None:
        """Keep some groundings, by a mask or by their places."""
        self.columns = {variable: column[chosen] for variable, column in self.columns.items()}
        self.count = count

    def join(self, pattern: AtomPattern, atoms: AtomSet) -> None:
        """Keep what agrees with an instance of the pattern in a set, and bind the pattern's variables."""
        columns = atoms.columns(pattern.predicate)
        fits = pattern.instances(columns)
        size = len(atoms.numbers_of(pattern.predicate)) if fits is None else int(np.count_nonzero(fits))
        place = {variable: pattern.arguments.index(variable) for variable in pattern.variables}
        table = {v: columns[at] if fits is None else columns[at][fits] for v, at in place.items()}
        shared = [variable for variable in table if variable in self.columns]
        if len(shared) == len(table):
            present = atoms.has(self.atoms(pattern))
            self.keep(present, int(np.count_nonzero(present)))
            return
        left, right = self.pairs(shared, table, size)
        self.keep(left, len(left))
        self.columns |= {variable: table[variable][right] for variable in table if variable not in shared}

    def pairs(self, shared: list[int], table: dict[int, Numbers], size: int) -> tuple[Numbers, Numbers]:
        """Which grounding goes with which row of a table."""
        if not shared:
            check_rows(self.count * size)
            return np.repeat(np.arange(self.count), size), np.tile(np.arange(size), self.count)
        mine, other = np.zeros(self.count, dtype=np.int64), np.zeros(size, dtype=np.int64)
        for variable in shared:
            mine = mine * self.clause.sizes[variable] + self.columns[variable]
            other = other * self.clause.sizes[variable] + table[variable]
        order = np.argsort(other, kind="stable")
        other = other[order]
        low, high = np.searchsorted(other, mine, "left"), np.searchsorted(other, mine, "right")
        counts = high - low
        total = int(counts.sum())
        check_rows(total)
        left = np.repeat(np.arange(self.count), counts)
        inside = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        return left, order[np.repeat(low, counts) + inside]

    def exclude(self, pattern: AtomPattern, atoms: AtomSet) -> None:
        """Keep what has no instance of the pattern in a set; the pattern's variables are bound."""
        if len(atoms.numbers_of(pattern.predicate)):
            absent = ~atoms.has(self.atoms(pattern))
            self.keep(absent, int(np.count_nonzero(absent)))

    def extend(self, variable: int) -> None:
        """Bind a variable to every constant of its type."""
        size = self.clause.sizes[variable]
        check_rows(self.count * size)
        old = self.count
        self.keep(np.repeat(np.arange(old), size), old * size)
        self.columns[variable] = np.tile(np.arange(size), old)

    def differ(self, one: int, other: int) -> None:
        """Keep what has different constants for two terms."""
        left, right = (self.columns[term] if term >= 0 else np.int64(-1 - term) for term in (one, other))
        differ = np.broadcast_to(left != right, (self.count,))
        self.keep(differ, int(np.count_nonzero(differ)))


def match(
    domain: Domain,
    clause: CodedClause,
    present: Iterable[tuple[AtomPattern, AtomSet]] = (),
    absent: Iterable[tuple[AtomPattern, AtomSet]] = (),
    needed: Iterable[int] | None = None,
) -> Groundings:
    """The groundings of a clause whose patterns are in sets or absent from them; ``distinct`` always counts.

    The needed variables are bound, all of them by default, and those of every condition.
    """
    found = Groundings(domain, clause)
    waiting = list(present)
    checks: list[tuple[AtomPattern, AtomSet] | tuple[int, int]] = [*absent, *clause.distinct]
    wanted = list(range(len(clause.sizes)) if needed is None else needed)
    wanted += [variable for check in checks for variable in _variables(check)]

    def filter_bound() -> None:
        for check in list(checks):
            if all(variable in found.columns for variable in _variables(check)):
                checks.remove(check)
                if isinstance(check[0], AtomPattern):
                    found.exclude(check[0], check[1])
                else:
                    found.differ(check[0], check[1])

    filter_bound()
    while waiting:
        # Connected before unconnected, so that nothing is multiplied out too early; then the smaller set.
        bound = found.columns.keys()
        chosen = min(
            waiting,
            key=lambda pair: (
                bool(bound) and bound.isdisjoint(pair[0].variables),
                len(pair[1].numbers_of(pair[0].predicate)),
            ),
        )
        waiting.remove(chosen)
        found.join(*chosen)
        filter_bound()
    for variable in dict.fromkeys(wanted):
        if variable not in found.columns:
            found.extend(variable)
            filter_bound()
    return found


def row_codes(rows: Numbers, sizes: Sequence[int]) -> Numbers:
    """A number for each row, equal for equal rows; only numbers from one call can be compared."""
    codes, most = np.zeros(len(rows), dtype=np.int64), 1
    for column, size in zip(rows.T, sizes, strict=True):
        if most * max(size, 1) >= 2**62:
            _, codes = np.unique(codes, return_inverse=True)
            most = len(rows) + 1
        codes, most = codes * size + column, most * max(size, 1)
    return codes


def _variables(check: tuple[AtomPattern, AtomSet] | tuple[int, int]) -> Iterable[int]:
    if isinstance(check[0], AtomPattern):
        return check[0].variables
    return [term for term in check if isinstance(term, int) and term >= 0]


class TooManyGroundings(QueryError):
    """A clause that cannot be looked at, as too many of its groundings would have to be made."""


def check_rows(rows: int) -> None:
    """Refuse to make too many groundings."""
    if rows > MAX_ROWS:
        raise TooManyGroundings(
            f"a clause has {rows:,} groundings that have to be looked at together, and {MAX_ROWS:,} are possible; "
            "take fewer constants, or declare more predicates as closed"
        )


def free_groundings(clause: CodedClause, bound: Iterable[int]) -> int:
    """In how many ways the variables that are not bound can be."""
    taken = set(bound)
    return math.prod(size for variable, size in enumerate(clause.sizes) if variable not in taken)
