"""The facts that a command is asked to work on, and the theory that is to be read in their words.

Wherever a command takes facts, they are named and read in one way, which is here.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from possilog.cli.options import DataOptions
from possilog.cli.query import warn_unknown
from possilog.data import Database, Evidence, read, read_evidence, with_mirrors
from possilog.data.bundled import load, names
from possilog.errors import DataWarning
from possilog.logic import Theory, in_vocabulary, read_theory

__all__ = ["load_evidence", "load_facts", "load_theory"]

_REMARKED = 3
"""Predicates without facts that are named."""


def load_facts(data: str, reading: DataOptions) -> Database:
    """Read a file or folder; where there is none of that name, the facts of that name that ship with possilog.

    Facts of symmetric predicates hold both ways, whichever way they are given.
    """
    facts = load(data) if _ships(data) else read(data, header=reading.header, encoding=reading.encoding)
    return with_mirrors(facts, reading.symmetric) if reading.symmetric else facts


def load_evidence(evidence: str, reading: DataOptions, constants: Sequence[str] = ()) -> Evidence:
    """Read facts, and atoms that are said to be false; constants that do not occur in them may be declared."""
    if _ships(evidence):
        known = Evidence(load(evidence))
    else:
        known = read_evidence(evidence, header=reading.header, encoding=reading.encoding)
    facts = with_mirrors(known.facts, reading.symmetric) if reading.symmetric else known.facts
    return Evidence(_declared(facts, constants), known.denied)


def load_theory(path: str, facts: Database) -> Theory:
    """Read a theory; predicates that the facts spell otherwise are read as theirs, and others are remarked."""
    theory = in_vocabulary(read_theory(path), facts.predicates)
    clauses = (*(rule.clause for rule in theory.rules), *(rule.clause for rule in theory.judged))
    spoken = dict.fromkeys((*theory.predicates, *(atom.predicate for clause in clauses for atom in clause.atoms)))
    unknown = (predicate for predicate in spoken if predicate not in facts.predicates)
    for predicate in islice(unknown, _REMARKED):
        warn_unknown(predicate, facts)
    if more := sum(1 for _ in unknown):
        warnings.warn(f"there are no facts of {more:,} more predicates of {path}", DataWarning, stacklevel=2)
    return theory


def _ships(data: str) -> bool:
    return data in names() and not Path(data).exists()


def _declared(facts: Database, constants: Sequence[str]) -> Database:
    return facts.declare(constants) if any(facts.number(name) is None for name in constants) else facts
