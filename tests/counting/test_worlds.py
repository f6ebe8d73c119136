"""Counting worlds: every method against all worlds looked at one by one, and the published numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from clocks import ticking
from instances import DELTA, EPSILON, N, P, Q, R, WorldsOver, models
from instances import worlds as worlds_over
from possilog.counting import TooLarge
from possilog.counting.count import Count
from possilog.counting.worlds import (
    Worlds,
    count_by_cutting_planes,
    count_by_ganak,
    count_by_search,
    count_worlds,
    count_worlds_by_hashing,
    methods,
)
from possilog.counting.worlds.components import apart, propagate, split, split_by_predicates
from possilog.counting.worlds.formula import GroundFormula, Numbering
from possilog.counting.worlds.search import count_models
from possilog.data import read
from possilog.deadline import NEVER, Deadline
from possilog.errors import MissingPart, PossilogError, QueryError, TheoryError
from possilog.logic import Atom, Clause, Literal, Predicate, Variable, parse_clause, read_theory
from possilog.sat import counters
from possilog.sat.counters import ModelCounter, has_ganak, has_xor_solver
from shared import shared_data

needs_ganak = pytest.mark.skipif(not has_ganak(), reason="pyganak is not installed")
needs_xors = pytest.mark.skipif(not has_xor_solver(), reason="pycryptosat is not installed")


@st.composite
def formulas(draw: st.DrawFn, atoms: int = 8) -> GroundFormula:
    count = draw(st.integers(0, atoms))
    literals = st.integers(1, max(count, 1)).flatmap(lambda atom: st.sampled_from([atom, -atom]))
    clauses = st.sets(literals, min_size=1, max_size=3).filter(lambda c: not any(-x in c for x in c))
    listed = draw(st.lists(clauses.map(lambda c: tuple(sorted(c))), max_size=10)) if count else []
    return GroundFormula(count, tuple(listed))


# Every method against the definition


def problem_of(instance: WorldsOver) -> Worlds:
    return Worlds(instance.predicates, instance.width, instance.clauses)


def test_our_search_counts_the_worlds() -> None:
    for instance in worlds_over():
        assert count_by_search(problem_of(instance)) == Count.of(instance.satisfying, "search"), instance.seed


@needs_ganak
def test_ganak_counts_the_worlds() -> None:
    with ModelCounter() as counter:  # one process for all
        for instance in worlds_over():
            count = count_by_ganak(problem_of(instance), Deadline(60), counter)
            assert count == Count.of(instance.satisfying, "Ganak"), instance.seed


@needs_xors
@pytest.mark.parametrize(("method", "instances"), [(count_worlds_by_hashing, 2_000), (count_by_cutting_planes, 350)])
def test_estimates_on_random_instances(method: Callable[..., Count], instances: int) -> None:
    """What is said to be exact is so; the intervals of the others hold the truth as often as they say."""
    covered, estimated = 0, 0
    for instance in worlds_over()[: budget(instances)]:
        count = method(problem_of(instance), epsilon=EPSILON, delta=2 * DELTA, seed=instance.seed)
        if count.exact:
            assert count.value == instance.satisfying, instance.seed
        else:
            estimated += 1
            covered += count.low <= instance.satisfying <= count.high
    assert estimated > budget(instances) / 25 and covered >= (1 - 2 * DELTA) * estimated


@needs_xors
@pytest.mark.parametrize("method", [count_worlds_by_hashing, count_by_cutting_planes])
def test_estimates_are_exact_where_worlds_can_be_listed(method: Callable[..., Count]) -> None:
    # With an ε so small, so many models may be listed that nothing is left to be estimated.
    for instance in worlds_over()[: budget(100)]:
        assert method(problem_of(instance), epsilon=0.05).value == instance.satisfying


@settings(max_examples=budget(200))
@given(formulas(), st.integers(0, 2**32))
def test_our_search_counts_models_whatever_it_remembers(formula: GroundFormula, seed: int) -> None:
    forgetful = pytest.MonkeyPatch()
    forgetful.setattr("possilog.counting.worlds.search.REMEMBERED", seed % 20)
    with forgetful.context():
        assert count_models(formula) == models(formula)
    forgetful.undo()


@pytest.mark.parametrize("method", [count_by_search, count_by_ganak, count_worlds_by_hashing, count_by_cutting_planes])
def test_falsity_has_no_world_and_nothing_said_leaves_all(method: Callable[..., Count]) -> None:
    if method is not count_by_search and not (has_ganak() and has_xor_solver()):
        pytest.skip("the counters are not installed")
    assert method(Worlds((P, R), 3, (Clause(),))).value == 0
    assert method(Worlds((P, R), 3, (parse_clause("p(X)."), parse_clause(":- p(X).")))).value == 0
    assert method(Worlds((P, R), 3, (parse_clause("p(X) :- p(X)."),))).value == 1 << 12
    assert method(Worlds((), 3, ())).value == 1
    # More variables than constants: the clause says nothing.
    assert method(Worlds((R,), 2, (parse_clause(":- r(X, Y), r(Y, Z)."),))).value == 16


def test_a_thousand_decisions_deep_is_no_recursion_error() -> None:
    chain = GroundFormula(3000, tuple((-atom, atom + 1) for atom in range(1, 3000)))
    assert count_models(GroundFormula(60, chain.clauses[:59])) == 61
    assert count_models(chain, Deadline(0.2)) in (None, 3001)


def test_worlds_that_cannot_be_counted() -> None:
    with pytest.raises(TheoryError, match="speaks of q/1"):
        Worlds((P,), 2, (parse_clause(":- q(X)."),))
    with pytest.raises(TheoryError, match="names a constant"):
        Worlds((P,), 2, (parse_clause(":- p(a)."),))
    with pytest.raises(QueryError, match="one constant or more"):
        Worlds((P,), 0)
    with pytest.raises(QueryError, match="given twice"):
        Worlds((P, P), 2)


# Parts


@settings(max_examples=budget(200))
@given(formulas())
def test_parts_multiply(formula: GroundFormula) -> None:
    found, product_of_parts = split(formula), 0
    if found is not None:
        product_of_parts = 1 << found.free
        for part, times in found.parts:
            assert all(len(clause) > 1 for clause in part.clauses)
            product_of_parts *= models(part) ** times
    assert product_of_parts == models(formula)


@settings(max_examples=budget(200))
@given(formulas(20))
def test_parts_share_no_atom_and_cannot_be_split(formula: GroundFormula) -> None:
    parts = apart([clause for clause in formula.clauses if clause])
    assert sorted(clause for part in parts for clause in part) == sorted(formula.clauses)
    used = [{abs(x) for clause in part for x in clause} for part in parts]
    assert all(one.isdisjoint(other) for one, other in combinations(used, 2))
    for part in parts:
        reached, before = {abs(part[0][0])}, 0
        while len(reached) > before:
            before = len(reached)
            reached.update(abs(x) for c in part if not reached.isdisjoint(map(abs, c)) for x in c)
        assert reached == {abs(x) for clause in part for x in clause}


def test_parts_without_a_common_predicate_multiply() -> None:
    for instance in worlds_over()[: budget(500)]:
        free, parts = split_by_predicates(problem_of(instance))
        total = 1 << free
        for part in parts:
            total *= models(part.ground())
        assert total == instance.satisfying, instance.seed


def test_alike_parts_are_counted_once() -> None:
    found = split(Worlds((P, Q), 5, (parse_clause("p(X) ; q(X)."),)).ground())
    assert found is not None and [times for _, times in found.parts] == [5]
    assert propagate([(1,), (-1,)]) is None


def test_atoms_and_their_numbers() -> None:
    numbering = Numbering([N, P, R], 3)
    seen = [numbering.atom(number) for number in range(1, 14)]
    assert seen == [(p, chosen[::-1]) for p in (N, P, R) for chosen in product(range(3), repeat=p.arity)]


# Limits


HARD = Worlds(
    (R, Predicate("s", 2)), 7, (parse_clause("s(X, Z) :- r(X, Y), s(Y, Z)."), parse_clause("r(X, Y) ; s(Y, X)."))
)


def test_our_search_stops() -> None:
    assert count_by_search(HARD, Deadline(0.1)) is None


@needs_ganak
def test_ganak_stops_and_starts_again() -> None:
    with ModelCounter() as counter:
        assert count_by_ganak(HARD, Deadline(0.3), counter) is None
        assert counter.count(2, [[1, 2]]) == 3
        assert counter.count(2, [[1, 2]], seconds=0) is None
        assert counter.count(2, [[1, 2], []]) == 0
        assert counter.count(20_000, []) == 1 << 20_000
    assert counter._process is None


@needs_ganak
def test_ganak_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert count_by_ganak(Worlds((P, Q), 3, (parse_clause("p(X) ; q(Y)."),))) is not None
    assert capfd.readouterr() == ("", "")


@needs_xors
@pytest.mark.parametrize("method", [count_worlds_by_hashing, count_by_cutting_planes])
def test_estimates_stop(method: Callable[..., Count | None]) -> None:
    assert method(HARD, epsilon=0.1, stop=Deadline(0.1)) is None


@needs_xors
def test_what_cannot_be_counted_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = Worlds((P, Q), 3, (parse_clause("p(X) ; q(Y)."), parse_clause("p(X) ; q(X).")))
    truth = models(worlds.ground())
    monkeypatch.setattr(methods, "count_by_search", lambda *given: None)
    monkeypatch.setattr(methods, "count_by_ganak", lambda *given: None)
    assert count_worlds(worlds, epsilon=0.05) == Count.of(truth, "ApproxMC2")
    monkeypatch.setattr(methods, "GROUNDINGS", 5)
    assert count_worlds(worlds, epsilon=0.05).method == "ApproxMC2 with cutting planes"


@needs_ganak
@needs_xors
def test_each_method_has_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it is for exact counts, a quarter of that for our search; Ganak has what is left of the half."""
    ticking(monkeypatch, 0)
    left: dict[str, float | None] = {}
    for name in ("count_by_search", "count_by_ganak"):
        monkeypatch.setattr(methods, name, lambda worlds, stop, name=name: left.update({name: stop.left}))
    monkeypatch.setattr(
        methods, "count_worlds_by_hashing", lambda worlds, stop, **how: left.update({"rest": stop.left})
    )
    for stop, seconds in ((Deadline(80), 40.0), (NEVER, 60.0)):
        with pytest.raises(
            TooLarge, match="the worlds over 7 constants could not be counted in the time there is; allow"
        ):
            count_worlds(HARD, stop=stop)
        assert left["count_by_search"] == pytest.approx(seconds / 4)
        assert left["count_by_ganak"] == pytest.approx(seconds)
        assert left["rest"] is None if stop is NEVER else left["rest"] == pytest.approx(80)
    monkeypatch.setattr(methods, "has_ganak", lambda: False)
    with pytest.raises(TooLarge):
        count_worlds(HARD, stop=Deadline(80))
    assert left["count_by_search"] == pytest.approx(40)


