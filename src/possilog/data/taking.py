"""Facts in whatever form a person gives them, and what cannot be taken, said."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from possilog.data.bundled import load, ships
from possilog.data.database import Database
from possilog.data.reading import from_frames, from_graph, read
from possilog.data.reading.graphs import is_graph
from possilog.errors import DataError
from possilog.files import AnyPath
from possilog.logic import Atom, Literal, TableMapping, parse_atom

__all__ = ["FORMS", "NEGATION", "Facts", "are_atoms", "facts_of", "given_literal", "is_path", "literals_of", "said"]

Facts = Database | AnyPath | Mapping[str, Any] | Iterable[Atom | str]
"""The forms in which facts may be given: a database, a file or the name of facts that ship with possilog, frames by
predicate, or atoms, also as text."""

FORMS = 'a database, the path of a file, frames by predicate, a graph, or atoms such as "bird(tweety)" in a list'


def facts_of(given: Facts, mapping: TableMapping | None = None) -> Database:
    """Facts in whatever form a person has them; tables may have a mapping.

    >>> facts_of(["bird(Tweety)", "bird(Carl)"])
    <Database: 2 facts, 1 predicate, 2 constants>
    """
    if isinstance(given, Database):
        return given
    if isinstance(given, Mapping):
        return from_frames(given, mapping=mapping)
    if is_path(given):
        return load(str(given), mapping=mapping) if ships(given) else read(given, mapping=mapping)
    if is_graph(given):
        return from_graph(given)
    literals = literals_of(given, "facts", FORMS)
    denied = next((literal for literal in literals if not literal.positive), None)
    if denied is not None:
        raise DataError(f"facts hold, and {denied.as_fact!r} does not; leave it out")
    return Database.of(literal.atom for literal in literals)


def is_path(given: object) -> TypeGuard[AnyPath]:
    """Does it name a file?"""
    return isinstance(given, str | os.PathLike)


def are_atoms(given: object) -> TypeGuard[Sequence[Atom]]:
    """Are these atoms and nothing else? Then they need not be looked at one by one."""
    return isinstance(given, list | tuple) and all(type(one) is Atom for one in given)


def literals_of(given: object, name: str, forms: str = "atoms, such as bird(tweety)") -> list[Literal]:
    """Atoms and negated atoms, some of them as text; one alone is as good as a list of it."""
    items = [given] if isinstance(given, str | Atom | Literal) else given
    if not isinstance(items, Iterable) or isinstance(items, Mapping | bytes):
        raise DataError(f"{name} can be {forms}; {said(given)} is none of these")
    return [given_literal(item, name) for item in items]


NEGATION = re.compile(r"\s*(?:not\s+|!)")
"""What stands before an atom that is denied."""


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
        raise DataError(f'{name} is made of atoms, such as "bird(tweety)"; {said(item)} is none')
    negated = NEGATION.match(item)
    return Literal(parse_atom(item[negated.end() :] if negated else item), not negated)


def said(given: object) -> str:
    """What was given, in a few words."""
    text = repr(given)
    return text if len(text) <= 60 else f"{text[:60]}…"
