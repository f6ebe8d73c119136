"""Clauses of unary literals over one variable, by definition: each is tried on every thing."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.chance import generator
from possilog.data import Database
from possilog.deadline import NEVER
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Variable
from possilog.logic.canonical_forms import readable
from possilog.matching import Matcher
from possilog.progress import silent
from possilog.structure import attribute_levels
from possilog.structure.attribute_levels import AttributeLevels
from possilog.structure.clause_space import ClauseSpace
from possilog.structure.levels import ClauseLevels

X = Variable("X")
PREDICATES = [Predicate(name, 1) for name in "spqtr"]


def things(random: Random, number: int) -> Database:
    """Things with some of the attributes, each of which somebody has, and one thing with none."""
    shares = {predicate: random.random() for predicate in PREDICATES}
    facts = [
        predicate(Constant(f"c{thing}"))
        for thing in range(number)
        for predicate in PREDICATES
        if not thing or random.random() < shares[predicate]
    ]
    return Database.of(facts, ["other"] if random.random() < 0.5 else [])


def by_definition(database: Database, literals: int) -> list[tuple[int, set[Clause]]]:
    """Of each level the number of candidates, and what holds."""
    matcher, levels = Matcher(database), []
    holding: list[frozenset[Literal]] = []
    for size in range(1, literals + 1):
        clauses = [
            frozenset(Literal(Atom(predicate, (X,)), sign) for predicate, sign in zip(chosen, signs, strict=True))
            for chosen in combinations(PREDICATES, size)
            for signs in product((True, False), repeat=size)
        ]
        candidates = [clause for clause in clauses if not any(shorter < clause for shorter in holding)]
        holds = [clause for clause in candidates if not matcher.exists(Clause.of(clause).violation)]
        holding += holds
        levels.append((len(candidates), {readable(Clause.of(clause)) for clause in holds}))
    return levels


@settings(max_examples=budget(60), deadline=None)
@given(
    st.randoms(use_true_random=False), st.integers(0, 90), st.sampled_from([1, 8]), st.sampled_from([1, 400, 1 << 21])
)
def test_by_definition(random: Random, number: int, block: int, at_once: int) -> None:
    database = things(random, number + 1)
    space = ClauseSpace(database.predicates, 1, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attribute_levels, "BLOCK", block)
        patch.setattr(attribute_levels, "AT_ONCE", at_once)
        mine = AttributeLevels(database, space)
        general = ClauseLevels(database, space, generator(0, "test"))
        known = 0
        for literals, (candidates, holding) in enumerate(by_definition(database, 4), start=1):
            level, other = mine.search(literals, NEVER, silent), general.search(literals, NEVER, silent)
            assert (level.candidates, level.holding, level.share) == (candidates, len(holding), 1.0)
            assert (other.candidates, other.holding) == (candidates, len(holding))
            assert set(mine.holding[known:]) == holding
            known = len(mine.holding)
        assert set(mine.holding) == set(general.holding) and len(mine.holding) == len(general.holding)


def test_where_nothing_is_known_every_clause_holds() -> None:
    database = Database.of([])
    space = ClauseSpace(PREDICATES, 1, 2)
    levels = AttributeLevels(database, space)
    assert levels.search(1, NEVER, silent).holding == 2 * len(PREDICATES)
    assert levels.search(2, NEVER, silent).candidates == 0
