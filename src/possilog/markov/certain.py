"""What hard rules derive from facts: the least set that has the facts and keeps the definite rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from possilog.data import Database
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Query, variables_of
from possilog.matching import Matcher

__all__ = ["certain_atoms"]

_ANY = Predicate("is any constant", 1)
"""For variables that only the head of a rule has."""


def certain_atoms(rules: Iterable[Clause], facts: Database, constants: Iterable[str], most: int) -> list[Atom] | None:
    """The atoms that definite rules add to some facts, in order; None where they are more than this many.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = Database.of(map(parse_atom, ["r(a, b)", "r(b, c)"]))
    >>> print(*certain_atoms([parse_clause("r(X, Z) :- r(X, Y), r(Y, Z)")], facts, "abc", 10))
    r(a, c)
    """
    known = facts | Database.of(Atom.ground(_ANY.name, (name,)) for name in constants)
    definite = [(clause.head[0], _condition(clause)) for clause in rules if clause.is_definite]
    found: set[Atom] = set()
    while True:
        new = set()
        matcher = Matcher(known)
        for head, condition in definite:
            for atom in _instances(head, condition, matcher):
                if atom not in known:
                    new.add(atom)
                    if len(found) + len(new) > most:
                        return None
        if not new:
            return sorted(found)
        found |= new
        known |= Database.of(new)


def _condition(clause: Clause) -> Query:
    inside = {variable for atom in clause.body for variable in atom.variables}
    unbound = [Atom(_ANY, (variable,)) for variable in clause.variables if variable not in inside]
    return Query(tuple(map(Literal, (*clause.body, *unbound))))


def _instances(head: Atom, condition: Query, matcher: Matcher) -> Iterator[Atom]:
    if not condition.literals:
        yield head
        return
    variables = variables_of([head])
    if not variables and matcher.exists(condition):
        yield head
    if not variables:
        return
    for match in matcher.projections(condition, variables):
        yield head.substitute({variable: Constant(match[variable.name]) for variable in variables})
