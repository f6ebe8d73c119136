"""Saturation and redundancy against all worlds of two things: each is one number, a bit for each of eight atoms."""

from __future__ import annotations

import pickle
from itertools import combinations
from random import Random

import pytest

from budget import budget
from possilog.deadline import Deadline
from possilog.entailment import Saturation, entails, irredundant
from possilog.logic import Clause, Literal, Predicate, parse_clause, parse_query
from possilog.logic.atom_space import AtomSpace, bits

SPACE = AtomSpace([Predicate("p", 1), Predicate("q", 1), Predicate("r", 2)], 2)
EVERY = range(len(SPACE.atoms))
ATOMS = [literal.atom for literal in parse_query("p(X), p(Y), q(X), q(Y), r(X, Y), r(Y, X), r(X, X)").literals]


def draw(chance: Random, most: int = 3) -> Clause:
    some = chance.sample(ATOMS, chance.randint(1, most))
    return Clause.of(Literal(atom, chance.random() < 0.45) for atom in some)


def worlds(rules: list[Clause], without: int = 0) -> list[int]:
    """Those in which all rules hold, and some atoms are false."""
    ground = [pair for rule in rules for pair in SPACE.groundings(rule)]
    return [
        world
        for world in range(1 << len(EVERY))
        if not world & without and all(body & ~world or head & world for body, head in ground)
    ]


def implied(models: list[int], given: int) -> int | None:
    """What is true wherever some atoms are; None where they never are."""
    found = None
    for world in models:
        if world & given == given:
            found = world if found is None else found & world
    return found


def reduced(models: list[int], body: tuple[int, ...]) -> tuple[int, ...]:
    """The first atom that the others imply is left out, again and again."""
    for atom in body:
        rest = tuple(other for other in body if other != atom)
        if (implied(models, sum(1 << other for other in rest)) or 0) >> atom & 1:
            return reduced(models, rest)
    return body


@pytest.mark.parametrize("seed", range(budget(80, least=40)))
def test_what_rules_say_of_bodies(seed: int) -> None:
    chance = Random(seed)
    rules = [draw(chance) for _ in range(chance.randint(1, 5))]
    models, found = worlds(rules), Saturation(SPACE, rules)
    if seed % 3 == 0:
        found = pickle.loads(pickle.dumps(found))
    assert found.contradictory == (not models)
    assert [*bits(found.impossible)] == [atom for atom in EVERY if implied(models, 1 << atom) is None]
    pairs = [body for rule in rules for body, head in SPACE.groundings(rule) if not head and body.bit_count() == 2]
    for size in (1, 2, 3):
        for body in chance.sample([*combinations(EVERY, size)], 6):
            given = sum(1 << atom for atom in body)
            closed: int | None = 0
            for atom in body:
                closed = None if closed is None else found.extend(closed, atom)
            assert closed == implied(models, given)
            near = sum(1 << atom for atom in EVERY if any(given & pair and 1 << atom & pair for pair in pairs))
            inside = sum(pair & given for pair in pairs if pair & ~given == 0)
            assert found.conflicts(given) & ~given == (found.impossible | near) & ~given
            assert inside == 0 or found.conflicts(given) & given
            if closed is not None:
                assert found.close(body) == closed
                assert found.reduce(body) == reduced(models, body)


@pytest.mark.parametrize("seed", range(budget(60, least=30)))
def test_where_an_atom_is_denied_the_other_heads_are_left(seed: int) -> None:
    chance = Random(seed)
    rules = [draw(chance) for _ in range(3)] + [
        parse_clause(chance.choice(["p(X) ; q(X).", "r(X, Y) ; q(X) :- p(X)."]))
    ]
    found = Saturation(SPACE, rules)
    heads = [
        head for rule in rules for body, head in SPACE.groundings(rule) if head.bit_count() > 1 and not body & head
    ]
    for atom in EVERY:
        denied = found.denying(atom)
        if not any(head >> atom & 1 for head in heads):
            assert denied is found
            continue
        models = worlds(rules, 1 << atom)
        assert denied.contradictory == (not models)
        for other in EVERY if models else ():
            if other != atom:
                assert denied.extend(0, other) == implied(models, 1 << other)


@pytest.mark.parametrize("seed", range(budget(60, least=30)))
def test_independent_atoms(seed: int) -> None:
    chance = Random(seed)
    rules = [draw(chance) for _ in range(chance.randint(0, 3))]
    models, saturation = worlds(rules), Saturation(SPACE, rules)
    if models:
        found = saturation.independent(len(EVERY))
        mask = sum(1 << atom for atom in found)
        assert len({world & mask for world in models}) == 1 << len(found)
        assert [saturation.independent(most) for most in range(1, len(found) + 1)] == [
            found[:most] for most in range(1, len(found) + 1)
        ]
        if not rules:
            assert sorted(found) == [*EVERY]


@pytest.mark.parametrize("seed", range(budget(60, least=30)))
def test_rules_that_say_the_same(seed: int) -> None:
    chance = Random(seed)
    rules, some = [draw(chance) for _ in range(2)], [draw(chance, 2) for _ in range(5)]
    saturation = Saturation(SPACE, rules)

    def follows(premise: Clause, conclusion: Clause) -> bool:
        body, head = next(SPACE.groundings(conclusion))
        return not any(world & body == body and not world & head for world in worlds([*rules, premise]))

    for one in some:
        for other in some:
            assert saturation.are_equivalent(one, other) == (follows(one, other) and follows(other, one))


@pytest.mark.parametrize("seed", range(budget(40, least=20)))
def test_what_is_left_of_rules_when_time_is_up_says_as_much(seed: int) -> None:
    """And is no more than if there had been even less time; those with fewer variables stay."""
    chance = Random(seed)
    rules = list(dict.fromkeys(draw(chance) for _ in range(6)))
    whole = irredundant(rules)
    for rule in rules:
        assert entails(whole, rule)
        assert rule not in whole or not entails([other for other in whole if other != rule], rule)
    before = len(rules)
    for number in range(40):
        left = iter([False] * number)
        kept = irredundant(rules, Deadline(cancelled=lambda left=left: next(left, True)))  # type: ignore[misc]
        assert [rule for rule in rules if rule in kept] == kept and {*whole} <= {*kept} | {*whole}
        assert len(kept) <= before and all(entails(kept, rule) for rule in rules)
        before = len(kept)
    assert before == len(whole)
