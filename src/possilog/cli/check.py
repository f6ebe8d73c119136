"""``possilog check``."""

from __future__ import annotations

import json

from possilog.data import Database
from possilog.inference import Words, check
from possilog.logic import Theory

__all__ = ["show_check"]


def show_check(theory: Theory, facts: Database, words: Words, *, limit: int, as_json: bool) -> bool:
    """Print where facts break a theory, rule by rule. Do they agree with the hard rules?"""
    report = check(theory, facts, limit, words=words)
    print(json.dumps(report.as_json, indent=2, ensure_ascii=False) if as_json else report)
    return not report.hard
