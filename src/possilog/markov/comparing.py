"""Comparisons for tools that have none: predicates like any other, with the facts that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product

from possilog.data import Database, Evidence
from possilog.logic import Atom, BuiltIn, Clause, Constant, Predicate, Theory
from possilog.logic.thresholds import is_ordered

__all__ = ["spelled_out"]


def spelled_out(theory: Theory, given: Evidence, constants: Iterable[str]) -> tuple[Theory, Evidence]:
    """The theory with a plain predicate for each comparison, and evidence that says of which constants it is true.

    >>> from possilog.logic import parse_atom, parse_theory
    >>> theory = parse_theory("0.9 :: late(F) :- delay(F, D), D >= 15.")
    >>> given = Evidence(Database.of(map(parse_atom, ["delay(a, 20)", "delay(b, 5)"])))
    >>> theory, given = spelled_out(theory, given, given.facts.constants)
    >>> print(theory.rules[0], *given.facts)
    0.9 :: late(F) :- delay(F, D), at_least_15(D). at_least_15(20) delay(a, 20) delay(b, 5)
    """
    if not theory.comparisons:
        return theory, given
    taken = {predicate.name for predicate in (*theory.predicates, *given.facts.predicates)}
    names = {comparison: Predicate(_named(comparison, taken), comparison.arity) for comparison in theory.comparisons}
    ordered = sorted({constant for constant in constants if is_ordered(constant)})
    true = [
        plain(*map(Constant, chosen))
        for comparison, plain in names.items()
        for chosen in product(ordered, repeat=comparison.arity)
        if comparison.holds(*chosen)
    ]
    rules = tuple(replace(rule, clause=_with(rule.clause, names)) for rule in theory.rules)
    plain_theory = Theory(rules, theory.falsity)
    return plain_theory, replace(given, facts=given.facts | Database.of(true))


def _named(comparison: BuiltIn, taken: set[str]) -> str:
    name = re.sub(r"\W+", "_", comparison.in_words.replace(" -", " minus "))
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _with(clause: Clause, names: Mapping[BuiltIn, Predicate]) -> Clause:
    def plain(atom: Atom) -> Atom:
        return names[atom.predicate](*atom.arguments) if isinstance(atom.predicate, BuiltIn) else atom

    return Clause(clause.head, tuple(map(plain, clause.body)))
