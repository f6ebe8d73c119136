"""``possilog check``."""

from __future__ import annotations

import json
from typing import Any

from possilog.data import Database
from possilog.inference import Check, RuleCheck, Words, check
from possilog.inference.words import enumerated
from possilog.logic import Clause, Theory

__all__ = ["show_check"]


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
