"""Loading a million facts: CPU seconds and memory by format.

    python benchmarks/loading.py [--facts 1000000]

Random facts of 20 binary predicates over a fifth as many constants. Each format is written, then read back in this
process. Prints a table for the README beside this file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from possilog.data import Database, read, write
from possilog.data.builder import Builder

FORMATS = {"facts.db": "facts", "facts.tsv": "triples", "folder": "folder of CSV files", "facts.duckdb": "DuckDB"}


def random_database(facts: int) -> Database:
    """About that many random facts."""
    rng = np.random.default_rng(1)
    names = [f"constant{number}" for number in range(facts // 5)]
    builder = Builder()
    for predicate in range(20):
        numbers = np.unique(rng.integers(0, len(names), (facts // 20, 2)), axis=0)
        builder.add(f"relation{predicate}", [[names[i], names[j]] for i, j in numbers.tolist()])
    return builder.build()


def main() -> None:
    """Write and read each format."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, default=1_000_000)
    database = random_database(parser.parse_args().facts)
    names = sum(sys.getsizeof(name) + 8 for name in database.constants)
    print(f"{len(database):,} facts, {len(database.constants):,} constants")
    print(
        f"bytes per fact: {database.nbytes / len(database):.1f}; {names / len(database):.1f} for the constants' names"
    )
    print("\n| format | read, CPU s | write, CPU s |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, title in FORMATS.items():
            began = time.process_time()
            write(database, Path(folder) / name)
            written = time.process_time()
            same = read(Path(folder) / name) == database
            print(f"| {title} | {time.process_time() - written:.2f} | {written - began:.2f} |")
            if not same:
                raise SystemExit(f"{title}: what was read is not what was written")


if __name__ == "__main__":
    main()
