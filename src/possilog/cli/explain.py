"""``possilog explain``."""

from __future__ import annotations

import json
from typing import Any

from possilog.cli.predict import as_spelled, conflict_as_json, core_as_json, remark_unused, spell_fact, spoken
from possilog.inference import Prediction, Proof, Reasoner, Why, WhyNot, Words, read_words, tell
from possilog.inference.explain import Argument, Near
from possilog.logic import Atom

__all__ = ["load_words", "show_explanation"]


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
