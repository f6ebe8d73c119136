"""``possilog what-if``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.options import (
    DataOptions,
    EvidenceFile,
    InferenceOptions,
    Json,
    MoreConstants,
    TheoryFile,
    WordsFile,
)
from possilog.cli.predict import as_spelled, load_question, remark_unused, spell_fact, spoken
from possilog.inference import Conclusion, Difference, Reasoner, Words
from possilog.logic import Literal, Predicate, Rule, Theory, in_vocabulary, parse_atom, parse_rule

__all__ = ["app", "parse_evidence", "parse_rules", "show_difference"]

app = new_app()


@app.command("what-if")
@with_options
def what_if(
    theory: TheoryFile,
    evidence: EvidenceFile,
    reading: DataOptions,
    how: InferenceOptions,
    add: Annotated[list[str] | None, typer.Option(metavar="ATOM", help="Suppose this fact; may be repeated.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option(metavar="ATOM", help="Suppose this fact were not known; may be repeated.")
    ] = None,
    add_rule: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help='Suppose a rule: "0.9 :: p(X) :- q(X)"; may be repeated.')
    ] = None,
    remove_rule: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Suppose a rule were not there; may be repeated.")
    ] = None,
    words: WordsFile = None,
    constants: MoreConstants = None,
    json: Json = False,
) -> None:
    """Print which conclusions appear and vanish if facts or rules are added or removed."""
    question, given = load_question(theory, evidence, reading, constants or [])
    known = {*question.predicates, *spoken(given)}
    difference = Reasoner(question).what_if(
        given,
        **how.arguments,
        add=parse_evidence(add or [], known),
        remove=parse_evidence(remove or [], known),
        add_rules=parse_rules(add_rule or [], known),
        remove_rules=parse_rules(remove_rule or [], known),
    )
    show_difference(difference, load_words(words), as_json=json)


def parse_evidence(texts: Iterable[str], known: Iterable[Predicate]) -> list[Literal]:
    """Atoms, some with ``not`` or ``!`` before them; every argument is a constant."""
    found = []
    for text in texts:
        negated = re.match(r"\s*(?:not\s+|!)", text)
        atom = parse_atom(text[negated.end() :] if negated else text)
        found.append(Literal(as_spelled(atom, known), not negated))
    return found


def parse_rules(texts: Iterable[str], known: Iterable[Predicate]) -> tuple[Rule, ...]:
    """Rules, their predicates as theory and evidence spell them."""
    return in_vocabulary(Theory(tuple(map(parse_rule, texts))), known).rules


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
    if difference.after.consistent and not difference.before.consistent:
        print("The evidence no longer contradicts the hard rules.")
    remark_unused(difference.after)


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
