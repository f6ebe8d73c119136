"""``possilog mine``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from possilog.cli.beginning import left_of
from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts
from possilog.cli.messages import in_json
from possilog.cli.options import Data, DataOptions, Force, Json, WorkerOptions
from possilog.cli.output import check_theory_file
from possilog.cli.progress import Bars
from possilog.deadline import Deadline
from possilog.errors import QueryError
from possilog.logic import write_theory
from possilog.structure import Mined, mine

__all__ = ["app"]

app = new_app()

ON_DISK = "parts:"
"""What DATA begins with where it is a folder that ``partition`` has made."""

_Conjunctions = Annotated[
    bool,
    typer.Option(
        "--conjunctions/--no-conjunctions", help="Also two paths together that are better than either, or not."
    ),
]
_TimeLimit = Annotated[
    float | None, typer.Option(min=0, metavar="SECONDS", help="Stop then, and say what was not mined.")
]
_MemoryLimit = Annotated[
    float | None,
    typer.Option(min=1, metavar="MB", help="Take lists of paths that are longer in parts.", show_default="2000"),
]
_MinConfidence = Annotated[
    float, typer.Option(min=0, max=1, help="The share of facts among the heads that a rule gives.")
]
_Constants = Annotated[
    bool, typer.Option("--constants/--no-constants", help="Also rules that name constants, or none.")
]
_ConstantBody = Annotated[
    int, typer.Option(min=1, max=2, help="Atoms in the body of a rule that names constants, at most.")
]
_Coincide = Annotated[
    bool, typer.Option("--coincide", help="Distinct variables may stand for one constant, as AMIE counts.")
]
_Output = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the rules here, as a theory for ask and rank."),
]


@app.command("mine")
@with_options
def mine_rules(
    data: Data,
    reading: DataOptions,
    where: WorkerOptions,
    body: Annotated[int, typer.Option(min=1, max=3, help="Atoms in a path, at most.")] = 2,
    min_support: Annotated[int, typer.Option(min=1, help="Facts that a rule must give.")] = 10,
    min_confidence: _MinConfidence = 0.1,
    constants: _Constants = True,
    constant_body: _ConstantBody = 1,
    conjunctions: _Conjunctions = False,
    coincide: _Coincide = False,
    target: Annotated[list[str] | None, typer.Option(help="A predicate to mine rules for; may be repeated.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="List this many rules, the most confident first.")] = None,
    time_limit: _TimeLimit = None,
    memory_limit: _MemoryLimit = None,
    output: _Output = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """List all path rules of binary facts, with exact counts: what AMIE and AnyBURL find, all of it."""
    if output is not None:
        check_theory_file(output, force=force)
    if data.startswith(ON_DISK):
        limits = _DiskLimits(body, min_support, min_confidence, limit, memory_limit)
        unfit = {"--cluster": where.cluster, "--target": target, "--time-limit": time_limit, "--coincide": coincide}
        _show(_mine_disk(data.removeprefix(ON_DISK), limits, {**unfit, "--jobs": where.jobs > 1}), output, as_json=json)
        return
    stop = Deadline(left_of(time_limit))  # reading takes time, too
    with where.workers() as jobs, Bars(lines=where.cluster is not None) as bars:
        found = mine(
            load_facts(data, reading),
            body=body,
            min_support=min_support,
            min_confidence=min_confidence,
            constants=constants,
            constant_body=constant_body,
            conjoin=conjunctions,
            coincide=coincide,
            targets=target or None,
            limit=limit,
            time_limit=stop.left,
            memory_limit=memory_limit,
            jobs=jobs,
            progress=bars.show,
        )
    if coincide and output is not None:
        print("note: variables of a theory are distinct: ask and rank conclude less than was counted", file=sys.stderr)
    _show(found, output, as_json=json)


@dataclass(frozen=True)
class _DiskLimits:
    """What is asked of facts on disk."""

    body: int
    min_support: int
    min_confidence: float
    limit: int | None
    memory_limit: float | None


def _mine_disk(folder: str, limits: _DiskLimits, unfit: Mapping[str, object]) -> Mined:
    """Mine facts that were dealt out by partition, and say first what is joined where."""
    from possilog.data.partitions import Partitions
    from possilog.structure.paths.on_disk import MEGABYTES, mine_parts, plan_for

    if name := next((name for name, value in unfit.items() if value), None):
        raise QueryError(f"{name} does not go with facts on disk; leave it out")
    if limits.body > 2:
        raise QueryError("paths of facts on disk have one or two atoms; give --body 2")
    facts, memory = Partitions.open(folder), limits.memory_limit or MEGABYTES
    print(plan_for(facts, memory), file=sys.stderr)
    with Bars() as bars:
        return mine_parts(facts, progress=bars.show, **{**asdict(limits), "memory_limit": memory})


def _show(found: Mined, output: str | None, *, as_json: bool) -> None:
    """Write the rules, or print them."""
    if output is not None:
        write_theory(found.theory, output)
    if as_json or output is None:
        print(in_json(found.as_json) if as_json else found)
    else:
        print(f"{output}: {len(found):,} rules for ranking")
