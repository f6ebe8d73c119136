"""``possilog hard-rules``."""

from __future__ import annotations

import json
from itertools import groupby

from possilog.cli.progress import Bars
from possilog.data import Database
from possilog.errors import QueryError
from possilog.structure import HardRules, find_hard_rules

__all__ = ["parse_variables", "search"]


def parse_variables(text: str) -> int | None:
    """A number of variables, or ``any``."""
    if text == "any":
        return None
    if not text.isdecimal():
        raise QueryError(f"--variables is a number or 'any', and {text!r} is neither")
    return int(text)


def search(
    database: Database,
    *,
    literals: int,
    unary_literals: int,
    variables: int | None,
    min_support: int,
    time_limit: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Find the hard rules of some facts and print them by kind."""
    with Bars() as bars:
        found = find_hard_rules(
            database,
            literals=literals,
            unary_literals=unary_literals,
            variables=variables,
            min_support=min_support,
            time_limit=time_limit,
            seed=seed,
            progress=bars.show,
        )
    if as_json:
        print(json.dumps(_as_json(found), indent=2, ensure_ascii=False))
    else:
        _print(found)


def _as_json(found: HardRules) -> dict[str, object]:
    rules = [{"rule": str(rule.clause), "kind": rule.kind, "support": rule.support} for rule in found.rules]
    coverage = {"complete": found.complete, "minimal": found.minimal, "description": found.coverage}
    return {"count": len(rules), "rules": rules, "seconds": found.seconds, "coverage": coverage}


def _print(found: HardRules) -> None:
    print(f"{len(found.rules):,} hard rules; {found.coverage}")
    for kind, group in groupby(found.rules, key=lambda rule: rule.kind):
        rules = list(group)
        print(f"\n{kind} ({len(rules):,})")
        width = max(len(f"{rule.support:,}") for rule in rules)
        for rule in rules:
            print(f"  {rule.support:>{width},}  {rule.clause}")
