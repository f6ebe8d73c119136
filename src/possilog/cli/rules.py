"""``possilog rules``."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts
from possilog.cli.hard_rules import HardRuleOptions, parse_variables
from possilog.cli.messages import in_json
from possilog.cli.options import Data, DataOptions, Json, NegativeExamples, Preset, Seed, WorkerOptions
from possilog.cli.progress import Bars
from possilog.data import Database
from possilog.deadline import Deadline, OutOfTime
from possilog.errors import listed
from possilog.logic import Predicate
from possilog.matching import Matcher
from possilog.printing import plural
from possilog.structure import (
    FoundRule,
    FoundRules,
    HardRules,
    RankedStratum,
    SearchSettings,
    rank_rules,
)
from possilog.structure.ranking import TOLERANCES, count_exceptions
from possilog.structure.rules import preset_settings, targets_of
from possilog.structure.search import search_rules
from possilog.workers import Jobs

__all__ = ["app", "make_settings", "show_rules"]

app = new_app()


_MOST_EXCEPTIONS = 100_000
"""Exceptions to a rule are counted up to this many."""

_SEARCH_SHARE = 0.8
"""The share of a time limit for the search; the rest is for counting the exceptions of what was found."""


@app.command("rules")
@with_options
def rules(
    data: Data,
    reading: DataOptions,
    where: WorkerOptions,
    hard: HardRuleOptions,
    target: Annotated[list[str] | None, typer.Option(help="A predicate to search rules for; may be repeated.")] = None,
    preset: Preset = None,
    body: Annotated[
        int | None, typer.Option("--body", "--body-length", min=1, help="Atoms in a body, at most.", show_default="3")
    ] = None,
    width: Annotated[int | None, typer.Option(min=1, help="Variables in a rule, at most.", show_default="3")] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Rules kept at each length.", show_default="100")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Rules for each length of body.", show_default="5")] = None,
    min_support: Annotated[
        int | None, typer.Option(min=1, help="Positive examples that a rule must cover.", show_default="2")
    ] = None,
    negatives: Annotated[
        NegativeExamples, typer.Option(help="Negative examples: those that the hard rules do not explain, or any.")
    ] = NegativeExamples.NONTRIVIAL,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Negative examples for a predicate, at most.", show_default="1000")
    ] = None,
    seed: Seed = 0,
    ranked: Annotated[bool, typer.Option("--ranked", help="Print strata by the share of exceptions.")] = False,
    json: Json = False,
) -> None:
    """Search Horn rules for every predicate: the candidates from which theories are made."""
    stop = Deadline(hard.time_limit)  # reading takes time, too
    limits = {"body": body, "width": width, "beam": beam, "repeats": repeats, "min_support": min_support}
    with where.workers() as jobs:
        show_rules(
            load_facts(data, reading),
            target or [],
            make_settings(preset, seed, negatives is NegativeExamples.RANDOM, samples=samples, **limits),
            literals=hard.literals,
            unary_literals=hard.unary_literals,
            variables=parse_variables(hard.variables),
            stop=stop,
            jobs=jobs,
            ranked=ranked,
            as_json=json,
        )


def make_settings(preset: str | None, seed: int, random_negatives: bool, **given: int | None) -> SearchSettings:
    """The settings of a preset, or the default ones, with what was given in their place."""
    settings = preset_settings(preset)
    changes = {name: value for name, value in given.items() if value is not None}
    samples = changes.pop("samples", settings.negatives)
    limits = replace(settings.limits, **changes)
    return replace(settings, limits=limits, negatives=samples, random_negatives=random_negatives, seed=seed)


def show_rules(
    database: Database,
    targets: Sequence[str],
    settings: SearchSettings,
    *,
    literals: int,
    unary_literals: int,
    variables: int | None,
    stop: Deadline,
    jobs: Jobs,
    ranked: bool,
    as_json: bool,
) -> None:
    """Find hard rules, then the Horn rules of some predicates or of all, and print them, or their strata."""
    began = time.perf_counter()
    chosen = targets_of(database, targets) or database.predicates
    with Bars() as bars:
        hard, found = search_rules(
            database,
            chosen,
            settings,
            literals=literals,
            unary_literals=unary_literals,
            variables=variables,
            jobs=jobs,
            time_limit=stop.part(_SEARCH_SHARE).left,
            progress=bars.show,
        )
    if found.more:
        more = listed(map(str, found.more), 20)
        print(f"note: there may be more rules of {more}; --repeats says how many of each length", file=sys.stderr)
    strata = rank_rules(database, found.rules, stop=stop) if ranked else None
    confidences = _confidences(database, found, stop) if as_json or strata is None else ()
    if as_json:
        printed = _as_json(found, confidences, hard, time.perf_counter() - began)
        if strata is not None:
            printed["ranked"] = [
                {"target": target.name, "strata": [stratum.as_json for stratum in some]}
                for target, some in strata.items()
            ]
        print(in_json(printed))
    elif strata is not None:
        _print_strata(strata, found)
    else:
        print(_as_text(found, confidences, hard))


@dataclass(frozen=True, slots=True)
class _Confidence:
    """What a rule gives in all the data: facts, and exceptions.

    There may be more exceptions than were counted; None where there was no time to count them.
    """

    true: int
    false: int | None

    @property
    def exceptions(self) -> int | None:
        return None if self.false is None or self.false > _MOST_EXCEPTIONS else self.false

    @property
    def value(self) -> float | None:
        return None if self.exceptions is None else self.true / max(self.true + self.exceptions, 1)

    def __str__(self) -> str:
        if self.false is None:
            return "not counted in time"
        if self.value is None:
            return f"less than {self.true / (self.true + self.false):.2g}"
        return f"{self.value:.4f} ({self.true:,}/{self.true + self.false:,})"


def _confidences(database: Database, found: FoundRules, stop: Deadline) -> Sequence[_Confidence]:
    """How often the rules are right: the search knows that of its negative examples only, which are chosen."""
    matcher = Matcher(database)

    def judged(rule: FoundRule) -> _Confidence:
        try:
            return _Confidence(rule.support, count_exceptions(matcher, rule.clause, _MOST_EXCEPTIONS + 1, stop))
        except OutOfTime:
            return _Confidence(rule.support, None)

    return [judged(rule) for rule in found.rules]


def _as_json(
    found: FoundRules, confidences: Sequence[_Confidence], hard: HardRules, seconds: float
) -> dict[str, object]:
    rules = [
        rule | {"confidence": confidence.value, "exceptions": confidence.exceptions}
        for rule, confidence in zip(found.as_json["rules"], confidences, strict=True)
    ]
    given = {"hard_rules": len(hard.rules), "coverage": hard.coverage, "seconds": seconds}
    return found.as_json | {"rules": rules} | given


def _print_strata(ranked: Mapping[Predicate, Sequence[RankedStratum]], found: FoundRules) -> None:
    for target, strata in ranked.items():
        print(target)
        for stratum in strata:
            print(f"  at most {stratum.tolerance:.0%} exceptions" if stratum.tolerance else "  without exception")
            for rule in stratum.rules:
                print(f"    {rule.support:7,}  {rule.exceptions:9,}  {rule.clause}")
        if not strata:
            print(f"  no rule with at most {TOLERANCES[-1]:.0%} exceptions")
    for target in dict.fromkeys(rule.target for rule in found.rules if rule.target not in ranked):
        print(f"{target}\n  there was no time to rank its rules")
    if not found.rules:
        print("no rules to rank")


def _as_text(found: FoundRules, confidences: Sequence[_Confidence], hard: HardRules) -> str:
    title = f"{plural(len(found.rules), 'rule')}, given {plural(len(hard.rules), 'hard rule')}"
    if not hard.complete:
        title += f"\nhard rules: {hard.coverage}"
    width = max((len(str(confidence)) for confidence in confidences), default=0)
    return found.table(title, "confidence", (f"{confidence!s:<{width}}" for confidence in confidences))
