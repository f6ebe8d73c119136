"""Search of the ordering: counts and changes by definition, and the bar on real data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, permutations
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.counting import Count, CutCounter, CutLevels, Levels, ProfileLevels
from possilog.data import Database, read
from possilog.deadline import Deadline
from possilog.errors import TheoryError
from possilog.logic import Atom, Clause, parse_clause
from possilog.structure import PRESETS, find_hard_rules, find_rules
from possilog.weights import (
    Orderings,
    fit,
    held_out_curve,
    knee,
    search_ordering,
    simplify,
)
from shared import shared_data

CANDIDATES = [parse_clause(f":- {name}(X).") for name in "dacb"]
BITS = [1 << place for place in range(len(CANDIDATES))]
INDEPENDENT = 50.0
Table = dict[int, int]


@st.composite
def profiles(draw: st.DrawFn) -> tuple[Table, Table]:
    """Tables of subsets and worlds for the candidates; nothing in the data is impossible."""
    sets = st.integers(0, (1 << len(CANDIDATES)) - 1)
    worlds = draw(st.dictionaries(sets, st.integers(1, 60), min_size=1, max_size=16))
    seen = draw(st.lists(st.sampled_from(sorted(worlds)), min_size=1, max_size=8, unique=True))
    return {violated: draw(st.integers(1, 100_000)) for violated in seen}, worlds


def totals(table: Table, order: tuple[int, ...]) -> list[int]:
    """What each level decides about, by definition."""
    result = [0] * (len(order) + 1)
    for violated, number in table.items():
        result[max((level for level, rule in enumerate(order, start=1) if violated >> rule & 1), default=0)] += number
    return result


def satisfying(table: Table, cut: list[Clause]) -> Count:
    bits = sum(1 << CANDIDATES.index(clause) for clause in cut)
    return Count.of(sum(number for violated, number in table.items() if not violated & bits), "definition")


def each(count: Callable[[list[Clause]], Count]) -> Callable[[Sequence[tuple[Sequence[Clause], float]]], list[Count]]:
    """What counts several cuts, whatever their share of the time, by what counts one."""
    return lambda asked: [count(list(cut)) for cut, _ in asked]


@settings(max_examples=budget(200))
@given(profiles(), st.lists(st.sampled_from(range(len(CANDIDATES))), unique=True))
def test_levels_by_profile_and_by_cut_are_as_defined(tables: tuple[Table, Table], order: list[int]) -> None:
    for table in tables:
        by_profile = ProfileLevels(table, BITS)
        by_cut = CutLevels(CANDIDATES, each(partial(satisfying, table)))
        for levels in (by_profile, by_cut):
            assert [count.value for count in levels.totals(order)] == totals(table, tuple(order))
            violating = levels.violating(order)
            for rule in range(len(CANDIDATES)):
                part = {violated: number for violated, number in table.items() if violated >> rule & 1}
                assert violating[rule].tolist() == totals(part, tuple(order))


def search(tables: tuple[Table, Table], candidates: list[Clause] = CANDIDATES, **options: object) -> Orderings:
    levels = Levels(*(ProfileLevels(table, BITS) for table in tables))
    return search_ordering(candidates, levels, independent=INDEPENDENT, **options)  # type: ignore[arg-type]


def likelihood(tables: tuple[Table, Table], order: tuple[int, ...]) -> float:
    n, m = (totals(table, order) for table in tables)
    return fit(n, m).log_likelihood / sum(n)


def changes(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Everything that is one change away."""
    for place in range(len(order)):
        without = order[:place] + order[place + 1 :]
        yield without
        yield from insertions(without)
    for one, other in combinations(range(len(order)), 2):
        swapped = list(order)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        yield tuple(swapped)


