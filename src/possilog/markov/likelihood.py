"""Pseudo-likelihood (Besag 1975): the probability of every atom given all others, multiplied.

An atom a is true with probability σ(Σ w_i d_i(a)), where d_i(a) is what turning it true changes in formula i. Atoms of
a predicate with equal d are one row with two counts: how many of them are true, and how many false.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from possilog.data import Evidence
from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline
from possilog.errors import DataError, shortened
from possilog.logic import Predicate
from possilog.markov.cnf import WeightedClause, weighted_clauses
from possilog.markov.domain import Domain, Numbers
from possilog.markov.flips import FlipTable, flip_tables
from possilog.markov.grounding import AtomSet, code, match
from possilog.markov.network import Network
from possilog.markov.problem import Weights

__all__ = ["Changes", "FlipRows", "flip_rows", "log_sigmoid"]

_CHUNK = 100_000
"""This many atoms are looked at together."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What turning atoms true changes in one formula: which atoms, by their places in a list, and by how much.

    Most formulas say nothing of most atoms, so only what is not 0 is kept.
    """

    atoms: Numbers
    values: Weights

    @classmethod
    def of(cls, values: Weights) -> Changes:
        """Those of a list with a value for every atom."""
        atoms = np.flatnonzero(values)
        return cls(atoms, values[atoms])

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, Changes]]) -> Changes:
        """Those of several lists of atoms, each with the place where its first one stands."""
        listed = list(parts)
        atoms = [np.empty(0, dtype=np.int64), *(first + part.atoms for first, part in listed)]
        return cls(np.concatenate(atoms), np.concatenate([np.empty(0), *(part.values for _, part in listed)]))


@dataclass(frozen=True, slots=True)
class FlipRows:
    """Atoms with equal changes: what changes, a column for each formula, and how much the true and the false count."""

    changes: Weights
    true: Weights
    false: Weights

    def value(self, weights: Weights) -> float:
        """The log-pseudo-likelihood."""
        sums = self.changes @ weights
        return float(self.true @ log_sigmoid(sums) + self.false @ log_sigmoid(-sums))

    def value_and_gradient(self, weights: Weights) -> tuple[float, Weights]:
        """The log-pseudo-likelihood and its gradient."""
        sums = self.changes @ weights
        value = float(self.true @ log_sigmoid(sums) + self.false @ log_sigmoid(-sums))
        surprise = self.true - (self.true + self.false) * np.exp(log_sigmoid(sums))
        return value, surprise @ self.changes

    def curvature(self) -> Weights:
        """The second derivatives along each weight, where all weights are 0, with their signs changed."""
        total: Weights = (self.true + self.false) @ self.changes**2 / 4
        return total

    @classmethod
    def joined(cls, parts: Sequence[FlipRows]) -> FlipRows:
        """The rows of all parts."""
        return cls(
            np.concatenate([part.changes for part in parts]),
            np.concatenate([part.true for part in parts]),
            np.concatenate([part.false for part in parts]),
        )

    def compressed(self) -> FlipRows:
        """FlipRows with equal changes become one."""
        return FlipRows.grouped(self.changes, self.true, self.false, _unique_rows(self.changes))

    @classmethod
    def grouped(cls, changes: Weights, true: Weights, false: Weights, kinds: Numbers) -> FlipRows:
        """One row for each kind of some atoms."""
        _, first = np.unique(kinds, return_index=True)
        return cls(changes[first], *(_added(kinds, counts, len(first)) for counts in (true, false)))

    @classmethod
    def of(cls, formulas: Sequence[Changes], true: Weights, false: Weights) -> tuple[FlipRows, Numbers]:
        """The rows of some atoms, and which row each atom has."""
        kinds, found = np.zeros(len(true), dtype=np.int64), 1
        for one in formulas:
            values, value = np.unique(one.values, return_inverse=True)
            new, kind = np.unique(kinds[one.atoms] * len(values) + value, return_inverse=True)
            kinds[one.atoms] = found + kind
            found += len(new)
        kept, kinds = np.unique(kinds, return_inverse=True)
        changes = np.zeros((len(kept), len(formulas)))
        for number, one in enumerate(formulas):
            changes[kinds[one.atoms], number] = one.values
        return cls(changes, *(_added(kinds, counts, len(kept)) for counts in (true, false))), kinds

    def scaled(self, factor: float) -> FlipRows:
        """The same rows, each counting this many times."""
        return FlipRows(self.changes, self.true * factor, self.false * factor)


def _added(kinds: Numbers, counts: Weights, number: int) -> Weights:
    """The counts of each kind added up."""
    return np.bincount(kinds, counts, number).astype(np.float64)


def log_sigmoid(sums: Weights) -> Weights:
    """log σ(x), which is accurate for any x."""
    return np.minimum(sums, 0) - np.log1p(np.exp(-np.abs(sums)))


def flip_rows(network: Network, domain: Domain, given: Evidence, stop: Deadline = NEVER) -> dict[Predicate, FlipRows]:
    """The rows of each predicate, in a world where exactly the given facts are true.

    An atom that a hard formula decides, given all others, has probability 1 and is left out.
    """
    true = AtomSet(domain, domain.facts(given.facts))
    ones = [math.inf if formula.is_hard else 1.0 for formula in network.formulas]
    hard = len(ones)  # a column for all hard formulas, behind those of the formulas
    tables: dict[Predicate, list[tuple[int, FlipTable]]] = {predicate: [] for predicate in domain.declarations}
    for clause in stop.each(weighted_clauses(network.weighed(ones), domain)):
        if clause.is_hard:
            _check_holds(domain, clause, true)
        column, share = (hard, 1.0) if clause.is_hard else (clause.formula, clause.weight)
        for table in flip_tables(domain, clause, true):
            tables[table.predicate].append((column, table.times(share)))
    found = {}
    for predicate in stop.each(domain.declarations):
        # Most formulas say nothing of a predicate, so only the columns of those that do are laid out for its constants.
        said = sorted({*(column for column, _ in tables[predicate]), hard})
        own = [(said.index(column), table) for column, table in tables[predicate]]
        rows = _Counting(domain, predicate, own, true, len(said)).rows()
        free = rows.changes[:, -1] == 0
        changes = np.zeros((np.count_nonzero(free), hard))
        changes[:, said[:-1]] = rows.changes[free, :-1]
        found[predicate] = FlipRows(changes, rows.true[free], rows.false[free])
    return found


def _check_holds(domain: Domain, clause: WeightedClause, true: AtomSet) -> None:
    coded = code(clause, domain)
    if coded is None:
        return
    present, absent = [(pattern, true) for pattern in coded.body], [(pattern, true) for pattern in coded.head]
    if match(domain, coded, present, absent).count:
        raise DataError(
            f"the facts break the hard formula '{shortened(clause)}'; give it a weight, or correct the facts"
        )


class _Counting:
    """The rows of one predicate.

    Atoms are looked at one by one if they are true or if a table over two or more places names them. All others are
    told apart by tables over one place only: constants that these treat alike form a class, and classes are counted.
    """

    def __init__(
        self, domain: Domain, predicate: Predicate, tables: Sequence[tuple[int, FlipTable]], true: AtomSet, width: int
    ) -> None:
        self.domain, self.predicate, self.tables, self.true, self.width = domain, predicate, tables, true, width
        self.shape = domain.shapes[predicate]

    def rows(self) -> FlipRows:
        classes, vectors = self._classes()
        sizes = [len(vector) for vector in vectors]
        unnamed = np.ones(1)
        for one, size in zip(classes, sizes, strict=True):
            unnamed = np.multiply.outer(unnamed, np.bincount(one, minlength=size)).reshape(-1)
        parts = []
        named = self._named()
        for start in range(0, len(named), _CHUNK):
            atoms = named[start : start + _CHUNK]
            columns = self.domain.columns(self.predicate, atoms)
            truth = self.true.has(atoms).astype(np.float64)
            parts.append(FlipRows(self._changes(columns, len(atoms)), truth, 1 - truth).compressed())
            codes = np.zeros(len(atoms), dtype=np.int64)
            for column, one, size in zip(columns, classes, sizes, strict=True):
                codes = codes * size + one[column]
            unnamed -= np.bincount(codes, minlength=len(unnamed))
        left = np.flatnonzero(unnamed)
        changes = np.tile(self._changes_of_all(), (len(left), 1))
        rest = left
        for vector in reversed(vectors):
            rest, at = np.divmod(rest, len(vector))
            changes += vector[at]
        return FlipRows.joined([*parts, FlipRows(changes, np.zeros(len(left)), unnamed[left])]).compressed()

    def _changes(self, columns: Sequence[Numbers], count: int) -> Weights:
        changes = np.zeros((count, self.width))
        for column, table in self.tables:
            changes[:, column] += table.at(columns, self.shape, count)
        return changes

    def _changes_of_all(self) -> Weights:
        """What tables over no place say."""
        changes = np.zeros(self.width)
        for column, table in self.tables:
            if not table.places:
                changes[column] += table.values.sum()
        return changes

    def _classes(self) -> tuple[list[Numbers], list[Weights]]:
        """For each place the class of every constant, and what the tables over this place say of each class."""
        classes, vectors = [], []
        for place, size in enumerate(self.shape):
            vector = np.zeros((size, self.width))
            for column, table in self.tables:
                if table.places == (place,):
                    vector[table.keys, column] += table.values
            classes.append(_unique_rows(vector))
            vectors.append(vector[np.unique(classes[-1], return_index=True)[1]])
        return classes, vectors

    def _named(self) -> Numbers:
        """The atoms that are looked at one by one."""
        parts = [self.true.numbers_of(self.predicate)]
        for _, table in self.tables:
            if len(table.places) > 1:
                parts.append(self._instances(table))
        return distinct(np.concatenate(parts))

    def _instances(self, table: FlipTable) -> Numbers:
        table.check(self.shape)
        rest, columns = table.keys, {}
        for place in reversed(table.places):
            rest, columns[place] = np.divmod(rest, self.shape[place])
        count = len(table.keys)
        for place, size in enumerate(self.shape):
            if place not in columns:
                columns = {other: np.repeat(column, size) for other, column in columns.items()}
                columns[place] = np.tile(np.arange(size), count)
                count *= size
        return self.domain.numbers(self.predicate, [columns[place] for place in range(len(self.shape))], count)


def _unique_rows(matrix: Weights) -> Numbers:
    """For each row its kind; equal rows have equal kinds, which count from 0."""
    kinds = np.zeros(len(matrix), dtype=np.int64)
    for column in np.flatnonzero(matrix.any(axis=0)).tolist():
        values, found = np.unique(matrix[:, column], return_inverse=True)
        _, kinds = np.unique(kinds * len(values) + found, return_inverse=True)
    return kinds
