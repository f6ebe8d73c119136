"""What turning a single atom from false to true changes, given all others: the counts of pseudo-likelihood.

For an atom a and a clause, d(a) is the number of true groundings with a true, less that with a false. Only groundings
count whose other literals are all false. They are counted and not listed: that an atom is false is "any" less "true"
(inclusion and exclusion), so that all joins are over the true atoms, which are few; a variable that no join binds
stands for its whole type. What a clause says of a predicate is then a sum of small tables, each over some of the
arguments: d(a) adds up what they say of a's arguments. An atom that no table names gets what the empty key says.

A grounding may have an atom in several places. With the set S of literals that are the atom, and no other literal being
it, the grounding counts once if the signs in S are equal, and else not at all: "no other" is again a difference.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations

import numpy as np

from possilog.logic import Literal, Predicate, Variable
from possilog.markov.cnf import WeightedClause
from possilog.markov.domain import Domain, Numbers
from possilog.markov.grounding import (
    AtomPattern,
    AtomSet,
    CodedClause,
    Groundings,
    check_rows,
    code,
    free_groundings,
    match,
)
from possilog.markov.problem import Weights

__all__ = ["FlipTable", "Known", "flip_tables"]

_MOST_EXCLUDED = 6
"""This many false atoms are taken as differences; with more, groundings are listed."""


@dataclass(frozen=True, slots=True)
class FlipTable:
    """What is added to d for the atoms that have certain constants in certain places."""

    predicate: Predicate
    places: tuple[int, ...]
    keys: Numbers
    values: Weights

    def times(self, factor: float) -> FlipTable:
        """The table with all values multiplied."""
        return replace(self, values=self.values * factor)

    def check(self, shape: Sequence[int]) -> None:
        """Refuse a table that tells too many atoms apart to list them; of one place, it need not."""
        if len(self.places) > 1:
            check_rows(len(self.keys) * math.prod(size for at, size in enumerate(shape) if at not in self.places))

    def at(self, columns: Sequence[Numbers], shape: Sequence[int], count: int) -> Weights:
        """What it adds for some atoms, given by their arguments."""
        if not self.places:
            return np.full(count, self.values.sum())
        asked = _keys([columns[place] for place in self.places], [shape[place] for place in self.places], count)
        found = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        return np.where(self.keys[found] == asked, self.values[found], 0.0)


_Name = tuple[tuple[object, ...], ...]
"""How a conjunction is written."""


class Known:
    """Counts of conjunctions, which clauses that a search tries have in common; the oldest are forgotten."""

    def __init__(self, most_rows: int = 10_000_000) -> None:
        """Keep tables with this many rows together, at most."""
        self._tables: dict[_Name, FlipTable] = {}
        self._left = most_rows

    def table(self, name: _Name, count: Callable[[], FlipTable]) -> FlipTable:
        """The table of a conjunction, counted if it is not known."""
        if name in self._tables:
            return self._tables[name]
        found = count()
        self._left -= len(found.keys)
        while self._left < 0 and self._tables:
            self._left += len(self._tables.pop(next(iter(self._tables))).keys)
        self._tables[name] = found
        return found


_Factor = tuple[dict[int, Numbers], Weights]
"""For some values of some variables, a column each, a number."""


def flip_tables(domain: Domain, clause: WeightedClause, true: AtomSet, known: Known | None = None) -> list[FlipTable]:
    """The tables of a clause; several of the same places are added up, and rows of 0 are left out.

    What is ``known`` for the same true atoms is not counted again.
    """
    known = Known() if known is None else known
    found: dict[tuple[Predicate, tuple[int, ...]], list[tuple[Numbers, Weights]]] = defaultdict(list)
    for same, other, sign in _coincidences(clause):
        merged = code(_merge(clause, (*same, *other)), domain)
        if merged is None:
            continue
        target = merged.literals[same[0]][0]
        rest = [literal for place, literal in enumerate(merged.literals) if place not in same]
        for table, times in _counted(domain, merged, target, rest, true, known):
            found[table.predicate, table.places].append((table.keys, sign * times * table.values))
    tables = []
    for (predicate, places), parts in found.items():
        keys, back = np.unique(np.concatenate([keys for keys, _ in parts]), return_inverse=True)
        values = np.bincount(back, np.concatenate([values for _, values in parts]), len(keys))
        if values.any():
            tables.append(FlipTable(predicate, places, keys[values != 0], values[values != 0]))
    return tables


def _coincidences(clause: WeightedClause) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Sets of literals that are the atom, further literals that are it too, and the sign with which that counts."""
    literals = clause.clause.literals
    for same in _unifiable(literals, (), range(len(literals))):
        if not same or len({literals[place].positive for place in same}) > 1:
            continue
        for other in _unifiable(literals, same, [place for place in range(len(literals)) if place not in same]):
            yield same, other, (1 if literals[same[0]].positive else -1) * (-1) ** len(other)


