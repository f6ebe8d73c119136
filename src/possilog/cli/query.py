"""``possilog query``."""

from __future__ import annotations

import difflib
import json
import sys
import warnings
from typing import Any

from possilog.data import Database
from possilog.errors import DataWarning, QueryError
from possilog.logic import Predicate, Query
from possilog.matching import Matcher

__all__ = ["answer"]


def answer(database: Database, query: Query, *, count: bool, exists: bool, limit: int | None, as_json: bool) -> None:
    """Answer a query about some facts."""
    _check_predicates(query, database)
    matcher = Matcher(database)
    found: dict[str, Any] = {"query": str(query)}
    if exists:
        found["exists"] = matcher.exists(query)
    if count:
        found["count"] = matcher.count(query)
    if not as_json and (exists or count):
        print(*(json.dumps(found[key]) for key in ("exists", "count") if key in found), sep="\n")
    elif not as_json:
        _print_matches(matcher, query, limit)
    else:
        if not (exists or count):
            matches = list(matcher.matches(query, limit=limit))
            found |= {"variables": [v.name for v in query.variables], "matches": matches, "count": len(matches)}
        print(json.dumps(found, indent=2, ensure_ascii=False))


def _print_matches(matcher: Matcher, query: Query, limit: int | None) -> None:
    found = False
    for match in matcher.matches(query, limit=limit):
        found = True
        print(", ".join(f"{variable} = {constant}" for variable, constant in match.items()) or "true")
    if not found and limit != 0:
        print("no match", file=sys.stderr)


def _check_predicates(query: Query, database: Database) -> None:
    """Predicates without facts are more often misspelt than meant; with another arity they are surely wrong."""
    known = {predicate.name: predicate for predicate in database.predicates}
    for predicate in dict.fromkeys(literal.atom.predicate for literal in query.literals):
        if predicate in database.predicates:
            continue
        if predicate.name in known:
            raise QueryError(
                f"{predicate.name} has {known[predicate.name].arity} arguments in the facts and {predicate.arity} in "
                "the query; give it as many"
            )
        warnings.warn(
            f"there are no facts of {predicate}{_suggestion(predicate, list(known))}", DataWarning, stacklevel=2
        )


def _suggestion(predicate: Predicate, known: list[str]) -> str:
    folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(predicate.name.casefold(), folded, n=1)
    return f"; did you mean {folded[close[0]]}?" if close else ""
