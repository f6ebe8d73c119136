"""Counting subsets and worlds: each method on the same problems, and profiles against counting cut by cut.

    python benchmarks/counting.py [--data FOLDER]

The theory is the authors' on UWCSE. Data grows by copies of the training data with new constants. Times are CPU
seconds, single runs; a dash means that a method gave up. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from possilog.counting import Count, DataProfile, TooLarge, WorldProfile, count_strata
from possilog.counting.subsets import (
    SubsetProblem,
    count_by_hashing,
    count_by_karp_luby,
    count_by_listing,
    count_by_sampling,
)
from possilog.counting.worlds import (
    Worlds,
    count_by_cutting_planes,
    count_by_ganak,
    count_by_search,
    count_worlds_by_hashing,
)
from possilog.data import Database, read
from possilog.deadline import Deadline
from possilog.logic import Atom, Clause, Constant, parse_clause, read_theory

SECONDS = 60
"""What a method for worlds may take; a profile takes as long as it needs."""

LOOSE = "advisedBy(X, Y) :- student(X), professor(Y)."
"""A rule that is violated almost wherever its body holds."""

SHARED = Path(__file__).parents[2] / "shared" / "data"


def cpu(task: Callable[[], Count | int | None]) -> tuple[str, str]:
    """CPU seconds of a call, and its answer, as text."""
    began = time.process_time()
    answer = task()
    seconds = time.process_time() - began
    if answer is None:
        return "-", f"{seconds:.2f}"
    if isinstance(answer, int) or answer.exact:
        return f"{answer if isinstance(answer, int) else answer.value:,}", f"{seconds:.2f}"
    return f"{answer.low:,} to {answer.high:,}", f"{seconds:.2f}"


def copies(database: Database, number: int) -> Database:
    """The facts so many times, each time about other constants."""
    return Database.of(
        Atom(atom.predicate, tuple(Constant(f"{term.name}#{copy}") for term in atom.arguments))
        for copy in range(number)
        for atom in database
    )


def by_profile(database: Database, width: int, rules: Sequence[Clause]) -> int | None:
    """How many k-subsets satisfy all rules, from their profile."""
    try:
        return DataProfile(database, width, rules).table().get(0, 0)
    except TooLarge:
        return None


def subsets(database: Database, rules: Sequence[Clause], named: str, sizes: Sequence[tuple[int, int]]) -> None:
    """How many k-subsets satisfy some rules, by each method, for so many copies of the data and so many constants."""
    print(f"\n| subsets, {named} | method | answer | CPU s |\n|---|---|---|---|")
    for times, width in sizes:
        data = database if times == 1 else copies(database, times)
        problem = SubsetProblem.prepared(data, rules, width)
        methods: dict[str, Callable[[], Count | int | None]] = {
            "profile": lambda data=data, width=width: by_profile(data, width, rules),  # type: ignore[misc]
            "listing": lambda problem=problem: count_by_listing(problem, 300_000),  # type: ignore[misc]
            "sampling": lambda problem=problem: count_by_sampling(problem, 1, budget=20_000),  # type: ignore[misc]
            "Karp-Luby": lambda problem=problem: count_by_karp_luby(problem, 1),  # type: ignore[misc]
            "hashing": lambda problem=problem: count_by_hashing(problem, 1, steps=300_000),  # type: ignore[misc]
        }
        for method, task in methods.items():
            answer, seconds = cpu(task)
            print(f"| k = {width}, {len(data.constants):,} constants | {method} | {answer} | {seconds} |")


def worlds(database: Database, hard: Sequence[Clause], rules: Sequence[Clause]) -> None:
    """How many worlds satisfy the hard and all soft rules, by each method."""
    print("\n| worlds, all 18 rules | method | answer | CPU s |\n|---|---|---|---|")
    for width in (3, 4, 5):
        problem = Worlds(database.predicates, width, (*hard, *rules))
        methods: dict[str, Callable[[], Count | int | None]] = {
            "profile": lambda width=width: WorldProfile(database.predicates, hard, width, rules).table()[0],  # type: ignore[misc]
            "search": lambda problem=problem: count_by_search(problem, Deadline(SECONDS)),  # type: ignore[misc]
            "Ganak (wall s)": lambda problem=problem: count_by_ganak(problem, Deadline(SECONDS)),  # type: ignore[misc]
            "ApproxMC2": lambda problem=problem: count_worlds_by_hashing(problem, seed=1, stop=Deadline(SECONDS)),  # type: ignore[misc]
            "cutting planes": lambda problem=problem: count_by_cutting_planes(problem, seed=1, stop=Deadline(SECONDS)),  # type: ignore[misc]
        }
        for method, task in methods.items():
            began = time.perf_counter()
            answer, seconds = cpu(task)
            shown = f"{time.perf_counter() - began:.2f}" if "wall" in method else seconds
            print(f"| k = {width} | {method} | {answer} | {shown} |")


def orderings(database: Database, hard: Sequence[Clause], rules: Sequence[Clause]) -> None:
    """The work of evaluating the orderings that a greedy insertion of 18 rules tries: by profile, and cut by cut."""
    tried = sum((place + 1) * (len(rules) - place) for place in range(len(rules)))
    began = time.process_time()
    tables = [DataProfile(database, 3, rules).table(), WorldProfile(database.predicates, hard, 3, rules).table()]
    made = time.process_time() - began
    began = time.process_time()
    order = list(range(len(rules)))
    for _ in range(200):
        for table in tables:
            totals = [0] * (len(rules) + 1)
            for violated, number in table.items():
                totals[max((order[bit] + 1 for bit in order if violated >> bit & 1), default=0)] += number
    each = (time.process_time() - began) / 200
    began = time.process_time()
    for place in range(len(rules)):
        count_by_listing(SubsetProblem.prepared(database, rules[place:], 3), 300_000)
        count_by_search(Worlds(database.predicates, 3, (*hard, *rules[place:])))
    cut_by_cut = (time.process_time() - began) / len(rules)
    # With a cache, inserting a rule needs one new count for each cut below it: half of the cuts on average.
    counts = tried * len(rules) / 4
    print(f"\n{tried:,} orderings: by profile {made:.2f} s once and {tried * each:.2f} s for all;")
    print(f"cut by cut {cut_by_cut:.3f} s a count, about {counts * cut_by_cut:,.0f} s for {counts:,.0f} counts.")
    print(f"Ratio: {counts * cut_by_cut / (made + tried * each):,.0f}")


def adding(database: Database, hard: Sequence[Clause], rules: Sequence[Clause]) -> None:
    """The time of adding one rule to profiles of the others, with new tables, and of making all anew."""
    for width in (3, 4):
        data, over = (
            DataProfile(database, width, rules[:-1]),
            WorldProfile(database.predicates, hard, width, rules[:-1]),
        )
        began = time.process_time()
        for profile in (data, over):
            profile.add(rules[-1])
            profile.table()
        added = time.process_time() - began
        began = time.process_time()
        DataProfile(database, width, rules).table()
        WorldProfile(database.predicates, hard, width, rules).table()
        print(f"k = {width}: one rule more {added:.3f} s, everything anew {time.process_time() - began:.3f} s")


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED, help="where the real data sets are")
    folder = parser.parse_args().data / "uwcse" / "ijcai17"
    database, theory = read(folder / "train.db"), read_theory(folder / "uwcse.poss")
    hard = [rule.clause for rule in theory.hard]
    rules = [rule.clause for stratum in reversed(theory.strata) for rule in stratum.rules]
    began = time.process_time()
    count_strata(database, theory, 3)
    print(f"possilog count, UWCSE, k = 3: {time.process_time() - began:.2f} s")
    worlds(database, hard, rules)
    orderings(database, hard, rules)
    adding(database, hard, rules)
    subsets(database, rules, "all 18 rules", [(1, 3), (1, 4), (1, 5), (10, 3), (10, 4)])
    subsets(database, [parse_clause(LOOSE)], LOOSE, [(1, 3), (10, 3)])


if __name__ == "__main__":
    main()