def test_worlds_that_no_method_can_count_are_refused_at_once() -> None:
    with pytest.raises(TooLarge, match=r"there are 90,000 atoms over 300 constants, .* give a smaller width"):
        count_worlds(Worlds((R,), 300))
    chain = parse_clause(":- " + ", ".join(f"r(X{place}, X{place + 1})" for place in range(30)) + ".")
    with pytest.raises(TooLarge, match="40 constants can break the rules in more than 1,000,000,000 ways"):
        count_worlds(Worlds((R,), 40, (chain,)))


def test_a_clause_of_many_literals_is_counted() -> None:
    predicates = tuple(Predicate(f"p{number}", 1) for number in range(9_999))
    clause = Clause.of(
        Literal(Atom(predicate, (Variable("X"),)), number % 2 == 0) for number, predicate in enumerate(predicates)
    )
    assert count_worlds(Worlds(predicates, 2, (clause,))).value == ((1 << 9_999) - 1) ** 2


def test_without_the_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "find_spec", lambda name: None)
    assert count_worlds(Worlds((P, Q), 3, (parse_clause("p(X) ; q(X)."),))) == Count.of(27, "search")
    for method in (count_by_ganak, count_worlds_by_hashing, count_by_cutting_planes):
        with pytest.raises(MissingPart, match=r"pip install 'possilog\[counting\]'"):
            method(Worlds((P, Q), 3, (parse_clause("p(X) ; q(X)."),)))
    with pytest.raises(MissingPart, match=r"allow more, or estimate .* pip install 'possilog\[counting\]'"):
        count_worlds(HARD, stop=Deadline(0.1))


