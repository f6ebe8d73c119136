"""One vocabulary for rules and facts: predicates that the facts spell otherwise."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from possilog.errors import DataWarning, listed
from possilog.logic.atoms import Atom, Predicate
from possilog.logic.clauses import Clause
from possilog.logic.theory import Theory

__all__ = ["in_vocabulary", "read_as"]


def in_vocabulary(theory: Theory, predicates: Iterable[Predicate]) -> Theory:
    """The theory in the spelling of the facts: ``protein_class`` where they say ``ProteinClass``, with a DataWarning.

    A predicate that has no facts is read as one that has, if they have the same arity, the same name but for case and
    underscores, and there is no other choice. Two predicates of a theory never become one.

    >>> from possilog.logic import parse_theory
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     print(in_vocabulary(parse_theory(":- is_old(X), young(X)."), [Predicate("IsOld", 1)]).rules[0])
    :- IsOld(X), young(X).
    """
    banned = {atom.predicate for clause in theory.banned for atom in clause.atoms}
    names = read_as({*theory.predicates, *banned}, predicates)
    if not names:
        return theory
    said = listed((f"{read} as {meant}" for read, meant in names.items()), 10)
    warnings.warn(f"predicates of the theory are read as the facts spell them: {said}", DataWarning, stacklevel=2)
    return replace(
        theory,
        rules=tuple(replace(rule, clause=_renamed(rule.clause, names)) for rule in theory.rules),
        unplaced=tuple(_renamed(clause, names) for clause in theory.unplaced),
        banned=tuple(_renamed(clause, names) for clause in theory.banned),
        locked=tuple(_renamed(clause, names) for clause in theory.locked),
    )


def read_as(spoken: Iterable[Predicate], predicates: Iterable[Predicate]) -> dict[Predicate, Predicate]:
    """The predicates that facts spell otherwise, and how they spell them."""
    known = set(predicates)
    alike: dict[tuple[str, int], list[Predicate]] = defaultdict(list)
    for predicate in known:
        alike[_folded(predicate)].append(predicate)
    listed = sorted(spoken)
    found = {p: alike[_folded(p)][0] for p in listed if p not in known and len(alike[_folded(p)]) == 1}
    claims = Counter([*found.values(), *listed])
    return {read: meant for read, meant in found.items() if claims[meant] == 1}


def _folded(predicate: Predicate) -> tuple[str, int]:
    return predicate.name.casefold().replace("_", ""), predicate.arity


def _renamed(clause: Clause, names: Mapping[Predicate, Predicate]) -> Clause:
    head, body = (
        tuple(Atom(names.get(a.predicate, a.predicate), a.arguments) for a in atoms)
        for atoms in (clause.head, clause.body)
    )
    return Clause(head, body)
