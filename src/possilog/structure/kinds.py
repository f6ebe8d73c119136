"""What kind of rule is it, in words that people use for data?"""

from __future__ import annotations

from possilog.logic import Atom, Clause

__all__ = ["KINDS", "kind_of"]

KINDS = ("type", "inclusion", "symmetry", "functionality", "disjointness", "irreflexivity", "other")
"""All kinds, in the order in which rules are shown."""


def kind_of(clause: Clause) -> str:
    """The kind of a constant-free clause.

    - type: what stands at some place of a fact belongs to a class, ``student(A) :- advisedBy(A, B).``
    - inclusion: a fact of one predicate makes one of another, ``professor(A) :- tenured(A).``
    - symmetry: arguments may change places, ``friends(A, B) :- friends(B, A).``
    - functionality: some arguments decide the others, ``:- leads(A, B), leads(C, B).``
    - disjointness: two facts do not share these arguments, ``:- student(A), professor(A).``
    - irreflexivity: a fact does not repeat an argument, ``:- advisedBy(A, A).``
    - other: all that is left

    >>> from possilog.logic import parse_clause
    >>> kind_of(parse_clause(":- professor(A), advisedBy(A, B)."))
    'disjointness'
    """
    if len(clause.body) == 1 and len(clause.head) == 1:
        return _of_implication(clause.head[0], clause.body[0])
    if not clause.head and len(clause.body) == 1:
        atom = clause.body[0]
        return "irreflexivity" if len(atom.variables) < len(atom.arguments) else "other"
    if not clause.head and len(clause.body) == 2:
        return _of_constraint(*clause.body)
    return "other"


def _of_implication(head: Atom, body: Atom) -> str:
    if not set(head.variables) <= set(body.variables):
        return "other"
    if head.predicate == body.predicate:
        return "symmetry" if sorted(head.arguments) == sorted(body.arguments) else "other"
    return "type" if head.predicate.arity == 1 < body.predicate.arity else "inclusion"


def _of_constraint(one: Atom, other: Atom) -> str:
    shared = set(one.variables) & set(other.variables)
    if one.predicate != other.predicate:
        return "disjointness" if shared else "other"
    same = {a for a, b in zip(one.arguments, other.arguments, strict=True) if a == b}
    if same and same == shared:
        return "functionality"
    return "disjointness" if len(shared) == 1 else "other"
