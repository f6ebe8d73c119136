"""``possilog export``."""

from __future__ import annotations

import warnings
from enum import StrEnum
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_evidence
from possilog.cli.options import DataOptions, Force, TheoryFile
from possilog.cli.output import check_program_file, check_rule_file
from possilog.data import Database, Evidence
from possilog.errors import DataWarning
from possilog.files import write_atomically
from possilog.logic import Theory, in_vocabulary, read_theory
from possilog.logic.rule_files import amie_text, anyburl_text, counted_rules
from possilog.markov.export import export_problog, export_psl

__all__ = ["app", "export"]

app = new_app()


class System(StrEnum):
    """Another system, which a theory is written for."""

    PROBLOG = "problog"
    PSL = "psl"
    ANYBURL = "anyburl"
    AMIE = "amie"


_PROGRAMS = {System.PROBLOG: export_problog, System.PSL: export_psl}


@app.command("export")
@with_options
def export_theory(
    theory: TheoryFile,
    to: Annotated[System, typer.Option(help="The system to write it for.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write it here.")],
    reading: DataOptions,
    evidence: Annotated[
        str | None, typer.Option(metavar="DATA", help="What is known, to be written with the rules.")
    ] = None,
    force: Force = False,
) -> None:
    """Write a theory for ProbLog or PSL, or its counted rules for AnyBURL or AMIE; comments say what is not carried."""
    export(theory, to, output, evidence, reading, force=force)


def export(theory: str, to: System, output: str, evidence: str | None, reading: DataOptions, *, force: bool) -> None:
    """Write a theory, and evidence, in the language of another system."""
    if to in _PROGRAMS:
        check_program_file(output, (write(Theory()).partition("\n")[0] for write in _PROGRAMS.values()), force=force)
    else:
        check_rule_file(output, force=force)
    read, given = read_theory(theory), None
    if evidence is not None:
        given = load_evidence(evidence, reading)
        read = in_vocabulary(read, given.facts.predicates)
    write_atomically(output, _text(read, to, given).encode())


def _text(theory: Theory, to: System, given: Evidence | None) -> str:
    if to in _PROGRAMS:
        return _PROGRAMS[to](theory, given)
    left_out = sum(1 for rule in theory.soft) + len(theory.judged) - sum(1 for _ in counted_rules(theory))
    if left_out > 0:
        remark = f"{left_out:,} soft rules without counts, or not with one head, are left out"
        warnings.warn(remark, DataWarning, stacklevel=2)
    if to is System.ANYBURL:
        return anyburl_text(theory)
    facts = Database([], {}) if given is None else given.facts
    return amie_text(theory, {predicate: facts.count(predicate) for predicate in facts.predicates})
