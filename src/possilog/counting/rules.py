"""What counting asks of rules."""

from __future__ import annotations

from collections.abc import Container

from possilog.errors import TheoryError
from possilog.logic import Clause, Predicate, Threshold, Variable

__all__ = ["check_rule", "is_constant_free"]


def is_constant_free(rule: Clause) -> bool:
    """Does a rule name no constant, and compare none?"""
    return all(
        not isinstance(atom.predicate, Threshold) and all(isinstance(term, Variable) for term in atom.arguments)
        for atom in rule.atoms
    )


def check_rule(rule: Clause, predicates: Container[Predicate] | None = None) -> None:
    """Can a rule be counted with, in worlds over some predicates?

    Fragments and worlds are judged up to the names of their constants, so a rule must not name any.
    """
    for atom in rule.atoms:
        if not is_constant_free(Clause((), (atom,))):
            raise TheoryError(f"{rule} names a constant; only rules without constants can be counted")
        if predicates is not None and atom.predicate not in predicates:
            raise TheoryError(f"{rule} speaks of {atom.predicate}, which is not among the predicates given")
