"""``possilog explain``."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.options import (
    DataOptions,
    EvidenceFile,
    InferenceOptions,
    Json,
    MoreConstants,
    TheoryFile,
    WordsFile,
)
from possilog.cli.predict import (
    as_spelled,
    conflict_as_json,
    core_as_json,
    load_question,
    remark_unused,
    spell_fact,
    spoken,
)
from possilog.inference import Prediction, Proof, Reasoner, Why, WhyNot, Words, read_words, tell
from possilog.inference.explain import Argument, Near
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
    prediction = reasoner.predict(given, **how.arguments)
    show_explanation(reasoner, prediction, asked, load_words(words), limit=limit, as_json=json)


def show_explanation(
    reasoner: Reasoner, prediction: Prediction, atom: Atom, words: Words, *, limit: int, as_json: bool
) -> None:
    """Print why an atom is predicted, or why it is not."""
    asked = as_spelled(atom, {*reasoner.theory.predicates, *spoken(prediction.evidence)})
    answer = reasoner.explainer(prediction).explain(asked, limit)
    if as_json:
        print(json.dumps(_as_json(answer, prediction, words), indent=2, ensure_ascii=False))
    else:
        print(tell(answer, words))
        remark_unused(prediction)


def load_words(path: str | None) -> Words:
    """The sentences in a file, or those that the predicates' names make."""
    return Words() if path is None else read_words(path)


def _as_json(answer: Why | WhyNot, prediction: Prediction, words: Words) -> dict[str, Any]:
    found: dict[str, Any] = {
        "atom": spell_fact(answer.atom),
        "sentence": words.atom(answer.atom),
        "inference": prediction.inference,
        "predicted": isinstance(answer, Why),
    }
    return found | (_why(answer, words) if isinstance(answer, Why) else _why_not(answer, words))


def _why(why: Why, words: Words) -> dict[str, Any]:
    return {
        "given": why.proof is not None and why.proof.is_given,
        "certainty": str(why.certainty),
        "stratum": why.stratum,
        "proof": None if why.proof is None else _proof(why.proof, words),
        "core": None if why.core is None else core_as_json(why.core),
        "fragment": list(why.fragment) or None,
        "drowned": [
            {"weight": str(stratum.weight), "rules": [str(rule) for rule in stratum.rules]} for stratum in why.drowned
        ],
        "conflicts": [conflict_as_json(conflict) for conflict in why.conflicts],
    }


def _proof(proof: Proof, words: Words) -> list[dict[str, Any]]:
    """Every atom of the proof once, from the last conclusion down, with what it follows from."""
    return [
        {
            "atom": spell_fact(part.atom),
            "sentence": words.atom(part.atom),
            "rule": None if part.rule is None else str(part.rule),
            "premises": [spell_fact(premise.atom) for premise in part.premises],
        }
        for part in proof.parts
    ]


def _why_not(answer: WhyNot, words: Words) -> dict[str, Any]:
    return {
        "unknown": list(answer.unknown),
        "denied": answer.denied,
        "concluded": answer.concluded,
        "forbidden": None if answer.forbidden is None else core_as_json(answer.forbidden),
        "argument": None if answer.argument is None else _argument(answer.argument, words),
        "nearest": [_near(near) for near in answer.nearest],
        "contradictions": [core_as_json(core) for core in answer.contradictions],
    }


def _argument(argument: Argument, words: Words) -> dict[str, Any]:
    return {
        "fate": argument.fate,
        "step": spell_fact(argument.step.atom),
        "proof": _proof(argument.proof, words),
        "core": None if argument.core is None else core_as_json(argument.core),
        "conflicts": [conflict_as_json(conflict) for conflict in argument.conflicts],
    }


def _near(near: Near) -> dict[str, Any]:
    """Missing conditions may have variables, so they are spelled as rules spell them."""
    return {
        "rule": str(near.rule),
        "met": [spell_fact(atom) for atom in near.met],
        "missing": [str(atom) for atom in near.missing],
        "alternatives": [str(atom) for atom in near.alternatives],
    }
