"""Matching against DuckDB, side by side on the same facts: a count, and existence for given heads.

    python benchmarks/matching.py [--facts 3000 1000000] [--repeats 7]

The query is R(x,y), R(y,z), P(z) with distinct variables, on random facts. Both run in this process; CPU time of all
threads is what counts, since DuckDB uses every core and the machines are shared. DuckDB has an index on R's first
column, as possilog has. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import duckdb
import numpy as np
import numpy.typing as npt

from possilog.data import Database
from possilog.logic import Predicate, Variable, parse_query
from possilog.matching import Matcher, kernel

Ints = npt.NDArray[np.int32]

R, P, X = Predicate("R", 2), Predicate("P", 1), Variable("X")
QUERY = parse_query("R(X,Y), R(Y,Z), P(Z)")

JOIN = "R a join R b on a.y = b.x join P on b.y = P.x where a.x <> a.y and b.x <> b.y and a.x <> b.y"
COUNT = f"select count(*) from {JOIN}"
ONE_HEAD = f"select count(*) from (select 1 from {JOIN} and a.x = ? limit 1)"
HEADS = f"select count(*) from {{}} heads where exists (select 1 from {JOIN} and a.x = heads.x)"


@dataclass
class Facts:
    """Random facts, nine of R for each of P, over a third as many constants as facts."""

    pairs: Ints
    marked: Ints
    constants: int

    @classmethod
    def random(cls, facts: int, seed: int) -> Facts:
        """About that many facts."""
        rng = np.random.default_rng(seed)
        constants = facts // 3
        pairs = np.unique(rng.integers(0, constants, (facts * 9 // 10, 2), dtype=np.int32), axis=0)
        return cls(pairs, np.unique(rng.integers(0, constants, facts // 10, dtype=np.int32)), constants)

    def for_possilog(self) -> Matcher:
        """The facts in a database, with the indexes that the count needs."""
        names = sorted(f"c{number}" for number in range(self.constants))
        matcher = Matcher(Database(names, {R: self.pairs.T, P: self.marked[np.newaxis]}))
        matcher.count(QUERY)
        return matcher

    def for_duckdb(self, some_heads: Ints) -> duckdb.DuckDBPyConnection:
        """The facts in tables, and the heads to be asked about."""
        connection = duckdb.connect()
        tables = {
            "R": {"x": self.pairs[:, 0], "y": self.pairs[:, 1]},
            "P": {"x": self.marked},
            "some_heads": {"x": some_heads},
            "all_heads": {"x": np.arange(self.constants, dtype=np.int32)},
        }
        for name, columns in tables.items():
            connection.register("given", {key: np.ascontiguousarray(column) for key, column in columns.items()})
            connection.execute(f"create table {name} as select * from given")
            connection.unregister("given")
        connection.execute("create index by_first on R(x)")
        return connection


def median_cpu(task: Callable[[], int], repeats: int) -> tuple[float, int]:
    """Median CPU seconds of a call, after one to warm up, and its result; short calls are timed in batches."""
    began = time.process_time()
    result = task()
    batch = max(1, int(0.02 / max(time.process_time() - began, 1e-7)))
    times = []
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(batch):
            task()
        times.append((time.process_time() - began) / batch)
    return statistics.median(times), result


def compare(size: int, repeats: int) -> None:
    """Ask both the same questions and print the table."""
    facts = Facts.random(size, seed=1)
    began = time.process_time()
    matcher = facts.for_possilog()
    database = matcher.database
    print(
        f"\n{len(database):,} facts, {facts.constants:,} constants; ready after {time.process_time() - began:.2f} s CPU"
    )
    some = np.random.default_rng(2).choice(facts.constants, 1000, replace=False).astype(np.int32)
    everyone = np.arange(facts.constants, dtype=np.int32)
    connection = facts.for_duckdb(some)

    def ours(heads: Ints) -> Callable[[], int]:
        return lambda: int(matcher.covered_rows(QUERY, [X], heads[:, np.newaxis]).sum())

    def ours_one_by_one() -> int:
        return sum(matcher.exists(QUERY, {X: database.constants[head]}) for head in some[:20].tolist())

    def theirs(sql: str) -> Callable[[], int]:
        return lambda: int((connection.execute(sql).fetchone() or (0,))[0])

    def theirs_one_by_one() -> int:
        answers = (connection.execute(ONE_HEAD, [head]).fetchone() for head in some[:20].tolist())
        return sum(int((answer or (0,))[0]) for answer in answers)

    questions: dict[str, tuple[Callable[[], int], Callable[[], int]]] = {
        "count": (lambda: matcher.count(QUERY), theirs(COUNT)),
        "exists, 20 heads one by one": (ours_one_by_one, theirs_one_by_one),
        "exists, 1,000 heads at once": (ours(some), theirs(HEADS.format("some_heads"))),
        f"exists, all {facts.constants:,} heads at once": (ours(everyone), theirs(HEADS.format("all_heads"))),
    }
    print("\n| question | answer | possilog, ms | DuckDB, ms | DuckDB / possilog |\n|---|---|---|---|---|")
    for question, (our_task, their_task) in questions.items():
        mine, answer = median_cpu(our_task, repeats)
        other, their_answer = median_cpu(their_task, repeats)
        if answer != their_answer:
            raise SystemExit(f"{question}: possilog says {answer}, DuckDB says {their_answer}")
        print(f"| {question} | {answer:,} | {mine * 1e3:.3f} | {other * 1e3:.2f} | {other / mine:.1f} |")
    print(f"\nmemory: {database.nbytes / len(database):.1f} bytes per fact, with the indexes that these questions need")


def main() -> None:
    """Run the comparison at each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, nargs="+", default=[3_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    compiled = not str(kernel.__file__).endswith(".py")
    print(f"kernel: {'compiled' if compiled else 'interpreted'}; DuckDB {duckdb.__version__}; CPU time, median")
    for size in arguments.facts:
        compare(size, arguments.repeats)


if __name__ == "__main__":
    main()
