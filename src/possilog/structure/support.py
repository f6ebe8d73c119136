"""On how much data does a hard rule rest?"""

from __future__ import annotations

from math import perm

from possilog.logic import Atom, Clause, Literal, Query, canonical, variables_of
from possilog.matching import Matcher

__all__ = ["Support"]


class Support:
    """Counts what hard rules rest on; bodies that differ only in the names of their variables are counted once."""

    def __init__(self, matcher: Matcher) -> None:
        """Take a matcher over the data."""
        self._matcher = matcher
        self._counts: dict[tuple[Atom, ...], int] = {}

    def count(self, clause: Clause) -> int:
        """How often the rule could have failed.

        With a head: the groundings of its variables under which the body holds. Without one, where the body never
        holds: the matches of the body without one of its atoms, whichever leaves the fewest; of a single atom, the
        facts of its predicate.
        """
        if clause.head:
            left_open = len(clause.variables) - len(variables_of(clause.body))
            constants = len(self._matcher.database.constants)
            return self._count(clause.body) * perm(max(0, constants - len(variables_of(clause.body))), left_open)
        if len(clause.body) == 1:
            return int(self._matcher.database.rows(clause.body[0].predicate).shape[1])
        return min(self._count(clause.body[:i] + clause.body[i + 1 :]) for i in range(len(clause.body)))

    def _count(self, body: tuple[Atom, ...]) -> int:
        if body not in self._counts:
            known = canonical(Clause(body=body)).body
            if known not in self._counts:
                query = Query(tuple(Literal(atom) for atom in known))
                self._counts[known] = self._matcher.count(query) if known else 1
            self._counts[body] = self._counts[known]
        return self._counts[body]
