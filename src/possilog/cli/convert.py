"""``possilog convert``, and ``possilog export``, which is the same."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.choices import TheoryFormat
from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_evidence
from possilog.cli.messages import say_all
from possilog.cli.options import DataOptions, Force, TheoryFile
from possilog.cli.output import check_program_file, check_rule_file, check_theory_file
from possilog.cli.questions import in_words_of
from possilog.data.evidence import require_one_arity
from possilog.files import write_atomically
from possilog.inference.taken import spoken
from possilog.logic import read_theory
from possilog.report.converting import convert, first_lines

__all__ = ["app"]

app = new_app()

STDOUT = "-"


@app.command("convert")
@with_options
def convert_theory(
    theory: TheoryFile,
    to: Annotated[TheoryFormat, typer.Option(help="The language to write it in.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write it here; - is stdout.")],
    reading: DataOptions,
    evidence: Annotated[
        str | None, typer.Option(metavar="DATA", help="What is known, to be written with the rules.")
    ] = None,
    force: Force = False,
) -> None:
    """Write a theory in another language; comments and remarks say what that cannot carry."""
    if output != STDOUT:
        _check(output, to, force=force)
    read, given = read_theory(theory), None
    if evidence is not None:
        given = load_evidence(evidence, reading, mapping=read.mapping)
        read = in_words_of(given, read, theory, evidence)
        require_one_arity(spoken(given), read.predicates, "the evidence", "the theory")
    converted = convert(read, to, given)
    if output == STDOUT:
        print(converted.text, end="", flush=True)
    else:
        write_atomically(output, converted.text.encode("utf-8", "backslashreplace"))
    say_all("note", converted.remarks)  # all of them are in the file, where it has comments


def _check(output: str, to: TheoryFormat, *, force: bool) -> None:
    """Refuse to replace a file of another kind."""
    if to in (TheoryFormat.THEORY, TheoryFormat.POSS):
        check_theory_file(output, force=force)
    elif to in (TheoryFormat.ANYBURL, TheoryFormat.AMIE):
        check_rule_file(output, force=force)
    else:
        check_program_file(output, first_lines().values(), force=force)
