"""Clauses as rows of small integers, so that numpy can make, compare and filter a million of them at once.

A literal over variables 0, 1, … has a number; literals with few and low variables come first, and a number's last bit
is the literal's sign. A clause is a row of such numbers. Its key is one integer that isomorphic clauses share: the
smallest that renaming its variables can make of it, with the largest literal in the highest bits. So canonical clauses
always use the variables 0, 1, …, without a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations
from math import comb

import numpy as np
import numpy.typing as npt

from possilog.errors import QueryError
from possilog.logic import Atom, Clause, Literal, Predicate, Variable
from possilog.logic.canonical_forms import order_variables, variable_name
from possilog.printing import plural

__all__ = ["ClauseSpace", "Keys", "Numbers", "fits"]

Numbers = npt.NDArray[np.int32]
"""Clauses: a row for each, a column for each literal. Or literals."""

Keys = npt.NDArray[np.int64]
"""One integer for each clause."""

_ALL_ORDERS = 6
"""Up to this many variables, every way to name them is tried; for more, colours sort them first."""

_MOST_LITERALS = 1 << 20

_MOST_ADVISED = 100_000_000
"""What is asked for instead of too many clauses has about so many at most: those are searched in a minute or two."""


def fits(predicates: Iterable[Predicate], variables: int, literals: int) -> bool:
    """Are the clauses over some predicates not too many to search?"""
    atoms = sum(variables**predicate.arity for predicate in predicates)
    return 2 * atoms <= _MOST_LITERALS and _bits(atoms) * literals <= 63


def _bits(atoms: int) -> int:
    """The bits of a literal's number."""
    return max(1, (2 * atoms - 1).bit_length())


def _instead(predicates: Sequence[Predicate], variables: int, literals: int) -> str:
    """What could be searched where this is too much, and in a time that anybody would wait."""
    most = max((fewer for fewer in range(1, variables) if _ends(predicates, fewer, literals)), default=0)
    remedies = [f"{plural(most, 'variable')} at most"] if most else []
    if any(_ends(predicates, variables, fewer) for fewer in range(1, literals)):
        remedies.append("fewer literals")
    return " or ".join(remedies) or "fewer literals and variables"


def _ends(predicates: Sequence[Predicate], variables: int, literals: int) -> bool:
    """Are the clauses few enough to search all? Those of the widest predicates are told apart by which places agree."""
    if not fits(predicates, variables, literals):
        return False
    places = literals * max((predicate.arity for predicate in predicates), default=0)
    chosen = comb(2 * sum(variables**predicate.arity for predicate in predicates), literals)
    return chosen * _partitions(places, variables) <= _MOST_ADVISED * int(variables**places)


def _partitions(places: int, most: int) -> int:
    """In how many ways some places can be parted into groups, if there are at most so many groups.

    >>> _partitions(4, 4), _partitions(4, 2)
    (15, 8)
    """
    most = min(most, places)
    ways = [1] + [0] * most  # by the number of groups
    for _ in range(places):
        ways = [0, *(ways[groups - 1] + groups * ways[groups] for groups in range(1, most + 1))]
    return sum(ways)


