"""``possilog complete``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app
from possilog.cli.messages import in_json
from possilog.cli.options import Json, TheoryFile
from possilog.cli.progress import Bars
from possilog.data.partitions import Partitions
from possilog.inference.completing import complete
from possilog.logic import read_theory

__all__ = ["app"]

app = new_app()


@app.command("complete")
def complete_facts(
    theory: TheoryFile,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Facts that partition has dealt out.")],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FOLDER", help="Write what is added into this new folder.")
    ],
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="How often a rule has to be right to be used.")
    ] = 0.5,
    memory_limit: Annotated[float, typer.Option(min=1, metavar="MB", help="About how much memory is taken.")] = 500,
    json: Json = False,
) -> None:
    """Write what path rules add to facts on disk, relation by relation, each fact with its best rule."""
    limits = {"min_confidence": min_confidence, "memory_limit": memory_limit}
    with Bars() as bars:
        found = complete(Partitions.open(folder), read_theory(theory), output, progress=bars.show, **limits)
    print(in_json(found.as_json) if json else found)
