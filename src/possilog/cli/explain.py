"""``possilog explain``."""

from __future__ import annotations

import json

from possilog.cli.predict import as_spelled, remark_unused, spoken
from possilog.inference import Prediction, Reasoner, Words, read_words
from possilog.logic import Atom

__all__ = ["load_words", "show_explanation"]


def show_explanation(
    reasoner: Reasoner, prediction: Prediction, atom: Atom, words: Words, *, limit: int, as_json: bool
) -> None:
    """Print why an atom is predicted, or why it is not."""
    asked = as_spelled(atom, {*reasoner.theory.predicates, *spoken(prediction.evidence)})
    answer = reasoner.explainer(prediction, words).explain(asked, limit)
    if as_json:
        print(json.dumps(answer.as_json, indent=2, ensure_ascii=False))
    else:
        print(answer)
        remark_unused(prediction)


def load_words(path: str | None) -> Words:
    """The sentences in a file, or those that the predicates' names make."""
    return Words() if path is None else read_words(path)
