"""``possilog export``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_evidence
from possilog.cli.options import DataOptions, Force, TheoryFile
from possilog.cli.output import check_program_file
from possilog.files import write_atomically
from possilog.logic import Theory, in_vocabulary, read_theory
from possilog.markov.export import export_problog, export_psl

__all__ = ["app", "export"]

app = new_app()


class System(StrEnum):
    """Another system, which a theory is written for."""

    PROBLOG = "problog"
    PSL = "psl"


_WRITERS = {System.PROBLOG: export_problog, System.PSL: export_psl}


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
    """Write a theory for ProbLog or PSL; comments say what they cannot carry."""
    export(theory, to, output, evidence, reading, force=force)


def export(theory: str, to: System, output: str, evidence: str | None, reading: DataOptions, *, force: bool) -> None:
    """Write a theory, and evidence, in the language of another system."""
    check_program_file(output, (write(Theory()).partition("\n")[0] for write in _WRITERS.values()), force=force)
    read, given = read_theory(theory), None
    if evidence is not None:
        given = load_evidence(evidence, reading)
        read = in_vocabulary(read, given.facts.predicates)
    write_atomically(output, _WRITERS[to](read, given).encode())
