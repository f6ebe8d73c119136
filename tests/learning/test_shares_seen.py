"""Held-out facts of graphs, at their borders."""

from __future__ import annotations

from possilog import Database
from possilog.data.taking import facts_of
from possilog.deadline import Deadline
from possilog.learning.graph.held_out import _compared, held_against, never_linked, recounted
from possilog.logic import HeldOut, Judged, parse_atom, parse_clause

RULE, OTHER = (
    Judged(parse_clause(text), 2, 1, 1) for text in ("likes(A, B) :- knows(A, B).", "knows(A, B) :- likes(B, A).")
)
TRAIN = facts_of(["knows(a, b)", "knows(b, c)", "likes(a, b)", "likes(b, c)", "likes(a, d)", "likes(c, d)"])


def test_when_the_time_is_over_rules_are_as_they_were() -> None:
    held_out = facts_of(["likes(b, d)", "likes(b, a)"]).declare(TRAIN.constants)
    assert _compared([RULE, OTHER], TRAIN, held_out)[0] != RULE
    assert _compared([RULE, OTHER], TRAIN, held_out)[1] == OTHER, "no held-out fact is about it"
    assert _compared([RULE], TRAIN, held_out, Deadline(0)) == (RULE,) == recounted([RULE], TRAIN, Deadline(0))
    assert recounted([RULE], TRAIN)[0] != RULE
    rules, unlinked = held_against([RULE], TRAIN, held_out)
    assert rules == _compared([RULE], TRAIN, held_out) and unlinked == HeldOut()


def test_links_are_of_two_arguments_and_of_predicates_that_training_facts_may_lack() -> None:
    pairs = range(40)
    train = [f"r(a{n}, b{n})" for n in pairs] + [f"s(a{n}, b{n})" for n in pairs]
    held = [f"r(a{n}, c{n})" for n in pairs] + [f"t(a{n}, d{n})" for n in pairs] + [f"p(a{n})" for n in pairs]
    names = sorted({*facts_of(train).constants, *facts_of(held).constants})
    known = facts_of(train).declare(names)
    found = never_linked(known, facts_of(held).declare(names))
    assert found == HeldOut(0, 40, 80), "all training facts of r are linked by s, and there are none of t"
    linked = Database.of([parse_atom(text) for text in [*held, "t(b0, a0)"]]).declare(names)
    assert never_linked(known, linked) == HeldOut(), "one is linked the other way round"
