"""Weights in closed form against a solver for geometric programs, and how the search of the ordering grows.

    python benchmarks/weights.py [--data FOLDER] [--repeats N]

The solver is cvxpy's (``gp=True``): the paper, too, solves a geometric program. Times are CPU seconds, medians. Prints
tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import cvxpy
import numpy as np

from possilog.chance import generator
from possilog.counting import CutCounter, CutLevels, Levels, ProfileLevels, count_strata
from possilog.data import Database, read
from possilog.logic import Clause, read_theory
from possilog.structure import PRESETS, find_hard_rules, find_rules
from possilog.weights import Orderings, fit, search_ordering

SHARED = Path(__file__).parents[2] / "shared" / "data"


def cpu(task: Callable[[], object], repeats: int) -> float:
    """The median CPU seconds of a call."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        task()
        times.append(time.process_time() - began)
    return statistics.median(times)


def by_solver(n: Sequence[int], m: Sequence[int]) -> float | None:
    """The log-likelihood that the solver's weights have, once they are made to fall and to sum to 1."""
    total = sum(n)
    p = cvxpy.Variable(len(n), pos=True)
    # Powers are relative, or the solver meets numbers beyond its range.
    objective = cvxpy.Maximize(cvxpy.prod([p[level] ** (count / total) for level, count in enumerate(n) if count]))
    constraints = [sum(count * p[level] for level, count in enumerate(m)) <= 1]
    constraints += [p[level + 1] <= p[level] for level in range(len(n) - 1)]
    try:
        cvxpy.Problem(objective, constraints).solve(gp=True)
    except cvxpy.error.SolverError:
        return None
    if p.value is None or not np.isfinite(p.value).all():
        return None
    falling = np.minimum.accumulate(p.value)
    falling /= falling @ np.array(m, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return float(sum(count * np.log(falling[level]) for level, count in enumerate(n) if count))


def problems(database: Database, theory_file: Path) -> dict[str, tuple[list[int], list[int]]]:
    """The counts of the authors' theory, and random ones."""
    counts = count_strata(database, read_theory(theory_file), 3)
    found = {"UWCSE, the authors' rules": ([s.n.value for s in counts.strata], [s.m.value for s in counts.strata])}
    for levels in (5, 20, 80):
        random = generator(levels, "benchmark")
        n = np.sort(random.integers(0, 10**6, levels))[::-1]
        found[f"random, {levels} levels"] = (n.tolist(), random.integers(1, 10**3, levels).tolist())
    return found


def closed_form(database: Database, theory_file: Path, repeats: int) -> None:
    """The same weights by both."""
    print("\n| weights | levels | closed form, ms | solver, ms | solver / closed form | likelihood, ours - solver's |")
    print("|---|---|---|---|---|---|")
    for name, (n, m) in problems(database, theory_file).items():
        ours = cpu(lambda n=n, m=m: [fit(n, m) for _ in range(20)], repeats) / 20  # type: ignore[misc]
        theirs = cpu(lambda n=n, m=m: by_solver(n, m), repeats)  # type: ignore[misc]
        solved = by_solver(n, m)
        gain = "not solved" if solved is None else f"{fit(n, m).log_likelihood - solved:.3g}"
        print(f"| {name} | {len(n)} | {ours * 1e3:.3f} | {theirs * 1e3:.1f} | {theirs / ours:,.0f} | {gain} |")


def never_lower(instances: int) -> None:
    """How often is the solver's answer better? Random counts, with ties and zeros."""
    random = generator(0, "never lower")
    better = solved = 0
    for _ in range(instances):
        levels = int(random.integers(1, 12))
        n = (random.integers(0, 10 ** int(random.integers(1, 6)), levels) * (random.random(levels) > 0.2)).tolist()
        m = random.integers(1, 10 ** int(random.integers(1, 4)), levels).tolist()
        if sum(n):
            answer, ours = by_solver(n, m), fit(n, m).log_likelihood
            solved += answer is not None
            better += answer is not None and answer > ours + 1e-9 * abs(ours)
    print(f"\nOf {instances} random problems the solver solved {solved}, and it was more likely than ours in {better}.")


def growth(database: Database, repeats: int) -> None:
    """The search for 10 to 200 candidates: Horn rules of UWCSE, and random tables for more than there are."""
    hard = [rule.clause for rule in find_hard_rules(database).rules]
    rules = [rule.clause for rule in find_rules(database, hard, settings=PRESETS["uwcse"]).rules]
    counter = CutCounter(database, 3, hard=hard)
    independent = len(database.constants) / 3
    print(
        "\n| search | candidates | rules | greedy, s | orderings | µs each | likelihood | 3 starts, changes, s | gain |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for size in (10, 20, 50, len(rules)):
        step = len(rules) / size
        some = [rules[int(place * step)] for place in range(size)]
        show("UWCSE", some, counter.levels(some), independent, 18, repeats)
    for size in (100, 200):
        show("random tables", *random_levels(size), independent, 18, repeats)
    some = rules[::10]
    cuts = Levels(
        CutLevels(some, lambda asked: [counter.subsets(*one) for one in asked]),
        CutLevels(some, lambda asked: [counter.worlds(*one) for one in asked]),
    )
    show("UWCSE, by cuts", some, cuts, independent, 18, repeats=1)


def random_levels(candidates: int) -> tuple[list[Clause], Levels]:
    """Tables as large as real ones: 300 sets of violated rules in the data, 600 in worlds."""
    random = generator(candidates, "random tables")
    violated = random.random((600, candidates)) < 0.1
    sets = [sum(1 << int(rule) for rule in np.flatnonzero(row)) for row in violated]
    worlds = {one: int(number) for one, number in zip(sets, random.integers(1, 50, 600), strict=True)}
    subsets = {one: int(10 ** (6 * random.random())) for one in sets[:300]}
    clauses = [Clause()] * candidates  # only their number matters
    bits = [1 << place for place in range(candidates)]
    return clauses, Levels(ProfileLevels(subsets, bits), ProfileLevels(worlds, bits))


def show(name: str, rules: list[Clause], levels: Levels, independent: float, most: int, repeats: int) -> None:
    """One row of the table."""

    def search(starts: int) -> Orderings:
        return search_ordering(rules, levels, independent=independent, penalty="none", max_rules=most, starts=starts)

    found = search(0)
    size = len(found.best.order)
    tried = sum((len(rules) - place) * (place + 1) for place in range(min(size + 1, most)))
    greedy, whole = cpu(lambda: search(0), repeats), cpu(lambda: search(3), repeats)
    gain = search(3).best.log_likelihood - found.best.log_likelihood
    print(
        f"| {name} | {len(rules)} | {size} | {greedy:.3f} | {tried:,} | {greedy / tried * 1e6:.1f} | "
        f"{found.best.log_likelihood:,.0f} | {whole:.3f} | {gain:+,.0f} |"
    )


def main() -> None:
    """Run the comparisons."""
    warnings.simplefilter("ignore")  # the solver's, about its accuracy
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED, help="where the real data sets are")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the median is taken")
    options = parser.parse_args()
    folder = options.data / "uwcse" / "ijcai17"
    database = read(folder / "train.db")
    closed_form(database, folder / "uwcse.poss", options.repeats)
    never_lower(200)
    growth(database, options.repeats)


if __name__ == "__main__":
    main()
