"""``possilog check``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_both
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, DataOptions, Force, Json, TheoryFile, WordsFile, WriteTo
from possilog.cli.tables import check_place, write_checks
from possilog.inference import check

__all__ = ["app"]

app = new_app()

BROKEN = 1
"""The exit code of a strict check that fails."""


@app.command("check")
@with_options
def check_facts(
    theory: TheoryFile,
    data: Annotated[
        str, typer.Option("--data", metavar="DATA", help=f"Facts to be checked, as complete ones: {FACTS}.")
    ],
    reading: DataOptions,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a hard rule is violated.")] = False,
    words: WordsFile = None,
    limit: Annotated[int, typer.Option(min=0, help="Show at most this many examples of each rule.")] = 3,
    write_to: WriteTo = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Print where facts break the rules of a theory: how often, and examples, hard rules first."""
    if write_to is not None:
        check_place(write_to, "checks", force=force)
    rules, facts = load_both(theory, data, reading)
    report = check(rules, facts, limit, words=load_words(words))
    print(in_json(report.as_json) if json else report)
    if write_to is not None:
        write_checks(report, write_to, force=force)
    if strict and report.hard:
        raise typer.Exit(BROKEN)
