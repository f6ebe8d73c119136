"""Density-estimation trees: what they must keep to on any data, and what they find in planted data."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import log, log2
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Atom, Predicate, Theory, Weight, parse_atom, parse_query
from possilog.marginals import LocalExample, density_tree, relational_marginal
from possilog.marginals.local import holds
from possilog.marginals.worlds import isomorphism_classes, local_atoms
from possilog.matching import Matcher
from strategies import databases


def worlds_of(database: Database) -> list[LocalExample]:
    atoms = local_atoms(database.predicates, 1)
    return [LocalExample.of(some, 1) for size in range(len(atoms) + 1) for some in combinations(atoms, size)]


def root_only(database: Database) -> float:
    """The log-likelihood when all worlds are equally probable."""
    return -len(database.constants) * len(local_atoms(database.predicates, 1)) * log(2)


def possibility(theory: Theory, world: LocalExample) -> Fraction:
    matcher = Matcher(world.database)
    broken = [rule.weight.doubt for rule in theory if not holds(rule.clause, matcher)]
    return Fraction(min([*broken, theory.falsity.doubt]))


@settings(max_examples=budget(40), deadline=None)
@given(databases(constants=12, max_facts=30), st.integers(1, 5), st.booleans())
def test_a_tree_is_a_distribution_and_no_less_likely_than_its_root(
    database: Database, min_leaf: int, empty_leaves: bool
) -> None:
    assume(database.constants)
    tree = density_tree(database, min_leaf=min_leaf, empty_leaves=empty_leaves)
    exact = tree.exact
    worlds = worlds_of(database)
    assert sum(leaf.worlds for leaf in tree.leaves) == len(worlds)
    assert sum(leaf.examples for leaf in tree.leaves) == len(database.constants)
    for leaf in tree.leaves:
        assert leaf.examples >= min_leaf or (empty_leaves and leaf.examples == 0) or len(tree.leaves) == 1
    assert sum(map(exact.possibility, worlds)) == 1
    theory = tree.shortened.theory()
    total = sum((possibility(theory, world) for world in worlds), Fraction(0))
    assert abs(total - 1) < Fraction(1, 10**40)
    assert tree.log_likelihood >= root_only(database) - 1e-9
    seen = relational_marginal(database, 1).classes
    by_world = sum(found.subsets * log(exact.possibility(found.example)) for found in seen)
    assert tree.log_likelihood == pytest.approx(by_world)


@settings(max_examples=budget(20), deadline=None)
@given(databases(constants=12, max_facts=30))
def test_every_world_breaks_one_rule_and_shorter_rules_say_the_same(database: Database) -> None:
    assume(database.constants)
    tree = density_tree(database, min_leaf=2)
    exact, shortened = tree.exact, tree.shortened
    for world in worlds_of(database):
        matcher = Matcher(world.database)
        broken = [formula for formula in exact.formulas if not holds(formula.clause, matcher)]
        assert len(broken) == 1
        assert exact.possibility(world) == broken[0].doubt == shortened.possibility(world)


def population(seed: int, size: int) -> list[Atom]:
    """Students (3 in 4) and staff; a tenth of the staff also knows itself; students have a fair coin."""
    random = Random(seed)
    facts = []
    for number in range(size):
        staff = random.random() < 0.25
        facts.append(f"{'staff' if staff else 'student'}(c{number})")
        if staff and random.random() < 0.1:
            facts.append(f"knows(c{number}, c{number})")
        if not staff and random.random() < 0.5:
            facts.append(f"coin(c{number})")
    return [parse_atom(fact) for fact in facts]


def test_planted_structure_is_found() -> None:
    """Staff and students exclude each other, and nobody is neither; the distribution is close to the planted one."""
    database = Database.of(population(seed=1, size=2_000))
    theory = density_tree(database, min_leaf=20, min_gain=10).shortened.theory()
    literals = {frozenset(map(str, rule.clause.literals)) for rule in theory.hard}
    assert frozenset({"not staff(A)", "not student(A)"}) in literals
    assert frozenset({"staff(A)", "student(A)"}) in literals
    planted = {"student(1)": 0.375, "student(1), coin(1)": 0.375, "staff(1)": 0.225, "staff(1), knows(1, 1)": 0.025}
    for text, probability in planted.items():
        world = LocalExample.of((literal.atom for literal in parse_query(text).literals), 1)
        assert abs(float(possibility(theory, world)) - probability) < 0.025
    # A fair coin is not worth a split, so no rule of a low weight, which is one about students, speaks of it.
    assert not any("coin(A)" in map(str, rule.clause.atoms) and rule.weight < Weight.of("0.7") for rule in theory)


def test_a_tree_that_cannot_be_split_is_its_root() -> None:
    database = Database.of(population(seed=1, size=9))
    tree = density_tree(database, min_leaf=10, empty_leaves=False)
    assert [leaf.literals for leaf in tree.leaves] == [()]
    assert tree.log_likelihood == pytest.approx(root_only(database))
    theory = tree.exact.theory()
    assert len(theory) == 0 and theory.falsity.doubt == Decimal(1) / 2 ** len(database.predicates)


def everyone(predicates: int) -> Database:
    """Seven constants of which all predicates hold."""
    return Database.of(Atom.ground(f"p{n}", [f"c{constant}"]) for n in range(predicates) for constant in range(7))


def test_what_never_occurs_is_a_hard_rule_if_so_wished() -> None:
    tree = density_tree(everyone(60), min_leaf=3)
    assert len(tree.leaves) == 61
    assert tree.log_likelihood == 0
    assert {str(rule.clause) for rule in tree.shortened.theory().hard} == {f"p{n}(A)." for n in range(60)}
    assert len(density_tree(everyone(60), min_leaf=3, empty_leaves=False).leaves) == 1


def test_more_worlds_than_a_float_can_count() -> None:
    root = density_tree(everyone(1_100), min_leaf=3, empty_leaves=False)
    assert root.leaves[0].worlds == 2**1_100
    assert root.log_likelihood == pytest.approx(-7 * 1_100 * log(2))
    assert 0 < root.exact.theory().falsity.doubt < Decimal("1e-300")


def test_bad_settings() -> None:
    with pytest.raises(QueryError, match="ask for 1 or more"):
        density_tree(Database.of(population(0, 5)), min_leaf=0)
    with pytest.raises(QueryError, match="0 constants"):
        density_tree(Database.of([]))


def test_a_split_leaves_enough_and_gains_more_than_it_must() -> None:
    """Two of eight are dogs, and nobody is both: each of the two atoms gains the same, and the first is taken."""
    animals = Database.of(
        Atom.ground(kind, [f"{kind}{n}"]) for kind, size in (("cat", 6), ("dog", 2)) for n in range(size)
    )
    gain = 6 * log2(2 * 6 / 8) + 2 * log2(2 * 2 / 8)
    for min_leaf, min_gain, leaves in ((2, 0.0, 2), (3, 0.0, 1), (2, gain, 1), (2, gain - 0.01, 2), (1, gain, 1)):
        tree = density_tree(animals, min_leaf=min_leaf, min_gain=min_gain, empty_leaves=False)
        assert len(tree.leaves) == leaves
    first = density_tree(animals, min_leaf=2, empty_leaves=False)
    assert [[str(literal) for literal in leaf.literals] for leaf in first.leaves] == [["cat(A)"], ["not cat(A)"]]
    assert [(leaf.examples, leaf.worlds) for leaf in first.leaves] == [(6, 2), (2, 2)]
    assert len(density_tree(animals, min_leaf=1, min_gain=100).leaves) == 1


@pytest.mark.parametrize(("limit", "possible"), [(3, False), (4, True), (5, True)])
def test_as_many_local_examples_as_the_limit_says(limit: int, possible: bool) -> None:
    if possible:
        assert len(list(isomorphism_classes([Predicate("sm", 1)], 2, limit=limit))) == 3
    else:
        with pytest.raises(QueryError, match=r"2\^2 local examples of width 2, more than the limit of 3"):
            isomorphism_classes([Predicate("sm", 1)], 2, limit=limit)


@pytest.mark.parametrize(("limit", "possible"), [(2, False), (3, True), (4, True)])
def test_as_many_subsets_as_the_limit_says(limit: int, possible: bool) -> None:
    database = Database.of(map(parse_atom, ["p(a)", "p(b)", "q(c)"]))
    if possible:
        assert relational_marginal(database, 2, limit=limit).subsets == 3
    else:
        with pytest.raises(QueryError, match="3 sets of 2 out of 3 constants, more than the limit of 2"):
            relational_marginal(database, 2, limit=limit)
    for width in (0, 4):
        with pytest.raises(QueryError, match="take a width from 1 to the number of constants"):
            relational_marginal(database, width)
    assert [relational_marginal(database, width).subsets for width in (1, 3)] == [3, 1]
