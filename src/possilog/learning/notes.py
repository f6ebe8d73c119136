"""What the data say about single rules: the comments beside them in a theory file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.learning.confidence import Judge
from possilog.logic import Clause

__all__ = ["rule_notes"]


def rule_notes(
    clauses: Iterable[Clause],
    database: Database,
    hard: Iterable[Clause] = (),
    stop: Deadline = NEVER,
    units: Mapping[Clause, int] = MappingProxyType({}),
) -> dict[Clause, str]:
    """Support and confidence of the rules that derive facts: how many true heads they cover, of how many.

    ``hard`` are the rules that refute errors, ``units`` says which rules rest on fewer things. As soon as ``stop``
    says so, the rules that are left have no note.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = Database.of(map(parse_atom, ["parent(ann, bob)", "parent(bob, eve)", "old(ann)"]))
    >>> list(rule_notes([parse_clause("old(X) :- parent(X, Y).")], facts).values())
    ['support 1, confidence 0.5 (1 of 2)']
    """
    clauses = list(clauses)
    if not clauses or stop():
        return {}
    judged = Judge(database, hard, stop).all(clauses)
    return {clause: found.resting_on(units.get(clause, 0)) for clause, found in judged.items()}
