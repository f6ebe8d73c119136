"""``possilog what-if``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from possilog.cli.predict import spell_fact
from possilog.inference import Conclusion, Difference, Words
from possilog.logic import Literal, parse_atom

__all__ = ["parse_evidence", "show_difference"]


def parse_evidence(text: str) -> Literal:
    """An atom, or ``not`` and an atom; every argument is a constant."""
    negated = text.strip().startswith("not ")
    return Literal(parse_atom(text.strip().removeprefix("not ") if negated else text), not negated)


def show_difference(difference: Difference, words: Words, *, as_json: bool) -> None:
    """Print which conclusions appear, vanish and change their certainty."""
    if as_json:
        print(json.dumps(_as_json(difference), indent=2, ensure_ascii=False))
        return
    _print("Appears", difference.appeared, words)
    _print("Vanishes", difference.vanished, words)
    for atom, before, after in difference.moved:
        print(f"Stays, at {after} instead of {before}: {words.atom(atom)}")
    if not (difference.appeared or difference.vanished or difference.moved):
        print("Nothing changes.")
    if difference.before.consistent and not difference.after.consistent:
        print("The evidence contradicts the hard rules now.")


def _print(title: str, conclusions: Iterable[Conclusion], words: Words) -> None:
    for conclusion in conclusions:
        print(f"{title} ({conclusion.certainty}): {words.atom(conclusion.atom)}")


def _as_json(difference: Difference) -> dict[str, Any]:
    def listed(conclusions: Iterable[Conclusion]) -> list[dict[str, str]]:
        return [{"atom": spell_fact(each.atom), "certainty": str(each.certainty)} for each in conclusions]

    return {
        "inference": difference.after.inference,
        "consistent": {"before": difference.before.consistent, "after": difference.after.consistent},
        "appeared": listed(difference.appeared),
        "vanished": listed(difference.vanished),
        "moved": [
            {"atom": spell_fact(atom), "before": str(before), "after": str(after)}
            for atom, before, after in difference.moved
        ],
    }
