"""Limits of what is counted, one below, at and one above, and counts at their borders."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bordering import check_limit
from possilog.counting import Count, ProfileLevels, count, data_profile, values
from possilog.counting.count import readable
from possilog.counting.data_profile import DataProfile
from possilog.counting.limits import Limit, TooLarge
from possilog.counting.subsets import problem
from possilog.counting.subsets.problem import SubsetProblem
from possilog.counting.values import Values
from possilog.counting.worlds import Worlds, count_worlds, methods
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Predicate, parse_atom, parse_clause
from possilog.sat.counters import has_xor_solver

P = Predicate("p", 1)
FACTS = Database.of(map(parse_atom, ["r(a, b)", "r(b, c)", "p(a)"]))
SYMMETRIC = parse_clause("r(Y, X) :- r(X, Y).")
WORLDS = Worlds((P,), 3, (parse_clause(":- p(X), p(Y)."),))
"""Three atoms, and six pairs of different constants that may break the rule."""


@pytest.mark.parametrize(
    ("module", "name", "least", "work"),
    [
        (methods, "ATOMS", 3, lambda: count_worlds(WORLDS)),
        (methods, "LAZY_GROUNDINGS", 6, lambda: count_worlds(WORLDS)),
        (data_profile, "WIDEST", 3, lambda: DataProfile(FACTS, 3, [SYMMETRIC]).table()),
        (problem, "ARRANGEMENTS", 6, lambda: SubsetProblem.prepared(FACTS, [SYMMETRIC], 3)),
        (
            values,
            "INSTANCES",
            3,
            lambda: Values([parse_clause("p(a) :- r(a, a).")]).hard([parse_clause("p(X) :- r(X, X).")]),
        ),
    ],
)
def test_limits(
    module: object, name: str, least: int, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_limit(module, name, least, work, monkeypatch)


@pytest.mark.skipif(not has_xor_solver(), reason="pycryptosat is not installed")
def test_rules_with_many_groundings_are_not_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, method in ((7, "search"), (6, "search"), (5, "ApproxMC2 with cutting planes")):
        monkeypatch.setattr(methods, "GROUNDINGS", most)
        assert count_worlds(WORLDS) == Count.of(4, method)


def test_a_limit_is_the_most_that_may_be() -> None:
    limit = Limit("table", "things", 3)
    limit.check_size(3)
    limit.check(3)
    with pytest.raises(TooLarge, match="the table needs more than 3 things"):
        limit.check_size(4)


def test_numbers_that_are_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "LONGEST", 5)
    assert [readable(number) for number in (99_999, 100_000)] == [99_999, "1.0000e+5"]
    assert str(Count(99_999, 100_000, 200_000, "guess", 0.9)) == "about 1.0000e+5 to about 2.0000e+5"


@pytest.mark.parametrize(("one", "other", "method"), [("a", "a", "a"), ("a", "b", "a, b"), ("b", "a", "b, a")])
def test_what_is_left_is_known_by_both_methods(one: str, other: str, method: str) -> None:
    left = Count(9, 8, 12, one, 0.75).minus(Count(4, 3, 5, other, 0.5))
    assert left == Count(5, 3, 9, method, 0.25)
    assert Count.of(3, one).minus(Count.of(5, other)) == Count.of(0, method)
    assert not Count(3, 3, 3, one, 0.9).exact and not Count(3, 2, 3, one).exact and Count.of(3, one).exact


def test_totals_are_exact_whatever_their_size() -> None:
    for large in (2**53 - 2, 2**53 - 1, 2**53, 2**60 + 1, 2**70 + 1):
        levels = ProfileLevels({0: 1, 1: large, 2: 3, 3: 1}, [1, 2])
        assert [one.value for one in levels.totals([0, 1])] == [1, large, 4]
        assert [one.value for one in levels.totals([1, 0])] == [1, 3, large + 1]


def test_subsets_of_no_constants_and_of_fewer_than_none() -> None:
    assert SubsetProblem.prepared(FACTS, [SYMMETRIC], 0).queries == ()
    with pytest.raises(QueryError, match="no fewer than 0 constants"):
        SubsetProblem.prepared(FACTS, [SYMMETRIC], -1)
    for width, queries in ((1, 0), (2, 1), (3, 1), (4, 0)):  # there are three constants, and the rule has two
        assert len(SubsetProblem.prepared(FACTS, [SYMMETRIC], width).queries) == queries


@pytest.mark.parametrize("named", ["a", "b", "c", "unknown"])
def test_value_predicates_are_true_of_what_has_just_that_constant(named: str) -> None:
    facts = Database.of(map(parse_atom, ["r(a, b)", "r(b, c)", "r(b, a)", "r(c, c)", "p(a)", "p(b)"]))
    rule = parse_clause(f"p(X) :- r(X, {named}), r({named}, X), p({named}).")
    found = Values([rule])
    counted = sorted(found.database(facts).count(one) for one in found.predicates)
    pairs = [("a", "b"), ("b", "c"), ("b", "a"), ("c", "c")]
    numbers = [sum(pair[place] == named for pair in pairs) for place in (0, 1)]
    assert counted == sorted([*numbers, int(named in "ab")])
