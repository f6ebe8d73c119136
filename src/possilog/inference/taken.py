"""What people give, in whatever form: evidence, facts, atoms, rules and theories; and what cannot be taken, said."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence

from possilog.data import Database, Evidence, read_evidence
from possilog.data.bundled import ships
from possilog.data.reading.graphs import is_graph
from possilog.data.taking import FORMS, Facts, are_atoms, facts_of, given_literal, is_path, literals_of, said
from possilog.errors import DataWarning, QueryError, TheoryError
from possilog.files import AnyPath
from possilog.logic import (
    Atom,
    Clause,
    Literal,
    Predicate,
    Rule,
    Theory,
    misspelt,
    parse_atom,
    parse_rule,
    read_theory,
)

__all__ = [
    "Facts",
    "Given",
    "atom_of",
    "evidence_of",
    "facts_of",
    "given_literal",
    "is_path",
    "is_written",
    "literals_of",
    "rules_of",
    "spoken",
    "theory_of",
    "warn_misspelt",
]

Given = Evidence | Facts | Iterable[Atom | Literal | str]
"""The forms in which evidence may be given."""

NO_RULES = Theory()
_NAMED = 3


def evidence_of(given: Given, theory: Theory = NO_RULES) -> Evidence:
    """Evidence in any form: read from a file, or made of atoms, frames or a graph; tables are read as the theory says.

    >>> evidence_of(["bird(Tweety)", "not bat(Tweety)"]).denied[0].as_fact
    'bat(Tweety)'
    """
    if is_path(given) and not ships(given):
        return read_evidence(given, mapping=theory.mapping)
    if isinstance(given, str | Database | Mapping) or is_graph(given):
        given = Evidence(facts_of(given, theory.mapping))
    if are_atoms(given):
        return Evidence(Database.of(given)).typed(theory.declared)
    known = given if isinstance(given, Evidence) else Evidence.of(literals_of(given, "evidence", FORMS))
    return known.typed(theory.declared)


def is_written(given: object) -> bool:
    """Did a person write it: is it a file, or text?"""
    return is_path(given) or (isinstance(given, Sequence) and any(isinstance(item, str) for item in given))


def spoken(evidence: Evidence) -> set[Predicate]:
    """The predicates that evidence speaks of."""
    return {*evidence.facts.predicates, *(atom.predicate for atom in evidence.denied)}


def atom_of(given: Atom | str) -> Atom:
    """An atom that is asked about; as text, every argument is a constant, however it is spelled.

    >>> print(atom_of("advisedBy(Ann, Bob)"))
    advisedBy("Ann", "Bob")
    """
    if isinstance(given, str):
        return parse_atom(given)
    if not isinstance(given, Atom):
        raise QueryError(f'an atom is asked about, such as "advisedBy(Ann, Bob)"; {said(given)} is none')
    return given


def rules_of(given: object) -> list[Rule]:
    """Rules, some of them as text; one alone is as good as a list of it. A clause is a rule of weight 1.

    >>> print(*rules_of("0.9 :: flies(X) :- bird(X)"))
    0.9 :: flies(X) :- bird(X).
    """
    items = [given] if isinstance(given, str | Rule | Clause) else given
    if not isinstance(items, Iterable):
        raise TheoryError(f'rules are given in a list, such as ["0.9 :: flies(X) :- bird(X)"]; {said(given)} is none')
    return [_rule(item) for item in items]


def _rule(item: object) -> Rule:
    if isinstance(item, Rule):
        return item
    if isinstance(item, Clause):
        return Rule(item)
    if not isinstance(item, str):
        raise TheoryError(f'a rule is needed, such as "0.9 :: flies(X) :- bird(X)"; {said(item)} is none')
    return parse_rule(item)


def theory_of(given: Theory | AnyPath) -> Theory:
    """A theory, or the one in a file."""
    if isinstance(given, Theory):
        return given
    if isinstance(given, str | os.PathLike):
        return read_theory(given)
    raise TheoryError(f"a theory is needed, or the path of a file with one; {said(given)} is neither")


def warn_misspelt(spoken: Iterable[Predicate], theory: Theory, source: str = "the evidence") -> bool:
    """Remark predicates of what a person wrote that a theory does not know, but almost. Are there any?"""
    found = misspelt(spoken, theory.predicates)
    if found:
        shown = [f"{its}; did you mean {meant}?" for its, meant in list(found.items())[:_NAMED]]
        more = f" (and {len(found) - _NAMED:,} more)" if len(found) > _NAMED else ""
        remark = f"no rule speaks of a predicate of {source}: {' '.join(shown)}{more}"
        warnings.warn(remark, DataWarning, stacklevel=3)
    return bool(found)
