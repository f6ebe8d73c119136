"""What people give, in whatever form: evidence, facts, atoms, rules and theories; and what cannot be taken, said."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from possilog.data import Database, Evidence, read, read_evidence
from possilog.errors import DataError, DataWarning, QueryError, TheoryError
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

Given = Evidence | Database | AnyPath | Iterable[Atom | Literal | str]
"""The forms in which evidence may be given."""

Facts = Database | AnyPath | Iterable[Atom | str]
"""The forms in which facts may be given."""

_FORMS = 'a database, the path of a file, or atoms such as "bird(tweety)" in a list'
_NAMED = 3


def evidence_of(given: Given) -> Evidence:
    """Evidence in any form: read from a file, or made of atoms.

    >>> evidence_of(["bird(Tweety)", "not bat(Tweety)"]).denied[0].as_fact
    'bat(Tweety)'
    """
    if isinstance(given, Evidence):
        return given
    if isinstance(given, Database):
        return Evidence(given)
    if is_path(given):
        return read_evidence(given)
    return Evidence.of(literals_of(given, "evidence", _FORMS))


def is_written(given: object) -> bool:
    """Did a person write it: is it a file, or text?"""
    return is_path(given) or (isinstance(given, Sequence) and any(isinstance(item, str) for item in given))


def spoken(evidence: Evidence) -> set[Predicate]:
    """The predicates that evidence speaks of."""
    return {*evidence.facts.predicates, *(atom.predicate for atom in evidence.denied)}


def facts_of(given: Facts) -> Database:
    """Facts in any form that are taken as complete."""
    if isinstance(given, Database):
        return given
    if is_path(given):
        return read(given)
    literals = literals_of(given, "facts", _FORMS)
    denied = next((literal for literal in literals if not literal.positive), None)
    if denied is not None:
        raise DataError(f"facts hold, and {denied.as_fact!r} does not; leave it out")
    return Database.of(literal.atom for literal in literals)


def is_path(given: object) -> TypeGuard[AnyPath]:
    """Does it name a file?"""
    return isinstance(given, str | os.PathLike)


def literals_of(given: object, name: str, forms: str = "atoms, such as bird(tweety)") -> list[Literal]:
    """Atoms and negated atoms, some of them as text; one alone is as good as a list of it."""
    items = [given] if isinstance(given, str | Atom | Literal) else given
    if not isinstance(items, Iterable) or isinstance(items, Mapping | bytes):
        raise DataError(f"{name} can be {forms}; {_said(given)} is none of these")
    return [given_literal(item, name) for item in items]


def given_literal(item: object, name: str = "evidence") -> Literal:
    """An atom, or one with ``not`` or ``!`` before it; as text, every argument is a constant.

    >>> given_literal("!bird(Carl)").as_fact
    'not bird(Carl)'
    """
    if isinstance(item, Literal):
        return item
    if isinstance(item, Atom):
        return Literal(item)
    if not isinstance(item, str):
        raise DataError(f'{name} is made of atoms, such as "bird(tweety)"; {_said(item)} is none')
    negated = re.match(r"\s*(?:not\s+|!)", item)
    return Literal(parse_atom(item[negated.end() :] if negated else item), not negated)


def atom_of(given: Atom | str) -> Atom:
    """An atom that is asked about; as text, every argument is a constant, however it is spelled.

    >>> print(atom_of("advisedBy(Ann, Bob)"))
    advisedBy("Ann", "Bob")
    """
    if isinstance(given, str):
        return parse_atom(given)
    if not isinstance(given, Atom):
        raise QueryError(f'an atom is asked about, such as "advisedBy(Ann, Bob)"; {_said(given)} is none')
    return given


def rules_of(given: object) -> list[Rule]:
    """Rules, some of them as text; one alone is as good as a list of it. A clause is a rule of weight 1.

    >>> print(*rules_of("0.9 :: flies(X) :- bird(X)"))
    0.9 :: flies(X) :- bird(X).
    """
    items = [given] if isinstance(given, str | Rule | Clause) else given
    if not isinstance(items, Iterable):
        raise TheoryError(f'rules are given in a list, such as ["0.9 :: flies(X) :- bird(X)"]; {_said(given)} is none')
    return [_rule(item) for item in items]


def _rule(item: object) -> Rule:
    if isinstance(item, Rule):
        return item
    if isinstance(item, Clause):
        return Rule(item)
    if not isinstance(item, str):
        raise TheoryError(f'a rule is needed, such as "0.9 :: flies(X) :- bird(X)"; {_said(item)} is none')
    return parse_rule(item)


def theory_of(given: Theory | AnyPath) -> Theory:
    """A theory, or the one in a file."""
    if isinstance(given, Theory):
        return given
    if isinstance(given, str | os.PathLike):
        return read_theory(given)
    raise TheoryError(f"a theory is needed, or the path of a file with one; {_said(given)} is neither")


def warn_misspelt(spoken: Iterable[Predicate], theory: Theory, source: str = "the evidence") -> bool:
    """Remark predicates of what a person wrote that a theory does not know, but almost. Are there any?"""
    found = misspelt(spoken, theory.predicates)
    if found:
        shown = [f"{its}; did you mean {meant}?" for its, meant in list(found.items())[:_NAMED]]
        more = f" (and {len(found) - _NAMED:,} more)" if len(found) > _NAMED else ""
        remark = f"no rule speaks of a predicate of {source}: {' '.join(shown)}{more}"
        warnings.warn(remark, DataWarning, stacklevel=3)
    return bool(found)


def _said(given: object) -> str:
    """What was given, in a few words."""
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:60]}…"
