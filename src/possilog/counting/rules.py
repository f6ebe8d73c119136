"""What counting asks of rules."""

from __future__ import annotations

from collections.abc import Container

from possilog.errors import TheoryError
from possilog.logic import BuiltIn, Clause, Predicate, Variable

__all__ = ["check_rule"]


def check_rule(rule: Clause, predicates: Container[Predicate] | None = None) -> None:
    """Can a rule be counted with, in worlds over some predicates?

    Fragments and worlds are judged up to the names of their constants, so a rule must not name any.
    """
    for atom in rule.atoms:
        if isinstance(atom.predicate, BuiltIn) or not all(isinstance(term, Variable) for term in atom.arguments):
            raise TheoryError(
                f"{rule} names a constant or compares; such rules are counted by a counter that was told of them before"
            )
        if predicates is not None and atom.predicate not in predicates:
            raise TheoryError(f"{rule} speaks of {atom.predicate}, which is not among the predicates given")
