"""θ-subsumption under object identity: does one clause say at least what another says?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from possilog.logic.atoms import Atom, Constant, Literal, Predicate, Term, Variable
from possilog.logic.clauses import Clause
from possilog.logic.thresholds import BuiltIn

__all__ = ["subsumes"]

_Bindings = dict[Variable, Term]
_Targets = dict[tuple[Predicate, bool], list[Atom]]


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
    targets: _Targets = defaultdict(list)
    for literal in dict.fromkeys(special.literals):
        targets[literal.atom.predicate, literal.positive].append(literal.atom)
    _add_implied(targets, general)
    wanted = Counter((literal.atom.predicate, literal.positive) for literal in dict.fromkeys(general.literals))
    if any(len(targets[kind]) < number for kind, number in wanted.items()):
        return False  # θ is one to one, and so distinct literals become distinct ones
    literals = _ordered(general, targets)
    # A stack of choices, not recursion: a clause may have thousands of literals.
    choices = [iter([_Mapping({}, frozenset())])]
    while choices:
        mapping = next(choices[-1], None)
        if mapping is None:
            choices.pop()
        elif len(choices) > len(literals):
            return True
        else:
            choices.append(_extensions(literals[len(choices) - 1], targets, mapping))
    return False


def _add_implied(targets: _Targets, general: Clause) -> None:
    """A comparison of a body may become one that implies it: D >= 30 for D >= 15."""
    asked = {atom.predicate for atom in general.body if isinstance(atom.predicate, BuiltIn)}
    there = [(p, atoms) for (p, positive), atoms in targets.items() if isinstance(p, BuiltIn) and not positive]
    for comparison in asked:
        targets[comparison, False] = [
            comparison(*atom.arguments) for its, atoms in there if its.implies(comparison) for atom in atoms
        ]


class _Mapping:
    """A part of θ, and the things that it maps to."""

    __slots__ = ("bindings", "images")

    def __init__(self, bindings: _Bindings, images: frozenset[Term]) -> None:
        self.bindings, self.images = bindings, images


def _ordered(clause: Clause, targets: _Targets) -> list[Literal]:
    """The literals, each as far as possible after others that share its variables; those with few targets first."""
    pending = {literal: len(targets[literal.atom.predicate, literal.positive]) for literal in clause.literals}
    known: set[Variable] = set()
    order = []
    while pending:
        best = min(pending, key=lambda literal: (len(set(literal.atom.variables) - known), pending[literal]))
        del pending[best]
        known.update(best.atom.variables)
        order.append(best)
    return order


def _extensions(literal: Literal, targets: _Targets, mapping: _Mapping) -> Iterator[_Mapping]:
    """The ways to map the literal's variables so that it becomes one of the targets."""
    for target in targets[literal.atom.predicate, literal.positive]:
        extension = _unify(literal.atom, target, mapping)
        if extension is not None:
            yield extension


def _unify(atom: Atom, target: Atom, mapping: _Mapping) -> _Mapping | None:
    bindings, images = mapping.bindings, mapping.images
    for term, image in zip(atom.arguments, target.arguments, strict=True):
        known = bindings.get(term) if isinstance(term, Variable) else term
        if known is None and isinstance(term, Variable):
            if image in images or any(isinstance(other, Constant) != isinstance(image, Constant) for other in images):
                return None
            bindings, images = {**bindings, term: image}, images | {image}
        elif known != image:
            return None
    return _Mapping(bindings, images)
