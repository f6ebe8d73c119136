"""``possilog what-if``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
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
from possilog.inference import Difference, Reasoner
from possilog.inference.taken import given_literal
from possilog.logic import Literal, Predicate, Rule, Theory, in_vocabulary, parse_rule

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
        how.how(),
        add=parse_evidence(add or [], known),
        remove=parse_evidence(remove or [], known),
        add_rules=parse_rules(add_rule or [], known),
        remove_rules=parse_rules(remove_rule or [], known),
        words=load_words(words),
    )
    show_difference(difference, as_json=json)


def parse_evidence(texts: Iterable[str], known: Iterable[Predicate]) -> list[Literal]:
    """Atoms, some with ``not`` or ``!`` before them, their predicates as theory and evidence spell them."""
    literals = map(given_literal, texts)
    return [Literal(as_spelled(literal.atom, known), literal.positive) for literal in literals]


def parse_rules(texts: Iterable[str], known: Iterable[Predicate]) -> tuple[Rule, ...]:
    """Rules, their predicates as theory and evidence spell them."""
    return in_vocabulary(Theory(tuple(map(parse_rule, texts))), known).rules


def show_difference(difference: Difference, *, as_json: bool) -> None:
    """Print which conclusions appear, vanish and change their certainty."""
    show(difference.as_json if as_json else str(difference))
    remark_reservations(difference.after)