def _unifiable(
    literals: Sequence[Literal], with_: tuple[int, ...], places: Iterable[int], chosen: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """The sets of places whose literals could be one atom, together with some that are."""
    yield chosen
    for place in places:
        if all(_alike(literals[place], literals[other]) for other in (*with_, *chosen)):
            yield from _unifiable(literals, with_, [later for later in places if later > place], (*chosen, place))


def _alike(one: Literal, other: Literal) -> bool:
    if one.atom.predicate != other.atom.predicate:
        return False
    pairs = zip(one.atom.arguments, other.atom.arguments, strict=True)
    return all(mine == theirs or isinstance(mine, Variable) or isinstance(theirs, Variable) for mine, theirs in pairs)


def _merge(clause: WeightedClause, places: tuple[int, ...]) -> WeightedClause:
    """The groundings in which some literals have the same atom."""
    atoms = [clause.clause.literals[place].atom for place in places]
    pairs = [pair for atom in atoms[1:] for pair in zip(atoms[0].arguments, atom.arguments, strict=True)]
    return replace(clause, equal=(*clause.equal, *pairs))


def _counted(
    domain: Domain,
    clause: CodedClause,
    target: AtomPattern,
    rest: Sequence[tuple[AtomPattern, bool]],
    true: AtomSet,
    known: Known,
) -> Iterator[tuple[FlipTable, int]]:
    """How many groundings make all others false, by the target's arguments: tables and how often each counts."""
    present = list(dict.fromkeys(pattern for pattern, positive in rest if not positive))
    absent = list(dict.fromkeys(pattern for pattern, positive in rest if positive))
    if len(absent) > _MOST_EXCLUDED or clause.distinct:
        conditions = [(pattern, true) for pattern in present], [(pattern, true) for pattern in absent]
        found = match(domain, clause, *conditions, needed=target.variables)
        columns, counts = _factor(found, target.variables)
        yield _table(domain, target, columns, counts * free_groundings(clause, found.columns)), 1
        return
    for size in range(len(absent) + 1):
        for excluded in combinations(absent, size):
            patterns = [*present, *excluded]
            bound = {variable for pattern in (target, *patterns) for variable in pattern.variables}
            count = partial(_joined, domain, clause, target, patterns, true)
            yield known.table(_name(target, patterns), count), (-1) ** size * free_groundings(clause, bound)


def _name(target: AtomPattern, patterns: Iterable[AtomPattern]) -> _Name:
    """A conjunction with its variables numbered as they come; equal names count alike."""
    numbers: dict[int, int] = {}
    parts = []
    for pattern in (target, *sorted(patterns, key=lambda pattern: (pattern.predicate, pattern.arguments))):
        arguments = [a if a < 0 else numbers.setdefault(a, len(numbers)) for a in pattern.arguments]
        parts.append((pattern.predicate, *arguments))
    return tuple(parts)


def _joined(
    domain: Domain, clause: CodedClause, target: AtomPattern, patterns: Sequence[AtomPattern], true: AtomSet
) -> FlipTable:
    """The true matches of patterns, counted by the target's arguments.

    Matches are not listed: the variables that the target lacks are summed out one after the other, beginning with those
    that have the fewest others beside them.
    """
    single = [match(domain, clause, [(pattern, true)], needed=()) for pattern in patterns]
    factors: list[_Factor] = [(found.columns, np.ones(found.count)) for found in single]
    inner = {variable for pattern in patterns for variable in pattern.variables} - {*target.variables}
    while inner:
        beside = {v: {*chain(*(columns for columns, _ in factors if v in columns))} for v in inner}
        chosen = min(inner, key=lambda v: (len(beside[v]), sum(len(f[1]) for f in factors if v in f[0]), v))
        inner.remove(chosen)
        product, values = _product(domain, clause, [factor for factor in factors if chosen in factor[0]])
        factors = [factor for factor in factors if chosen not in factor[0]]
        factors.append(_factor(product, beside[chosen] - {chosen}, values))
    product, values = _product(domain, clause, factors)
    for variable in target.variables:
        if target.arguments.count(variable) > 1 and variable not in product.columns:
            values = np.repeat(values, clause.sizes[variable])
            product.extend(variable)
    return _table(domain, target, product.columns, values)


def _product(domain: Domain, clause: CodedClause, factors: Iterable[_Factor]) -> tuple[Groundings, Weights]:
    """What agrees with a row of each factor, and the rows' values multiplied; small factors first."""
    product, values = Groundings(domain, clause), np.ones(1)
    for columns, counts in sorted(factors, key=lambda factor: len(factor[1])):
        left, right = product.pairs([v for v in columns if v in product.columns], columns, len(counts))
        product.keep(left, len(left))
        product.columns |= {v: column[right] for v, column in columns.items() if v not in product.columns}
        values = values[left] * counts[right]
    return product, values


def _table(domain: Domain, target: AtomPattern, columns: Mapping[int, Numbers], values: Weights) -> FlipTable:
    places = tuple(place for place, a in enumerate(target.arguments) if a < 0 or a in columns)
    filled = [
        columns[a] if a >= 0 else np.full(len(values), -1 - a) for a in (target.arguments[place] for place in places)
    ]
    shape = [domain.shapes[target.predicate][place] for place in places]
    return FlipTable(target.predicate, places, _keys(filled, shape, len(values)), values)


def _factor(found: Groundings, variables: Iterable[int], values: Weights | None = None) -> _Factor:
    """Groundings, or values of theirs, added up by those of some variables that they bind."""
    kept = [variable for variable in variables if variable in found.columns]
    values = np.ones(found.count) if values is None else values
    if not kept:
        return {}, np.full(1, values.sum())
    sizes = [found.clause.sizes[variable] for variable in kept]
    keys = _keys([found.columns[variable] for variable in kept], sizes, found.count)
    _, first, back = np.unique(keys, return_index=True, return_inverse=True)
    return {v: found.columns[v][first] for v in kept}, np.bincount(back, values, len(first)).astype(np.float64)


def _keys(columns: Sequence[Numbers], sizes: Sequence[int], count: int) -> Numbers:
    keys = np.zeros(count, dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        keys = keys * size + column
    return keys
