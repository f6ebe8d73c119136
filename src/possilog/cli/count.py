"""``possilog count``."""

from __future__ import annotations

import json
import time

from possilog.counting import Count, StrataCounts, count_strata
from possilog.data import Database
from possilog.logic import Theory

__all__ = ["number", "show_counts"]


def show_counts(
    theory: Theory, database: Database, width: int, *, time_limit: float | None = None, as_json: bool
) -> None:
    """Count the k-subsets and the worlds that each stratum of a theory decides, and print them from ⊥ upwards."""
    began = time.perf_counter()
    counts = count_strata(database, theory, width, time_limit=time_limit)
    if as_json:
        taken = {"seconds": time.perf_counter() - began}
        print(json.dumps(counts.as_json | taken, indent=2, ensure_ascii=False))
    else:
        _print(counts)


def _print(counts: StrataCounts) -> None:
    print(f"{counts.subsets:,} subsets of {counts.width} constants; {number(counts.worlds)} worlds with the hard rules")
    print(f"\n{'subsets':>18}  {'worlds':>14}")
    for counted in counts.strata:
        print(f"{number(counted.n):>18}  {number(counted.m):>14}  {counted.text}")


def number(count: Count) -> str:
    """A count, or the interval that holds it."""
    return f"{count.value:,}" if count.exact else f"{count.low:,} to {count.high:,}"