# Published numbers


@cache
def published(name: str, width: int, soft: bool) -> Worlds:
    folder = shared_data(f"{name}/ijcai17")
    theory = read_theory(folder / f"{name}.poss")
    rules = theory.rules if soft else theory.hard
    return Worlds(read(folder / "train.db").predicates, width, tuple(rule.clause for rule in rules))


@pytest.mark.parametrize(
    ("name", "width", "ground", "hard", "all_rules"),
    [("uwcse", 3, 114, 4143, 1608), ("uwcse", 4, 224, 176847, 32851), ("yeast", 4, 112, 29056, 28384)],
)
def test_published_worlds(name: str, width: int, ground: int, hard: int, all_rules: int) -> None:
    for worlds, truth in ((published(name, width, False), hard), (published(name, width, True), all_rules)):
        assert worlds.atoms == ground
        assert count_by_search(worlds) == Count.of(truth, "search")


@needs_ganak
@needs_xors
@pytest.mark.parametrize("soft", [False, True])
def test_published_worlds_by_the_other_methods(soft: bool) -> None:
    worlds, truth = published("uwcse", 3, soft), 1608 if soft else 4143
    assert count_by_ganak(worlds) == Count.of(truth, "Ganak")
    for method in (count_worlds_by_hashing, count_by_cutting_planes):
        count = method(worlds)
        assert count is not None and count.low <= truth <= count.high and not count.exact


@needs_ganak
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_a_model_counter_that_stops_without_an_answer_is_an_error(
    seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "_ask", lambda process, question: "")
    with ModelCounter() as counter, pytest.raises(PossilogError, match="stopped without an answer"):
        counter.count(2, [[1, 2]], seconds)
