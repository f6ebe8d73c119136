"""``possilog rules``."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from possilog.cli.progress import Bars
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Predicate
from possilog.structure import (
    FoundRules,
    HardRules,
    RankedStratum,
    SearchSettings,
    rank_rules,
)
from possilog.structure.ranking import TOLERANCES
from possilog.structure.rules import preset_settings
from possilog.structure.search import search_rules

__all__ = ["make_settings", "search"]


def make_settings(preset: str | None, seed: int, random_negatives: bool, **given: int | None) -> SearchSettings:
    """The settings of a preset, or the default ones, with what was given in their place."""
    settings = preset_settings(preset)
    changes = {name: value for name, value in given.items() if value is not None}
    samples = changes.pop("samples", settings.negatives)
    limits = replace(settings.limits, **changes)
    return replace(settings, limits=limits, negatives=samples, random_negatives=random_negatives, seed=seed)


def search(
    database: Database,
    targets: Sequence[str],
    settings: SearchSettings,
    *,
    literals: int,
    unary_literals: int,
    variables: int | None,
    time_limit: float | None,
    jobs: int,
    ranked: bool,
    as_json: bool,
) -> None:
    """Find hard rules, then the Horn rules of some predicates or of all, and print them, or their strata."""
    began = time.perf_counter()
    chosen = [_predicate(database, name) for name in targets] or database.predicates
    with Bars() as bars:
        hard, found = search_rules(
            database,
            chosen,
            settings,
            literals=literals,
            unary_literals=unary_literals,
            variables=variables,
            jobs=jobs,
            time_limit=time_limit,
            progress=bars.show,
        )
    strata = rank_rules(database, found.rules) if ranked else None
    if as_json:
        printed = _as_json(found, hard, time.perf_counter() - began)
        if strata is not None:
            printed["ranked"] = _strata_as_json(strata)
        print(json.dumps(printed, indent=2, ensure_ascii=False))
    elif strata is not None:
        _print_strata(strata)
    else:
        _print(found, hard)


def _predicate(database: Database, name: str) -> Predicate:
    for predicate in database.predicates:
        if name in (predicate.name, str(predicate)):
            return predicate
    known = ", ".join(predicate.name for predicate in database.predicates)
    raise QueryError(f"there are no facts of {name} to learn from; the predicates are {known}")


def _as_json(found: FoundRules, hard: HardRules, seconds: float) -> dict[str, object]:
    rules = [
        {
            "target": rule.target.name,
            "rule": str(rule.clause),
            "accuracy": rule.accuracy,
            "positives": rule.positives,
            "negatives": rule.negatives,
            "support": rule.support,
            "gain": rule.gain,
        }
        for rule in found.rules
    ]
    skipped = [{"target": skipped.target.name, "reason": skipped.reason} for skipped in found.skipped]
    return {
        "count": len(rules),
        "rules": rules,
        "skipped": skipped,
        "hard_rules": len(hard.rules),
        "coverage": hard.coverage,
        "seconds": seconds,
    }


def _strata_as_json(ranked: Mapping[Predicate, Sequence[RankedStratum]]) -> list[dict[str, object]]:
    return [
        {
            "target": target.name,
            "strata": [
                {
                    "tolerance": stratum.tolerance,
                    "rules": [
                        {"rule": str(rule.clause), "support": rule.support, "exceptions": rule.exceptions}
                        for rule in stratum.rules
                    ],
                }
                for stratum in strata
            ],
        }
        for target, strata in ranked.items()
    ]


def _print_strata(ranked: Mapping[Predicate, Sequence[RankedStratum]]) -> None:
    for target, strata in ranked.items():
        print(target)
        for stratum in strata:
            print(f"  at most {stratum.tolerance:.0%} exceptions" if stratum.tolerance else "  without exception")
            for rule in stratum.rules:
                print(f"    {rule.support:7,}  {rule.exceptions:9,}  {rule.clause}")
        if not strata:
            print(f"  no rule with at most {TOLERANCES[-1]:.0%} exceptions")
    if not ranked:
        print("no rules to rank")


def _print(found: FoundRules, hard: HardRules) -> None:
    print(f"{len(found.rules):,} rules, given {len(hard.rules):,} hard rules")
    if not hard.complete:
        print(f"hard rules: {hard.coverage}")
    for target, rules in groupby(found.rules, key=lambda rule: rule.target):
        print(f"\n{target}\n  accuracy  positives  negatives")
        for rule in rules:
            print(f"  {rule.accuracy:8.4f}  {rule.positives:9,}  {rule.negatives:9,}  {rule.clause}")
    if found.skipped:
        print("\nskipped")
    for skipped in found.skipped:
        print(f"  {skipped.target}: {skipped.reason}")
