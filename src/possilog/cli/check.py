"""``possilog check``."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_facts, load_theory
from possilog.cli.options import FACTS, DataOptions, Json, TheoryFile, WordsFile
from possilog.data import Database
from possilog.inference import Check, RuleCheck, Words, check
from possilog.inference.words import enumerated
from possilog.logic import Clause, Theory

__all__ = ["app", "show_check"]

app = new_app()

BROKEN = 1
"""The exit code of a strict check that fails."""


@app.command("check")
@with_options
def check_facts(
    theory: TheoryFile,
    data: Annotated[
        str, typer.Option("--data", metavar="DATA", help=f"Facts to be checked, as complete ones: {FACTS}.")
    ],
    reading: DataOptions,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 if a hard rule is violated.")] = False,
    words: WordsFile = None,
    limit: Annotated[int, typer.Option(min=0, help="Show at most this many examples of each rule.")] = 3,
    json: Json = False,
) -> None:
    """Print where facts break the rules of a theory: how often, and examples, hard rules first."""
    facts = load_facts(data, reading)
    agrees = show_check(load_theory(theory, facts), facts, load_words(words), limit=limit, as_json=json)
    if strict and not agrees:
        raise typer.Exit(BROKEN)


def show_check(theory: Theory, facts: Database, words: Words, *, limit: int, as_json: bool) -> bool:
    """Print where facts break a theory, rule by rule. Do they agree with the hard rules?"""
    report = check(theory, facts, limit)
    if as_json:
        print(json.dumps(_as_json(report), indent=2, ensure_ascii=False))
    else:
        _print(report, words)
    return not report.hard


def _as_json(report: Check) -> dict[str, Any]:
    return {
        "facts": report.facts,
        "rules": len(report.rules),
        "hard": {"broken": len(report.hard), "violations": sum(checked.violations for checked in report.hard)},
        "soft": {"broken": len(report.soft), "violations": sum(checked.violations for checked in report.soft)},
        "broken": [
            {
                "rule": str(checked.rule),
                "hard": checked.rule.is_hard,
                "violations": checked.violations,
                "applications": checked.applications,
                "examples": [str(clause) for clause in checked.examples],
            }
            for checked in report.broken
        ],
    }


def _print(report: Check, words: Words) -> None:
    print(f"{report.facts:,} facts, {len(report.rules):,} rules")
    for title, broken in (("Hard rules that are violated", report.hard), ("Exceptions to soft rules", report.soft)):
        print(f"\n{title}: {len(broken):,} rules, {sum(checked.violations for checked in broken):,} times")
        for checked in broken:
            _print_rule(checked, words)


def _print_rule(checked: RuleCheck, words: Words) -> None:
    share = f" of {checked.applications:,}" if checked.rule.clause.head else ""
    print(f"  {checked.violations:,}{share}  {checked.rule}")
    for clause in checked.examples:
        print(f"      {_sentence(clause, words)}")
    if checked.violations > len(checked.examples) > 0:
        print(f"      and {checked.violations - len(checked.examples):,} more")


def _sentence(clause: Clause, words: Words) -> str:
    """What is the case, and what is not but should be."""
    body = enumerated(map(words.atom, clause.body))
    head = enumerated(map(words.atom, clause.head), "or")
    if clause.body and clause.head:
        return f"{body}, but not: {head}"
    return f"not: {head}" if clause.head else body
