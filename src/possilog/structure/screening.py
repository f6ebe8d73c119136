"""What the hard rules say of many atoms at once, before any of them is looked at by itself.

Take an atom P(X1, …, Xm) whose variables stand for distinct constants. What the rules derive from it alone, whatever
the facts, is its *closure*, found once and in variables. A constraint that some atoms of the closure and some facts
break together becomes a query about X1, …, Xm whose matches are inconsistent: a *screen*. A rule that could derive more
with the help of facts becomes a query whose matches are left to the exact test: a *doubt*. All other atoms are
consistent. So most atoms are decided by a few queries, each asked once for all of them (section Constructing Training
Examples).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from possilog.logic import Atom, Clause, Literal, Query, Term, Variable
from possilog.matching import Matcher
from possilog.structure.consistency import Consistency
from possilog.structure.placing import Residue, closure_of, constants_of, holds_for_equals, numbered, parts_of

__all__ = ["AtomRows", "Screening"]

AtomRows = npt.NDArray[np.int32]
"""Atoms in numbers: a row for each, a column for each argument, or for each variable of their shape."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Screen:
    """A query about some of the shape's variables, which stand in some columns."""

    query: Query
    variables: tuple[Variable, ...]
    columns: tuple[int, ...]

    @classmethod
    def of(cls, query: Query, shape: Atom) -> _Screen:
        present = set(query.variables)
        places = {variable: place for place, variable in enumerate(shape.variables) if variable in present}
        return cls(query, tuple(places), tuple(places.values()))

    def covers(self, matcher: Matcher, rows: AtomRows) -> Mask:
        """Which rows does it match?"""
        if not self.columns:
            return np.full(len(rows), matcher.exists(self.query))
        return matcher.covered_rows(self.query, self.variables, rows[:, self.columns])


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The atoms with some constants, by number, in some columns: a rule names them."""

    constants: tuple[tuple[int, int], ...]

    def covers(self, matcher: Matcher, rows: AtomRows) -> Mask:
        """Which rows have them?"""
        found = np.ones(len(rows), dtype=bool)
        for column, number in self.constants:
            found &= rows[:, column] == number
        return found


class Screening:
    """The atoms of one shape, such as P(X1, X2) or P(X1, X1): which of them are consistent with the hard rules?

    >>> from possilog.data import Database
    >>> from possilog.logic import Predicate, parse_atom, parse_clause
    >>> facts = map(parse_atom, ["student(ann)", "professor(bob)", "advisedBy(ann, bob)"])
    >>> rules = ["student(X) :- advisedBy(X, Y).", "professor(Y) :- advisedBy(X, Y).", ":- student(X), professor(X)."]
    >>> consistency = Consistency(Database.of(facts, constants=["eve"]), map(parse_clause, rules))
    >>> screening = Screening(consistency, Predicate("advisedBy", 2)(Variable("S"), Variable("P")))
    >>> [domain.tolist() for domain in screening.domains]  # 0 is ann, 1 is bob, 2 is eve
    [[0, 2], [1, 2]]
    >>> screening.negatives(np.array([[0, 1], [2, 1], [2, 2], [1, 2]], dtype=np.int32)).tolist()
    [False, True, False, False]
    """

    def __init__(self, consistency: Consistency, shape: Atom) -> None:
        """Find what can be said about the whole shape. Rules with constants are left to the exact test."""
        self.shape = numbered(Clause((shape,)), "X").head[0]
        self._consistency = consistency
        self._matcher = consistency.matcher
        self._stop = consistency.stop
        self._constants = np.arange(len(consistency.database.constants), dtype=np.int32)
        self._allowed = [np.ones(len(self._constants), dtype=bool) for _ in self.shape.variables]
        told = consistency.filled_cells.get(self.shape.predicate)
        if told is not None:  # what stands in an empty cell is unknown, and not false
            self._allowed[0] = np.isin(self._constants, told)
        rules = consistency.open_rules
        closure = closure_of(self.shape, rules, self._stop)
        parts = dict.fromkeys(part for rule in self._stop.each(rules) for part in parts_of(rule, closure))
        self._screens = self._narrowed([part for part in parts if not part.head], closure)
        doubts = self._distinct_screens(part for part in parts if part.head)
        self._doubts: list[_Screen | _Fixed] = [*self._fixed(consistency.rules, closure), *doubts]

    @property
    def domains(self) -> list[npt.NDArray[np.int32]]:
        """For each variable of the shape, the constants without which there is no consistent atom."""
        return [self._constants[allowed] for allowed in self._allowed]

    @property
    def says_nothing(self) -> bool:
        """Is every atom of this shape consistent?"""
        return not self._screens and not self._doubts and all(allowed.all() for allowed in self._allowed)

    @property
    def is_doubtful(self) -> bool:
        """May an atom need the exact test?"""
        return bool(self._doubts)

    def arguments(self, rows: AtomRows) -> AtomRows:
        """The arguments of atoms, from what the shape's variables stand for."""
        places = [self.shape.variables.index(term) for term in self.shape.arguments]
        return np.ascontiguousarray(rows[:, places])

    def negatives(self, rows: AtomRows) -> Mask:
        """For each way to replace the shape's variables: has the atom this shape, is it consistent, and no fact?"""
        left, doubtful = self._screened(rows)
        answers = np.zeros(len(rows), dtype=bool)
        answers[left[~doubtful]] = True
        asked = self._stop.each(self.arguments(rows[left[doubtful]]).tolist())
        answers[left[doubtful]] = [self._consistency.are_consistent([(self.shape.predicate, row)]) for row in asked]
        return answers

    def doubtful(self, rows: AtomRows) -> int:
        """How many of these atoms would have to be looked at by themselves?"""
        return int(np.count_nonzero(self._screened(rows)[1]))

    def _screened(self, rows: AtomRows) -> tuple[npt.NDArray[np.intp], Mask]:
        """The places of the atoms that no screen excludes, and which of them are doubtful."""
        left = np.flatnonzero(self._has_shape(rows))
        kept = rows[left]
        fact = _Screen.of(Query((Literal(self.shape),)), self.shape)
        for screen in self._stop.each((fact, *self._screens)):
            covered = screen.covers(self._matcher, kept)
            if covered.any():
                left, kept = left[~covered], kept[~covered]
        doubtful = np.zeros(len(left), dtype=bool)
        for doubt in self._doubts:
            doubtful[~doubtful] = doubt.covers(self._matcher, kept[~doubtful])
        return left, doubtful

    def _has_shape(self, rows: AtomRows) -> Mask:
        """Are the constants within the domains, and distinct?"""
        fine = np.ones(len(rows), dtype=bool)
        for column, allowed in enumerate(self._allowed):
            fine &= allowed[rows[:, column]]
        for one, other in combinations(range(rows.shape[1]), 2):
            fine &= rows[:, one] != rows[:, other]
        return fine

    def _fixed(self, rules: Sequence[Clause], closure: Iterable[Atom]) -> list[_Fixed]:
        """The atoms that are in doubt since an atom of their closure may be in the body of a rule with constants."""
        known = self._consistency.database.number
        numbers: dict[Term, int | None] = {term: known(term.name) for rule in rules for term in constants_of(rule)}
        if None in numbers.values():
            return [_Fixed(())]  # a constant without facts is one that heads may speak of all the same
        bodies = [atom for rule in rules if constants_of(rule) for atom in rule.body]
        found = []
        for atom, other in product(bodies, closure):
            if atom.predicate == other.predicate:
                places = [self.shape.variables.index(term) for term in other.arguments if isinstance(term, Variable)]
                named = zip(places, map(numbers.get, atom.arguments), strict=True)
                found.append(_Fixed(tuple(sorted({(place, n) for place, n in named if n is not None}))))
        return list(dict.fromkeys(found))

    def _narrowed(self, constraints: Sequence[Residue], closure: Sequence[Atom]) -> list[_Screen]:
        """Narrow the domains by the constraints that allow it; return screens for the others."""
        left = []
        listed = [(part.clause, {atom.predicate for atom in part.clause.body}) for part in constraints]
        for part in self._stop.each(sorted(constraints, key=_cost)):
            wide = _Screen.of(Query(tuple(map(Literal, part.rest))), self.shape)
            if not self.shape.variables or len(wide.columns) > 1:
                left.append(part)
                continue
            place = wide.columns[0] if wide.columns else 0
            anything = np.repeat(self._constants[:, None], len(self._allowed), axis=1)
            excluded = self._allowed[place] & wide.covers(self._matcher, anything)
            if not excluded.any():
                continue
            if holds_for_equals(part, self.shape.variables, closure, listed):
                self._allowed[place] &= ~excluded
            else:
                left.append(part)
        return self._distinct_screens(left)

    def _distinct_screens(self, parts: Iterable[Residue]) -> list[_Screen]:
        queries = dict.fromkeys(part.query(self.shape.variables) for part in sorted(parts, key=_cost))
        return [_Screen.of(query, self.shape) for query in queries]


def _cost(part: Residue) -> tuple[int, int, Clause]:
    """Parts that are quick to check, and tend to exclude much, come first."""
    return len(part.clause.variables), len(part.rest), part.clause
