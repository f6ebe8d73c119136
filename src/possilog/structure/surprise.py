"""Is it a surprise that a clause has no counterexample? It is hard only if chance alone would not make it hold.

For every clause that holds, ``Surprise`` bounds the probability that it would hold if its predicates had nothing to do
with each other: each keeps how often every constant occurs in it, and the constants of a type are dealt out at random.
Facts are not the unit here, constants are: what a hub does a hundred times it does once. So every test counts distinct
constants, or is scaled down to as many tuples as share no constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import inf, lgamma, prod

import numpy as np
import numpy.typing as npt

from possilog.data import infer_types
from possilog.data.database import Database
from possilog.data.rows import distinct
from possilog.deadline import NEVER, Deadline
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Query, Variable
from possilog.matching import Matcher

__all__ = ["CHANCE", "LEVEL", "Surprise", "Tested", "disjoint", "never_meet"]

LEVEL = 0.01
"""The probability with which chance may make any clause of a level hard; Bonferroni's correction is applied to it."""

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Tested:
    """What was found out about a clause that holds."""

    log_p: float
    """The logarithm of the probability that chance alone would make it hold; 0 where nothing speaks against chance."""
    units: int
    """How many distinct constants, or tuples without a constant in common, it rests on."""


CHANCE = Tested(0.0, 0)


