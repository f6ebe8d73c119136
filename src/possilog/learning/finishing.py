"""The last touch to a theory for prediction: its hard part is what was earned, and it carries what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from possilog.data import Database
from possilog.learning.apart import spread
from possilog.learning.found import Found
from possilog.logic import DEMOTED, Keep, Rule, Theory, Weight, canonical
from possilog.structure.typing import types_of

__all__ = ["finished"]


def finished(theory: Theory, found: Found, database: Database) -> Theory:
    """A theory whose soft rules were weighed against all clauses that hold, as it is written.

    What chance may have made hold is demoted: the labels change, the weights of the soft rules stay.
    """
    hard = found.hard
    earned = set(hard.earned)
    certain = tuple(rule for rule in theory.hard if rule.clause in earned)
    # Types that are declared need no constraints: constants of two of them are never one.
    types = None if hard.all_hard or database.types else types_of(database)
    said = set() if types is None else set(map(canonical, types.hard))
    demoted = tuple(Rule(clause, DEMOTED) for clause in hard.demoted if canonical(clause) not in said)
    soft, falsity = (theory.soft, theory.falsity) if _is_pinned(theory) else _apart(theory.soft, theory.falsity)
    return replace(
        theory,
        rules=(*certain, *demoted, *soft),
        falsity=falsity,
        types=types,
        measures=None if found.measurement is None else found.measurement.measures,
        mapping=database.mapping,
    )


def _is_pinned(theory: Theory) -> bool:
    """Did a person say a weight? Then all of them stay as they are."""
    return theory.falsity_pinned or any(rule.keep is Keep.PINNED for rule in theory.soft)


def _apart(rules: Sequence[Rule], falsity: Weight) -> tuple[tuple[Rule, ...], Weight]:
    """The rules in their order, each a stratum of its own, and ⊥ below them."""
    doubts = spread([rule.weight.doubt for rule in rules])
    found = tuple(replace(rule, weight=Weight(doubt)) for rule, doubt in zip(rules, doubts, strict=True))
    return found, min([falsity, *(rule.weight for rule in found)])
