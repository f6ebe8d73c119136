"""Orderings that are found for random tables, whole: `answers` keeps them, as `tests/transcribing.py` says.

A search is many small decisions, which exact small cases seldom show: here there are more rules than can be tried in
every order, prices that matter, and counts that are estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from possilog.counting import Count, CutLevels, Levels, ProfileLevels
from possilog.logic import Clause, parse_clause
from possilog.weights import Ordering, search_ordering
from possilog.weights.ordering import Penalty
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]
RULES = [parse_clause(f":- {name}(X).") for name in "gcaebdf"]
Table = dict[int, int]


def tables(seed: int) -> tuple[Table, Table]:
    """How many subsets of the data, and how many worlds, violate which rules; nothing in the data is impossible."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(1, 1 << len(RULES), 10).tolist()
    subsets = {violated: int(rng.integers(1, 200)) for violated in kinds[:7]} | {0: int(rng.integers(50, 400))}
    worlds = Table()
    for violated in (*subsets, *kinds, *rng.integers(0, 1 << len(RULES), 10).tolist()):
        worlds[violated] = worlds.get(violated, 0) + int(rng.choice([1, 5, 30, 300]))
    return subsets, worlds


def estimated(table: Table, spread: float, asked: Sequence[tuple[Sequence[Clause], float]]) -> list[Count]:
    """What satisfies each of some cuts, as an estimate that may be off by a part of it."""
    found = []
    for cut, _ in asked:
        bits = sum(1 << RULES.index(clause) for clause in cut)
        number = sum(number for violated, number in table.items() if not violated & bits)
        found.append(Count(number, round(number * (1 - spread)), round(number * (1 + spread)), "an estimate", 0.95))
    return found


def orderings(seed: int, number: int) -> Iterator[str]:
    """The best of every size and how likely it is, by searches that start so often, at several prices."""
    profiles = tables(seed)
    exact = Levels(*(ProfileLevels(table, [1 << rule for rule in range(len(RULES))]) for table in profiles))
    rough = Levels(*(CutLevels(RULES, partial(estimated, table, 0.01)) for table in profiles))
    ways: list[tuple[Levels, Penalty, int | None]]
    ways = [(exact, "bic", None), (exact, 0.0, 4), (exact, 9.0, None), (rough, "aic", None)]
    for levels, penalty, most in ways:
        told: list[Ordering] = []
        found = search_ordering(
            RULES,
            levels,
            independent=60.0,
            penalty=penalty,
            max_rules=most,
            starts=number,
            seed=seed,
            better=told.append,
        )
        yield f"{penalty} {most or ''}: {found.best.order} {found.best.score:.4f}"
        yield "  " + ", ".join("".join(map(str, one.order)) for one in told)
        yield "  " + ", ".join(f"{''.join(map(str, one.order))} {one.log_likelihood:.3f}" for one in found.path)


def answer(question: str) -> str:
    """`orderings 3 2` are those of the tables of seed 3, of searches that start twice."""
    _, seed, number = question.split()
    return "\n".join(orderings(int(seed), int(number)))


@pytest.mark.parametrize("path", PATHS)
def test_what_is_found_for_random_tables(path: Path, request: pytest.FixtureRequest) -> None:
    compare(path, answer, request)
