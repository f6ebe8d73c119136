"""Counting k-subsets: every method against the definition, and every estimator's interval against its promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from math import exp, sqrt
from random import Random

import numpy as np
import pytest

from budget import budget
from instances import INSTANCES, Subsets, subsets
from possilog.chance import clopper_pearson
from possilog.counting import Count
from possilog.counting.subsets import (
    Effort,
    SubsetProblem,
    count_by_hashing,
    count_by_karp_luby,
    count_by_listing,
    count_by_sampling,
    count_subsets,
    hashing,
    karp_luby,
    sampling,
)
from possilog.counting.subsets.listing import Listing
from possilog.counting.subsets.partial import Partial, as_bits, members
from possilog.counting.subsets.xor import forced, random_equations, reduced
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.errors import QueryError, TheoryError
from possilog.logic import Atom, Clause, parse_clause
from possilog.matching import Matcher

Subset = tuple[int, ...]

EVERYTHING = 10**9


def test_listing_is_given_up_when_the_time_is_over() -> None:
    facts = Database.of(Atom.ground("p", [f"c{number}"]) for number in range(8))
    problem = SubsetProblem.prepared(facts, [parse_clause(":- p(X), p(Y).")], 3)
    assert count_by_listing(problem, EVERYTHING) is not None
    assert count_by_listing(problem, EVERYTHING, Deadline(0)) is None


def violating_by_definition(database: Database, clauses: Sequence[Clause], width: int) -> set[Subset]:
    """The k-subsets whose fragment has a counterexample to some clause."""
    found = set()
    for subset in combinations(range(len(database.constants)), width):
        fragment = Matcher(database.fragment([database.constants[number] for number in subset]))
        if any(fragment.exists(clause.violation) for clause in clauses):
            found.add(subset)
    return found


def start(problem: SubsetProblem, equations: Sequence[int] = ()) -> Partial | None:
    return Partial.start(problem.constants, problem.width, equations)


# On random small instances


def problem_of(instance: Subsets) -> SubsetProblem:
    return SubsetProblem.prepared(instance.database, instance.rules, instance.width)


def test_listing_is_the_definition() -> None:
    for instance in subsets():
        problem, truth = problem_of(instance), instance.violating
        listed = list(Listing(problem).subsets(start(problem)))
        assert len(listed) == len(truth) and set(listed) == truth, instance.seed
        assert count_by_listing(problem, len(truth)) == Count.of(instance.satisfying, "listing")
        if truth:
            assert count_by_listing(problem, len(truth) - 1) is None


def test_the_cascade_is_the_definition() -> None:
    for instance in subsets():
        count = count_subsets(instance.database, instance.rules, instance.width)
        assert count == Count.of(instance.satisfying, "listing"), instance.seed


def test_images_are_the_matcher_s() -> None:
    for instance in subsets()[: budget(500)]:
        problem = problem_of(instance)
        listed = list(Listing(problem).images(start(problem)))
        names = {frozenset(instance.database.constants[number] for number in image) for image in listed}
        assert len(listed) == len(names)
        assert names == {
            frozenset(match.values())
            for rule in instance.rules
            if len(rule.variables) <= instance.width <= len(instance.database.constants)
            for match in problem.matcher.matches(rule.violation)
        }


def test_sampling_judges_a_subset_by_definition() -> None:
    for instance in subsets():
        rows = sorted(instance.truth)
        judged = sampling.violating(problem_of(instance), np.array(rows).reshape(len(rows), instance.width))
        assert {row for row, broken in zip(rows, judged, strict=True) if broken} == instance.violating, instance.seed


def test_karp_luby_has_the_right_mean() -> None:
    """Its mean over all choices is the number of k-subsets, and no k-subset has more images than its bound says."""
    for instance in subsets():
        problem, truth = problem_of(instance), instance.violating
        by_size = karp_luby._minimal(set(Listing(problem).images(start(problem))))
        images = [set(image) for listed in by_size.values() for image in listed]
        inside = {subset: sum(image <= set(subset) for image in images) for subset in truth}
        assert all(1 <= number <= karp_luby._most_inside(by_size, instance.width) for number in inside.values())
        assert sum(problem.above(len(image)) for image in images) == sum(inside.values()), instance.seed


# XOR constraints against plain enumeration


def solutions(equations: Sequence[int], size: int) -> set[int]:
    """The vectors of indicators for which the sum of each equation is its right-hand side."""
    right = 1 << size
    return {v for v in range(right) if all(((v | right) & equation).bit_count() % 2 == 0 for equation in equations)}


def systems() -> Iterator[tuple[Random, int, list[int]]]:
    """Systems of equations on a few indicators."""
    for seed in range(budget(INSTANCES)):
        random = Random(seed)
        size = random.randint(1, 7)
        yield random, size, [random.randrange(2 << size) for _ in range(random.randint(0, 6))]


def test_elimination_keeps_the_solutions() -> None:
    for _, size, equations in systems():
        truth, result = solutions(equations, size), reduced(equations, 1 << size)
        assert (result is None) == (not truth)
        if result is not None:
            assert solutions(result, size) == truth
            assert len(truth) == 1 << (size - len(result))
            ones, zeros = forced(result, 1 << size)
            assert set(members(ones)) == {i for i in range(size) if all(v >> i & 1 for v in truth)}
            assert set(members(zeros)) == {i for i in range(size) if not any(v >> i & 1 for v in truth)}


def test_propagation_keeps_the_subsets() -> None:
    for random, size, equations in systems():
        width = random.randint(0, 4)
        truth = {v for v in solutions(equations, size) if v.bit_count() == width}
        known = Partial.start(size, width, equations)
        while known is not None:
            assert all(known.inside & ~v == 0 and v & ~known.possible == 0 for v in truth)
            if known.missing <= 1:  # then propagation is complete
                assert truth == ({known.inside | 1 << c for c in members(known.free)} or {known.inside})
                break
            inside, outside = (1 << random.choice(list(members(known.free))) for _ in range(2))
            truth = {v for v in truth if v & inside and not v & outside}
            known = known.narrowed(inside, known.possible & ~outside)
        assert known is not None or not truth


def test_propagation_goes_both_ways() -> None:
    pair, right = as_bits([0, 1]), 1 << 5
    start = Partial.start(5, 2, [pair, 0b11100 | right])  # both or none of 0 and 1, and an odd number of the others
    assert start is not None and start.narrowed(1, 0b11111) is None  # 0 requires 1, and then the others are none
    some = Partial.start(5, 3, [pair, 0b11100 | right])
    assert some is not None
    required, gone = some.narrowed(1, 0b11111), some.narrowed(0, 0b11110)
    assert required is not None and required.inside == 0b11
    assert gone is not None and gone.inside == gone.possible == 0b11100


def test_cells_are_the_definition() -> None:
    """Equations are propagated inside the search; what it lists is what enumeration and a check of each would."""
    for instance in subsets():
        problem, random = problem_of(instance), np.random.default_rng(instance.seed)
        equations = random_equations(random, problem.constants, instance.seed % 6)
        satisfying = solutions(equations, problem.constants)
        truth = {subset for subset in instance.violating if as_bits(subset) in satisfying}
        listed = list(Listing(problem).subsets(start(problem, equations)))
        assert len(listed) == len(truth) and set(listed) == truth, instance.seed


def test_random_equations_are_fair() -> None:
    for indicators in (0, 6, 7, 8, 15):
        equations = random_equations(np.random.default_rng(1), indicators, 2000)
        for place in range(indicators + 1):
            assert 850 < sum(equation >> place & 1 for equation in equations) < 1150
        assert max(equations) < 2 << indicators


# Estimators


Estimator = Callable[[SubsetProblem, int], Count | None]
ESTIMATORS: dict[str, tuple[float, Estimator]] = {
    "sampling": (0.9, lambda p, seed: count_by_sampling(p, seed, width=0.2, confidence=0.9, budget=3000)),
    "a short sample": (0.9, lambda p, seed: count_by_sampling(p, seed, width=0.2, confidence=0.9, budget=40)),
    "Karp-Luby": (0.8, lambda p, seed: count_by_karp_luby(p, seed, tolerance=0.3, confidence=0.8)),
    "hashing": (0.8, lambda p, seed: count_by_hashing(p, seed, tolerance=0.8, confidence=0.8)),
}


def random_graph(seed: int, constants: int, edges: int) -> Database:
    random = Random(seed)
    names = [f"c{number:03}" for number in range(constants)]
    return Database.of([Atom.ground("r", random.sample(names, 2)) for _ in range(edges)], constants=names)


CHAIN = [parse_clause(":- r(X, Y), r(Y, Z)."), parse_clause("r(Y, X) :- r(X, Y).")]
TINY = [parse_clause(":- r(X, Y), r(Y, Z)."), parse_clause(":- s(X, Y).")]


@cache
def tiny() -> tuple[SubsetProblem, int]:
    """Images of two sizes that overlap much; less than half of the k-subsets violate, and yet too many for one cell."""
    database = random_graph(3, 11, 14) | Database.of([Atom.ground("s", ["c001", "c005"])])
    return SubsetProblem.prepared(database, TINY, 4), len(violating_by_definition(database, TINY, 4))


def covers(problem: SubsetProblem, count: Count | None, violating: int) -> bool:
    assert count is not None and 0 <= count.low <= count.value <= count.high <= problem.total
    return count.low <= problem.total - violating <= count.high


def fewest(runs: int, rate: float) -> float:
    """At least so many of the runs keep a promise of this rate, but for once in 30,000 tests."""
    return runs * rate - 4 * sqrt(runs * rate * (1 - rate))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_intervals_keep_their_promise(name: str) -> None:
    confidence, estimator = ESTIMATORS[name]
    problem, violating = tiny()
    assert 73 < violating < problem.total / 2
    counts = [estimator(problem, seed) for seed in range(budget(500))]
    assert all(count is not None and count.confidence == confidence and not count.exact for count in counts)
    assert sum(covers(problem, count, violating) for count in counts) >= fewest(len(counts), confidence)
    assert len(set(counts)) > 1


def test_a_broken_estimator_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault is one that could be made, and is caught by the promise that intervals make or by their mean."""
    problem, violating = tiny()

    def kept(name: str) -> bool:
        confidence, estimator = ESTIMATORS[name]
        counts = [estimator(problem, seed) for seed in range(200)]
        values = np.array([problem.total - count.value for count in counts if count is not None])
        covered = sum(covers(problem, count, violating) for count in counts)
        right = abs(values.mean() - violating) < 4 * values.std() / sqrt(len(values)) + 0.1 * violating
        return bool(covered >= fewest(len(counts), confidence) and right)

    assert kept("Karp-Luby") and kept("hashing") and kept("a short sample")
    with monkeypatch.context() as broken:  # images are not weighted by how many lie inside
        broken.setattr(karp_luby, "_mean_weight", lambda *given: Fraction(1))
        assert not kept("Karp-Luby")
    with monkeypatch.context() as broken:  # one constraint is forgotten in the estimate
        run = hashing._run
        broken.setattr(hashing, "_run", lambda *given: (run(*given)[0], run(*given)[1] // 2))
        assert not kept("hashing")
    with monkeypatch.context() as broken:  # only k-subsets of the first constants are drawn
        draw = sampling.draw_subsets
        broken.setattr(sampling, "draw_subsets", lambda chance, n, constants, k: draw(chance, n, constants - 3, k))
        assert not kept("a short sample")


def test_the_intervals_of_the_cascade_keep_their_promise() -> None:
    problem, violating = tiny()
    effort = Effort(confidence=0.8, few_subsets=10, samples=60, many_subsets=10, karp_luby_tolerance=0.5)
    counts = [
        count_subsets(problem.matcher.database, TINY, problem.width, seed=seed, effort=effort)
        for seed in range(budget(500))
    ]
    assert {count.method for count in counts} == {"Karp-Luby"} and {count.confidence for count in counts} == {0.8}
    assert sum(covers(problem, count, violating) for count in counts) >= fewest(len(counts), 0.8)


@pytest.mark.parametrize(("name", "slack"), [("a short sample", 0), ("Karp-Luby", 0), ("hashing", 0.1)])
def test_estimates_are_right_on_average(name: str, slack: float) -> None:
    """An estimator that is a little wrong stays in its interval, but not with its mean. A median is not unbiased."""
    problem, violating = tiny()
    counts = [ESTIMATORS[name][1](problem, seed) for seed in range(budget(500))]
    values = np.array([problem.total - count.value for count in counts if count is not None])
    assert abs(values.mean() - violating) < 4 * values.std() / sqrt(len(values)) + slack * violating


def _size(cells: Sequence[int], small: int, equations: Sequence[int]) -> int:
    return min(cells[len(equations)], small)


def test_a_single_run_of_hashing_is_right_more_often_than_not() -> None:
    problem, violating = tiny()
    listing, small, right = Listing(problem), hashing._small(0.8), 0
    for seed in range(budget(500)):
        equations = random_equations(np.random.default_rng(seed), problem.constants, 9)
        cells = [sum(1 for _ in listing.subsets(start(problem, equations[:number]))) for number in range(10)]
        size = partial(_size, cells, small)
        constraints, estimate = hashing._run(equations, size, small, 1 + seed % 9)
        assert cells[constraints] < small <= cells[constraints - 1]
        assert estimate == cells[constraints] << constraints
        right += violating / 1.8 <= estimate <= violating * 1.8
    assert right >= fewest(budget(500), 1 - hashing._RUN_FAILS)


ON_TINY: dict[str, tuple[float, Estimator]] = {
    "sampling": (0.9, lambda p, seed: count_by_sampling(p, seed, width=0.5, confidence=0.9, budget=200)),
    "Karp-Luby": (0.8, lambda p, seed: count_by_karp_luby(p, seed, tolerance=0.3, confidence=0.8)),
    "hashing": (0.8, lambda p, seed: count_by_hashing(p, seed, tolerance=3, confidence=0.8)),
}


@pytest.mark.parametrize("name", ON_TINY)
def test_estimators_on_random_instances(name: str) -> None:
    """What is said to be exact is so; the intervals of the others hold the truth as often as they say."""
    confidence, estimator = ON_TINY[name]
    covered, estimated = 0, 0
    for instance in subsets():
        problem = problem_of(instance)
        count = estimator(problem, instance.seed)
        assert count is not None
        if count.exact:
            assert count.value == instance.satisfying, instance.seed
        else:
            estimated += 1
            covered += covers(problem, count, len(instance.violating))
    assert estimated > budget(100) and covered >= fewest(estimated, confidence)


def test_drawing_is_uniform() -> None:
    rows = sampling.draw_subsets(np.random.default_rng(0), 20_000, 6, 3)
    subsets, numbers = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)
    assert len(subsets) == 20 and all(len(set(row)) == 3 for row in subsets.tolist())
    assert ((numbers - 1000) ** 2 / 1000).sum() < 55  # chi-squared with 19 degrees of freedom: once in 30,000 tests


@pytest.mark.parametrize(("width", "confidence"), [(0.1, 0.5), (0.1, 0.95), (0.3, 0.95), (0.3, 0.999), (1.0, 0.95)])
def test_enough_is_enough(width: float, confidence: float) -> None:
    enough = sampling._enough(width, confidence)
    for share in (0.01, 0.3, 0.9):
        low, high = clopper_pearson(enough, round(enough / share), confidence)
        assert high - low <= width * share
    low, high = clopper_pearson(enough // 2, round(enough / 0.02), confidence)
    assert high - low > width * 0.01  # and half of it is not


def test_sampling_stops_when_it_is_narrow_or_the_budget_is_spent() -> None:
    problem, violating = tiny()
    narrow = count_by_sampling(problem, 0, width=0.1)
    wide = count_by_sampling(problem, 0, width=0.1, budget=100)
    assert sampling.is_narrow(problem, narrow, 0.1) and not sampling.is_narrow(problem, wide, 0.1)
    assert covers(problem, narrow, violating) and covers(problem, wide, violating)


def test_samples_of_karp_luby_are_enough() -> None:
    """Bernstein's bound, evaluated for the worst weights there are: 1 or 1/M."""
    for most in (2, 6, 10):
        samples = karp_luby._samples(most, 0.2, 0.9)
        for share in (0.01, 0.1, 0.5, 0.9):
            mean = share + (1 - share) / most
            ones = np.random.default_rng(most).binomial(samples, share, 2000)
            means = (ones + (samples - ones) / most) / samples
            assert (abs(means - mean) > 0.2 * mean).mean() < 0.1


@pytest.mark.parametrize(("tolerance", "confidence"), [(0.2, 0.9), (0.05, 0.99)])
def test_samples_of_karp_luby_are_no_more_than_needed(tolerance: float, confidence: float) -> None:
    """Bernstein: a mean of n is off by t with probability 2 exp(-n t² / (2 variance + 2/3 most t)) at most."""

    def fails(samples: int, most: int) -> float:
        variance, deviation = (most - 1) ** 2 / (4 * most), most - 1  # relative to the mean
        return 2 * exp(-samples * tolerance**2 / (2 * variance + 2 / 3 * deviation * tolerance))

    for most in (2, 3, 10, 100):
        samples = karp_luby._samples(most, tolerance, confidence)
        assert fails(samples, most) <= 1 - confidence < fails(samples - 1, most)


@pytest.mark.parametrize(("total", "wanted"), [(255, 8), (256, 8), (257, 9)])
def test_hashing_draws_as_many_constraints_as_tell_all_subsets_apart(
    total: int, wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def draw(random: np.random.Generator, constants: int, most: int) -> list[int]:
        drawn.append(most)
        return random_equations(random, constants, most)

    monkeypatch.setattr(hashing, "random_equations", draw)
    monkeypatch.setattr(SubsetProblem, "total", total)
    monkeypatch.setattr(hashing, "_small", lambda _: 3)
    assert count_by_hashing(tiny()[0], 0, confidence=0.5) is not None
    assert drawn == [wanted]


# Seeds, limits, and the cascade


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_seed_one_answer(name: str) -> None:
    problem, _ = tiny()
    again = SubsetProblem.prepared(problem.matcher.database, TINY, problem.width)
    assert ESTIMATORS[name][1](problem, 7) == ESTIMATORS[name][1](again, 7)


def test_limits() -> None:
    problem, violating = tiny()
    images = len(list(Listing(problem).images(start(problem))))
    assert count_by_karp_luby(problem, 0, limit=images - 1) is None
    assert count_by_karp_luby(problem, 0, limit=images) is not None
    assert count_by_hashing(problem, 0, steps=50) is None
    assert count_by_listing(problem, violating - 1) is None


NOTHING = Effort(few_subsets=0, samples=100, many_subsets=0, images=0, hashing_steps=0)


@pytest.mark.parametrize(
    ("effort", "method"),
    [
        (Effort(), "listing"),
        (Effort(few_subsets=10), "sampling"),
        (Effort(few_subsets=10, samples=100), "listing"),
        (Effort(few_subsets=10, samples=100, many_subsets=10), "Karp-Luby"),
        (Effort(few_subsets=10, samples=100, many_subsets=10, images=1), "hashing"),
        (NOTHING, "sampling"),
    ],
)
def test_the_cascade(effort: Effort, method: str) -> None:
    problem, violating = tiny()
    count = count_subsets(problem.matcher.database, TINY, problem.width, seed=1, effort=effort)
    assert count.method == method and covers(problem, count, violating)
    assert count.confidence == (1 if method == "listing" else 0.95)
    assert count == count_subsets(problem.matcher.database, TINY, problem.width, seed=1, effort=effort)


def test_a_larger_problem() -> None:
    problem = SubsetProblem.prepared(random_graph(1, 120, 60), CHAIN, 3)
    exact = count_by_listing(problem, EVERYTHING)
    assert exact is not None
    violating = problem.total - exact.value
    assert violating > 5000
    for count in (
        count_by_sampling(problem, 0),
        count_by_karp_luby(problem, 0, tolerance=0.05),
        count_by_hashing(problem, 0, confidence=0.8),
    ):
        assert covers(problem, count, violating)


@pytest.mark.parametrize(
    ("clauses", "width", "answer"),
    [
        ([], 2, 10),
        (["false."], 2, 0),
        (["false."], 0, 0),
        (["r(X, X)."], 0, 1),
        (["r(X, X)."], 1, 0),
        (["r(X, X) :- r(X, X)."], 5, 1),
        (["r(X, Y)."], 1, 5),
        (["r(X, Y)."], 6, 0),
        (["n."], 2, 0),
        ([":- n."], 2, 10),
    ],
)
def test_edges(clauses: list[str], width: int, answer: int) -> None:
    database = random_graph(0, 5, 3)
    problem = SubsetProblem.prepared(database, [parse_clause(clause) for clause in clauses], width)
    listed = count_by_listing(problem, EVERYTHING)
    assert listed is not None and listed.value == answer and listed.exact
    for _, estimator in ESTIMATORS.values():
        assert covers(problem, estimator(problem, 0), problem.total - answer)


def test_what_cannot_be_counted() -> None:
    database = random_graph(0, 5, 3)
    with pytest.raises(TheoryError, match="names a constant"):
        SubsetProblem.prepared(database, [parse_clause("r(X, c001).")], 2)
    with pytest.raises(QueryError, match="width is -1"):
        SubsetProblem.prepared(database, [], -1)


def test_buckets_are_as_large_as_approxmc_has_them() -> None:
    """thresh of Chakraborty, Meel and Vardi (IJCAI 2016), worked out by hand."""
    assert [hashing._small(tolerance) for tolerance in (0.8, 0.5, 1.0)] == [73, 120, 61]
