"""The question: which k-subsets of the constants violate a cut?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, perm

from possilog.counting.count import Count
from possilog.counting.limits import TooLarge
from possilog.counting.rules import check_rule
from possilog.data.database import Database
from possilog.errors import QueryError
from possilog.logic import Clause, Query
from possilog.matching import Matcher

__all__ = ["SubsetProblem"]

ARRANGEMENTS = 1_000_000
"""The most ways to give a rule's variables the constants of one k-subset; each is looked at."""


@dataclass(frozen=True, slots=True)
class SubsetProblem:
    """The k-subsets of a database that satisfy a cut, and the queries that those which do not would match.

    A fragment violates a clause if and only if its constants contain a violating image. So the queries are the
    violations of the clauses, without those that no k-subset matches; a query without variables matches them all.
    What the methods count is the paper's matching subsets of their union; the answer is all k-subsets but these.

    >>> from possilog.logic import Atom, parse_clause
    >>> database = Database.of([Atom.ground("fr", ["ann", "bob"])], constants=["eve"])
    >>> problem = SubsetProblem.prepared(database, [parse_clause("fr(Y, X) :- fr(X, Y).")], 2)
    >>> [str(query) for query in problem.queries], problem.total
    (['fr(X, Y), not fr(Y, X)'], 3)
    """

    matcher: Matcher
    width: int
    queries: tuple[Query, ...]

    @classmethod
    def prepared(cls, database: Database, clauses: Iterable[Clause], width: int) -> SubsetProblem:
        """Make the problem ready: each violation query is asked once whether it matches at all."""
        if width < 0:
            raise QueryError(f"the width is {width}; a subset has no fewer than 0 constants")
        matcher, queries, listed = Matcher(database), [], list(clauses)
        for clause in listed:
            check_rule(clause)
        for query in dict.fromkeys(clause.violation for clause in listed):
            size = len(query.variables)
            if size <= width <= len(database.constants) and matcher.exists(query):
                if perm(width, size) > ARRANGEMENTS:
                    raise TooLarge(
                        f"rules with {size} variables cannot be counted one by one in fragments of {width} constants; "
                        "give a smaller width, or rules with fewer variables"
                    )
                queries.append(query)
        return cls(matcher, width, tuple(queries))

    @property
    def constants(self) -> int:
        """How many constants there are."""
        return len(self.matcher.database.constants)

    @property
    def total(self) -> int:
        """How many k-subsets there are."""
        return comb(self.constants, self.width)

    def above(self, size: int) -> int:
        """How many k-subsets contain a given set of this many constants."""
        return comb(self.constants - size, self.width - size)

    def without(self, violating: int, method: str) -> Count:
        """The answer where this many k-subsets violate the cut."""
        return Count.of(self.total - violating, method)

    def without_about(self, violating: int, low: int, high: int, method: str, confidence: float) -> Count:
        """The answer where about this many k-subsets violate the cut, and from ``low`` to ``high`` with confidence."""
        low, high = max(low, 0), min(high, self.total)
        value = min(max(violating, low), high)
        return Count(self.total - value, self.total - high, self.total - low, method, confidence)
