"""Relational marginals and their exact encoding against Definitions 1 to 5 and Proposition 1, spelled out."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, islice, permutations
from math import comb, factorial, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.errors import DataError, QueryError
from possilog.logic import Atom, Clause, Constant, Predicate, Query, parse_atom, parse_clause, parse_query
from possilog.marginals import (
    LocalExample,
    encode_marginal,
    formula_of,
    isomorphic_facts,
    isomorphism_classes,
    local_examples,
    relational_marginal,
    sample,
)
from possilog.marginals.worlds import local_atoms
from strategies import atoms, databases, queries, small_clauses

Facts = frozenset[Atom]

P, R, N = Predicate("p", 1), Predicate("r", 2), Predicate("n", 0)


# The definitions


def fragment(facts: Facts, chosen: tuple[str, ...]) -> Facts:
    return frozenset(fact for fact in facts if {term.name for term in fact.arguments} <= set(chosen))


def renamed(facts: Facts, names: dict[str, str]) -> Facts:
    return frozenset(Atom(f.predicate, tuple(Constant(names[t.name]) for t in f.arguments)) for f in facts)


def upsilon(facts: Facts, chosen: tuple[str, ...]) -> set[Facts]:
    """Υ[S] of Definition 3: all numberings of a fragment."""
    numbers = [str(number) for number in range(1, len(chosen) + 1)]
    inside = fragment(facts, chosen)
    return {renamed(inside, dict(zip(chosen, order, strict=True))) for order in permutations(numbers)}


def distribution(database: Database, width: int) -> dict[Facts, Fraction]:
    """P of Definition 4: choose a k-subset, then one of its local examples."""
    probabilities: dict[Facts, Fraction] = Counter()  # type: ignore[assignment]
    for chosen in combinations(database.constants, width):
        found = upsilon(frozenset(database), chosen)
        for example in found:
            probabilities[example] += Fraction(1, comb(len(database.constants), width) * len(found))
    return probabilities


def true_in(formula: Query | Clause, facts: Facts, constants: tuple[str, ...]) -> bool:
    """Under object identity: a query's variables are existential, a clause's universal."""
    if isinstance(formula, Clause):
        return not true_in(formula.violation, facts, constants)
    for chosen in permutations(map(Constant, constants), len(formula.variables)):
        bindings = dict(zip(formula.variables, chosen, strict=True))
        if all((literal.atom.substitute(bindings) in facts) == literal.positive for literal in formula.literals):
            return True
    return False


def numbers(width: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, width + 1))


@st.composite
def tiny_databases(draw: st.DrawFn) -> Database:
    """Few predicates, so that all worlds over three constants can be listed."""
    names = [chr(ord("a") + number) for number in range(draw(st.integers(1, 6)))]
    some = st.sampled_from(draw(st.sampled_from([[P], [R], [P, N], [P, R]])))
    constants = st.sampled_from([Constant(name) for name in names])
    return Database.of(draw(st.lists(atoms(some, constants), max_size=12)), constants=names)


def width_for(database: Database, widest: int) -> st.SearchStrategy[int]:
    assume(database.constants)
    return st.integers(1, min(widest, len(database.constants)))


# Local examples and isomorphism


@settings(max_examples=budget(60))
@given(databases(), st.data())
def test_the_local_examples_of_a_subset(database: Database, data: st.DataObject) -> None:
    width = data.draw(width_for(database, 4))
    chosen = tuple(data.draw(st.permutations(database.constants))[:width])
    expected = upsilon(frozenset(database), chosen)
    found = local_examples(database, chosen)
    assert {example.atoms for example in found} == expected
    assert {example.width for example in found} == {width}
    assert {example.size for example in found} == {len(expected)}
    canonical = {example.canonical for example in found}
    assert len(canonical) == 1 and canonical <= found


@settings(max_examples=budget(60))
@given(tiny_databases(), tiny_databases(), st.randoms(use_true_random=False))
def test_isomorphism_is_a_renaming(one: Database, other: Database, random: object) -> None:
    """Also against the truth where the answer is yes, by renaming, and where it is nearly so, by one fact less."""
    shuffled = list(one.constants)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    names = dict(zip(one.constants, [f"x{name}" for name in shuffled], strict=True))
    copy = Database.of(renamed(frozenset(one), names), constants=names.values())
    assert isomorphic_facts(one, copy)
    assert not isomorphic_facts(one, copy.declare(["another"]))
    fewer = Database.of(list(other)[1:], constants=other.constants)
    for pair in [(one, other), (other, fewer)]:
        assert isomorphic_facts(*pair) == by_some_renaming(*pair)


def by_some_renaming(one: Database, other: Database) -> bool:
    if len(one.constants) != len(other.constants):
        return False
    orders = permutations(other.constants)
    return any(renamed(frozenset(one), dict(zip(one.constants, o, strict=True))) == frozenset(other) for o in orders)


def test_symmetric_examples_do_not_cost_a_factorial() -> None:
    everyone = LocalExample.of(local_atoms([P, R], 12), width=12)
    assert everyone.size == 1 and everyone.canonical == everyone
    assert everyone.isomorphic_ones == {everyone}
    ring = LocalExample.of((parse_atom(f"r({n}, {n % 9 + 1})") for n in range(1, 10)), width=10)
    assert ring.size == factorial(10) // 9
    assert len(list(isomorphism_classes([P], 14))) == 15


@pytest.mark.parametrize("text", ["p(3)", "p(X)", "p(0)", "p(01)", "p(a)"])
def test_a_local_example_has_its_own_constants(text: str) -> None:
    with pytest.raises(DataError, match="constants 1 to 2"):
        LocalExample.of([parse_atom(text)], width=2)


@pytest.mark.parametrize(
    ("predicates", "width", "number"),
    # Unlabelled directed graphs with loops: 2, 10, 104 (OEIS A000595); with one unary predicate: by listing them all.
    [([R], 1, 2), ([R], 2, 10), ([R], 3, 104), ([P, R], 1, 4), ([P, R], 2, 36), ([N], 3, 2), ([], 2, 1)],
)
def test_the_isomorphism_classes(predicates: list[Predicate], width: int, number: int) -> None:
    classes = list(isomorphism_classes(predicates, width))
    assert len(classes) == len(set(classes)) == number
    assert sum(example.size for example in classes) == 2 ** len(local_atoms(predicates, width))
    assert all(example.canonical == example for example in classes)


# The distribution


@settings(max_examples=budget(80))
@given(databases(constants=6), st.data())
def test_the_distribution_is_that_of_the_definition(database: Database, data: st.DataObject) -> None:
    width = data.draw(width_for(database, 3))
    expected = distribution(database, width)
    marginal = relational_marginal(database, width)
    assert marginal.subsets == comb(len(database.constants), width)
    assert {LocalExample(facts, width).canonical for facts in expected} == {c.example for c in marginal.classes}
    for facts, probability in expected.items():
        assert marginal.probability(LocalExample(facts, width)) == probability
    assert sum(expected.values()) == 1


@settings(max_examples=budget(100))
@given(databases(constants=5), small_clauses(constants=False) | queries(), st.data())
def test_a_formula_has_the_probability_of_its_local_examples(
    database: Database, formula: Clause | Query, data: st.DataObject
) -> None:
    """Also for formulas about the constants 1 to k, which can tell isomorphic examples apart."""
    width = data.draw(width_for(database, 3))
    if isinstance(formula, Query):
        formula = parse_query(str(formula).replace("(a", "(1").replace(" a", " 1"))
        terms = {term for literal in formula.literals for term in literal.atom.arguments}
        assume(not any(isinstance(term, Constant) and term.name != "1" for term in terms))
    examples = distribution(database, width)
    expected = sum(p for facts, p in examples.items() if true_in(formula, facts, numbers(width)))
    assert relational_marginal(database, width).probability(formula) == expected


@settings(max_examples=budget(80))
@given(databases(constants=5), small_clauses(constants=False), st.data())
def test_a_query_has_the_probability_of_a_random_subset(
    database: Database, clause: Clause, data: st.DataObject
) -> None:
    """As the paper says after Definition 4: no numbering is needed for formulas without constants."""
    width = data.draw(width_for(database, 4))
    marginal = relational_marginal(database, width)
    subsets = list(combinations(database.constants, width))
    query = clause.violation
    satisfied = sum(true_in(query, fragment(frozenset(database), chosen), chosen) for chosen in subsets)
    assert marginal.probability(query) == Fraction(satisfied, len(subsets))
    assert marginal.probability(clause) == 1 - Fraction(satisfied, len(subsets))


SMALL = Database.of(map(parse_atom, ["r(a, b)", "r(b, a)", "r(b, c)", "p(a)", "p(d)", "n"]), constants=["e"])


def test_the_sampler_draws_from_the_distribution() -> None:
    """Each frequency lies within five standard deviations of its probability; nothing else is drawn."""
    draws = 20_000
    expected = distribution(SMALL, 2)
    drawn = Counter(example.atoms for example in islice(sample(SMALL, 2, seed=3), draws))
    assert drawn.keys() <= expected.keys()
    for facts, probability in expected.items():
        p = float(probability)
        assert abs(drawn[facts] - draws * p) < 5 * sqrt(draws * p * (1 - p)) + 1e-9
    assert list(islice(sample(SMALL, 3, seed=3), 50)) == list(islice(sample(SMALL, 3, seed=3), 50))
    assert list(islice(sample(SMALL, 3, seed=3), 50)) != list(islice(sample(SMALL, 3, seed=4), 50))


def test_large_data_is_sampled_and_not_listed() -> None:
    large = Database.of(parse_atom(f"r(c{number}, c{number + 1})") for number in range(3_000))
    with pytest.raises(QueryError, match=r"4,499,999,500 sets of 3 out of 3,001 constants.*limit of 2,000,000.*sample"):
        relational_marginal(large, 3)
    with pytest.raises(QueryError, match="limit of 9;"):
        relational_marginal(SMALL, 2, limit=9)
    assert relational_marginal(SMALL, 2, limit=10).subsets == 10
    assert len(list(islice(sample(large, 5, seed=0), 100))) == 100


@pytest.mark.parametrize("width", [-1, 0, 6])
def test_a_width_that_the_data_has_not(width: int) -> None:
    with pytest.raises(QueryError, match=f"the width is {width} and the data has 5 constants"):
        relational_marginal(SMALL, width)
    with pytest.raises(QueryError, match=f"the width is {width}"):
        sample(SMALL, width, seed=0)


def test_questions_that_make_no_sense() -> None:
    marginal = relational_marginal(SMALL, 2)
    with pytest.raises(QueryError, match="names 'a'"):
        marginal.probability(parse_query("p(a)"))
    with pytest.raises(QueryError, match="names '3'"):
        marginal.probability(parse_clause("p(X) :- r(X, 3)."))
    for width in (1, 3):
        with pytest.raises(QueryError, match=f"has width {width}; one of width 2 is wanted"):
            marginal.probability(LocalExample.of([], width))
    assert marginal.probability(LocalExample.of([parse_atom("unknown(1)")], 2)) == 0
    exact = encode_marginal(marginal)
    with pytest.raises(QueryError, match="has width 3"):
        exact.possibility(LocalExample.of([], 3))
    with pytest.raises(QueryError, match="does not speak of unknown/1"):
        exact.possibility(LocalExample.of([parse_atom("unknown(1)")], 2))
    with pytest.raises(QueryError, match=r"2\^7 local examples of width 2, more than the limit of 127"):
        encode_marginal(marginal, limit=127)
    assert len(encode_marginal(marginal, limit=128).formulas) == 72


# The encoding


@cache
def broken(clauses: tuple[Clause, ...], width: int, world: Facts) -> tuple[bool, ...]:
    """Which clauses does a world break? It does not depend on the data, so it is worked out once."""
    return tuple(not true_in(clause, world, numbers(width)) for clause in clauses)


@cache
def worlds(predicates: tuple[Predicate, ...], width: int) -> tuple[Facts, ...]:
    listed = local_atoms(predicates, width)
    return tuple(frozenset(some) for size in range(len(listed) + 1) for some in combinations(listed, size))


@settings(max_examples=budget(120), deadline=None)
@given(tiny_databases(), st.data())
def test_proposition_1(database: Database, data: st.DataObject) -> None:
    """π of Θ is P, in each world over the data's predicates, and sums to 1; so does that of the theory in text."""
    width = data.draw(width_for(database, 2))
    expected = distribution(database, width)
    # A fixed order of the classes, so that databases share what is worked out about the worlds.
    exact = encode_marginal(relational_marginal(database, width))
    formulas = sorted(exact.formulas, key=lambda formula: formula.clause)
    clauses = tuple(formula.clause for formula in formulas)
    theory = exact.theory()
    doubts = {rule.clause: rule.weight.doubt for rule in theory}
    total, total_in_text = Fraction(0), Fraction(0)
    for world in worlds(database.predicates, width):
        breaks = broken(clauses, width, world)
        assert sum(breaks) == 1
        possibility = min(f.doubt for f, is_broken in zip(formulas, breaks, strict=True) if is_broken)
        assert possibility == expected.get(world, 0)
        total += possibility
        of_falsity = theory.falsity.doubt
        total_in_text += Fraction(min(doubts.get(clauses[breaks.index(True)], of_falsity), of_falsity))
    assert total == 1
    assert abs(total_in_text - 1) < Fraction(1, 10**40)


