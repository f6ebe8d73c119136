"""The clauses that structure learning tries: unit clauses, and those that differ from a clause in one literal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from possilog.logic import Atom, Clause, Literal, Predicate, Variable, canonical
from possilog.logic.parts import connected_parts

__all__ = ["neighbours", "unit_clauses"]

Types = Mapping[Predicate, tuple[str, ...]]


def unit_clauses(types: Types) -> Iterator[Clause]:
    """A positive literal for every way to write a predicate's atom with equal and different variables."""
    for predicate in types:
        for atom in _atoms(predicate, types, {}, predicate.arity):
            yield canonical(Clause((atom,)))


def neighbours(clause: Clause, types: Types, max_vars: int, max_length: int) -> Iterator[Clause]:
    """The clauses with one literal more, one less, or one of another sign, in canonical form.

    A literal that is added shares a variable with the clause, unless its predicate has no arguments.
    """
    literals = clause.literals
    for place, literal in enumerate(literals):
        others = (*literals[:place], *literals[place + 1 :])
        yield canonical(Clause.of([*others, Literal(literal.atom, not literal.positive)]))
        if len(others) > 1 and len(connected_parts(others, lambda one: set(one.atom.variables))) == 1:
            yield canonical(Clause.of(others))
    if len(literals) == max_length:
        return
    old = _variable_types(clause, types)
    for predicate in types:
        for atom in _atoms(predicate, types, old, max_vars - len(old)):
            shares = not predicate.arity or any(variable in old for variable in atom.variables)
            if shares and atom not in clause.atoms:
                for positive in (True, False):
                    yield canonical(Clause.of([*literals, Literal(atom, positive)]))


def _variable_types(clause: Clause, types: Types) -> dict[Variable, str]:
    pairs = (zip(atom.arguments, types[atom.predicate], strict=True) for atom in clause.atoms)
    return {term: name for pair in pairs for term, name in pair if isinstance(term, Variable)}


def _atoms(predicate: Predicate, types: Types, old: Mapping[Variable, str], new: int) -> Iterator[Atom]:
    """The atoms over old variables and this many new ones, which come in order."""

    def extended(arguments: tuple[Variable, ...], added: Mapping[Variable, str]) -> Iterator[Atom]:
        if len(arguments) == predicate.arity:
            yield Atom(predicate, arguments)
            return
        wanted = types[predicate][len(arguments)]
        for variable, name in {**old, **added}.items():
            if name == wanted:
                yield from extended((*arguments, variable), added)
        if len(added) < new:
            fresh = Variable(f"N{len(added)}_")
            yield from extended((*arguments, fresh), {**added, fresh: wanted})

    yield from extended((), {})
