"""``possilog show``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_both
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, DataOptions, Json, TheoryFile, WordsFile
from possilog.inference import Words
from possilog.logic import read_theory
from possilog.report.portrait import Portrait, portray
from possilog.report.portrait.portrait import card_lines, example_lines

__all__ = ["app", "show"]

app = new_app()


@app.command("show")
@with_options
def show_theory(
    theory: TheoryFile,
    reading: DataOptions,
    data: Annotated[
        str | None, typer.Option("--data", metavar="DATA", help=f"Facts in which the rules are counted: {FACTS}.")
    ] = None,
    rule: Annotated[
        int | None, typer.Option("--rule", min=1, metavar="N", help="One rule, with examples and what it adds.")
    ] = None,
    words: WordsFile = None,
    limit: Annotated[int, typer.Option(min=0, help="With --rule: at most this many examples of each kind.")] = 5,
    json: Json = False,
) -> None:
    """Print a theory for people: what it is about, its rules by what they conclude, and how often that is right."""
    portrait = _portrait(theory, data, reading, load_words(words), 0 if rule is None else limit)
    show(portrait, rule, as_json=json)


def _portrait(path: str, data: str | None, reading: DataOptions, words: Words, examples: int) -> Portrait:
    if data is None:
        return portray(read_theory(path), words=words)
    theory, facts = load_both(path, data, reading)
    return portray(theory, facts, words=words, examples=examples)


def show(portrait: Portrait, number: int | None, *, as_json: bool) -> None:
    """Print a theory, or one of its rules."""
    if as_json:
        shown = portrait if number is None else portrait.rule(number)
        print(in_json(shown.as_json))
    elif number is None:
        print(portrait)
    else:
        card = portrait.rule(number)
        print("\n".join([*card_lines(card), *_about(portrait, card.refines), *example_lines(card)]))


def _about(portrait: Portrait, refines: int | None) -> list[str]:
    """Which rule it refines, and where examples would come from."""
    lines = [] if refines is None else [f"   refines rule {refines}: {portrait.rule(refines).formula}"]
    return lines if portrait.facts is not None else [*lines, "\nGive --data for examples and counterexamples."]
