"""The matcher against its definition, on the compiled and on the interpreted kernel."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from itertools import islice, permutations
from pathlib import Path
from random import Random
from time import process_time
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Atom, Constant, Query, Variable, parse_query
from possilog.matching import Matcher, kernel
from possilog.matching.plan import Planner
from possilog.structure import find_hard_rules
from strategies import databases, queries

Match = dict[Variable, str]


def interpreted_kernel() -> ModuleType:
    """The kernel's source, run as Python even where a compiled one is installed."""
    path = Path(kernel.__file__ or "").parent / "kernel.py"
    spec = importlib.util.spec_from_file_location("interpreted_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KERNELS = {"installed": kernel, "interpreted": interpreted_kernel()}
each_kernel = pytest.mark.parametrize("kernel_name", list(KERNELS))


def by_definition(database: Database, query: Query) -> Iterator[Match]:
    """Every way to give distinct constants to the variables so that all literals hold."""
    variables = query.variables
    for constants in permutations(database.constants, len(variables)):
        bindings = dict(zip(variables, map(Constant, constants), strict=True))
        if all((literal.atom.substitute(bindings) in database) == literal.positive for literal in query.literals):
            yield {variable: constant.name for variable, constant in bindings.items()}


def named(matches: list[Match]) -> set[tuple[tuple[str, str], ...]]:
    return {tuple((variable.name, constant) for variable, constant in match.items()) for match in matches}


@each_kernel
@settings(max_examples=budget(400))
@given(databases(), st.lists(queries(), min_size=5, max_size=5), st.randoms(use_true_random=False))
def test_every_question_is_answered_by_definition(
    kernel_name: str, database: Database, asked: list[Query], random: Random
) -> None:
    """Five queries for each of 400 databases are 2,000 cases for each kernel."""
    matcher = Matcher(database, kernel=KERNELS[kernel_name])
    for query in asked:
        truth = list(by_definition(database, query))
        some = random.sample(query.variables, random.randint(0, len(query.variables)))
        heads = [[random.choice([*database.constants, "unknown"]) for _ in some] for _ in range(3)]
        check_matches(matcher, query, truth)
        check_projections(matcher, query, truth, some)
        check_bindings(matcher, query, truth, some, heads)


def check_matches(matcher: Matcher, query: Query, truth: list[Match]) -> None:
    assert matcher.exists(query) == bool(truth)
    assert matcher.count(query) == len(truth)
    found = [tuple(match.items()) for match in matcher.matches(query)]
    assert len(found) == len(truth)
    assert set(found) == named(truth)
    assert matcher.count_images(query) == len({frozenset(match.values()) for match in truth})


def check_projections(matcher: Matcher, query: Query, truth: list[Match], some: list[Variable]) -> None:
    found = [tuple(match.items()) for match in matcher.projections(query, some)]
    expected = {tuple((variable.name, match[variable]) for variable in some) for match in truth}
    assert len(found) == len(expected)
    assert set(found) == expected


def check_bindings(
    matcher: Matcher, query: Query, truth: list[Match], some: list[Variable], heads: list[list[str]]
) -> None:
    covered = [[match for match in truth if [match[v] for v in some] == head] for head in heads]
    assert matcher.covered(query, some, heads) == [bool(matches) for matches in covered]
    bindings = dict(zip(some, heads[0], strict=True))
    assert matcher.exists(query, bindings) == bool(covered[0])
    assert matcher.count(query, bindings) == len(covered[0])
    assert {tuple(match.items()) for match in matcher.matches(query, bindings)} == named(covered[0])


@each_kernel
def test_a_search_that_runs_out_of_budget_goes_on(kernel_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a budget of one step a call, every answer stays the same."""
    monkeypatch.setattr("possilog.matching.matcher.BUDGET", 1)
    names = [f"c{number}" for number in range(7)]
    rng = np.random.default_rng(1)
    facts = [Atom.ground("r", [names[i], names[j]]) for i, j in rng.integers(0, 7, (20, 2))]
    database = Database.of(facts)
    matcher = Matcher(database, kernel=KERNELS[kernel_name])
    for text in ["r(X,Y), r(Y,Z)", "r(X,Y), not r(Y,Z)", "not r(X,Y), not r(Y,X)", "r(X,Y), r(Y,Z), r(Z,X)"]:
        query = parse_query(text)
        truth = list(by_definition(database, query))
        assert matcher.count(query) == len(truth)
        assert len(list(matcher.matches(query))) == len(truth)
        assert matcher.exists(query) == bool(truth)
        head = [Variable("X")]
        expected = [any(match[head[0]] == name for match in truth) for name in names]
        assert matcher.covered(query, head, [[name] for name in names]) == expected


@each_kernel
def test_a_search_without_a_match_gives_way_now_and_then(kernel_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives empty arrays, so that whoever has a deadline can ask it."""
    monkeypatch.setattr("possilog.matching.matcher.BUDGET", 1)
    database = Database.of(Atom.ground("r", [f"c{number}", f"c{number + 1}"]) for number in range(20))
    chunks = Matcher(database, kernel=KERNELS[kernel_name]).projection_rows(
        parse_query("r(X,Y), r(Y,Z), r(Z,X)"), [Variable("X")]
    )
    sizes = [len(rows) for rows in chunks]
    assert len(sizes) > 10 and not any(sizes)


def test_enumeration_is_lazy() -> None:
    """The first matches of a query with 10^12 of them come at once, and a limit ends it."""
    database = Database.of(Atom.ground("p", [f"c{number:05}"]) for number in range(10_000))
    matcher = Matcher(database)
    query = parse_query("p(X), p(Y), p(Z)")
    assert len(list(islice(matcher.matches(query), 100))) == 100
    assert len(list(matcher.matches(query, limit=7))) == 7
    assert list(matcher.matches(query, limit=0)) == []
    assert matcher.exists(query)


def test_a_part_that_fails_is_not_searched_again_for_every_match_of_the_rest() -> None:
    """Backjumping: 10^8 pairs of p, then a part that never matches."""
    facts = [Atom.ground("p", [f"c{number:05}"]) for number in range(10_000)]
    facts += [Atom.ground("r", [f"c{number:05}", f"d{number:05}"]) for number in range(100_00)]
    database = Database.of(facts)
    assert not Matcher(database).exists(parse_query("p(X), p(Y), r(Z,W), r(W,V)"))


def test_two_readers_of_one_query_do_not_disturb_each_other() -> None:
    database = Database.of(Atom.ground("p", [name]) for name in "abcdefgh")
    matcher = Matcher(database)
    query = parse_query("p(X)")
    pairs = list(zip(matcher.matches(query), matcher.matches(query), strict=True))
    assert len(pairs) == 8 and all(one == other for one, other in pairs)


def test_questions_that_cannot_be_asked() -> None:
    matcher = Matcher(Database.of([Atom.ground("r", ["a", "b"])]))
    x = Variable("X")
    with pytest.raises(QueryError, match="the variable Y does not occur in the query"):
        matcher.exists(parse_query("r(X, Z)"), {Variable("Y"): "a"})
    wide = parse_query(", ".join(f"r(X{number}, Y)" for number in range(60)))
    with pytest.raises(QueryError, match="61 variables; at most 60"):
        matcher.exists(wide)
    with pytest.raises(QueryError, match="a variable is given twice among X, X"):
        matcher.covered(parse_query("r(X, Y)"), [x, x], [("a", "a")])
    with pytest.raises(QueryError, match="a variable is given twice"):
        list(matcher.projections(parse_query("r(X, Y)"), [x, x]))
    for number in (-1, 2, 2_000_000_000):
        with pytest.raises(QueryError, match="numbers that no constant has"):
            matcher.covered_rows(parse_query("r(X, Y)"), [x], np.array([[number]], dtype=np.int32))
    with pytest.raises(QueryError, match="a column for each of 1 variables"):
        matcher.covered_rows(parse_query("r(X, Y)"), [x], np.zeros((1, 2), dtype=np.int32))


def test_the_databases_own_rows_can_be_heads() -> None:
    database = Database.of(Atom.ground("p", [name]) for name in "abc")
    predicate = database.predicates[0]
    heads = database.rows(predicate).T
    assert Matcher(database).covered_rows(parse_query("p(X)"), [Variable("X")], heads).tolist() == [True] * 3


@each_kernel
def test_a_head_that_takes_long_gives_way_now_and_then(kernel_name: str) -> None:
    """The kernel comes back when its budget is used up, also in the middle of a head, and then goes on."""
    names = [f"c{number}" for number in range(9)]
    database = Database.of(Atom.ground("r", [a, b]) for a in names[:5] for b in names[5:])
    module = KERNELS[kernel_name]
    query = [(database.predicates[0], pair, True) for pair in [(0, 1), (2, 1), (2, 3), (0, 3), (4, 3), (3, 4)]]
    search = Planner(database, module).plan(query, 5, [0]).search
    assert search is not None
    heads, answers = np.array([[0], [1]], dtype=np.int32), np.ones(2, dtype=np.uint8)
    calls, done = 0, 0
    while done < 2:
        done = search.cover(heads, answers, done, 1, calls > 0)
        calls += 1
    assert calls > 4
    assert answers.tolist() == [0, 0]


def test_the_same_answers_on_larger_random_data() -> None:
    """Against numpy's own join, on data where tables of starts and binary search both take part."""
    rng = np.random.default_rng(3)
    names = [f"c{number:03}" for number in range(200)]
    pairs = np.unique(rng.integers(0, 200, (3000, 2)), axis=0)
    marked = np.unique(rng.integers(0, 200, 20))
    facts = [Atom.ground("r", [names[i], names[j]]) for i, j in pairs]
    facts += [Atom.ground("p", [names[i]]) for i in marked]
    matcher = Matcher(Database.of(facts))
    adjacency = np.zeros((200, 200), dtype=bool)
    adjacency[tuple(pairs.T)] = True
    np.fill_diagonal(adjacency, False)
    expected = sum(
        int(adjacency[x, y] and adjacency[y, z] and x != z)
        for z in marked
        for y in np.flatnonzero(adjacency[:, z])
        for x in np.flatnonzero(adjacency[:, y])
    )
    assert matcher.count(parse_query("r(X,Y), r(Y,Z), p(Z)")) == expected
    assert len(list(matcher.matches(parse_query("r(X,Y), r(Y,Z), p(Z)")))) == expected


def test_variables_are_bound_in_an_order_that_joins_them() -> None:
    """X with each Y, before Z is looked at, would be 400 million pairs: hard rules took minutes."""
    facts = Database.of(Atom.ground("r", [f"a{number}", f"b{number}"]) for number in range(20_000))
    query = parse_query("r(X, Z), r(Y, Z)")
    before = process_time()
    assert not list(Matcher(facts).matches(query))
    assert find_hard_rules(facts, time_limit=100).clauses
    assert process_time() - before < 10
