"""Inference by fragments: which sets of constants are looked at, and how many of them speak for a conclusion."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from budget import budget
from possilog.inference import Fragments, Reasoner
from possilog.inference.fragments import _supersets
from possilog.logic import parse_theory


def test_sets_that_contain_one_of_some_are_counted() -> None:
    for seed in range(budget(200)):
        chance = Random(seed)
        room = chance.randint(1, 7)
        places = chance.randint(0, room)
        parts = [frozenset(chance.sample(range(room), chance.randint(0, room))) for _ in range(chance.randint(0, 4))]
        every = [{*chosen} for chosen in combinations(range(room), places)]
        assert _supersets(parts, room, places) == sum(any(part <= one for part in parts) for one in every), seed


RULES = "0.9 :: p(X) :- e(X, Y). 0.8 :: s(X) :- r(X, Y). 0.7 :: q(X) :- p(X), s(X)."


@pytest.mark.parametrize(("width", "found"), [(1, ""), (2, "ps"), (3, "pqs"), (4, "pqs")])
def test_a_fragment_joins_what_its_conclusions_come_from(width: int, found: str) -> None:
    added = Reasoner(parse_theory(RULES)).predict(["e(a, b)", "r(a, c)", "e(d, b)"], Fragments(width=width)).added
    about_a = {one.atom.predicate.name: one.fragment for one in added if one.atom.arguments[0].name == "a"}
    assert "".join(sorted(about_a)) == found
    wanted = {"p": ("a", "b"), "q": ("a", "b", "c"), "s": ("a", "c")}
    assert about_a == {name: wanted[name] for name in found}


@pytest.mark.parametrize(("votes", "found"), [(None, True), (0.0, True), (1 / 3, True), (0.34, False), (1.0, False)])
def test_a_conclusion_needs_its_share_of_the_fragments(votes: float | None, found: bool) -> None:
    """Of the sets of two with a, one of three has b, and nobody else has e with a."""
    rule = parse_theory("0.9 :: p(X) :- e(X, Y).")
    evidence = ["e(a, b)", "q(c)", "q(d)"]
    added = Reasoner(rule).predict(evidence, Fragments(width=2, votes=votes)).added
    assert [str(one.atom) for one in added] == ["p(a)"] * found


@pytest.mark.parametrize(
    ("votes", "certainty"), [(None, "0.9"), (0.3, "0.9"), (0.5, "0.8"), (2 / 3, "0.8"), (0.7, None)]
)
def test_fragments_that_are_more_certain_speak_for_what_is_less_certain(votes: float | None, certainty: str) -> None:
    rules = parse_theory("0.9 :: p(X) :- e(X, Y). 0.8 :: p(X) :- r(X, Y).")
    added = Reasoner(rules).predict(["e(a, b)", "r(a, c)", "s(d)"], Fragments(width=2, votes=votes)).added
    assert [str(one.certainty) for one in added] == [certainty] * (certainty is not None)


@pytest.mark.parametrize("wide", ["e(X, Y), r(X, Z)", "r(X, Y), e(X, Z)"])
def test_a_larger_fragment_may_be_more_certain(wide: str) -> None:
    """Whether it is looked at before the smaller ones, for the sake of s, or after them."""
    narrow = "0.8 :: p(X) :- e(X, Y). 0.7 :: p(X) :- r(X, Y)."
    rules = parse_theory(f"0.9 :: p(X) :- {wide}. {narrow} 0.1 :: s(X) :- {wide}.")
    for evidence in (["e(a, b)", "r(a, c)"], ["e(c, a)", "r(c, b)"], ["e(b, c)", "r(b, a)"]):
        added = Reasoner(rules).predict(evidence, Fragments(width=3)).added
        assert [(str(one.certainty), len(one.fragment)) for one in added] == [("0.9", 3), ("0.1", 3)]
        added = Reasoner(rules).predict(evidence, Fragments(width=3, votes=1.0)).added
        assert [str(one.certainty) for one in added] == ["0.9", "0.1"]
