"""``possilog count``."""

from __future__ import annotations

import json
import time

from possilog.cli.query import warn_unknown
from possilog.counting import Count, StrataCounts, StratumCounts, count_strata
from possilog.counting.strata import clauses_of
from possilog.data import Database
from possilog.logic import Theory

__all__ = ["show_counts"]


def show_counts(theory: Theory, database: Database, width: int, *, as_json: bool) -> None:
    """Count the k-subsets and the worlds that each stratum of a theory decides, and print them from ⊥ upwards."""
    for predicate in theory.predicates:
        if predicate not in database.predicates:
            warn_unknown(predicate, database)
    began = time.perf_counter()
    counts = count_strata(database, theory, width)
    if as_json:
        print(json.dumps(_as_json(counts, time.perf_counter() - began), indent=2, ensure_ascii=False))
    else:
        _print(counts)


def _as_json(counts: StrataCounts, seconds: float) -> dict[str, object]:
    return {
        "width": counts.width,
        "constants": counts.constants,
        "subsets": counts.subsets,
        "worlds": counts.worlds.value,
        "strata": [_stratum(counted) for counted in counts.strata],
        "seconds": seconds,
    }


def _stratum(counted: StratumCounts) -> dict[str, object]:
    numbers: dict[str, object] = {"n": counted.n.value, "m": counted.m.value}
    for name, count in (("n", counted.n), ("m", counted.m)):
        if not count.exact:
            numbers[f"{name}_interval"] = [count.low, count.high]
    return {
        "rule": _text(counted),
        "weight": str(counted.stratum.weight),
        **numbers,
        "method": counted.n.method
        if counted.n.method == counted.m.method
        else f"{counted.n.method}, {counted.m.method}",
        "exact": counted.n.exact and counted.m.exact,
    }


def _text(counted: StratumCounts) -> str:
    return " ".join(map(str, clauses_of(counted.stratum)))


def _print(counts: StrataCounts) -> None:
    print(
        f"{counts.subsets:,} subsets of {counts.width} constants; {_number(counts.worlds)} worlds with the hard rules"
    )
    print(f"\n{'subsets':>18}  {'worlds':>14}")
    for counted in counts.strata:
        print(f"{_number(counted.n):>18}  {_number(counted.m):>14}  {_text(counted)}")


def _number(count: Count) -> str:
    return f"{count.value:,}" if count.exact else f"{count.low:,} to {count.high:,}"