@settings(max_examples=budget(25), deadline=None)
@given(tiny_databases(), st.data())
def test_the_encoding_gives_back_the_distribution(database: Database, data: st.DataObject) -> None:
    width = data.draw(width_for(database, 3))
    expected = distribution(database, width)
    exact = encode_marginal(relational_marginal(database, width))
    some = data.draw(st.lists(st.sampled_from(worlds(database.predicates, width)), max_size=5))
    for world in [*list(expected)[:5], *some]:
        assert exact.possibility(LocalExample(world, width)) == expected.get(world, 0)


@settings(max_examples=budget(50))
@given(tiny_databases(), st.data())
def test_weights_are_those_of_definition_5(database: Database, data: st.DataObject) -> None:
    """λ = 1 - P(α)/c(α), with P(α) asked of the distribution and c(α) counted among all worlds."""
    width = data.draw(width_for(database, 2))
    marginal = relational_marginal(database, width)
    for found in marginal.classes:
        alpha = formula_of(found.example, marginal.predicates)
        members = [world for world in worlds(database.predicates, width) if true_in(alpha, world, numbers(width))]
        assert len(members) == found.size
        weighted = next(f for f in encode_marginal(marginal).formulas if f.clause.violation.literals == alpha.literals)
        assert weighted.certainty == 1 - marginal.probability(alpha) / found.size
