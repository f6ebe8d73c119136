"""A theory as a Markov logic network, in Alchemy's language. The order of the strata stays; their meaning does not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations

from possilog.logic import Clause, Predicate, Theory, Variable
from possilog.logic.theory import comment
from possilog.markov.comparing import spelled_out
from possilog.markov.domain import consistent
from possilog.markov.network import Declaration, Equal, Formula, Network, Or
from possilog.markov.programs import plainly_named, renamings, require_theory, respelled, said_otherwise, unsaid, unused

__all__ = ["export_mln", "network_of"]

_ANY = "thing"


def export_mln(theory: Theory) -> str:
    """The theory as the text of a network.

    >>> from possilog.logic import parse_theory
    >>> print(export_mln(parse_theory("0.9 :: smokes(Y) :- friends(X, Y), smokes(X).")))
    // Weights are -log(1 - λ) of the theory's, so that the order of the strata stays; their meaning is another.
    // In the theory a stratum counts only where those above it are consistent; that is not carried.
    // ⊥ has weight 0; that is not carried.
    <BLANKLINE>
    friends(thing, thing)
    smokes(thing)
    <BLANKLINE>
    2.302585092994046 smokes(y) v !friends(x, y) v !smokes(x) v y = x
    <BLANKLINE>
    """
    network, names = network_of(theory)
    remarks = "".join(f"//{comment(remark)[1:]}\n" for remark in (*_remarks(theory), *renamings(names)))
    return f"{remarks}\n{network}"


def network_of(theory: Theory) -> tuple[Network, dict[Predicate, str]]:
    """The network, and what its predicates are called."""
    require_theory(theory).require_weights()
    types_of, theory = theory.types, respelled(*spelled_out(theory, consistent(None), ()))[0]
    names = _names(theory)
    known = {} if types_of is None else dict(types_of.signatures)
    types = {name: _plain(name) for some in known.values() for name in some}
    declarations = tuple(
        Declaration(
            Predicate(name, p.arity), tuple(types[one] for one in known[p]) if p in known else (_ANY,) * p.arity
        )
        for p, name in sorted(names.items())
    )
    bare = Network(declarations)
    formulas = tuple(
        _formula(_renamed(rule.clause, names), math.inf if rule.is_hard else float(-rule.weight.doubt.ln()), bare)
        for rule in theory
        if not _is_trivial(rule.clause, known)
    )
    return Network(declarations, formulas), names


def _remarks(theory: Theory) -> Iterator[str]:
    yield "Weights are -log(1 - λ) of the theory's, so that the order of the strata stays; their meaning is another."
    yield "In the theory a stratum counts only where those above it are consistent; that is not carried."
    yield f"⊥ has weight {theory.falsity}; that is not carried."
    yield from (*said_otherwise(theory, types=True), *unsaid(theory))
    if theory.types is not None and theory.types.tell_apart:
        yield "Constraints that types stand for are not listed: variables have the types instead."


def _names(theory: Theory) -> dict[Predicate, str]:
    names: dict[Predicate, str] = {}
    taken: set[str] = set()
    for predicate in theory.predicates:
        names[predicate] = unused(_plain(predicate.name), taken)
        taken.add(names[predicate])
    return names


def _plain(name: str) -> str:
    letters = re.sub(r"[^\w]", "_", name)
    return letters if letters[:1].isalpha() else f"P{letters}"


def _renamed(clause: Clause, names: dict[Predicate, str]) -> Clause:
    """The clause with names that Alchemy reads; a variable called v would be an "or"."""
    plain = plainly_named(clause)
    if any(variable.name == "V" for variable in plain.variables):
        plain = plain.substitute({v: Variable(f"X{i}") for i, v in enumerate(plain.variables)})
    head, body = (
        tuple(Predicate(names[atom.predicate], atom.predicate.arity)(*atom.arguments) for atom in atoms)
        for atoms in (plain.head, plain.body)
    )
    return Clause(head, body)


def _is_trivial(clause: Clause, types: dict[Predicate, tuple[str, ...]]) -> bool:
    """Is a variable of two types, so that it stands for nothing?"""
    found: dict[Variable, set[str]] = {}
    for atom in clause.atoms:
        for term, name in zip(atom.arguments, types.get(atom.predicate, (_ANY,) * len(atom.arguments)), strict=True):
            if isinstance(term, Variable):
                found.setdefault(term, set()).add(name)
    return any(len(names) > 1 for names in found.values())


def _formula(clause: Clause, weight: float, network: Network) -> Formula:
    """The clause, or else two of its variables stand for one constant, where their type allows it."""
    formula = Formula.of(clause, weight)
    types = network.variable_types(formula.sentence)
    equal = [Equal(one, other) for one, other in combinations(clause.variables, 2) if types[one] == types[other]]
    parts = formula.sentence.parts if isinstance(formula.sentence, Or) else (formula.sentence,)
    return Formula(Or((*parts, *equal)), weight) if equal else formula
