"""``possilog demo``: the main job on facts that ship with possilog."""

from __future__ import annotations

from collections.abc import Sequence

from possilog.cli.query import in_words
from possilog.data import Database, schema
from possilog.data.bundled import load
from possilog.logic import Clause, parse_query, variables_of
from possilog.matching import Matcher
from possilog.structure import Limits, Settings, find_hard_rules, find_rules

__all__ = ["show"]

QUESTIONS = {
    "Who lives apart from the one they are married to?": "married(A, B), livesIn(A, H), not livesIn(B, H)",
    "Who is married to a child's parent without being its parent?": "married(A, B), parent(B, C), not parent(A, C)",
    "Who owns a dog that somebody else walks?": "owns(A, D), dog(D), walks(B, D), not walks(A, D)",
}
"""About exceptions to what mostly holds in the village."""

KINDS = ("type", "symmetry", "functionality")
ACCURATE = 0.95


def show() -> None:
    """Load the village, say what is in it, what holds there always and mostly, and answer questions about it."""
    database = load("village")
    print("The facts of a small village, by predicate:\n")
    print(schema(database))
    hard = _show_hard_rules(database)
    _show_rules(database, hard)
    _show_answers(database)
    print('\nAsk your own:  possilog query village "parent(A, B), parent(B, C)"')


def _show_hard_rules(database: Database) -> Sequence[Clause]:
    found = find_hard_rules(database)
    print(f"\nWhat holds there without exception: {len(found.rules)} rules, for example")
    for rule in found.rules:
        if rule.kind in KINDS and rule.support >= 9:
            print(f"    {rule.clause!s:<40}  {rule.kind}")
    return found.clauses


def _show_rules(database: Database, hard: Sequence[Clause]) -> None:
    found = find_rules(database, hard, settings=Settings(Limits(body=2)))
    print("\nWhat holds mostly, with what it gets right and wrong:")
    # A rule whose body leaves a variable of the head open would say it of everything.
    bound = [rule for rule in found.rules if set(rule.clause.head[0].variables) <= set(variables_of(rule.clause.body))]
    best = [rule for rule in bound if rule.accuracy >= ACCURATE]
    for rule in sorted(best, key=lambda rule: -rule.support)[:5]:
        print(f"    {rule.clause!s:<50}  {rule.positives} right, {rule.negatives} wrong")


def _show_answers(database: Database) -> None:
    matcher = Matcher(database)
    for question, text in QUESTIONS.items():
        query = parse_query(text)
        print(f"\n{question}\n  ? {query}")
        for match in matcher.matches(query):
            print("    " + in_words(match))
