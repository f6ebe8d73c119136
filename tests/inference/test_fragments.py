"""Inference by fragments: which sets of constants are looked at, and how many of them speak for a conclusion."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import pytest

from budget import budget
from possilog.data import Database
from possilog.inference import Fragments, Global, Reasoner
from possilog.inference.fragments import _supersets
from possilog.logic import parse_atom, parse_theory


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


MANY = [
    "p(X) :- e(X, Y)",
    "q(X) :- p(X), h(X, Z)",
    "q(Y) :- q(X), e(X, Y)",
    "h(X, Y) :- e(Y, X), p(X)",
    "s(X) :- q(X), p(Y), e(X, Y)",
    "s(X) :- g(X)",
    "p(X) :- s(X), h(Y, X)",
]
CONSTRAINTS = [":- p(X), g(X).", ":- q(X), s(X).", ":- h(X, Y), h(Y, X).", ""]


@pytest.mark.parametrize("seed", range(budget(40, least=20)))
def test_fragments_by_definition(seed: int) -> None:
    """Every set of constants, its own cut; for votes, the sets of full width that contain one which yields an atom."""
    chance, names, width = Random(seed), "abcde", 2 + seed % 2
    weighted = [f"0.{chance.randint(6, 9)} :: {rule}." for rule in chance.sample(MANY, 5)]
    reasoner = Reasoner(parse_theory(" ".join([*weighted, chance.choice(CONSTRAINTS)])))
    facts = {f"{chance.choice('eeh')}({one}, {other})" for one, other in chance.sample([*permutations(names, 2)], 6)}
    facts |= {f"{chance.choice('pg')}({chance.choice(names)})"}
    known = Database.of(map(parse_atom, facts), list(names))
    said = {
        some: {one.atom: one.certainty for one in reasoner.predict(known.fragment(some), Global()).added}
        for size in range(width + 1)
        for some in map(frozenset, combinations(names, size))
    }
    atoms = {atom for each in said.values() for atom in each}
    whole = [some for some in said if len(some) == width]
    for votes in (None, 0.0, 0.4, 0.7, 1.0):
        wanted = {}
        for atom in atoms:
            about = {term.name for term in atom.arguments}
            best = [
                max((said[t][atom] for t in said if t <= s and atom in said[t]), default=None)
                for s in whole
                if about <= s
            ]
            needed = max(1.0, (votes or 0.0) * len(best))
            weights = sorted((weight for weight in best if weight is not None), reverse=True)
            enough = [weight for place, weight in enumerate(weights, start=1) if place >= needed]
            if enough:
                wanted[atom] = enough[0]
        found = reasoner.predict(known, Fragments(width=width, votes=votes)).added
        assert {one.atom: one.certainty for one in found} == wanted
        for one in found:
            assert said[frozenset(one.fragment)][one.atom] >= one.certainty
