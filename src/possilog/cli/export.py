"""``possilog export``."""

from __future__ import annotations

from possilog.data import read_evidence
from possilog.files import write_atomically
from possilog.logic import in_vocabulary, read_theory
from possilog.markov.export import export_problog, export_psl

__all__ = ["export"]


def export(theory: str, to: str, output: str, evidence: str | None) -> None:
    """Write a theory, and evidence, in the language of another system."""
    read, given = read_theory(theory), None
    if evidence is not None:
        given = read_evidence(evidence)
        read = in_vocabulary(read, given.facts.predicates)
    write_atomically(output, {"problog": export_problog, "psl": export_psl}[to](read, given).encode())
