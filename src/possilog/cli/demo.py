"""``possilog demo``: the main job on facts that ship with possilog."""

from __future__ import annotations

from possilog.cli.query import in_words
from possilog.data import schema
from possilog.data.bundled import load
from possilog.logic import parse_query
from possilog.matching import Matcher

__all__ = ["show"]

QUESTIONS = {
    "Who lives apart from the one they are married to?": "married(A, B), livesIn(A, H), not livesIn(B, H)",
    "Which children live with neither a parent nor alone, and with whom?": (
        "child(C), livesIn(C, H), livesIn(G, H), adult(G), not parent(G, C), parent(G, P), parent(P, C)"
    ),
    "Who is married to a child's parent without being its parent?": "married(A, B), parent(B, C), not parent(A, C)",
    "Who owns a dog that somebody else walks?": "owns(A, D), dog(D), walks(B, D), not walks(A, D)",
}
"""The exceptions to what mostly holds in the village."""


def show() -> None:
    """Load the village, say what is in it, and answer questions about it."""
    database = load("village")
    matcher = Matcher(database)
    print("The facts of a small village, by predicate:\n")
    print(schema(database))
    for question, text in QUESTIONS.items():
        query = parse_query(text)
        print(f"\n{question}\n  ? {query}")
        for match in matcher.matches(query):
            print("    " + in_words(match))
    print('\nAsk your own:  possilog query village "parent(A, B), parent(B, C)"')
