"""How searches go on: in which order, how many steps they take, and in which pieces they give what they find."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from random import Random

import numpy as np
import pytest

from budget import budget
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Atom, Constant, Predicate, Variable, parse_atom, parse_query
from possilog.matching import Matcher, matcher
from possilog.matching.cover import Cover
from possilog.matching.plan import Planner

NAMES = "abcde"
QUERIES = [
    "r(X, Y), s(Y)",
    "r(X, Y), not s(Y)",
    "r(X, Y), r(Y, X)",
    "r(X, Y), r(Y, Z), not r(X, Z)",
    "r(X, X), r(X, Y)",
    "not r(X, Y), s(X)",
    "r(X, a), r(b, Y)",
    "t(X, Y, Z), r(Z, X)",
    "t(X, Y, X), not t(Y, X, Y)",
    "s(X), s(Y), n",
    "not n, r(X, Y)",
    "t(X, a, Y), t(a, X, Z)",
]


def draw(seed: int) -> Database:
    chance = Random(seed)
    facts = [Atom.ground("r", [chance.choice(NAMES), chance.choice(NAMES)]) for _ in range(8)]
    facts += [Atom.ground("s", [chance.choice(NAMES)]) for _ in range(3)]
    facts += [Atom.ground("t", [chance.choice(NAMES) for _ in range(3)]) for _ in range(25)]
    facts += [Atom.ground("n", [])] * (seed % 2)
    return Database.of({*facts}, constants=list(NAMES))


@cache
def truth(seed: int, text: str) -> list[dict[str, str]]:
    """By definition."""
    database = draw(seed)
    query = parse_query(text)
    known, found = {*database}, []
    for chosen in permutations(NAMES, len(query.variables)):
        match = dict(zip(query.variables, map(Constant, chosen), strict=True))
        if all((literal.atom.substitute(match) in known) == literal.positive for literal in query.literals):
            found.append({variable.name: name for variable, name in zip(query.variables, chosen, strict=True)})
    return found


@pytest.mark.parametrize("seed", range(budget(40, least=16)))
def test_answers_whatever_the_budget_and_however_many_at_a_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, database = Random(seed), draw(seed)
    monkeypatch.setattr(matcher, "BUDGET", chance.choice([1, 2, 7, 1000]))
    monkeypatch.setattr(matcher, "_FIRST_CHUNK", chance.choice([1, 2, 16]))
    monkeypatch.setattr(matcher, "_LARGEST_CHUNK", chance.choice([1, 4, 64]))
    monkeypatch.setattr(matcher, "_PLANS_KEPT", chance.choice([1, 2, 50]))
    asked = Matcher(database)
    for text in chance.sample(QUERIES, 6):
        wanted, query = truth(seed, text), parse_query(text)
        found = list(asked.matches(text))
        assert sorted(map(str, found)) == sorted(map(str, wanted))
        assert (asked.count(text), asked.exists(text)) == (len(wanted), bool(wanted))
        assert asked.count_within(text, 10**6) == (len(wanted), True)
        images = {frozenset(match.values()) for match in wanted}
        assert {*asked.images(text)} == images and asked.count_images(text) == len(images)
        for limit in range(len(wanted) + 2):
            assert list(asked.matches(text, limit=limit)) == found[:limit]
        for size in range(len(query.variables) + 1):
            some = chance.sample(query.variables, size)
            rows = [tuple(match.values()) for match in asked.projections(text, some)]
            assert sorted(rows) == sorted({tuple(match[one.name] for one in some) for match in wanted})
            heads = [chance.choices([*NAMES, "nobody"], k=size) for _ in range(5)]
            covered = [any([match[one.name] for one in some] == head for match in wanted) for head in heads]
            assert asked.covered(text, some, heads) == covered
            for head, count in zip(heads, covered, strict=True):
                bound = dict(zip(some, head, strict=True))
                assert asked.exists(text, bound) == count
                assert asked.count(text, bound) == sum([m[one.name] for one in some] == head for m in wanted)


def test_counting_stops_after_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on by whole budgets, and says whether it came to the end."""
    monkeypatch.setattr(matcher, "BUDGET", 10)
    database = Database.of(Atom.ground("r", pair) for pair in product([f"c{n}" for n in range(12)], repeat=2))
    asked = Matcher(database)
    whole = asked.count("r(X, Y), r(Y, Z)")
    assert whole == 12 * 11 * 10
    found = [asked.count_within("r(X, Y), r(Y, Z)", steps) for steps in (0, 1, 10, 11, 20, 100_000)]
    counts = [count for count, _ in found]
    assert counts == sorted(counts) and counts[0] == 0 and counts[1] == counts[2] < counts[3] == counts[4]
    assert [done for _, done in found] == [False] * 5 + [True] and counts[-1] == whole


