"""Facts that were held out, and what they say of rules: how far each can be trusted about what is new.

Facts that are asked for may be of another kind than those that rules were mined from. Those of FB15k-237 are about
constants that no training fact links, so that rules from link to link, the best ones by confidence, give none of them.
Where held-out facts are all like that, and training facts are not, rules are counted among such constants only, and
ranking takes no others for an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import exp

import numpy as np

from possilog.data import Database
from possilog.data.linked import Linked
from possilog.deadline import NEVER, Deadline
from possilog.inference.ranking import Ranking
from possilog.logic import Clause, HeldOut, Judged, Predicate, Theory

__all__ = ["held_against", "never_linked", "recounted"]

CHANCE = 1e-6
"""Held-out facts are never about constants that others link, if that would happen by chance less often than this."""


def held_against(
    rules: Iterable[Judged], train: Database, held_out: Database, stop: Deadline = NEVER
) -> tuple[tuple[Judged, ...], HeldOut]:
    """The rules, trusted as far as held-out facts say; and what these say of constants that other facts link.

    When the time is over, the rest is as it was.
    """
    names = sorted(set(train.constants).union(held_out.constants))
    train, held_out = train.declare(names), held_out.declare(names)
    unlinked = never_linked(train, held_out)
    if unlinked.cases:
        return recounted(rules, train, stop), unlinked
    return _compared(rules, train, held_out, stop), unlinked


def _compared(
    rules: Iterable[Judged], train: Database, held_out: Database, stop: Deadline = NEVER
) -> tuple[Judged, ...]:
    """The rules, each with the number of held-out facts that it gives, and that it should.

    A rule that gives a share of the training facts should give as large a share of the others.

    >>> from possilog.data.taking import facts_of
    >>> from possilog.logic import parse_clause
    >>> rule = Judged(parse_clause("likes(A, B) :- knows(A, B)"), 2, 0, 0)
    >>> train = facts_of(["knows(a, b)", "knows(b, c)", "likes(a, b)", "likes(b, c)", "likes(a, d)", "likes(c, d)"])
    >>> held_out = facts_of(["likes(b, d)", "likes(b, a)"])
    >>> print(*_compared([rule], train, held_out.declare(train.constants)))
    #rank true 2, false 0, nontrivial 0, right 0, said 1, of 2 :: likes(A, B) :- knows(A, B).
    """
    rules = tuple(rules)
    ranking = Ranking(Theory(judged=rules), train)
    given: dict[Clause, int] = {}
    for predicate, ranked in ranking.rules.items():
        if held_out.count(predicate) and not stop():
            counts = ranking.given(predicate, held_out.rows(predicate)).tolist()
            given |= zip((rule.clause for rule in ranked), counts, strict=True)

    def judged(rule: Judged) -> Judged:
        predicate: Predicate = rule.clause.head[0].predicate
        cases = held_out.count(predicate)
        if rule.clause not in given:
            return rule
        expected = rule.true * cases / max(train.count(predicate), 1)
        return replace(rule, held_out=HeldOut(given[rule.clause], _three_digits(expected), cases))

    return tuple(map(judged, rules))


def never_linked(train: Database, held_out: Database) -> HeldOut:
    """Held-out facts about constants that a training fact links, where there is none and should be; else nothing.

    There should be as many of each predicate as there are training facts of it about constants that another one links.
    Both are about the same constants.
    """
    linked = Linked(train)
    there, expected, cases = 0, 0.0, 0
    for predicate in held_out.predicates:
        if predicate.arity == 2:
            facts, known = held_out.rows(predicate), train.rows(predicate)
            there += int(np.count_nonzero(linked.facts(*facts)))
            cases += facts.shape[1]
            expected += facts.shape[1] * np.count_nonzero(linked.facts(*known) > 1) / max(known.shape[1], 1)
    surprising = not there and exp(-expected) < CHANCE
    return HeldOut(0, _three_digits(expected), cases) if surprising else HeldOut()


def recounted(rules: Iterable[Judged], train: Database, stop: Deadline = NEVER) -> tuple[Judged, ...]:
    """The rules, their heads counted among constants that no other fact links.

    >>> from possilog.data.taking import facts_of
    >>> from possilog.logic import parse_clause
    >>> train = facts_of(["knows(a, b)", "knows(b, c)", "knows(c, b)", "knows(b, d)", "knows(a, d)", "likes(a, c)"])
    >>> rule = Judged(parse_clause("likes(A, C) :- knows(A, B), knows(B, C)"), 1, 2, 2)
    >>> print(*recounted([rule], train))
    #rank true 1, false 1, nontrivial 1 :: likes(A, C) :- knows(A, B), knows(B, C).
    """
    rules = tuple(rules)
    ranking, linked = Ranking(Theory(judged=rules), train), Linked(train)
    size = max(len(train.constants), 1)
    counts: dict[Clause, tuple[int, int]] = {}
    for predicate, ranked in ranking.rules.items():
        if stop():
            break
        rows = train.rows(predicate).astype(np.int64)
        found = np.zeros((2, len(ranked)), dtype=np.int64)
        for first, second, numbers in ranking.pairs(predicate):
            links = linked.facts(first, second)
            found[0] += np.bincount(numbers[links == 0], minlength=len(ranked))
            one = np.flatnonzero(links == 1)
            one = one[np.isin(first[one].astype(np.int64) * size + second[one], rows[0] * size + rows[1])]
            found[1] += np.bincount(numbers[one], minlength=len(ranked))
        counts |= zip((rule.clause for rule in ranked), zip(*found.tolist(), strict=True), strict=True)

    def judged(rule: Judged) -> Judged:
        if rule.clause not in counts:
            return rule
        false, true = counts[rule.clause]
        return replace(rule, true=true, false=false, nontrivial=false)

    return tuple(map(judged, rules))


def _three_digits(number: float) -> float:
    return float(f"{number:.3g}")
