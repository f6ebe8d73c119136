"""How many cases is a rule right or wrong in? Heads that rest on the same constants are one case, seen several times.

Marriage goes both ways and children come with both parents: one married pair that happens to be siblings makes four
heads of ``parent(A, B) :- married(B, C), parent(A, C)``. What chance deals out are the constants at which predicates
meet, here B and C: all four rest on the same two. So each set of such constants is one case, shared out among its
heads.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.learning.confidence import Judge
from possilog.logic import Clause, Variable, variables_of
from possilog.structure.surprise import disjoint

__all__ = ["Cases", "heads_apart"]

Numbers = npt.NDArray[np.int32]


class Cases:
    """How much of a case the heads of rules are, on some data.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = "married(b, c) married(c, b) parent(m, b) parent(m, c) parent(f, b) parent(f, c)"
    >>> cases = Cases(Database.of(map(parse_atom, facts.replace(") ", ")  ").split("  "))))
    >>> cases(parse_clause("parent(A, B) :- married(B, C), parent(A, C)."))
    (0.25, 1.0)
    """

    def __init__(self, database: Database, stop: Deadline = NEVER) -> None:
        """Take the data; OutOfTime when ``stop`` says so."""
        self._judge = Judge(database, (), stop)

    def __call__(self, clause: Clause) -> tuple[float, float]:
        """The part of a case that a true head of a rule is, on average, and a false one; 1 where it covers too much."""
        head, meeting = clause.head[0], _meeting(clause)
        beside = tuple(variable for variable in meeting if variable not in head.variables)
        rows = self._judge.heads(clause, beside)
        if rows is None or not meeting:
            return 1.0, 1.0
        places = (*head.arguments, *beside)
        parts = 1 / _sharing(rows[:, [places.index(variable) for variable in meeting]])
        heads = rows[:, : head.predicate.arity]
        is_true = self._judge.are_true(head.predicate, heads)
        return _part(parts[is_true], heads[is_true]), _part(parts[~is_true], heads[~is_true])


def heads_apart(judge: Judge, clause: Clause) -> int:
    """How many true heads of a rule, chosen one after the other, share no constant.

    Six friends who are all friends of each other make thirty heads of a rule that says so, and are one circle.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = [f"r({one}, {other})" for one in "abcdef" for other in "abcdef" if one != other]
    >>> heads_apart(Judge(Database.of(map(parse_atom, facts)), ()), parse_clause("r(A, B) :- r(A, C), r(C, B)."))
    3
    """
    rows = judge.heads(clause)
    return 0 if rows is None else disjoint(rows[judge.are_true(clause.head[0].predicate, rows)])


def _meeting(clause: Clause) -> tuple[Variable, ...]:
    """The variables that the head's predicate shares with others; in a rule about it alone, the head with the body."""
    head = clause.head[0]
    others = [atom for atom in clause.body if atom.predicate != head.predicate]
    own = [head, *(atom for atom in clause.body if others and atom.predicate == head.predicate)]
    met = set(variables_of(others or clause.body))
    return tuple(variable for variable in variables_of(own) if variable in met)


def _sharing(rows: Numbers) -> npt.NDArray[np.int64]:
    """Of each row, how many rows have the same constants, in whatever order."""
    _, which, number = np.unique(np.sort(rows, axis=1), axis=0, return_inverse=True, return_counts=True)
    return number[which.ravel()]


def _part(parts: npt.NDArray[np.float64], heads: Numbers) -> float:
    """How much of a case one of these heads is; a head may rest on several rows."""
    return min(1.0, float(parts.sum() / len(np.unique(heads, axis=0)))) if len(heads) else 1.0
