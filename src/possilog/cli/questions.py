"""A theory and the evidence that it is asked about, the one in the words of the other."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from possilog.cli.facts import load_evidence
from possilog.cli.options import DataOptions
from possilog.data import Evidence
from possilog.data.typing import in_step
from possilog.errors import DataWarning
from possilog.inference.taken import spoken, warn_misspelt
from possilog.logic import Theory, in_vocabulary, read_theory

__all__ = ["in_words_of", "load_question"]


def load_question(
    theory: str, evidence: str, reading: DataOptions, constants: Sequence[str] = ()
) -> tuple[Theory, Evidence]:
    """A theory and evidence; predicates that the evidence spells otherwise are read as the evidence's."""
    read = read_theory(theory)
    given = load_evidence(evidence, reading, constants, read.mapping)
    return in_words_of(given, read, theory, evidence), given


def in_words_of(given: Evidence, read: Theory, theory: str, evidence: str) -> Theory:
    """The theory in the words of the evidence; remarks where the two do not seem to belong together."""
    read, _ = in_step(in_vocabulary(read, spoken(given)), given.facts)
    if warn_misspelt(spoken(given), read, evidence):
        return read
    if read.predicates and given.facts and spoken(given).isdisjoint(read.predicates):
        remark = f"no rule of {theory} speaks of any predicate of {evidence}; check that the two belong together"
        warnings.warn(remark, DataWarning, stacklevel=2)
    return read
