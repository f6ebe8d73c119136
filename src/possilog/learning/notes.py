"""What the data say about single rules: the comments beside them in a theory file."""

from __future__ import annotations

from collections.abc import Iterable

from possilog.data import Database
from possilog.logic import Clause, Literal, Query, variables_of
from possilog.matching import Matcher

__all__ = ["rule_notes"]


def rule_notes(clauses: Iterable[Clause], database: Database) -> dict[Clause, str]:
    """Support and confidence of the rules that derive facts: how many true heads they cover, of how many.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = Database.of(map(parse_atom, ["parent(ann, bob)", "parent(bob, eve)", "old(ann)"]))
    >>> list(rule_notes([parse_clause("old(X) :- parent(X, Y).")], facts).values())
    ['support 1, confidence 0.5']
    """
    matcher = Matcher(database)
    return {clause: _note(clause, matcher) for clause in clauses if _derives(clause)}


def _derives(clause: Clause) -> bool:
    """Has it one head, all of whose variables its body binds?"""
    return clause.is_definite and set(clause.head[0].variables) <= set(variables_of(clause.body))


def _note(clause: Clause, matcher: Matcher) -> str:
    right = _heads(clause, matcher, is_true=True)
    covered = right + _heads(clause, matcher, is_true=False)
    return f"support {right}, confidence {right / covered:.3g}" if covered else "its body never holds"


def _heads(clause: Clause, matcher: Matcher, *, is_true: bool) -> int:
    """How many distinct heads, facts or not, the body covers."""
    head = clause.head[0]
    query = Query((*(Literal(atom) for atom in clause.body), Literal(head, is_true)))
    if not head.variables:
        return int(matcher.exists(query))
    return sum(len(rows) for rows in matcher.projection_rows(query, head.variables))
