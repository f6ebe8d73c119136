"""``possilog ask``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_both
from possilog.cli.messages import show
from possilog.cli.options import FACTS, DataOptions, Json, RankAggregate, TheoryFile
from possilog.cli.predict import as_spelled
from possilog.inference.asking import OpenAtom, ask, parse_question
from possilog.logic import Constant

__all__ = ["app"]

app = new_app()


@app.command("ask")
@with_options
def ask_question(
    theory: TheoryFile,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help='For example "advisedBy(Ann, ?)".')],
    data: Annotated[str, typer.Option("--data", metavar="DATA", help=f"What is known: {FACTS}.")],
    reading: DataOptions,
    limit: Annotated[int, typer.Option(min=0, help="Print at most this many answers.")] = 10,
    aggregate: RankAggregate = None,
    json: Json = False,
) -> None:
    """Print the best answers to a question, by the rules that conclude them."""
    asked = parse_question(question)
    read, facts = load_both(theory, data, reading)
    hole = as_spelled(asked.predicate(*map(_term, asked.given)), {*read.predicates, *facts.predicates})
    found = ask(read, str(OpenAtom(hole.predicate, asked.given)), facts, limit, aggregate)
    show(found.as_json if json else str(found))


def _term(name: str | None) -> Constant:
    return Constant(name or "?")