@pytest.mark.parametrize(
    ("text", "count"),
    [("p(X), p(Y)", 200 * 199), ("p(X), not q(Y)", 200 * 289), ("q(X), p(Y)", 10 * 200), ("r(X, Y), p(Z)", 90 * 198)],
)
def test_values_of_the_last_variable_are_added_up(text: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300 constants, 200 are p and ten others q: a step for each pair would be too many."""
    monkeypatch.setattr(matcher, "BUDGET", 50)
    facts = [f"p(a{number})" for number in range(200)] + [f"q(b{number})" for number in range(10)]
    facts += [f"r(a{number}, a{number + 1})" for number in range(90)]
    database = Database.of(map(parse_atom, facts), [f"c{number}" for number in range(90)])
    assert Matcher(database).count_within(text, 700) == (count, True)


@pytest.mark.parametrize("number", [4, 60])
def test_many_heads_are_covered_by_one_join(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same answers, whether the join takes over, gives up or is not asked."""
    for many, joined in ((number, 10**6), (number + 1, 10**6), (1, 0), (1, 1)):
        monkeypatch.setattr(matcher, "_MANY_HEADS", many)
        monkeypatch.setattr(matcher, "_JOINED", joined)
        for seed in range(2):
            database, chance = draw(seed), Random(number)
            asked = Matcher(database)
            for text in QUERIES:
                query = parse_query(text)
                for size in range(1, len(query.variables) + 1):
                    some = query.variables[:size]
                    heads = np.array([[chance.randrange(5) for _ in some] for _ in range(number)], dtype=np.int32)
                    wanted = {tuple(NAMES.index(m[one.name]) for one in some) for m in truth(seed, text)}
                    assert asked.covered_rows(query, some, heads).tolist() == [
                        tuple(head) in wanted for head in heads.tolist()
                    ]


@pytest.mark.parametrize("seed", range(4))
def test_bodies_cover_heads(seed: int) -> None:
    database, p = draw(seed), {predicate.name: predicate for predicate in draw(seed).predicates}
    heads = np.array([*product(range(5), repeat=2)], dtype=np.int32)
    cover = Cover(database, heads)
    for body, text in (
        ([(p["r"], (0, 1))], "r(V0, V1)"),
        ([(p["r"], (0, 2)), (p["r"], (2, 1))], "r(V0, V2), r(V2, V1)"),
        ([(p["t"], (1, 3, 2)), (p["s"], (0,))], "t(V1, V3, V2), s(V0)"),
        ([(p["s"], (1,))], "s(V1), r(V0, V0)"),
        ([], ""),
        ([(Predicate("n", 0), ())], ""),
    ):
        among = np.array([3, 0, 24, 7, 8, 9, 13, 1], dtype=np.intp)
        found = cover.covered(body, among).tolist()
        if not text:
            names = [NAMES[one] != NAMES[other] for one, other in heads[among].tolist()]
            assert found == ([Atom.ground("n", []) in database and one for one in names] if body else names)
        elif len(body) == text.count("("):
            wanted = {(m["V0"], m["V1"]) for m in truth(seed, text)}
            assert found == [(NAMES[one], NAMES[other]) in wanted for one, other in heads[among].tolist()]


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("r(X, Z), r(Y, Z)", 400),
        ("r(X, Y), r(Y, Z)", 400),
        ("r(X, Z), s(Y, Z)", 400),
    ],
)
def test_steps_of_a_search(text: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of constants that only a later variable connects are not tried: there are 10,000 of them."""
    monkeypatch.setattr(matcher, "BUDGET", 1)
    database = Database.of(Atom.ground(name, [f"a{n}", f"b{n}"]) for name in "rs" for n in range(100))
    query = parse_query(text)
    assert sum(1 for _ in Matcher(database).projection_rows(query, query.variables)) <= most


def test_what_fails_for_one_variable_is_not_tried_with_all_values_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """No W goes with any X, whatever Y and Z are: of these there are 110 for each of 12 X."""
    monkeypatch.setattr(matcher, "BUDGET", 1)
    facts = [Atom.ground("e", [f"a{one}", f"a{other}"]) for one, other in product(range(12), repeat=2)]
    facts += [Atom.ground("r", [f"a{n}", f"b{n}"]) for n in range(12)]
    facts += [Atom.ground("s", [f"a{n}", f"b{(n + 1) % 12}"]) for n in range(12)]
    query = parse_query("e(X, Y), e(X, Z), r(X, W), s(X, W)")
    assert sum(1 for _ in Matcher(Database.of(facts)).projection_rows(query, query.variables[:3])) <= 100


@pytest.mark.parametrize("seed", range(budget(60, least=24)))
def test_variables_with_the_fewest_values_come_first(seed: int) -> None:
    """After those that are given and those that are asked for, by how many facts there are for what is known."""
    chance, database = Random(seed), draw(seed)
    some = [predicate for predicate in database.predicates if predicate.arity]
    literals = [
        (predicate, tuple(chance.choice([0, 1, 2, 3, -1, -2]) for _ in range(predicate.arity)), chance.random() < 0.8)
        for predicate in chance.choices(some, k=chance.randint(1, 4))
    ]
    count = {predicate: len(database.rows(predicate)[0]) for predicate in some}
    different = {predicate: [len({*row.tolist()}) for row in database.rows(predicate)] for predicate in some}

    def expected(variable: int, known: list[int]) -> float:
        found = [float(len(NAMES))]
        for predicate, arguments, positive in literals:
            if positive and variable in arguments:
                fixed = [n for n, term in enumerate(arguments) if term < 0 or term in known]
                value = float(count[predicate] if fixed else different[predicate][arguments.index(variable)])
                for place in fixed:
                    value /= different[predicate][place]
                found.append(value)
        return min(found)

    bound, first = chance.sample(range(4), seed % 3), chance.sample(range(4), seed % 2)
    order = list(dict.fromkeys([*bound, *first]))
    while len(order) < 4:
        order.append(min((v for v in range(4) if v not in order), key=lambda v: expected(v, order)))
    assert Planner(database).plan(literals, 4, bound, first).order == tuple(order)


def test_what_cannot_be_covered_is_told() -> None:
    asked, x = Matcher(draw(1)), Variable("X")
    with pytest.raises(QueryError, match="a constant for each of 1 variables"):
        asked.covered("r(X, Y)", [x], [["a"], ["a", "b"]])
    assert asked.covered("r(X, Y)", [x], []) == []
    for number, is_told in ((-1, True), (0, False), (4, False), (5, True)):
        heads = np.array([[0], [number]], dtype=np.int32)
        if is_told:
            with pytest.raises(QueryError, match="numbers that no constant has"):
                asked.covered_rows(parse_query("r(X, Y)"), [x], heads)
        else:
            assert len(asked.covered_rows(parse_query("r(X, Y)"), [x], heads)) == 2
