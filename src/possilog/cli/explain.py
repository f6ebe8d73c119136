"""``possilog explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.messages import show
from possilog.cli.options import (
    DataOptions,
    EvidenceFile,
    InferenceOptions,
    Json,
    MoreConstants,
    TheoryFile,
    WordsFile,
)
from possilog.cli.predict import as_spelled, remark_reservations, spoken
from possilog.cli.questions import load_question
from possilog.inference import Prediction, Reasoner, Words, read_words
from possilog.logic import Atom, parse_atom

__all__ = ["app", "load_words", "show_explanation"]

app = new_app()


@app.command("explain")
@with_options
def explain_atom(
    theory: TheoryFile,
    atom: Annotated[str, typer.Argument(metavar="ATOM", help='For example "advisedBy(ann, bob)".')],
    evidence: EvidenceFile,
    reading: DataOptions,
    how: InferenceOptions,
    words: WordsFile = None,
    limit: Annotated[int, typer.Option(min=0, help="Show at most this many of the nearest rules.")] = 3,
    constants: MoreConstants = None,
    json: Json = False,
) -> None:
    """Print why an atom is predicted, with the shortest proof, or why it is not."""
    asked = parse_atom(atom)
    question, given = load_question(theory, evidence, reading, constants or [])
    reasoner = Reasoner(question)
    prediction = reasoner.predict(given, how.how())
    show_explanation(reasoner, prediction, asked, load_words(words), limit=limit, as_json=json)


def show_explanation(
    reasoner: Reasoner, prediction: Prediction, atom: Atom, words: Words, *, limit: int, as_json: bool
) -> None:
    """Print why an atom is predicted, or why it is not."""
    asked = as_spelled(atom, {*reasoner.theory.predicates, *spoken(prediction.evidence)})
    answer = reasoner.explainer(prediction, words).explain(asked, limit)
    show(answer.as_json if as_json else str(answer))
    remark_reservations(prediction)


def load_words(path: str | None) -> Words:
    """The sentences in a file, or those that the predicates' names make."""
    return Words() if path is None else read_words(path)
