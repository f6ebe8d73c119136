"""θ-subsumption under object identity: does one clause say at least what another says?"""

from __future__ import annotations

from collections.abc import Iterator

from possilog.logic.atoms import Atom, Constant, Literal, Term, Variable
from possilog.logic.clauses import Clause

__all__ = ["subsumes"]

_Bindings = dict[Variable, Term]


def subsumes(general: Clause, special: Clause) -> bool:
    """Is there a θ that maps every literal of the general clause to one of the special clause?

    Distinct variables of the general clause must stand for distinct things, whatever the special clause's variables
    stand for. So θ is one to one, and a variable and a constant, which may turn out to be the same thing, are not both
    images of variables. Then every world that satisfies the general clause satisfies the special one.

    >>> from possilog.logic import parse_clause
    >>> subsumes(parse_clause(":- r(X, Y)."), parse_clause("p(A) :- r(A, B), r(B, A)."))
    True
    >>> subsumes(parse_clause(":- r(X, Y)."), parse_clause(":- r(A, A)."))
    False
    """
    targets = set(special.literals)
    return _extend(list(dict.fromkeys(general.literals)), targets, {})


def _extend(pending: list[Literal], targets: set[Literal], bindings: _Bindings) -> bool:
    """Map the pending literals, the one with the fewest choices first."""
    if not pending:
        return True
    choices = [list(_mappings(literal, targets, bindings)) for literal in pending]
    least = min(range(len(pending)), key=lambda index: len(choices[index]))
    rest = pending[:least] + pending[least + 1 :]
    return any(_extend(rest, targets, bindings | extension) for extension in choices[least])


def _mappings(literal: Literal, targets: set[Literal], bindings: _Bindings) -> Iterator[_Bindings]:
    """The ways to bind the literal's free variables so that it becomes one of the targets."""
    for target in targets:
        if target.positive == literal.positive and target.atom.predicate == literal.atom.predicate:
            extension = _unify(literal.atom, target.atom, bindings)
            if extension is not None:
                yield extension


def _unify(atom: Atom, target: Atom, bindings: _Bindings) -> _Bindings | None:
    extension: _Bindings = {}
    for term, image in zip(atom.arguments, target.arguments, strict=True):
        known = bindings.get(term) or extension.get(term) if isinstance(term, Variable) else term
        if known is None and isinstance(term, Variable):
            if not all(_surely_distinct(image, other) for other in [*bindings.values(), *extension.values()]):
                return None
            extension[term] = image
        elif known != image:
            return None
    return extension


def _surely_distinct(one: Term, other: Term) -> bool:
    """Are two terms of one clause distinct in every grounding of it?"""
    return one != other and isinstance(one, Constant) == isinstance(other, Constant)
