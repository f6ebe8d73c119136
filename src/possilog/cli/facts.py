"""The facts that a command is asked to work on, and the theory that is to be read in their words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from possilog.cli.query import warn_unknown
from possilog.data import Database, read, with_mirrors
from possilog.data.bundled import load, names
from possilog.logic import Theory, in_vocabulary, read_theory

__all__ = ["load_facts", "load_theory"]


def load_facts(
    data: str, header: bool | None = None, encoding: str = "utf-8", symmetric: Sequence[str] | None = None
) -> Database:
    """Read a file or folder; where there is none of that name, the facts of that name that ship with possilog.

    Facts of symmetric predicates hold both ways, whichever way they are given.
    """
    bundled = data in names() and not Path(data).exists()
    facts = load(data) if bundled else read(data, header=header, encoding=encoding)
    return with_mirrors(facts, symmetric) if symmetric else facts


def load_theory(path: str, facts: Database) -> Theory:
    """Read a theory; predicates that the facts spell otherwise are read as theirs, and others are remarked."""
    theory = in_vocabulary(read_theory(path), facts.predicates)
    for predicate in theory.predicates:
        if predicate not in facts.predicates:
            warn_unknown(predicate, facts)
    return theory
