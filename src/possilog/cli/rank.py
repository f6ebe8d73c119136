"""``possilog rank``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from possilog.choices import Aggregate
from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import in_words, load_facts
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, DataOptions, Json, RankAggregate, TheoryFile, WorkerOptions
from possilog.cli.progress import Bars
from possilog.data import Database
from possilog.errors import QueryError, listed
from possilog.logic import Predicate, Theory, read_theory

if TYPE_CHECKING:
    from possilog.evaluation.links import LinkRanks
    from possilog.evaluation.ranking import PredicateRanks
    from possilog.workers import Jobs

__all__ = ["app"]

app = new_app()

_InWords = Callable[[Database], Theory]
"""Gives the theory in the words of some facts: it is read once, since it may have rules by the hundred thousand."""


@app.command("rank")
@with_options
def rank_facts(
    theory: TheoryFile,
    test: Annotated[str, typer.Option("--test", metavar="DATA", help=f"What is asked for: {FACTS}.")],
    reading: DataOptions,
    where: WorkerOptions,
    train: Annotated[
        str | None, typer.Option("--train", metavar="DATA", help="What is known, where triples are ranked.")
    ] = None,
    valid: Annotated[
        str | None, typer.Option("--valid", metavar="DATA", help="More facts that are right, and are not asked for.")
    ] = None,
    predicate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREDICATE",
            help="Ask for this predicate of the test facts, given the others; 'all' for each; may be repeated.",
        ),
    ] = None,
    aggregate: RankAggregate = None,
    json: Json = False,
) -> None:
    """Print how far up a theory ranks what is true: of triples, filtered MRR and Hits@k; else areas under curves."""
    from possilog.evaluation.ranking import rank_predicates

    began = perf_counter()
    rules = read_theory(theory)
    load = partial(load_facts, reading=reading, mapping=rules.mapping)
    asked = load(test)
    are_links = all(predicate.arity == 2 for predicate in asked.predicates if asked.count(predicate))
    with where.workers() as jobs:
        more = None if valid is None else load(valid, may_be_none=True)
        if train is not None and are_links and not predicate:
            found: LinkRanks | PredicateRanks = _links(
                partial(in_words, rules, theory), load(train), more, asked, aggregate, jobs
            )
        else:
            known = None if train is None else load(train)
            chosen = _chosen(asked, predicate or ["all"])
            found = rank_predicates(in_words(rules, theory, asked), asked, chosen, known, aggregate, jobs, more)
    _show(found, perf_counter() - began, as_json=json)


def _links(
    rules: _InWords, known: Database, more: Database | None, asked: Database, aggregate: Aggregate | None, jobs: Jobs
) -> LinkRanks:
    from possilog.evaluation.links import rank_links

    with Bars() as bars:
        return rank_links(rules(known), known, asked, more, aggregate, bars.show, jobs)


def _chosen(asked: Database, predicates: list[str]) -> list[Predicate]:
    """The predicates that are hidden, one after the other."""
    names = {predicate.name: predicate for predicate in asked.predicates if asked.count(predicate)}
    unknown = next((name for name in predicates if name not in names and name != "all"), None)
    if unknown is not None:
        raise QueryError(f"there are no test facts of {unknown}; the predicates are {listed(names, 20)}")
    return list(names.values()) if "all" in predicates else [names[name] for name in dict.fromkeys(predicates)]


def _show(found: LinkRanks | PredicateRanks, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print(in_json({**found.as_json, "seconds": round(seconds, 3)}))
    else:
        print(found)
