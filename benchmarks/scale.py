"""Learning from slices of one large graph: CPU time and peak memory, from 10,000 triples to all.

    python benchmarks/scale.py [TRIPLES...]

The graph is fb13, fb15k-237, codex-m, nell-995 and wn18rr of ``../shared/data`` together. Every slice is learned in a
process of its own, so that its peak of memory is its own; slices are drawn at random from a seed.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from pathlib import Path

import numpy as np

from possilog import Database, learn, read

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PARTS = ("fb13", "fb15k-237", "codex-m", "nell-995", "wn18rr")
SLICES = (10_000, 100_000, 300_000, 2_000_000)


def main(sizes: list[int]) -> None:
    """Measure each slice."""
    for size in sizes:
        process = multiprocessing.get_context("spawn").Process(target=measure, args=(size,))
        process.start()
        process.join()


def measure(size: int) -> None:
    """Learn from one slice, and print what it took."""
    whole = Database.union(*(read(path) for part in PARTS for path in sorted((SHARED / part).glob("*.tsv*"))))
    rng = np.random.default_rng(0)
    share = min(1.0, size / len(whole))
    relations = {p: whole.rows(p)[:, rng.random(whole.count(p)) < share] for p in whole.predicates}
    slice_ = Database(whole.constants, {p: rows for p, rows in relations.items() if rows.shape[1]})
    del whole
    began = time.process_time()
    learned = learn(slice_, preset="graph")
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    rules = len(learned.theory.judged)
    print(f"{len(slice_):>9,} triples: {seconds:7.1f} CPU s, {peak:.2f} GB, {rules:,} rules", flush=True)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SLICES))
