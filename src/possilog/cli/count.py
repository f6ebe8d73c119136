"""``possilog count``."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_both
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, CountingTime, DataOptions, Json, TheoryFile, WorkerOptions
from possilog.counting import count_strata
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.logic import Theory
from possilog.workers import Jobs

__all__ = ["app", "show_counts"]

app = new_app()


@app.command("count")
@with_options
def count_cuts(
    theory: TheoryFile,
    data: Annotated[str, typer.Option("--data", metavar="DATA", help=f"Facts whose fragments are counted: {FACTS}.")],
    reading: DataOptions,
    where: WorkerOptions,
    width: Annotated[int, typer.Option(min=1, help="Constants in a fragment: the paper's k.")] = 3,
    time_limit: CountingTime = None,
    json: Json = False,
) -> None:
    """Print how many fragments of the data, and how many worlds, each stratum of a theory decides."""
    stop = Deadline(time_limit)  # reading takes time, too
    rules, facts = load_both(theory, data, reading)
    with where.workers() as jobs:
        show_counts(rules, facts, width, stop=stop, jobs=jobs, as_json=json)


def show_counts(
    theory: Theory, database: Database, width: int, *, stop: Deadline, jobs: Jobs = 1, as_json: bool
) -> None:
    """Count the k-subsets and the worlds that each stratum of a theory decides, and print them from ⊥ upwards."""
    began = time.perf_counter()
    counts = count_strata(database, theory, width, time_limit=stop.left, jobs=jobs)
    if as_json:
        taken = {"seconds": time.perf_counter() - began}
        print(in_json(counts.as_json | taken))
    else:
        print(counts)
