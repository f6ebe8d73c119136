import random
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, permutations, product
from math import sqrt

import pytest

from possilog.data import Database
from possilog.data.generate import HARD, RELIABILITY, SOFT, University, university
from possilog.data.noise import Room, blur
from possilog.data.planting import GrowingFacts, Tally, _Index, _matches
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Literal,
    Query,
    Term,
    Variable,
    parse_clause,
    parse_query,
    variables_of,
)
from possilog.matching import Matcher

SEEDS = range(20)


@pytest.fixture(scope="module")
def made() -> list[University]:
    return [university(seed=seed) for seed in SEEDS]


# By definition, for small databases: all ways to put distinct constants for the variables


def groundings(clause: Clause, database: Database) -> Iterator[Clause]:
    variables = clause.variables
    for constants in product(map(Constant, database.constants), repeat=len(variables)):
        if len(set(constants)) == len(variables):
            bindings: dict[Variable, Term] = dict(zip(variables, constants, strict=True))
            yield clause.substitute(bindings)


def tally(clause: Clause, database: Database) -> Tally:
    called = {g.head[0] for g in groundings(clause, database) if all(atom in database for atom in g.body)}
    true = sum(atom in database for atom in called)
    return Tally(true, len(called) - true)


def broken(clause: Clause, database: Database) -> bool:
    return any(
        all(atom in database for atom in g.body) and not any(atom in database for atom in g.head)
        for g in groundings(clause, database)
    )


def heads(clause: Clause, matcher: Matcher) -> set[Atom]:
    """The heads that the matches of the body call for, found by the matcher."""
    body = Query(tuple(Literal(atom) for atom in clause.body))
    return {
        clause.head[0].substitute({Variable(name): Constant(constant) for name, constant in match.items()})
        for match in matcher.projections(body, clause.head[0].variables)
    }


# Hard rules


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("people", [0, 1, 2, 5, 12, 60, 240])
def test_hard_rules_have_no_counterexample(people: int, noise: float) -> None:
    for seed in SEEDS:
        made = university(people, noise=noise, seed=seed)
        matcher = Matcher(made.database)
        assert [str(rule) for rule in made.hard if matcher.exists(rule.violation)] == []


@pytest.mark.parametrize("reliability", [0.0, 0.5, 1.0])
def test_hard_rules_hold_at_any_reliability(reliability: float) -> None:
    matcher = Matcher(university(reliability=reliability, noise=0.1).database)
    assert not any(matcher.exists(rule.violation) for rule in HARD)


@pytest.mark.slow
def test_hard_rules_hold_by_definition() -> None:
    database = university(8, noise=0.3, seed=3).database
    assert len(database) > 15
    assert [str(rule) for rule in HARD if broken(rule, database)] == []


def test_hard_rules_say_something(made: list[University]) -> None:
    """Each is about predicates that have facts, so that it could have failed."""
    for one in made:
        assert all(one.database.count(atom.predicate) for rule in HARD for atom in rule.atoms)


def test_hard_rules_are_small() -> None:
    assert all(len(rule.literals) <= 2 and rule.is_horn for rule in HARD)


# Soft rules


def test_confidence_is_reliability_but_for_chance(made: list[University]) -> None:
    for index, (name, reliability) in enumerate(RELIABILITY.items()):
        rules = [one.soft[index] for one in made]
        assert {(rule.name, rule.reliability) for rule in rules} == {(name, reliability)}
        for rule in rules:
            assert_binomial(rule.before, reliability, deviations=4.5)
        total = Tally(sum(rule.before.true for rule in rules), sum(rule.before.false for rule in rules))
        assert_binomial(total, reliability, deviations=3.5)


def assert_binomial(found: Tally, reliability: float, deviations: float) -> None:
    spread = sqrt(found.heads * reliability * (1 - reliability))
    assert abs(found.true - found.heads * reliability) <= deviations * spread


