"""Where facts break a theory: a report on their quality, rule by rule.

The facts are taken as complete: a rule is violated where its body holds and no atom of its head is among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import perm

from possilog.data import Database
from possilog.logic import Atom, Clause, Constant, Literal, Query, Rule, Theory, Variable, variables_of
from possilog.matching import Matcher

__all__ = ["Check", "RuleCheck", "check"]

EXAMPLES = 3
"""Violations of a rule that are shown unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """How often a rule applies, how often it is violated, and some examples."""

    rule: Rule
    applications: int
    """In how many ways its body holds. Every application of a constraint violates it."""
    violations: int
    examples: tuple[Clause, ...]
    """Ground rules that are violated."""


@dataclass(frozen=True, slots=True)
class Check:
    """What the facts break: the rules of a theory in order, hard ones first."""

    rules: tuple[RuleCheck, ...]
    facts: int

    @property
    def broken(self) -> tuple[RuleCheck, ...]:
        """The rules that are violated."""
        return tuple(checked for checked in self.rules if checked.violations)

    @property
    def hard(self) -> tuple[RuleCheck, ...]:
        """The hard rules that are violated."""
        return tuple(checked for checked in self.broken if checked.rule.is_hard)

    @property
    def soft(self) -> tuple[RuleCheck, ...]:
        """The soft rules that are violated: these are exceptions, not necessarily errors."""
        return tuple(checked for checked in self.broken if not checked.rule.is_hard)


def check(theory: Theory, facts: Database | Iterable[Atom], limit: int | None = EXAMPLES) -> Check:
    """All violations of a theory in facts, counted rule by rule, with at most ``limit`` examples of each.

    >>> from possilog.logic import parse_atom, parse_theory
    >>> theory = parse_theory("adult(X) :- married(X, Y). 0.9 :: married(X, Y) :- married(Y, X).")
    >>> report = check(theory, [parse_atom("married(tom, clara)")])
    >>> [(str(checked.rule), checked.violations, checked.applications) for checked in report.broken]
    [('adult(X) :- married(X, Y).', 1, 1), ('0.9 :: married(X, Y) :- married(Y, X).', 1, 1)]
    """
    matcher = Matcher(facts if isinstance(facts, Database) else Database.of(facts))
    return Check(tuple(_checked(rule, matcher, limit) for rule in theory), len(matcher.database))


def _checked(rule: Rule, matcher: Matcher, limit: int | None) -> RuleCheck:
    clause = rule.clause
    applications = _ways(clause.body, clause.variables, matcher)
    violations = _violations(clause, matcher)
    found = matcher.matches(clause.violation, limit=limit) if violations and limit != 0 else ()
    return RuleCheck(rule, applications, violations, tuple(_instance(clause, match) for match in found))


def _violations(clause: Clause, matcher: Matcher) -> int:
    if set(clause.variables) <= set(variables_of(clause.body)):
        return matcher.count(clause.violation)
    # The body leaves variables open, and the constants that they may stand for are not tried one by one: from all
    # applications those are taken away of which some atom of the head holds (inclusion and exclusion).
    return sum(
        (-1) ** size * _ways(clause.body + heads, clause.variables, matcher)
        for size in range(len(clause.head) + 1)
        for heads in combinations(clause.head, size)
    )


def _ways(atoms: Sequence[Atom], variables: Sequence[Variable], matcher: Matcher) -> int:
    """In how many ways can some variables stand for distinct constants so that some atoms hold?"""
    bound = len(variables_of(atoms))
    left_open = len(variables) - bound
    constants = len(matcher.database.constants)
    ways = perm(constants - bound, left_open) if bound <= constants else 0
    return ways and ways * matcher.count(Query(tuple(map(Literal, atoms))))


def _instance(clause: Clause, match: dict[str, str]) -> Clause:
    return clause.substitute({Variable(name): Constant(constant) for name, constant in match.items()})
