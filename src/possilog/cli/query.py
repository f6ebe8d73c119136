"""``possilog query``."""

from __future__ import annotations

import difflib
import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.messages import in_json
from possilog.cli.options import Data, DataOptions, Json
from possilog.data import Database
from possilog.errors import DataWarning, QueryError
from possilog.logic import BuiltIn, Constant, Predicate, Query, parse_query
from possilog.logic.spelling import plain, spell_constant, spell_given
from possilog.matching import Matcher
from possilog.printing import plural

__all__ = ["answer", "app", "in_words", "suggestion", "warn_unknown"]

_FEW = 10_000
"""Among this many names a similar one is looked for; among more, only one that differs in case."""

_REMARKED = 3
"""Predicates without facts that are named; those that look like one with facts come first."""

_COMPARED = 10_000
"""Pairs of a predicate without facts and one with facts that are compared."""

app = new_app()


@app.command("query")
@with_options
def query(
    data: Data,
    question: Annotated[str, typer.Argument(metavar="QUERY", help='For example "R(X,Y), R(Y,Z), not P(Z)".')],
    reading: DataOptions,
    count: Annotated[bool, typer.Option("--count", help="Print how many matches there are.")] = False,
    exists: Annotated[bool, typer.Option("--exists", help="Print whether there is a match: true or false.")] = False,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most this many matches.")] = None,
    json: Json = False,
) -> None:
    """Print the matches of a query: distinct variables stand for distinct constants."""
    from possilog.cli.facts import load_facts

    asked = parse_query(question)
    answer(load_facts(data, reading), asked, count=count, exists=exists, limit=limit, as_json=json)


def answer(database: Database, query: Query, *, count: bool, exists: bool, limit: int | None, as_json: bool) -> None:
    """Answer a query about some facts."""
    _check_predicates(query, database)
    _check_constants(query, database)
    _check_variables(query, database)
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
            matches = [_plainly(match) for match in matcher.matches(query, limit=limit)]
            found |= {"variables": [v.name for v in query.variables], "matches": matches, "count": len(matches)}
        print(in_json(found))


def _print_matches(matcher: Matcher, query: Query, limit: int | None) -> None:
    found = False
    for match in matcher.matches(query, limit=limit):
        found = True
        print(in_words(match) or "true")
    if not found and limit != 0:
        print("no match", file=sys.stderr)


def _plainly(match: Mapping[str, str]) -> dict[str, str]:
    return {variable: plain(constant) for variable, constant in match.items()}


def in_words(match: Mapping[str, str]) -> str:
    """A match as text."""
    return ", ".join(f"{variable} = {spell_given(constant)}" for variable, constant in match.items())


def _check_constants(query: Query, database: Database) -> None:
    """A constant that no fact is about is more often misspelt than meant."""
    terms = (term for literal in query.literals for term in database.declared.literal(literal).atom.arguments)
    for name in dict.fromkeys(term.name for term in terms if isinstance(term, Constant)):
        if database.number(name) is None:
            hint = suggestion(name, database.constants)
            warnings.warn(f"there are no facts about {spell_constant(name)}{hint}", DataWarning, stacklevel=2)


def _check_variables(query: Query, database: Database) -> None:
    """A capital begins a variable; who names a constant like that, as files of facts do, asks something else."""
    for name in (variable.name for variable in query.variables):
        if database.number(name) is not None:
            warnings.warn(
                f'{name} is a variable here, since it is not quoted; write "{name}" for the constant',
                DataWarning,
                stacklevel=2,
            )


def _check_predicates(query: Query, database: Database) -> None:
    """Predicates without facts are more often misspelt than meant; with another arity they are surely wrong."""
    known = {predicate.name: predicate for predicate in database.predicates}
    unknown = []
    for predicate in dict.fromkeys(literal.atom.predicate for literal in query.literals):
        if known.get(predicate.name) == predicate or isinstance(predicate, BuiltIn):
            continue
        if predicate.name in known:
            raise QueryError(
                f"{predicate.name} has {plural(known[predicate.name].arity, 'argument')} in the facts and "
                f"{predicate.arity} in the query; give it as many"
            )
        unknown.append(predicate)
    warn_unknown(unknown, database, "the query")


def warn_unknown(unknown: Sequence[Predicate], database: Database, asked: str) -> None:
    """Remark that predicates have no facts, each with one that looks like it: those first that look misspelt."""
    names = [known.name for known in database.predicates]

    def hint(predicate: Predicate) -> str:
        return suggestion(predicate.name, names, is_predicate=True)

    misspelt = [predicate for predicate in unknown[: _COMPARED // max(1, len(names))] if hint(predicate)]
    for predicate in islice(dict.fromkeys((*misspelt, *unknown)), _REMARKED):
        warnings.warn(f"there are no facts of {predicate}{hint(predicate)}", DataWarning, stacklevel=2)
    if (more := len(unknown) - _REMARKED) > 0:
        warnings.warn(f"there are no facts of {more:,} more predicates of {asked}", DataWarning, stacklevel=2)


def suggestion(name: str, known: Sequence[str], *, is_predicate: bool = False) -> str:
    """The end of a remark about a name that is not known: one that looks like it, if there is one."""
    name, known = plain(name), list(dict.fromkeys(map(plain, known)))
    folded = {other.casefold(): other for other in known}
    close = [name.casefold()] if name.casefold() in folded else []
    if not close and len(known) <= _FEW:
        close = difflib.get_close_matches(name.casefold(), folded, n=1)
    if not close:
        return ""
    meant = folded[close[0]]
    return f"; did you mean {meant if is_predicate else spell_constant(meant)}?"