def test_tallies_are_what_the_matcher_finds() -> None:
    for noise in (0.0, 0.1):
        made = university(noise=noise, seed=5)
        matcher = Matcher(made.database)
        for rule in made.soft:
            called = heads(rule.clause, matcher)
            assert rule.after == Tally(
                sum(atom in made.database for atom in called), sum(atom not in made.database for atom in called)
            )


def test_tallies_agree_with_the_definition() -> None:
    made = university(12, noise=0.2, seed=11)
    assert sum(rule.after.heads > 0 for rule in made.soft) >= 4
    for rule in made.soft:
        if len(rule.clause.variables) <= 3:
            assert rule.after == tally(rule.clause, made.database)


def test_every_rule_has_support(made: list[University]) -> None:
    assert min(rule.before.heads for one in made for rule in one.soft) >= 25


def test_no_false_head_is_excluded_by_a_hard_rule(made: list[University]) -> None:
    """So confidence against the non-trivial negatives is confidence: adding any one false head breaks no hard rule."""
    for one in made[:3]:
        matcher = Matcher(one.database)
        for rule in one.soft:
            false = [atom for atom in heads(rule.clause, matcher) if atom not in one.database]
            assert len(false) == rule.after.false
            for atom in false[:5]:
                larger = Matcher(one.database | Database.of([atom]))
                assert not any(larger.exists(hard.violation) for hard in HARD)


def test_a_rule_is_clearly_better_than_with_a_literal_less(made: list[University]) -> None:
    for name, clause in SOFT.items():
        for place in range(len(clause.body)):
            shorter = Clause(clause.head, clause.body[:place] + clause.body[place + 1 :])
            if set(clause.head[0].variables) <= {v for atom in shorter.body for v in atom.variables}:
                for one in made:
                    found = next(rule.before for rule in one.soft if rule.name == name)
                    called = heads(shorter, Matcher(one.database))
                    true = sum(atom in one.database for atom in called)
                    assert true / len(called) < found.confidence - 0.2


def test_what_is_planted_is_diverse() -> None:
    assert {len(clause.body) for clause in SOFT.values()} == {1, 2, 3}
    assert {clause.head[0].predicate.arity for clause in SOFT.values()} == {1, 2, 3}
    assert {len(clause.variables) for clause in SOFT.values()} == {2, 3, 4}
    recursive = [c for c in SOFT.values() if c.head[0].predicate in {atom.predicate for atom in c.body}]
    assert len(recursive) == 3
    assert all(len(SOFT[name].variables) <= 3 for name, value in RELIABILITY.items() if value >= 0.7)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_reliability_can_be_certain(value: float) -> None:
    for rule in university(reliability=value).soft:
        assert (rule.before.false if value else rule.before.true) == 0


def test_reliability_by_name() -> None:
    by_name = {rule.name: rule for rule in university(reliability={"tenure": 0.2}, seed=1).soft}
    assert by_name["tenure"].reliability == 0.2
    assert by_name["tenure"].before.confidence < 0.5
    assert by_name["employment"].reliability == RELIABILITY["employment"]


# Noise, size and seed


def test_without_noise_nothing_changes(made: list[University]) -> None:
    assert all(rule.before == rule.after for one in made for rule in one.soft)


def test_noise_replaces_a_share_of_the_facts() -> None:
    clean, noisy = (university(1000, noise=noise, seed=2).database for noise in (0.0, 0.1))
    lost = len(clean) - len(set(clean) & set(noisy))
    subject = sum(clean.count(p) for p in clean.predicates if p.name not in {"student", "professor", "offered"})
    assert lost == pytest.approx(0.1 * subject, rel=0.02)
    assert len(noisy) == pytest.approx(len(clean), rel=0.01)


def test_noise_lowers_confidence() -> None:
    for rule in university(2000, noise=0.2, seed=4).soft:
        assert rule.after.confidence < rule.before.confidence - 0.1


def test_size_grows_with_people() -> None:
    sizes = [len(university(people, seed=8).database) / people for people in (250, 1000, 4000)]
    assert max(sizes) < 1.1 * min(sizes)


