"""``possilog demo``: the main job on facts that ship with possilog."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from possilog.cli.declaring import new_app
from possilog.cli.options import Force
from possilog.cli.output import check_page_file
from possilog.cli.query import in_words
from possilog.data import Database, schema
from possilog.data.bundled import load
from possilog.inference import Reasoner
from possilog.learning import Learned, learn
from possilog.logic import parse_query
from possilog.matching import Matcher
from possilog.report import write_report
from possilog.structure.kinds import kind_of

__all__ = ["app", "show"]

app = new_app()

QUESTIONS = {
    "Who lives apart from the one they are married to?": "married(A, B), livesIn(A, H), not livesIn(B, H)",
    "Who is married to a child's parent without being its parent?": "married(A, B), parent(B, C), not parent(A, C)",
    "Who owns a dog that somebody else walks?": "owns(A, D), dog(D), walks(B, D), not walks(A, D)",
}
"""About exceptions to what mostly holds in the village."""

SHOWN_KINDS = ("type", "symmetry", "functionality")
SHOWN = 6

NEWCOMERS = ("married(mia, leo)", "parent(mia, ida)", "livesIn(ida, mill)")
ASKED = "parent(leo, ida)"
"""What is known of a family that moves in, and what one may want to know."""


@app.command("demo")
def demo(
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write the report here.")
    ] = "village-report.html",
    force: Force = False,
) -> None:
    """Learn a theory of a small village, whose facts ship with possilog; predict, explain, ask, and write a report."""
    check_page_file(output, force=force)
    show(output)


def show(output: str) -> None:
    """Load the village, say what is in it, learn what holds there, predict, ask, and write a report."""
    database = load("village")
    print("The facts of a small village, by predicate:\n")
    print(schema(database))
    learned = learn(database)
    _show_hard_rules(learned)
    _show_soft_rules(learned)
    _show_prediction(learned)
    _show_answers(database)
    write_report(learned.theory, database, output, title="A small village")
    print(f"\nThe report, for a browser:  {Path(output).absolute()}")
    print("\nLearn your own:  possilog learn village -o theory.pl")
    print('Ask your own:    possilog query village "parent(A, B), parent(B, C)"')


def _show_hard_rules(learned: Learned) -> None:
    print(f"\nWhat holds there without exception: {len(learned.hard.all)} rules, for example")
    for clause in learned.hard.all:
        if kind_of(clause) in SHOWN_KINDS:
            print(f"    {clause!s:<40}  {kind_of(clause)}")


def _show_soft_rules(learned: Learned) -> None:
    """Those that were learned from most facts."""
    soft = [rule.clause for rule in learned.theory.ranked]
    print(f"\nWhat holds mostly, and helps to predict: {len(soft)} rules, for example")
    known = [clause for clause in soft if clause in learned.candidates]
    for clause in sorted(known, key=lambda clause: -learned.candidates[clause].true)[:SHOWN]:
        print(f"    {clause!s:<50}  {learned.notes[clause]}")


def _show_prediction(learned: Learned) -> None:
    reasoner = Reasoner(learned.theory)
    print(f"\nA family moves in. Known: {', '.join(NEWCOMERS)}. What follows:")
    prediction = reasoner.predict(NEWCOMERS)
    for row in prediction.rows():
        print(f"    {row}")
    explanation = reasoner.explainer(prediction).explain(ASKED)
    print("\n" + "\n".join(f"    {line}".rstrip() for line in str(explanation).splitlines()))


def _show_answers(database: Database) -> None:
    matcher = Matcher(database)
    for question, text in QUESTIONS.items():
        query = parse_query(text)
        print(f"\n{question}\n  ? {query}")
        for match in matcher.matches(query):
            print("    " + in_words(match))
