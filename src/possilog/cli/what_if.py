"""``possilog what-if``."""

from __future__ import annotations

import json
from collections.abc import Iterable

from possilog.cli.predict import as_spelled, remark_unused
from possilog.inference import Difference
from possilog.inference.taken import given_literal
from possilog.logic import Literal, Predicate, Rule, Theory, in_vocabulary, parse_rule

__all__ = ["parse_evidence", "parse_rules", "show_difference"]


def parse_evidence(texts: Iterable[str], known: Iterable[Predicate]) -> list[Literal]:
    """Atoms, some with ``not`` or ``!`` before them, their predicates as theory and evidence spell them."""
    literals = map(given_literal, texts)
    return [Literal(as_spelled(literal.atom, known), literal.positive) for literal in literals]


def parse_rules(texts: Iterable[str], known: Iterable[Predicate]) -> tuple[Rule, ...]:
    """Rules, their predicates as theory and evidence spell them."""
    return in_vocabulary(Theory(tuple(map(parse_rule, texts))), known).rules


def show_difference(difference: Difference, *, as_json: bool) -> None:
    """Print which conclusions appear, vanish and change their certainty."""
    if as_json:
        print(json.dumps(difference.as_json, indent=2, ensure_ascii=False))
    else:
        print(difference)
        remark_unused(difference.after)