class Surprise:
    """Tests clauses that hold in some data.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> people = [f"student(s{n})" for n in range(9)] + [f"professor(p{n})" for n in range(9)]
    >>> surprise = Surprise(Database.of(map(parse_atom, people)))
    >>> surprise.test(parse_clause(":- student(X), professor(X).")).units
    9
    """

    def __init__(self, database: Database, stop: Deadline = NEVER) -> None:
        """Take the data; types are inferred from them. When ``stop`` says so, nothing more is tested."""
        self._database = database
        self._stop = stop
        self._matcher = Matcher(database)
        self._types = infer_types(database)
        self._known: dict[tuple[Predicate, tuple[int, ...], tuple[int, ...]], Numbers] = {}
        self._sets: dict[Predicate | str, int] = {}

    def all(self, clauses: Iterable[Clause]) -> dict[Clause, Tested]:
        """Test many clauses; those for which there is no time are left out."""
        return {clause: self.test(clause) for clause in clauses if not self._stop()}

    def test(self, clause: Clause) -> Tested:
        """Test a clause that holds. What no test is known for might be chance.

        Clauses without a variable that two of their literals share, and those with several heads over several
        variables, say nothing that chance could not.
        """
        if any(isinstance(term, Constant) for atom in clause.atoms for term in atom.arguments):
            return CHANCE
        if not all(self._database.count(atom.predicate) for atom in clause.atoms):
            return CHANCE
        if len(clause.literals) == 1:
            return self._of_one(clause.literals[0])
        if len(clause.variables) == 1 and all(atom.predicate.arity == 1 for atom in clause.atoms):
            return self._of_unary(clause)
        if len(clause.literals) != 2 or len(clause.head) == 2:
            return CHANCE
        return (
            self._of_implication(clause.head[0], clause.body[0]) if clause.head else self._of_constraint(*clause.body)
        )

    # One literal

    def _of_one(self, literal: Literal) -> Tested:
        """A constraint on a single atom: its arguments are never equal, or always are."""
        atom = literal.atom
        if literal.positive or atom.predicate.arity < 2:
            return CHANCE
        rows = self._database.rows(atom.predicate)
        expected = _equal_by_chance(rows, atom)
        return _poisson(expected, disjoint(rows.T), rows.shape[1])

    # Unary literals over one variable

    def _of_unary(self, clause: Clause) -> Tested:
        """The pair of literals that is the least surprising, among the constants at which all others fail."""
        whole = self._constants_of(clause)
        fails = [self._fails(literal, whole) for literal in clause.literals]

        def inside(*but: int) -> int:
            """The constants at which all literals fail but for some, by their places."""
            left = whole
            for place, failing in enumerate(fails):
                if place not in but:
                    left &= failing
            return left

        # With as many as that, all literals but one fail: at so many things an exception could be.
        nearly = [inside(place).bit_count() for place in range(len(fails))]
        log_p = -inf
        for one, other in combinations(range(len(fails)), 2):
            log_p = max(log_p, never_meet(inside(one, other).bit_count(), nearly[other], nearly[one]))
            if not log_p:
                break  # no pair is less surprising
        return Tested(log_p, min(nearly))

    def _constants_of(self, clause: Clause) -> int:
        """The constants of the literals' common type; all constants where they differ in type, or a head fills it."""
        types = {self._types[atom.predicate.name][0] for atom in clause.atoms}
        one = next(iter(types))
        filled = any(self._database.count(atom.predicate) >= len(self._members[one]) for atom in clause.head)
        if len(types) == 1 and not filled:
            if one not in self._sets:
                self._sets[one] = self._set(self._members[one])
            return self._sets[one]
        return (1 << len(self._database.constants)) - 1

    def _fails(self, literal: Literal, among: int) -> int:
        predicate = literal.atom.predicate
        if predicate not in self._sets:
            self._sets[predicate] = self._set(self._database.rows(predicate)[0])
        holds = self._sets[predicate]
        return among & ~holds if literal.positive else among & holds

    def _set(self, constants: Numbers) -> int:
        """Constants as a set of bits: it takes next to no time to see how many some sets have in common."""
        flags = np.zeros(len(self._database.constants), dtype=np.uint8)
        flags[constants] = 1
        return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")

    # Two literals

    def _of_constraint(self, one: Atom, other: Atom) -> Tested:
        shared = [variable for variable in one.variables if variable in other.variables]
        if not shared:
            return CHANCE
        if one.predicate == other.predicate and _is_key(one, other):
            return self._of_key(one, other)
        if len(shared) == 1:
            x, y = (len(self._tuples(atom, shared)) for atom in (one, other))
            size = self._size([(one, shared[0]), (other, shared[0])])
            return Tested(never_meet(size, x, y), min(x, y))
        return self._of_tuples(one, other, shared)

    def _of_tuples(self, one: Atom, other: Atom, shared: Sequence[Variable]) -> Tested:
        """Two facts never share all of these arguments: how often would they, with degrees as they are?"""
        first, second = self._tuples(one, shared), self._tuples(other, shared)
        if not len(first) or not len(second):
            return CHANCE
        meetings = [_meetings(first[:, place], second[:, place]) for place in range(len(shared))]
        expected = prod(meetings) / float(len(first) * len(second)) ** (len(shared) - 1)
        if one.predicate == other.predicate:
            expected /= 2
        units = min(disjoint(first), disjoint(second))
        return _poisson(expected, units, min(len(first), len(second)))

    def _of_key(self, one: Atom, other: Atom) -> Tested:
        """Some arguments decide the others: by chance, two facts would agree on one key column more, and differ."""
        rows = self._database.rows(one.predicate)
        pairs = list(zip(one.arguments, other.arguments, strict=True))
        key = [place for place, (a, b) in enumerate(pairs) if a == b]
        rest = [place for place in range(len(pairs)) if place not in key]
        found = []
        for freed in key:
            fixed = [place for place in key if place != freed]
            size = self._size([(one, one.arguments[freed])])
            found.append(-_differing_pairs(rows, fixed, rest) / max(size, 1))
        units = len(distinct(rows[key[0]])) if len(key) == 1 else disjoint(rows[key].T)
        return Tested(max(found), units)

    def _of_implication(self, head: Atom, body: Atom) -> Tested:
        shared = [variable for variable in head.variables if variable in body.variables]
        if not shared or len(shared) < len(head.variables):
            return CHANCE
        heads, facts = np.unique(self._tuples(body, shared), axis=0), self._tuples(head, shared)
        if not len(heads):
            return CHANCE
        sizes = [self._size([(head, variable), (body, variable)]) for variable in shared]
        if len(shared) == 1:
            whole = sizes[0]
            if len(facts) >= whole:  # the head fills its type, so that it says nothing within it
                whole = len(self._database.constants)
            return Tested(_within(whole, len(heads), len(facts)), len(heads))
        uniform = _within(prod(sizes), len(heads), len(facts))
        by_degree = _by_degree(heads, facts)
        units = disjoint(heads)
        return Tested(max(uniform, by_degree) * units / len(heads), units)

    # Columns and types

    def _tuples(self, atom: Atom, variables: Sequence[Variable]) -> Numbers:
        """What some of an atom's variables stand for in its facts, each combination once."""
        # Clauses are many and columns few, so each is asked for once, whatever its variables are called.
        places = tuple(map(atom.arguments.index, atom.arguments))
        key = (atom.predicate, places, tuple(map(atom.arguments.index, variables)))
        if key not in self._known:
            found = [np.empty((0, len(variables)), dtype=np.int32)]
            found += self._matcher.projection_rows(Query((Literal(atom),)), variables)
            self._known[key] = np.concatenate(found)
        return self._known[key]

    def _size(self, places: Sequence[tuple[Atom, object]]) -> int:
        """How many constants a variable could stand for: its type, or all where its places differ in type."""
        types = {
            self._types[atom.predicate.name][place]
            for atom, term in places
            for place, argument in enumerate(atom.arguments)
            if argument == term
        }
        return len(self._members[next(iter(types))]) if len(types) == 1 else len(self._database.constants)

    @cached_property
    def _members(self) -> dict[str, Numbers]:
        """The constants of each type."""
        columns: dict[str, list[Numbers]] = {}
        for predicate in self._database.predicates:
            for name, column in zip(self._types[predicate.name], self._database.rows(predicate), strict=True):
                columns.setdefault(name, []).append(distinct(column))
        return {name: distinct(np.concatenate(parts)) for name, parts in columns.items()}


