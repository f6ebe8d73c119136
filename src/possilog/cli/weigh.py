"""``possilog weigh``."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_both
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, CountingTime, DataOptions, Force, Json, Seed, TheoryFile, WorkerOptions
from possilog.cli.output import check_theory_file
from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.learning.calibration import refuting
from possilog.learning.notes import rule_notes
from possilog.learning.weighing import weigh
from possilog.logic import Provenance, Theory, write_theory
from possilog.workers import Jobs

__all__ = ["app", "show_weights"]

app = new_app()


@app.command("weigh")
@with_options
def weigh_theory(
    theory: TheoryFile,
    data: Annotated[
        str, typer.Option("--data", metavar="DATA", help=f"Facts that the weights are fitted to: {FACTS}.")
    ],
    reading: DataOptions,
    where: WorkerOptions,
    width: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Constants in a fragment: the paper's k.",
            show_default="as many as a soft rule has variables, at least 2",
        ),
    ] = None,
    smoothing: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Count every world as seen this many times more.",
            show_default="0; where that would make soft rules hard that are measured, 0.001",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the theory with its new weights here.")
    ] = None,
    force: Force = False,
    time_limit: CountingTime = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Fit the weights of a theory to data: the order of the strata stays, and so do pinned weights."""
    if output is not None:
        check_theory_file(output, force=force)
    stop = Deadline(time_limit)  # reading takes time, too
    rules, facts = load_both(theory, data, reading)
    with where.workers() as jobs:
        show_weights(
            rules,
            facts,
            data,
            width=width,
            smoothing=smoothing,
            seed=seed,
            stop=stop,
            jobs=jobs,
            output=output,
            as_json=json,
        )


def show_weights(
    theory: Theory,
    database: Database,
    named: str,
    *,
    width: int | None,
    smoothing: float | None,
    seed: int,
    stop: Deadline = NEVER,
    jobs: Jobs = 1,
    output: str | None,
    as_json: bool,
) -> None:
    """Fit the weights of a theory to some facts, print them from ⊥ upwards, and write the theory with them."""
    weighing = weigh(theory, database, width, smoothing=smoothing, seed=seed, time_limit=stop.left, jobs=jobs)
    if output is not None:
        provenance = Provenance(
            (named,),
            len(database),
            len(database.constants),
            {"width": weighing.counts.width, "smoothing": f"{float(weighing.smoothing):g}"},
            seed,
            version("possilog"),
            weighing.fit.log_likelihood,
        )
        notes = rule_notes((rule.clause for rule in weighing.theory), database, refuting(theory, database), stop)
        write_theory(weighing.theory, output, provenance=provenance, notes=notes)
    if as_json:
        print(in_json(weighing.as_json))
    else:
        print(weighing)
        _remark_hardened(theory, weighing.theory)


def _remark_hardened(before: Theory, after: Theory) -> None:
    """Say how many rules nothing may break from now on; there is no way back by weighing again."""
    hard = {rule.clause for rule in before.hard}
    became = sum(rule.clause not in hard for rule in after.hard)
    if became:
        rules, them = ("1 rule is", "it") if became == 1 else (f"{became:,} rules are", "them")
        told = f"note: {rules} hard now, since no fragment breaks {them}"
        print(f"{told}; --smoothing 0.001, as learn has it, keeps {them} soft", file=sys.stderr)
