"""Facts that were held out, and how many of them each rule gives: how far it can be trusted about what is new.

Facts that are asked for may be of another kind than those that rules were mined from. Those of FB15k-237 are about
constants that no training fact links, so that rules from link to link, the best ones by confidence, give none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.inference.ranking import Ranking
from possilog.logic import Clause, HeldOut, Judged, Predicate, Theory

__all__ = ["held_against"]


def held_against(
    rules: Iterable[Judged], train: Database, held_out: Database, stop: Deadline = NEVER
) -> tuple[Judged, ...]:
    """The rules, each with the number of held-out facts that it gives, and that it should.

    A rule that gives a share of the training facts should give as large a share of the others. When the time is over,
    the rest is as it was.

    >>> from possilog.data.taking import facts_of
    >>> from possilog.logic import parse_clause
    >>> rule = Judged(parse_clause("likes(A, B) :- knows(A, B)"), 2, 0, 0)
    >>> train = facts_of(["knows(a, b)", "knows(b, c)", "likes(a, b)", "likes(b, c)", "likes(a, d)", "likes(c, d)"])
    >>> print(*held_against([rule], train, facts_of(["likes(b, d)", "likes(b, a)"])))
    #rank true 2, false 0, nontrivial 0, right 0, said 1, of 2 :: likes(A, B) :- knows(A, B).
    """
    rules = tuple(rules)
    names = sorted(set(train.constants).union(held_out.constants))
    train, held_out = train.declare(names), held_out.declare(names)
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
        return replace(rule, held_out=HeldOut(given[rule.clause], float(f"{expected:.3g}"), cases))

    return tuple(map(judged, rules))
