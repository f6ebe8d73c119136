"""Where predicates have nothing to do with each other, nothing is learned about them."""

from __future__ import annotations

from random import Random

import pytest

from budget import size
from possilog import learn
from possilog.data.bundled import load
from possilog.data.generate import university
from possilog.logic import Clause, Theory, canonical
from possilog.structure import find_hard_rules
from possilog.structure.typing import types_of
from randomised import planted, randomised

SEEDS = 20 if size() == "thorough" else 3


def across(clauses: list[Clause]) -> list[str]:
    """The clauses that speak of more than one predicate."""
    return [str(clause) for clause in clauses if len({atom.predicate for atom in clause.atoms}) > 1]


def learned_across(theory: Theory) -> list[str]:
    return across([rule.clause for rule in (*theory.hard_listed, *theory.ranked)])


@pytest.mark.parametrize("name", ["village", "university"])
def test_no_hard_rule_across_predicates_is_earned_but_what_types_say(name: str) -> None:
    database = load("village") if name == "village" else university(40, seed=1).database
    held = 0
    for seed in range(SEEDS):
        shuffled = randomised(database, Random(seed))
        found = find_hard_rules(shuffled, variables=3)
        types = types_of(shuffled)
        said = set() if types is None else set(map(canonical, types.hard))
        assert across([clause for clause in found.earned if canonical(clause) not in said]) == [], seed
        held += len(across([rule.clause for rule in found.rules]))
    assert held > 10 * SEEDS, "many hold by chance"


@pytest.mark.slow
def test_no_rule_is_learned_where_there_was_one_before() -> None:
    for seed in range(SEEDS):
        database = planted(Random(seed))
        assert any("coughs" in rule and "smokes" in rule for rule in learned_across(learn(database).theory)), seed
        assert learned_across(learn(randomised(database, Random(seed))).theory) == [], seed


@pytest.mark.slow
def test_no_rule_is_learned_of_predicates_that_hold_of_most() -> None:
    for seed in range(SEEDS if size() == "thorough" else 1):
        assert learned_across(learn(randomised(load("village"), Random(seed))).theory) == [], seed