# The tests themselves: logarithms of probabilities


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


@lru_cache(maxsize=100_000)  # attributes of few things have few sizes
def never_meet(size: int, x: int, y: int) -> float:
    """That a random set of y things misses a set of x, among this many in all."""
    if x + y > size:
        return 0.0
    return min(0.0, _log_choose(size - x, y) - _log_choose(size, y))


def _within(size: int, x: int, y: int) -> float:
    """That a random set of x things lies within a set of y, among this many in all."""
    if x > y or y > size:
        return 0.0
    return min(0.0, _log_choose(y, x) - _log_choose(size, x))


def _poisson(expected: float, units: int, number: int) -> Tested:
    """That nothing happens where this much is expected, scaled to as many tuples as share no constant."""
    return Tested(-expected * units / max(number, 1), units)


def _meetings(one: Numbers, other: Numbers) -> float:
    """How many pairs of facts have the same constant in these columns."""
    size = int(max(one.max(initial=-1), other.max(initial=-1))) + 1
    return float(np.dot(np.bincount(one, minlength=size).astype(float), np.bincount(other, minlength=size)))


def _equal_by_chance(rows: Numbers, atom: Atom) -> float:
    """How many facts would break a constraint on one atom, if its columns had nothing to do with each other."""
    number = int(rows.shape[1])
    groups: dict[object, list[int]] = {}
    for place, term in enumerate(atom.arguments):
        groups.setdefault(term, []).append(place)
    equal = 1.0
    for places in groups.values():
        for place in places[1:]:
            equal *= _meetings(rows[places[0]], rows[place]) / number**2
    distinct = 1.0
    for one, other in combinations([places[0] for places in groups.values()], 2):
        distinct *= 1 - _meetings(rows[one], rows[other]) / number**2
    return number * equal * distinct


def _differing_pairs(rows: Numbers, fixed: Sequence[int], rest: Sequence[int]) -> float:
    """At least how many pairs of facts agree on some columns and differ in each of some others."""
    return max(_agreeing_pairs(rows, fixed) - sum(_agreeing_pairs(rows, [*fixed, place]) for place in rest), 0.0)


def _agreeing_pairs(rows: Numbers, places: Sequence[int]) -> float:
    number = int(rows.shape[1])
    if not places:
        return number * (number - 1) / 2
    sizes = np.unique(rows[list(places)], axis=1, return_counts=True)[1].astype(float)
    return float((sizes * (sizes - 1)).sum()) / 2


def _by_degree(heads: Numbers, facts: Numbers) -> float:
    """That all these heads are facts, if every constant keeps the number of facts that it is in."""
    size = int(max(heads.max(), facts.max(initial=0))) + 1
    degrees = [np.bincount(facts[:, place], minlength=size) for place in range(facts.shape[1])]
    chance = np.ones(len(heads))
    for place, degree in enumerate(degrees):
        chance *= degree[heads[:, place]]
    chance /= float(len(facts)) ** (facts.shape[1] - 1)
    return float(np.log(np.clip(chance, 1e-300, 1.0)).sum())


def disjoint(tuples: Numbers) -> int:
    """How many tuples, chosen greedily, share no constant."""
    taken: set[int] = set()
    number = 0
    for row in tuples.tolist():
        if taken.isdisjoint(row):
            taken.update(row)
            number += 1
    return number


def _is_key(one: Atom, other: Atom) -> bool:
    """Do the two atoms agree in some places, and have variables of their own in the others?"""
    pairs = list(zip(one.arguments, other.arguments, strict=True))
    same = {a for a, b in pairs if a == b}
    mine, theirs = ([a for a, b in pairs if a != b], [b for a, b in pairs if a != b])
    return bool(same) and not set(mine) & set(other.arguments) and not set(theirs) & set(one.arguments)
