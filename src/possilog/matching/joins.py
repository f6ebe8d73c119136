"""Conjunctions of atoms, joined for very many beginnings at once: whole columns of numbers, no search.

The matcher stops as early as an answer allows; a join makes all of them. It pays where all are wanted, for thousands of
beginnings: which heads does a rule conclude, for these constants or for any?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database, Index
from possilog.data.rows import Column, distinct
from possilog.logic import Predicate

__all__ = ["Conjunction", "Joins"]

Rows = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

Conjunction = Sequence[tuple[Predicate, tuple[int, ...]]]
"""Atoms in numbers: variables count from 0, the constant n is -1 - n."""

MOST_ROWS = 4_000_000
"""Rows of a table in memory; where there would be more, its beginnings are taken in parts."""

_LARGEST_KEY = 2**62
_DENSE = 16
"""Where at most this many times as many keys are possible as there are rows, a table of flags beats sorting."""


@dataclass(slots=True)
class _Table:
    """Rows of values of some variables, and from which beginning each of them comes."""

    origin: npt.NDArray[np.int64]
    columns: dict[int, Column]

    def __len__(self) -> int:
        return len(self.origin)

    def take(self, rows: npt.NDArray[np.generic] | slice) -> _Table:
        """Some of the rows."""
        return _Table(self.origin[rows], {variable: column[rows] for variable, column in self.columns.items()})


class Joins:
    """Joins over one database, under object identity: distinct variables stand for distinct constants.

    >>> from possilog.data import Database
    >>> from possilog.logic import Atom
    >>> friends = Predicate("fr", 2)
    >>> database = Database.of(Atom.ground("fr", pair.split()) for pair in ("anna bob", "bob anna", "bob eve"))
    >>> origin, (last,) = Joins(database).matches([(friends, (0, 1)), (friends, (1, 2))], {0: np.array([0, 1])}, [2])
    >>> origin.tolist(), [database.constants[number] for number in last]
    ([0], ['eve'])
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._constants = max(len(database.constants), 1)
        self._keys: dict[tuple[Predicate, tuple[int, ...], int], npt.NDArray[np.int64]] = {}

    def matches(
        self, body: Conjunction, beginnings: Mapping[int, Column], wanted: Sequence[int], rows: int | None = None
    ) -> tuple[npt.NDArray[np.int64], list[Column]]:
        """What the wanted variables stand for in the matches of a body, each combination once for each beginning.

        Beginnings are values of some variables, a row each; where there are no such variables, ``rows`` says how many.
        The first array has the beginnings' numbers.
        """
        length = len(next(iter(beginnings.values()))) if beginnings else (1 if rows is None else rows)
        table = _Table(np.arange(length), {v: np.asarray(column) for v, column in beginnings.items()})
        table = self._apart(table, list(beginnings))
        parts = [self._projected(found, wanted, length) for found in self._joined(table, list(body))]
        if len(parts) == 1:
            return parts[0]
        origins = [origin for origin, _ in parts] or [np.empty(0, dtype=np.int64)]
        columns = [
            np.concatenate([found[place] for _, found in parts] or [np.empty(0, dtype=np.int32)])
            for place in range(len(wanted))
        ]
        # Parts have different beginnings, so that nothing is in two of them.
        return np.concatenate(origins), columns

    def covered(self, body: Conjunction, variables: Sequence[int], heads: Rows, most: int) -> Flags | None:
        """Which rows of values of these variables does a body cover? None where a join would have too many rows.

        All that the body covers is made from the bottom up, whatever is asked for.
        """
        if self._constants ** len(variables) >= _LARGEST_KEY:
            return None
        table, atoms = _Table(np.zeros(1, dtype=np.int64), {}), list(body)
        while atoms and len(table):
            atom = self._next(table, atoms)
            low, high, index, rest = self._ranges(table, *atom)
            if int((high - low).sum()) > most:
                return None
            atoms.remove(atom)
            table = self._extended(table, atom[1], low, high - low, index, rest)
        if not len(table):
            return np.zeros(len(heads), dtype=bool)
        found = self._key([table.columns[variable] for variable in variables])
        asked = self._key(list(heads.T))
        if self._constants ** len(variables) > _DENSE * (len(found) + len(asked)):
            return np.isin(asked, found)
        flags = np.zeros(self._constants ** len(variables), dtype=bool)
        flags[found] = True
        return flags[asked]

    def _joined(self, table: _Table, atoms: list[tuple[Predicate, tuple[int, ...]]]) -> Iterator[_Table]:
        """All matches that go on from a table, in parts that fit into memory."""
        while atoms and len(table):
            atom = self._next(table, atoms)
            low, high, index, rest = self._ranges(table, *atom)
            counts = high - low
            if int(counts.sum()) > MOST_ROWS and table.origin[0] != table.origin[-1]:
                middle = table.origin[len(table) // 2]
                cut = int(np.searchsorted(table.origin, middle, "left")) or int(
                    np.searchsorted(table.origin, middle, "right")
                )
                yield from self._joined(table.take(slice(0, cut)), list(atoms))
                yield from self._joined(table.take(slice(cut, None)), list(atoms))
                return
            atoms.remove(atom)
            table = self._extended(table, atom[1], low, counts, index, rest)
        yield table

    def _next(
        self, table: _Table, atoms: Sequence[tuple[Predicate, tuple[int, ...]]]
    ) -> tuple[Predicate, tuple[int, ...]]:
        """The atom that is expected to lengthen the table least."""
        return min(atoms, key=lambda atom: self._fan_out(table, *atom)) if len(atoms) > 1 else atoms[0]

    def _fan_out(self, table: _Table, predicate: Predicate, arguments: tuple[int, ...]) -> float:
        expected = float(self._database.count(predicate))
        for argument, different in zip(arguments, self._database.distinct(predicate), strict=True):
            if argument < 0 or argument in table.columns:
                expected /= max(different, 1)
        return expected

    def _ranges(
        self, table: _Table, predicate: Predicate, arguments: tuple[int, ...]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Index | None, list[int]]:
        """For each row, where the facts that agree with it begin and end in an index; and the index's other places."""
        known = [place for place, a in enumerate(arguments) if a < 0 or a in table.columns]
        rest = [place for place in range(len(arguments)) if place not in known]
        if not arguments:
            count = self._database.count(predicate)
            return np.zeros(len(table), np.int64), np.full(len(table), min(count, 1)), None, []
        # More places than a key can hold are compared afterwards.
        while self._constants ** len(known) >= _LARGEST_KEY:
            rest.insert(0, known.pop())
        order = (*known, *rest)
        index = self._database.index(predicate, order)
        if not known:
            size = self._database.count(predicate)
            return np.zeros(len(table), np.int64), np.full(len(table), size), index, rest
        values = [self._values(table, arguments[place]) for place in known]
        if len(known) == 1 and index.starts is not None:
            starts = index.starts.astype(np.int64, copy=False)
            return starts[values[0]], starts[values[0] + 1], index, rest
        keys = self._keys_of(predicate, order, len(known), index)
        sought = self._key(values)
        return np.searchsorted(keys, sought, "left"), np.searchsorted(keys, sought, "right"), index, rest

    def _values(self, table: _Table, argument: int) -> Column:
        return table.columns[argument] if argument >= 0 else np.full(len(table), -1 - argument, dtype=np.int32)

    def _key(self, columns: Sequence[Column]) -> npt.NDArray[np.int64]:
        first, *others = (column.astype(np.int64) for column in columns)
        return reduce(lambda key, column: key * self._constants + column, others, first)

    def _keys_of(self, predicate: Predicate, order: tuple[int, ...], known: int, index: Index) -> npt.NDArray[np.int64]:
        keys = self._keys.get((predicate, order, known))
        if keys is None:
            keys = self._keys[predicate, order, known] = self._key(index.columns[:known])
        return keys

    def _extended(
        self,
        table: _Table,
        arguments: tuple[int, ...],
        low: npt.NDArray[np.int64],
        counts: npt.NDArray[np.int64],
        index: Index | None,
        rest: list[int],
    ) -> _Table:
        """The rows, each with every fact that agrees with it; under object identity."""
        if not rest:
            return table.take(counts > 0)
        assert index is not None
        total = int(counts.sum())
        places = np.arange(total) + np.repeat(low - np.cumsum(counts) + counts, counts)
        found = table.take(np.repeat(np.arange(len(table)), counts))
        new = []
        for place, column in zip(rest, index.columns[len(arguments) - len(rest) :], strict=True):
            argument, values = arguments[place], column[places]
            if argument < 0 or argument in found.columns:
                agree = self._values(found, argument) == values
                found, places = found.take(agree), places[agree]
            else:
                found.columns[argument] = values
                new.append(argument)
        return self._apart(found, new)

    def _apart(self, table: _Table, new: Sequence[int]) -> _Table:
        """The rows in which these variables stand for other constants than all the others, and than each other."""
        kept = None
        before = [variable for variable in table.columns if variable not in new]
        for variable in new:
            for other in before:
                differ = table.columns[variable] != table.columns[other]
                kept = differ if kept is None else kept & differ
            before.append(variable)
        return table if kept is None or kept.all() else table.take(kept)

    def _projected(
        self, table: _Table, wanted: Sequence[int], beginnings: int
    ) -> tuple[npt.NDArray[np.int64], list[Column]]:
        """The wanted columns, each row once; rows in the order of beginnings."""
        if not len(table):
            return table.origin, [np.empty(0, dtype=np.int32) for _ in wanted]
        columns = [table.columns[variable] for variable in wanted]
        if beginnings * self._constants ** len(wanted) >= _LARGEST_KEY:
            rows = np.unique(np.stack([table.origin, *columns]), axis=1)
            return rows[0], [column.astype(np.int32) for column in rows[1:]]
        keys = reduce(lambda key, column: key * self._constants + column, columns, table.origin)
        keys = _distinct(keys, beginnings * self._constants ** len(wanted))
        found: list[Column] = []
        for _ in wanted:
            keys, column = np.divmod(keys, self._constants)
            found.insert(0, column.astype(np.int32))
        return keys, found


def _distinct(keys: npt.NDArray[np.int64], possible: int) -> npt.NDArray[np.int64]:
    """Each key once, in order."""
    if possible > _DENSE * len(keys):
        return distinct(keys)
    flags = np.zeros(possible, dtype=bool)
    flags[keys] = True
    return np.flatnonzero(flags)
