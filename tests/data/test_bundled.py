import pytest

from possilog.data import Database, bundled
from possilog.errors import DataError
from possilog.logic import Clause, Literal, Query, parse_clause
from possilog.matching import Matcher

HARD = [
    "adult(P) :- parent(P, C).",
    "adult(X) :- married(X, Y).",
    "adult(X) :- worksAt(X, W).",
    "married(X, Y) :- married(Y, X).",
    "owns(X, A) :- walks(X, A), adult(X).",
    "dog(A) :- walks(X, A).",
    ":- adult(X), child(X).",
    ":- dog(X), cat(X).",
    ":- livesIn(X, H), livesIn(X, I).",
    ":- married(X, Y), married(X, Z).",
    ":- owns(X, A), owns(Y, A).",
    ":- parent(X, Y), parent(Y, X).",
]

SOFT = [
    ("livesIn(Y, H) :- married(X, Y), livesIn(X, H).", 8, 2),
    ("livesIn(C, H) :- child(C), parent(P, C), livesIn(P, H).", 9, 2),
    ("parent(Y, C) :- married(X, Y), parent(X, C).", 18, 1),
    ("walks(X, D) :- owns(X, D), dog(D).", 5, 1),
]


@pytest.fixture(scope="module")
def village() -> Database:
    return bundled.load("village")


def count_heads(rule: Clause, database: Database, *literals: Literal) -> int:
    body = tuple(Literal(atom) for atom in rule.body)
    return sum(1 for _ in Matcher(database).projections(Query(body + literals), rule.head[0].variables))


@pytest.mark.parametrize("text", HARD)
def test_what_holds_in_the_village_without_exception(village: Database, text: str) -> None:
    rule = parse_clause(text)
    assert all(village.count(atom.predicate) for atom in rule.atoms)
    assert not Matcher(village).exists(rule.violation)


@pytest.mark.parametrize(("text", "true", "false"), SOFT)
def test_what_holds_in_the_village_mostly(village: Database, text: str, true: int, false: int) -> None:
    rule = parse_clause(text)
    assert count_heads(rule, village, Literal(rule.head[0])) == true
    assert count_heads(rule, village, Literal(rule.head[0], False)) == false


def test_everyone_in_the_village_is_an_adult_or_a_child_and_lives_somewhere(village: Database) -> None:
    people = {atom.arguments for atom in village if atom.predicate.name in {"adult", "child"}}
    assert {atom.arguments[:1] for atom in village if atom.predicate.name == "livesIn"} == people
    assert len(people) == 22


@pytest.mark.parametrize("name", bundled.names())
def test_all_that_ships_can_be_loaded(name: str) -> None:
    assert len(bundled.load(name)) > 50
    assert bundled.load(name) == bundled.load(name)


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(DataError, match=r"'town' ship with possilog; there are shop, university, village"):
        bundled.load("town")
