"""The facts that a command is asked to work on, and the theory that is to be read in their words.

Wherever a command takes facts, they are named and read in one way, which is here.
"""

from __future__ import annotations

from collections.abc import Sequence

from possilog.cli.options import DataOptions
from possilog.cli.query import warn_unknown
from possilog.data import Database, Evidence, read, read_evidence, with_mirrors
from possilog.data.bundled import load, ships
from possilog.data.evidence import require_one_arity
from possilog.data.reading.files import HowRead
from possilog.data.reading.parts import in_parts
from possilog.data.typing import in_step
from possilog.errors import DataError
from possilog.logic import BuiltIn, TableMapping, Theory, in_vocabulary, read_theory

__all__ = ["in_words", "load_both", "load_evidence", "load_facts", "load_several", "load_theory", "require_facts"]


def load_facts(
    data: str, reading: DataOptions, mapping: TableMapping | None = None, *, may_be_none: bool = False
) -> Database:
    """Read a file or folder; where there is none of that name, the facts of that name that ship with possilog.

    Facts of symmetric predicates hold both ways, whichever way they are given. Tables may come with a mapping, as
    theories have it; one that is asked for by name comes first. Of no facts nothing can be said, unless they only
    come beside others.
    """
    facts = _load([data], reading, mapping)
    if not may_be_none:
        require_facts(facts, data)
    return facts


def require_facts(facts: Database, data: str) -> None:
    """Refuse to work on nothing."""
    if not facts and not facts.denied:
        raise DataError(f"{data}: without facts there is nothing to do; give a file or folder with facts")


def load_several(data: Sequence[str], reading: DataOptions, mapping: TableMapping | None = None) -> dict[str, Database]:
    """The facts of several files or folders, by name."""
    return in_parts(data, lambda names, found: _load(names, reading, mapping or found))


def _load(data: Sequence[str], reading: DataOptions, mapping: TableMapping | None) -> Database:
    bundled = [load(name, **_how(reading, mapping)) for name in data if ships(name)]
    paths = [name for name in data if not ships(name)]
    parts = [*bundled, *([read(*paths, **_how(reading, mapping))] if paths else [])]
    facts = parts[0] if len(parts) == 1 else Database.union(*parts)
    return with_mirrors(facts, reading.symmetric) if reading.symmetric else facts


def load_evidence(
    evidence: str, reading: DataOptions, constants: Sequence[str] = (), mapping: TableMapping | None = None
) -> Evidence:
    """Read facts, and atoms that are said to be false; constants that do not occur in them may be declared."""
    how = _how(reading, mapping)
    known = Evidence(load(evidence, **how)) if ships(evidence) else read_evidence(evidence, **how)
    facts = with_mirrors(known.facts, reading.symmetric) if reading.symmetric else known.facts
    return Evidence(_declared(facts, constants), known.denied)


def load_both(theory: str, data: str, reading: DataOptions) -> tuple[Theory, Database]:
    """Read a theory, and facts as the theory reads tables."""
    read = read_theory(theory)
    facts = load_facts(data, reading, read.mapping)
    return in_words(read, theory, facts), facts


def load_theory(path: str, facts: Database) -> Theory:
    """Read a theory; predicates that the facts spell otherwise are read as theirs, and others are remarked."""
    return in_words(read_theory(path), path, facts)


def in_words(read: Theory, path: str, facts: Database) -> Theory:
    """The theory in the words of the facts, and with their types."""
    theory, _ = in_step(in_vocabulary(read, facts.predicates), facts)
    clauses = (*(rule.clause for rule in theory.rules), *(rule.clause for rule in theory.judged))
    spoken = dict.fromkeys((*theory.predicates, *(atom.predicate for clause in clauses for atom in clause.atoms)))
    told = [predicate for predicate in spoken if not isinstance(predicate, BuiltIn)]  # no fact says that 3 < 4
    require_one_arity(facts.predicates, told, "the facts", "the theory")
    known = set(facts.predicates)
    unknown = [predicate for predicate in told if predicate not in known]
    warn_unknown(unknown, facts, path)
    return theory


def _how(reading: DataOptions, mapping: TableMapping | None) -> HowRead:
    asked = None if reading.as_is else mapping if reading.mapping is None else reading.mapping
    return {
        "header": reading.header,
        "encoding": reading.encoding,
        "as_is": reading.as_is,
        "mapping": asked,
        "missing": reading.missing,
    }


def _declared(facts: Database, constants: Sequence[str]) -> Database:
    return facts.declare(constants) if any(facts.number(name) is None for name in constants) else facts
