"""``possilog diff``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_evidence
from possilog.cli.options import FACTS, DataOptions, InferenceOptions, Json, WordsFile
from possilog.inference.taken import spoken
from possilog.logic import in_vocabulary, read_theory
from possilog.report.differences import compare_theories

__all__ = ["app"]

app = new_app()


@app.command("diff")
@with_options
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A theory.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Another one.")],
    reading: DataOptions,
    how: InferenceOptions,
    evidence: Annotated[
        str | None, typer.Option("--evidence", metavar="DATA", help=f"What is known, to predict from: {FACTS}.")
    ] = None,
    words: WordsFile = None,
    json: Json = False,
) -> None:
    """Print what changed from one theory to another: rules that came, went and moved, weights, and predictions."""
    theories = read_theory(old), read_theory(new)
    given = None if evidence is None else load_evidence(evidence, reading)
    if given is not None:
        known = spoken(given)
        theories = in_vocabulary(theories[0], known), in_vocabulary(theories[1], known)
    found = compare_theories(*theories, given, how=how.how(), words=load_words(words))
    show(found.as_json if json else str(found))


def show(found: object) -> None:
    """Print text as it is, and anything else as JSON."""
    print(found if isinstance(found, str) else json.dumps(found, indent=2, ensure_ascii=False))
