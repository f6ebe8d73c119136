"""``possilog check``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_both
from possilog.cli.options import FACTS, DataOptions, Json, TheoryFile, WordsFile
from possilog.data import Database
from possilog.inference import Words, check
from possilog.logic import Theory

__all__ = ["app", "show_check"]

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
    json: Json = False,
) -> None:
    """Print where facts break the rules of a theory: how often, and examples, hard rules first."""
    rules, facts = load_both(theory, data, reading)
    agrees = show_check(rules, facts, load_words(words), limit=limit, as_json=json)
    if strict and not agrees:
        raise typer.Exit(BROKEN)


def show_check(theory: Theory, facts: Database, words: Words, *, limit: int, as_json: bool) -> bool:
    """Print where facts break a theory, rule by rule. Do they agree with the hard rules?"""
    report = check(theory, facts, limit, words=words)
    print(json.dumps(report.as_json, indent=2, ensure_ascii=False) if as_json else report)
    return not report.hard