class ClauseSpace:
    """The clauses over some predicates with at most this many variables and literals.

    >>> space = ClauseSpace([Predicate("r", 2)], variables=3, literals=2)
    >>> clauses = np.array([[space.number_of(0, (1, 2)) + 1, space.number_of(0, (2, 0))]], dtype=np.int32)
    >>> print(space.clause(clauses[0]), space.clause(space.clauses(space.keys(clauses), 2)[0]))
    r(C, A) :- r(B, C). r(A, C) :- r(B, A).
    """

    def __init__(self, predicates: Sequence[Predicate], variables: int, literals: int) -> None:
        """Number the literals; QueryError where they are too many."""
        self.predicates = tuple(predicates)
        self.variables = variables
        self.literals = literals
        atoms = sum(variables**predicate.arity for predicate in predicates)
        self.bits = _bits(atoms)
        if not fits(predicates, variables, literals):
            raise QueryError(
                f"clauses of {plural(literals, 'literal')} over {plural(variables, 'variable')} are too many to "
                f"search: there are {plural(2 * atoms, 'literal')}; ask for {_instead(predicates, variables, literals)}"
            )
        width = max((predicate.arity for predicate in predicates), default=0)
        numbers, arguments = _all_atoms(predicates, variables, width)
        # In the order of the last variable, then of the predicate, then of the arguments.
        order = np.lexsort((np.arange(atoms), numbers, arguments.max(axis=1, initial=-1)))
        # By literal, the atom's predicate and arguments; -1 where a shorter atom has none.
        self.predicate = np.repeat(numbers[order], 2)
        self.arguments = np.repeat(arguments[order], 2, axis=0)
        self.mask = np.zeros(2 * atoms, dtype=np.int64)
        for column in self.arguments.T:
            self.mask |= np.where(column >= 0, 1 << np.maximum(column, 0).astype(np.int64), 0)
        self._offsets = np.cumsum([0] + [variables**predicate.arity for predicate in predicates])
        self._number = np.empty(atoms, dtype=np.int32)
        self._number[self._places(self.predicate[::2], self.arguments[::2])] = np.arange(0, 2 * atoms, 2)
        self.literal = cache(self._literal)
        self._renaming = cache(self._make_renaming)
        self._orders = cache(self._make_orders)
        self.extensions = cache(self._extensions)

    def _places(self, predicate: Numbers, arguments: Numbers) -> npt.NDArray[np.int64]:
        """Atoms in the order of predicates and arguments, where a number can be computed."""
        places = np.zeros(len(predicate), dtype=np.int64)
        for column in arguments.T:
            places = np.where(column >= 0, places * self.variables + column, places)
        places += self._offsets[predicate]
        return places

    # Between numbers and logic

    def number_of(self, predicate: int, arguments: Sequence[int]) -> int:
        """The number of a positive literal; that of its negation is one more."""
        row = np.full((1, self.arguments.shape[1]), -1, dtype=np.int32)
        row[0, : len(arguments)] = arguments
        return int(self._number[self._places(np.array([predicate], dtype=np.int32), row)[0]])

    def _literal(self, number: int) -> Literal:
        terms = (Variable(variable_name(a)) for a in self.arguments[number].tolist() if a >= 0)
        return Literal(Atom(self.predicates[self.predicate[number]], tuple(terms)), number % 2 == 0)

    def clause(self, numbers: Numbers) -> Clause:
        """A row as a clause."""
        return Clause.of(self.literal(number) for number in numbers.tolist())

    def width(self, clauses: Numbers) -> npt.NDArray[np.int64]:
        """How many variables each clause has."""
        masks = np.bitwise_or.reduce(self.mask[clauses], axis=1)
        widths = np.zeros(len(clauses), dtype=np.int64)
        for variable in range(self.variables):
            widths += masks >> variable & 1
        return widths

    # Keys

    def keys(self, clauses: Numbers) -> Keys:
        """The keys of some clauses, all with the same number of literals."""
        keys = np.zeros(len(clauses), dtype=np.int64)
        masks = np.bitwise_or.reduce(self.mask[clauses], axis=1)
        for mask, rows in _groups(masks):
            count = int(mask).bit_count()
            compact = clauses[rows]
            if mask != (1 << count) - 1:
                compact = self._renaming(tuple(v for v in range(self.variables) if mask >> v & 1))[compact]
            keys[rows] = self._smallest(compact, count) if count <= _ALL_ORDERS else self._by_colours(compact)
        return keys

    def _smallest(self, clauses: Numbers, count: int) -> Keys:
        smallest = np.full(len(clauses), np.iinfo(np.int64).max)
        columns = [np.ascontiguousarray(column) for column in clauses.T]
        for order in self._orders(count):
            np.minimum(smallest, self._pack([order[column] for column in columns]), out=smallest)
        return smallest

    def _by_colours(self, clauses: Numbers) -> Keys:
        renamed = np.empty_like(clauses)
        for index, clause in enumerate(clauses):
            symbols = 2 * self.predicate[clause] + clause % 2
            codes = [
                (symbol, *(a for a in arguments if a >= 0))
                for symbol, arguments in zip(symbols.tolist(), self.arguments[clause].tolist(), strict=True)
            ]
            renamed[index] = self._rename(clause, order_variables(codes))
        return self._pack(list(renamed.T))

    def _pack(self, columns: list[Numbers]) -> Keys:
        """Sort each clause's literals, the largest first, and put them into one integer."""
        for last in range(len(columns) - 1, 0, -1):
            for i in range(last):
                one, other = columns[i], columns[i + 1]
                columns[i], columns[i + 1] = np.maximum(one, other), np.minimum(one, other)
        keys = columns[0].astype(np.int64)
        for column in columns[1:]:
            keys <<= self.bits
            keys |= column
        return keys

    def clauses(self, keys: Keys, literals: int) -> Numbers:
        """The canonical clauses with these keys, smallest literal first."""
        shifts = np.arange(literals, dtype=np.int64) * self.bits
        numbers: Numbers = ((keys[:, np.newaxis] >> shifts) & ((1 << self.bits) - 1)).astype(np.int32)
        return numbers

    def _rename(self, numbers: Numbers, order: Sequence[int]) -> Numbers:
        """Literals, with the variable that stands first in the order called 0, the next 1, and so on."""
        ranks = np.full(self.variables + 1, -1, dtype=np.int32)  # the last for arguments that are not there
        ranks[list(order)] = np.arange(len(order), dtype=np.int32)
        arguments = ranks[self.arguments[numbers]]
        return self._number[self._places(self.predicate[numbers], arguments)] + numbers % 2

    def _make_renaming(self, order: tuple[int, ...]) -> Numbers:
        """``_rename`` for all literals over the given variables; nonsense for the others."""
        allowed = np.flatnonzero((self.mask & ~sum(1 << v for v in order)) == 0).astype(np.int32)
        renaming = np.zeros(len(self.mask), dtype=np.int32)
        renaming[allowed] = self._rename(allowed, order)
        return renaming

    def _make_orders(self, count: int) -> list[Numbers]:
        """``_rename`` for every order of the first variables; literals over those alone have the lowest numbers."""
        numbers = np.arange(np.count_nonzero(self.mask < 1 << count), dtype=np.int32)
        return [self._rename(numbers, order) for order in permutations(range(count))]

    # Extensions

    def _extensions(self, width: int) -> Numbers:
        """The literals that may be added to a clause over variables 0 … width - 1; new variables come in order."""
        fine = np.ones(len(self.mask), dtype=bool)
        expected = np.full(len(self.mask), width, dtype=np.int32)
        for column in self.arguments.T:
            fine &= column <= expected
            expected += column == expected
        return np.flatnonzero(fine).astype(np.int32)


def _all_atoms(predicates: Sequence[Predicate], variables: int, width: int) -> tuple[Numbers, Numbers]:
    """The atoms' predicates and arguments, predicate by predicate; -1 where a shorter atom has no argument."""
    tables = {}
    for arity in {predicate.arity for predicate in predicates}:
        tables[arity] = np.full((variables**arity, width), -1, dtype=np.int32)
        for place in range(arity):
            tables[arity][:, place] = np.arange(variables**arity) // variables ** (arity - place - 1) % variables
    listed = [tables[predicate.arity] for predicate in predicates]
    numbers = np.repeat(np.arange(len(listed), dtype=np.int32), [len(table) for table in listed])
    return numbers, np.concatenate([np.empty((0, width), dtype=np.int32), *listed])


def _groups(values: npt.NDArray[np.int64]) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """The distinct values, each with its places."""
    order = np.argsort(values, kind="stable")
    distinct, counts = np.unique(values, return_counts=True)
    ends = np.cumsum(counts)
    for value, start, end in zip(distinct.tolist(), ends - counts, ends, strict=True):
        yield value, order[start:end]
