"""Hard rules that are in doubt: where hard rules broke on held-out parts, more is asked of those of all the data.

That chance would not make a rule hold does not make it hold always. A rule that is right in four of five may show no
exception in a dozen cases, and among hundreds of rules some do. How often hard rules that were learned without a part
are right on it tells how much a rule without exception is worth in these data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from possilog.entailment import Entailment
from possilog.inference.gate import ALWAYS
from possilog.learning.confidence import Judge
from possilog.learning.hard_part import HardPart
from possilog.learning.trials import Holdout
from possilog.logic import Clause, HeldOut

__all__ = ["doubted", "held_out_rules"]

BEFOREHAND = 2
"""Held-out cases that are taken as seen before any."""

LIKE_OTHERS = 30
"""Cases of its own for which it counts what came of the others."""

LEAST_THINGS = 5
"""A rule that rests on fewer units is in doubt whatever came of others: a surprise is not yet a law."""


def held_out_rules(holdouts: Iterable[Holdout]) -> HeldOut:
    """What hard rules that were learned without a part conclude from its facts, and how much of that is true."""
    right = cases = 0
    for one in holdouts:
        for found in Judge(one.part, ()).all(one.hard.units).values():
            right, cases = right + found.true, cases + found.true + found.false
    return HeldOut(right, cases, cases)


def doubted(hard: HardPart, found: HeldOut, without: Sequence[HardPart] = ()) -> tuple[Clause, ...]:
    """The hard rules that rest on too few units, as far as hard rules can be trusted in these data.

    A rule has to be expected to be right as often as what is certain is said to be: an error is concluded at every
    share of known facts, and what is right only as long as it is hidden. In doubt are also those that nobody would find
    without this part of the data, nor without that one: ``without`` has what is hard without each.
    """
    usual = (BEFOREHAND * ALWAYS + found.right) / (BEFOREHAND + found.cases)
    few = {
        clause
        for clause, units in hard.units.items()
        if units < LEAST_THINGS or (LIKE_OTHERS * usual + units) / (LIKE_OTHERS + units) < ALWAYS
    }
    asked = [clause for clause in hard.units if clause not in few]
    few.update(_found_by_none(asked, without) if without else ())
    return tuple(clause for clause in hard.units if clause in few)


def _found_by_none(clauses: Sequence[Clause], without: Iterable[HardPart]) -> list[Clause]:
    """The clauses that are hard without none of the parts, and follow from what is hard without none of them."""
    left = list(clauses)
    for part in without:
        own = set(part.earned)
        left = [clause for clause in left if clause not in own]
        with Entailment(part.earned) as known:
            left = [clause for clause in left if not known.entails(clause)]
    return left
