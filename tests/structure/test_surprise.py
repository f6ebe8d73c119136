"""What holds by chance is told from what does not."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from possilog.chance import generator
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.logic import Atom, parse_atom, parse_clause
from possilog.structure.surprise import Surprise, _agreeing_pairs, _differing_pairs


def _facts(*texts: str) -> Database:
    return Database.of(map(parse_atom, texts))


def test_two_columns_that_never_meet() -> None:
    people = [f"student(s{n})" for n in range(5)] + [f"professor(p{n})" for n in range(3)]
    database = _facts(*people, *(f"person({name[-3:-1]})" for name in people))
    tested = Surprise(database).test(parse_clause(":- student(X), professor(X)."))
    # 3 of 8 people drawn at random are none of the 5 students
    assert tested.log_p == pytest.approx(math.log(math.comb(3, 3) / math.comb(8, 3)))
    assert tested.units == 3


def test_one_column_within_another() -> None:
    database = _facts(*(f"old(a{n})" for n in range(4)), *(f"leads(a{n}, b)" for n in range(3)), "leads(b, a9)")
    tested = Surprise(database).test(parse_clause("old(X) :- leads(X, b2), leads(X, Y)."))
    assert tested.log_p == 0  # what has constants is not tested
    tested = Surprise(
        _facts(*(f"old(a{n})" for n in range(4)), *(f"wise(a{n})" for n in range(3)), "dull(a7)", "dull(a0)")
    ).test(parse_clause("old(X) :- wise(X)."))
    assert tested.log_p == pytest.approx(math.log(math.comb(4, 3) / math.comb(5, 3)))


def test_a_head_that_fills_its_type_is_a_surprise_among_all_constants() -> None:
    kinds = [f"{name}(x{n})" for n in range(4) for name in ("bird", "flies")]
    others = [f"{name}(y{n})" for n in range(6) for name in ("fish", "swims")]
    clause = parse_clause("flies(X) :- bird(X).")
    # 4 of 10 constants drawn at random are just those that fly
    assert Surprise(_facts(*kinds, *others)).test(clause).log_p == pytest.approx(-math.log(math.comb(10, 4)))
    assert Surprise(_facts(*kinds)).test(clause).log_p == 0


@pytest.mark.parametrize(
    "text",
    [
        "p(X) :- q(Y).",
        "p(X) ; q(Y) :- r(X, Y).",
        "p(X).",
        ":- missing(X), p(X).",
    ],
)
def test_what_is_never_a_surprise(text: str) -> None:
    database = _facts(*(f"p(a{n})" for n in range(9)), *(f"q(b{n})" for n in range(9)), "r(a1, b1)")
    assert Surprise(database).test(parse_clause(text)).log_p == 0


def _graph(edges: list[tuple[int, int]], name: str = "r") -> list[Atom]:
    return [Atom.ground(name, [f"c{one}", f"c{other}"]) for one, other in edges]


def test_symmetry_and_functions_are_surprises_where_many_constants_show_them() -> None:
    pairs = [(2 * n, 2 * n + 1) for n in range(30)]
    both = Database.of(_graph(pairs + [(b, a) for a, b in pairs]))
    assert Surprise(both).test(parse_clause("r(X, Y) :- r(Y, X).")).log_p < -50
    function = Database.of(_graph([(n, n % 7 + 100) for n in range(60)]))
    assert Surprise(function).test(parse_clause(":- r(X, Y), r(X, Z).")).log_p < -20
    hub = Database.of(_graph([(0, n) for n in range(1, 60)] + [(n, 0) for n in range(1, 60)]))
    assert Surprise(hub).test(parse_clause("r(X, Y) :- r(Y, X).")).log_p > -10, "a hub is one unit"


def test_two_relations_that_never_have_a_pair_in_common() -> None:
    likes = [(one, other) for one in range(20) for other in range(20, 40) if (one + other) % 2]
    fears = [(one, other) for one in range(20) for other in range(20, 40) if not (one + other) % 2]
    clause = parse_clause(":- likes(X, Y), fears(X, Y).")
    apart = Database.of(_graph(likes, "likes") + _graph(fears, "fears"))
    assert Surprise(apart).test(clause).log_p < -5
    none = Database.of([*_graph(likes, "likes"), *map(parse_atom, ("thing(c1)", "thing(c2)"))])
    assert Surprise(none).test(clause).log_p == 0


def test_random_relations_seldom_show_a_surprise() -> None:
    """Relations drawn at random within their types: what holds there, holds by chance."""
    chance = generator(0, "random relations")
    found = 0
    for _ in range(60):
        members = {
            name: np.flatnonzero(chance.random(40) < share) for name, share in (("p", 0.1), ("q", 0.15), ("all", 1))
        }
        database = Database.of(
            Atom.ground(name, [f"c{n}"]) for name, listed in members.items() for n in listed.tolist()
        )
        if not set(members["p"]) & set(members["q"]):
            found += Surprise(database).test(parse_clause(":- p(X), q(X).")).log_p < math.log(0.01)
    assert found == 0


def test_what_there_is_no_time_for_is_left_out() -> None:
    database = _facts("p(a)", "p(b)", "q(a)", "q(c)")
    clauses = [parse_clause(text) for text in ("p(X) :- q(X).", ":- p(X), q(X).")]
    assert list(Surprise(database).all(clauses)) == clauses
    assert Surprise(database, Deadline(0)).all(clauses) == {}


def test_pairs_of_facts_that_agree_and_differ() -> None:
    """Agreeing pairs by definition; differing ones at least so many as are counted."""
    chance = np.random.default_rng(0)
    for _ in range(20):
        rows = np.unique(chance.integers(0, 4, size=(3, 12)), axis=1).astype(np.int32)
        facts = rows.T.tolist()
        for places in ([], [0], [1, 2], [0, 1, 2]):
            agree = sum(all(one[p] == other[p] for p in places) for one, other in combinations(facts, 2))
            assert _agreeing_pairs(rows, places) == agree
        exactly = sum(one[0] == other[0] and one[1] != other[1] for one, other in combinations(facts, 2))
        assert _differing_pairs(rows, [0], [1]) == exactly
        both = sum(one[0] != other[0] and one[1] != other[1] for one, other in combinations(facts, 2))
        assert _differing_pairs(rows, [], [0, 1]) <= both


def test_a_variable_stands_for_things_of_its_type_or_for_any() -> None:
    surprise = Surprise(_facts("p(a)", "p(b)", "q(c)", "r(a, c)", "r(b, d)"))
    one, other, both = map(parse_atom, ("p(x)", "q(x)", "r(x, y)"))
    x, y = both.arguments
    assert [surprise._size([(atom, term)]) for atom, term in ((one, x), (other, x), (both, x), (both, y))] == [
        2,
        2,
        2,
        2,
    ]
    assert surprise._size([(one, x), (both, x)]) == 2 and surprise._size([(one, x), (other, x)]) == 4
