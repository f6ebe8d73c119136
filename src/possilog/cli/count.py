"""``possilog count``."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts, load_theory
from possilog.cli.options import FACTS, DataOptions, Json, TheoryFile
from possilog.counting import Count, StrataCounts, StratumCounts, count_strata
from possilog.counting.strata import clauses_of
from possilog.data import Database
from possilog.logic import Theory

__all__ = ["app", "count_as_json", "number", "show_counts", "stratum_as_json", "stratum_text"]

app = new_app()


@app.command("count")
@with_options
def count_cuts(
    theory: TheoryFile,
    data: Annotated[str, typer.Option("--data", metavar="DATA", help=f"Facts whose fragments are counted: {FACTS}.")],
    reading: DataOptions,
    width: Annotated[int, typer.Option(min=1, help="Constants in a fragment: the paper's k.")] = 3,
    json: Json = False,
) -> None:
    """Print how many fragments of the data, and how many worlds, each stratum of a theory decides."""
    facts = load_facts(data, reading)
    show_counts(load_theory(theory, facts), facts, width, as_json=json)


def show_counts(theory: Theory, database: Database, width: int, *, as_json: bool) -> None:
    """Count the k-subsets and the worlds that each stratum of a theory decides, and print them from ⊥ upwards."""
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
        **count_as_json("worlds", counts.worlds),
        "strata": [stratum_as_json(counted) for counted in counts.strata],
        "seconds": seconds,
    }


def stratum_as_json(counted: StratumCounts) -> dict[str, object]:
    """The rules of a stratum, their weight, and what was counted for them."""
    return {
        "rule": stratum_text(counted),
        "weight": str(counted.stratum.weight),
        **count_as_json("n", counted.n),
        **count_as_json("m", counted.m),
        "method": counted.n.method
        if counted.n.method == counted.m.method
        else f"{counted.n.method}, {counted.m.method}",
        "exact": counted.n.exact and counted.m.exact,
    }


def count_as_json(name: str, count: Count) -> dict[str, object]:
    """A count and, where it is not exact, the interval that holds it with some confidence."""
    if count.exact:
        return {name: count.value}
    return {name: count.value, f"{name}_interval": [count.low, count.high], f"{name}_confidence": count.confidence}


def stratum_text(counted: StratumCounts) -> str:
    """The rules of a stratum in one line."""
    return " ".join(map(str, clauses_of(counted.stratum)))


def _print(counts: StrataCounts) -> None:
    print(f"{counts.subsets:,} subsets of {counts.width} constants; {number(counts.worlds)} worlds with the hard rules")
    print(f"\n{'subsets':>18}  {'worlds':>14}")
    for counted in counts.strata:
        print(f"{number(counted.n):>18}  {number(counted.m):>14}  {stratum_text(counted)}")


def number(count: Count) -> str:
    """A count, or the interval that holds it."""
    return f"{count.value:,}" if count.exact else f"{count.low:,} to {count.high:,}"
