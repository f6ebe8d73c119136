"""``possilog diff``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_evidence
from possilog.cli.messages import show
from possilog.cli.options import FACTS, DataOptions, InferenceOptions, Json, WordsFile
from possilog.cli.predict import remark_reservations
from possilog.cli.questions import in_words_of
from possilog.logic import read_theory
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
    before, after, given = read_theory(old), read_theory(new), None
    if evidence is not None:
        given = load_evidence(evidence, reading, mapping=after.mapping)
        before, after = in_words_of(given, before, old, evidence), in_words_of(given, after, new, evidence)
    found = compare_theories(before, after, given, how=how.how(), words=load_words(words))
    show(found.as_json if json else str(found))
    if found.predictions is not None:
        remark_reservations(found.predictions.after)