def test_a_seed_is_a_university() -> None:
    assert university(seed=3) == university(seed=3)
    noisy = [university(noise=0.1, seed=seed).database for seed in (0, 0, 1)]
    assert noisy[0] == noisy[1] != noisy[2]


def test_seeds_differ(made: list[University]) -> None:
    assert all(one.database != other.database for one, other in pairwise(made))


def test_every_predicate_is_known_and_its_arguments_are_named() -> None:
    for people in (0, 240):
        database = university(people).database
        assert len(database.predicates) == 18
        assert all(len(database.argument_names(p)) == p.arity for p in database.predicates)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: university(-1), "cannot have -1 people"),
        (lambda: university(10, noise=1.5), "noise is a share .* not 1.5"),
        (lambda: university(10, noise=float("nan")), "noise is a share"),
        (lambda: university(10, reliability=-0.1), "the reliability of membership .* not -0.1"),
        (lambda: university(10, reliability={"tenure": 2}), "the reliability of tenure .* not 2"),
        (lambda: university(10, reliability={"tenur": 0.5}), "'tenur'; there are membership, "),
    ],
)
def test_misuse_is_told(call: Callable[[], University], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# The parts


def facts_of(**rows: str) -> GrowingFacts:
    split = {name: [tuple(row) for row in text.split()] for name, text in rows.items()}
    facts = GrowingFacts({name: tuple("xyz"[: len(listed[0])]) for name, listed in split.items()})
    for name, listed in split.items():
        for row in listed:
            facts.add(name, *row)
    return facts


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("q(X) :- p(X, Y).", Tally(1, 2)),
        ("p(X, Z) :- p(X, Y), p(Y, Z).", Tally(1, 2)),
        ("q(X) :- p(X, X).", Tally(1, 0)),
        ("p(X, Y) :- q(X), p(Y, X).", Tally(0, 3)),
        ("p(Y, X) :- p(X, Y).", Tally(0, 4)),
    ],
)
def test_heads_are_distinct_and_so_are_variables(rule: str, expected: Tally) -> None:
    facts = facts_of(p="ab bc ac cd dd", q="c d")
    assert facts.tally(parse_clause(rule)) == expected == tally(parse_clause(rule), facts.database())


def test_a_tally_without_heads_has_no_confidence() -> None:
    assert Tally(3, 1).confidence == 0.75
    assert Tally(0, 0).confidence != Tally(0, 0).confidence


def test_noise_where_there_is_no_room() -> None:
    """All that is true is lost, and what could come instead is true, forbidden, or not there."""
    rooms: Mapping[str, Room] = {
        "p": Room([[("a",), ("b",)], [("a",), ("b",)]], symmetric=True),
        "q": Room([[]]),
        "r": Room([[("a",)], [("b",)]], key=(0,)),
    }
    facts = facts_of(p="ab ba", q="a", r="ac")
    blur(facts, rooms, 1.0, random.Random(0))
    assert facts.rows("p") == facts.rows("q") == []
    assert facts.rows("r") == [("a", "b")]


@pytest.mark.parametrize("body", ["r(X, Y)", "r(X, X)", "r(X, Y), r(Y, X)", "r(X, Y), r(Y, Z)", "r(X, X), r(X, Y)"])
def test_matches_of_a_body_by_definition(body: str) -> None:
    rows: list[tuple[str, ...]] = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "c"), ("a", "c"), ("d", "a")]
    atoms = [literal.atom for literal in parse_query(body).literals]
    variables = variables_of(atoms)
    matches: list[dict[Term, str]] = [
        dict(zip(variables, names, strict=True)) for names in permutations("abcd", len(variables))
    ]
    holding = [match for match in matches if all(tuple(match[t] for t in atom.arguments) in rows for atom in atoms)]
    found = _matches(atoms, {}, _Index({"r": dict.fromkeys(rows)}))
    assert sorted(map(str, found)) == sorted(map(str, holding))
