"""Which sets of constants violate a rule: what is usual, and the exceptions, which are few.

Most rules are seldom violated: the exceptions are their violating images. A rule whose body is empty, or speaks of its
variables one by one, is violated by almost all constants of which such a body is true: there the exceptions are the
sets that the head saves. Where facts are so dense that most sets are images, the exceptions are the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import comb, factorial

import numpy as np
import numpy.typing as npt

from possilog.counting.limits import Limit
from possilog.counting.subsets.problem import SubsetProblem
from possilog.counting.subsets.sampling import violating
from possilog.logic import Atom, Clause, Literal, Predicate, Query
from possilog.matching import Matcher

__all__ = ["Condition", "Image", "Violations", "find_violations"]

MANY_HEADS = 10
"""Of more atoms than this that may save a set from violating a rule not each combination is tried."""

ARRANGED = 1_000
"""Where a set may come more often than this, the matches are bounded instead of the sets."""

Image = tuple[int, ...]
"""Some constants, by their numbers in order."""

ImageRows = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Condition:
    """What is asked of the constant that a variable stands for: predicates that are true of it, and that are not.

    A predicate with several arguments is true of a constant if it is so with the constant in all places.
    """

    true: frozenset[Predicate] = frozenset()
    false: frozenset[Predicate] = frozenset()

    def holds(self, facts: frozenset[Predicate]) -> bool:
        """Is it so for a constant of which these predicates are true?"""
        return self.true <= facts and self.false.isdisjoint(facts)


@dataclass(frozen=True, slots=True)
class Violations:
    """The sets of as many constants as a rule has variables that violate it, without those that are exceptions.

    ``usual`` has a condition for each variable: sets whose members meet them, in some order, usually violate the rule.
    None means that no set usually does.
    """

    usual: tuple[Condition, ...] | None
    exceptions: Sequence[Image]

    def usually(self, members: Sequence[frozenset[Predicate]]) -> bool:
        """Does a set usually violate the rule, if these predicates are true of its members?"""
        return self.usual is not None and any(
            all(condition.holds(facts) for condition, facts in zip(self.usual, order, strict=True))
            for order in permutations(members)
        )


def find_violations(matcher: Matcher, rule: Clause, limit: Limit) -> Violations:
    """Match a rule that has variables, and names no constant, against the data."""
    size, constants = len(rule.variables), len(matcher.database.constants)
    saving = sum(len(atom.variables) > 1 for atom in rule.head)
    if size > 1 and saving <= MANY_HEADS and all(len(atom.variables) < 2 for atom in rule.body):
        saved = _saved(matcher, rule, limit)
        if 2 * len(saved) <= comb(constants, size):
            return Violations(_conditions(rule) if _can_fail(matcher, rule) else None, saved)
    images = _images(matcher, rule.violation, limit)
    if size > 1 and 2 * len(images) > comb(constants, size):
        limit.check(comb(constants, size) - len(images))
        known = set(images)
        every = limit.timely(combinations(range(constants), size))
        others = [image for image in every if image not in known]
        return Violations((Condition(),) * size, others)
    return Violations(None, images)


def _conditions(rule: Clause) -> tuple[Condition, ...]:
    """What the literals with one variable say about each variable of a rule in a violation."""
    return tuple(
        Condition(
            *(frozenset(a.predicate for a in atoms if a.variables == (variable,)) for atoms in (rule.body, rule.head))
        )
        for variable in rule.variables
    )


def _can_fail(matcher: Matcher, rule: Clause) -> bool:
    """Do the literals without variables leave a rule's violation open?"""
    return matcher.exists(Query(tuple(x for x in rule.violation.literals if not x.atom.variables)))


def _saved(matcher: Matcher, rule: Clause, limit: Limit) -> list[Image]:
    """The sets that would violate a rule, were it not for its head's atoms with several variables."""
    heads = [atom for atom in rule.head if len(atom.variables) > 1]
    rest = [x for x in rule.violation.literals if len(x.atom.variables) < 2]
    found: set[Image] = set()
    for query in _some_true(heads, rest):
        found.update(_images(matcher, query, limit))
        limit.check(len(found))
    rows = np.array(sorted(found), dtype=np.int64).reshape(len(found), len(rule.variables))
    broken = violating(SubsetProblem(matcher, len(rule.variables), (rule.violation,)), rows)
    limit.check()
    return _tuples(rows[~broken])


def _some_true(heads: Sequence[Atom], rest: Iterable[Literal]) -> Iterator[Query]:
    """Each way in which some of the heads are true, with the other literals."""
    for signs in product([True, False], repeat=len(heads)):
        if any(signs):
            yield Query((*rest, *(Literal(head, sign) for head, sign in zip(heads, signs, strict=True))))


def _images(matcher: Matcher, query: Query, limit: Limit) -> list[Image]:
    """The sets that the query's variables may stand for."""
    # Each set comes at most as often as it can be arranged.
    arrangements = min(factorial(len(query.variables)), ARRANGED)
    return _tuples(matcher.image_rows(query, lambda matches: limit.check(matches // arrangements)))


def _tuples(rows: ImageRows) -> list[Image]:
    return [tuple(row) for row in rows.tolist()]