def insertions(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for rule in set(range(len(CANDIDATES))) - set(order):
        for place in range(len(order) + 1):
            yield (*order[:place], rule, *order[place:])


@settings(max_examples=budget(150), deadline=None)
@given(profiles(), st.sampled_from([0.0, 0.1, 2.0]), st.sampled_from([None, 2, 0]), st.integers(1, 3))
def test_no_single_change_is_better(tables: tuple[Table, Table], price: float, most: int | None, starts: int) -> None:
    found = search(tables, penalty=price, max_rules=most, starts=starts)

    def score(order: tuple[int, ...]) -> float:
        return likelihood(tables, order) * INDEPENDENT - price * len(order)

    best = found.best
    assert best.score == pytest.approx(score(best.order), abs=1e-6)
    assert best.rules == tuple(CANDIDATES[rule] for rule in best.order)
    nearby = list(changes(best.order))
    if most is None or len(best.order) < most:
        nearby += insertions(best.order)
    assert all(score(order) <= best.score + 1e-6 for order in nearby)
    assert [len(ordering.order) for ordering in found.path] == list(range(len(found.path)))
    assert found.finished and len(found.path) <= 1 + (len(CANDIDATES) if most is None else most)
    if len(found.path) > 1:
        single = max(likelihood(tables, (rule,)) for rule in range(len(CANDIDATES)))
        assert likelihood(tables, found.path[1].order) == pytest.approx(single, abs=1e-9)


@settings(max_examples=budget(40), deadline=None)
@given(profiles(), st.permutations(range(len(CANDIDATES))))
def test_the_order_in_which_candidates_come_changes_nothing(tables: tuple[Table, Table], order: list[int]) -> None:
    def renamed(table: Table) -> Table:
        return {
            sum(1 << place for place, rule in enumerate(order) if violated >> rule & 1): number
            for violated, number in table.items()
        }

    one = search(tables)
    other = search((renamed(tables[0]), renamed(tables[1])), [CANDIDATES[rule] for rule in order])
    assert one.best.rules == other.best.rules and one.best.fit == other.best.fit
    assert [ordering.rules for ordering in one.path] == [ordering.rules for ordering in other.path]


def test_all_orderings_of_a_small_case() -> None:
    tables = ({0: 900, 1: 40, 2: 9, 6: 30, 8: 3, 9: 1}, {0: 20, 1: 20, 2: 9, 6: 12, 8: 30, 9: 4, 15: 3})
    every = [order for size in range(5) for order in permutations(range(4), size)]
    best = max(likelihood(tables, order) for order in every)
    assert likelihood(tables, search(tables, penalty="none").best.order) == pytest.approx(best, abs=1e-12)


GREEDY = (
    {0: 829, 1: 5457, 6: 9, 7: 2, 8: 1, 10: 20, 12: 84, 13: 2450, 14: 103, 15: 4476},
    {0: 26, 1: 2, 6: 27, 7: 23, 8: 5, 10: 8, 12: 24, 13: 15, 14: 4, 15: 25},
)
PRICE = 0.5


def test_without_starts_it_is_greedy_insertion_alone() -> None:
    """Here one rule in place of another makes the greedy ordering better, and that takes a start."""
    greedy, changed = (search(GREEDY, penalty=PRICE, starts=starts).best for starts in (0, 1))
    order: tuple[int, ...] = ()
    visited = [order]
    while len(order) < len(CANDIDATES):
        longer = max(insertions(order), key=lambda order: likelihood(GREEDY, order))
        if likelihood(GREEDY, longer) <= likelihood(GREEDY, order) + 1e-12:
            break
        order = longer
        visited.append(order)
    best = max(visited, key=lambda order: likelihood(GREEDY, order) * INDEPENDENT - PRICE * len(order))
    assert likelihood(GREEDY, greedy.order) == pytest.approx(likelihood(GREEDY, best), abs=1e-9)
    assert changed.score > greedy.score + 1e-6


def test_it_can_be_stopped_and_what_it_had_is_kept() -> None:
    tables = ({0: 900, 1: 40, 2: 9, 6: 30, 8: 3}, {0: 20, 1: 20, 2: 9, 6: 12, 8: 30, 15: 3})
    told: list[float] = []
    whole = search(tables, penalty="none", better=lambda ordering: told.append(ordering.score))
    assert told == sorted(told) and told[-1] == whole.best.score and whole.finished
    seen: list[object] = []
    part = search(tables, penalty="none", better=seen.append, stop=Deadline(cancelled=lambda: bool(seen)))
    assert not part.finished and part.best == seen[-1] and len(part.best.order) == 1
    nothing = search(tables, stop=Deadline(0))
    assert not nothing.finished and nothing.best.order == ()


def test_estimates_decide_only_where_they_are_sure() -> None:
    table = {0: 990, 1: 10}

    def rough(spread: int, cut: list[Clause]) -> Count:
        value = satisfying(table, cut).value
        return Count(value, value - spread, value + spread, "guess", 0.95)

    worlds = ProfileLevels({0: 10, 1: 10}, [1])
    for spread, rules in [(1, 1), (400, 0)]:
        subsets = CutLevels(CANDIDATES[:1], each(partial(rough, spread)))
        found = search_ordering(CANDIDATES[:1], Levels(subsets, worlds), independent=INDEPENDENT, penalty="none")
        assert len(found.best.order) == rules


def test_estimates_that_leave_no_worlds_are_no_ordering() -> None:
    """A rule that some k-subsets break and, as far as is known, no world."""
    worlds = CutLevels(CANDIDATES[:1], each(lambda cut: Count(20, 10, 30, "guess", 0.95)))
    subsets = ProfileLevels({0: 990, 1: 10}, [1])
    assert (
        search_ordering(CANDIDATES[:1], Levels(subsets, worlds), independent=INDEPENDENT, penalty="none").best.order
        == ()
    )


def test_profiles_that_contradict_each_other() -> None:
    with pytest.raises(TheoryError, match="as no world does"):
        search(({0: 1, 1: 1}, {0: 1}))


def test_the_held_out_curve() -> None:
    tables = ({0: 900, 1: 40, 2: 9}, {0: 20, 1: 20, 2: 9, 4: 5})
    found = search(tables, penalty="none", smoothing=1)
    curve = held_out_curve(found.path, ProfileLevels({0: 50, 1: 3, 4: 1}, BITS))
    assert len(curve) == len(found.path)
    n, p = totals({0: 50, 1: 3, 4: 1}, found.path[-1].order), found.path[-1].fit.probabilities
    assert curve[-1] == pytest.approx(sum(a * log(b) for a, b in zip(n, p, strict=True)) / 54)
    certain = search(tables, penalty="none")
    assert min(held_out_curve(certain.path, ProfileLevels({4: 1}, BITS))) == float("-inf")


@pytest.mark.parametrize(
    ("curve", "size"),
    [
        ([-8.0], 0),
        ([], 0),
        ([-4.0, -3.0, -2.0, -1.0], 3),
        ([-8.0, -2.0, -1.9, -1.8, -7.0], 1),
        ([-8.0, float("-inf"), -2.0, -1.9, -1.8], 2),
        ([float("-inf"), -8.0, -6.0, -5.0, -4.9, -4.85], 3),
        ([float("-inf")] * 3 + [-8.0, -6.0, -5.0, -4.9, -4.85], 5),
    ],
)
def test_the_knee(curve: list[float], size: int) -> None:
    assert knee(curve) == size


def test_levels_of_data_with_and_without_profiles() -> None:
    facts = [Atom.ground("r", [*pair]) for pair in ["ab", "bc", "cd", "ae"]] + [Atom.ground("p", ["a"])]
    rules = [parse_clause(text) for text in ("p(X) :- r(X, Y).", ":- r(X, Y), r(Y, Z).", ":- p(X).")]
    results = []
    for limit in (2_000_000, -1):
        counter = CutCounter(Database.of(facts), 2, hard=[parse_clause(":- r(X, X).")], limit=limit)
        levels = counter.levels(rules)
        assert isinstance(levels.subsets, ProfileLevels) == (limit > 0)
        results.append(search_ordering(rules, levels, independent=2.5, penalty="none"))
    assert results[0] == results[1]


@pytest.mark.slow
def test_uwcse_is_far_more_likely_than_under_the_authors_rules() -> None:
    """Their 18 rules with exact weights have -85554279.19, over the same worlds (NOTES, numbers to test against)."""
    database = read(shared_data("uwcse") / "ijcai17" / "train.db")
    hard = [rule.clause for rule in find_hard_rules(database).rules]
    rules = [rule.clause for rule in find_rules(database, hard, settings=PRESETS["uwcse"]).rules]
    levels = CutCounter(database, 3, hard=hard).levels(rules)
    assert levels.worlds.totals(())[0].value == 4143
    found = search_ordering(rules, levels, independent=412 / 3, max_rules=18, penalty="none", starts=1)
    assert len(found.best.order) == 18
    assert found.best.log_likelihood > -56_000_000
    theory = found.best.theory(hard)
    simpler = simplify(theory).theory
    assert simpler.falsity == theory.falsity and len(simpler.soft) <= len(theory.soft)
    priced = search_ordering(rules, levels, independent=412 / 3, starts=1)
    assert 10 <= len(priced.best.order) < 18
    assert priced.path[-1].log_likelihood > found.best.log_likelihood
