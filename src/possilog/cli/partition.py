"""``possilog partition``."""

from __future__ import annotations

from typing import Annotated

import typer

from possilog.cli.declaring import new_app
from possilog.cli.messages import in_json
from possilog.cli.options import Json
from possilog.data.partitions import partition

__all__ = ["app"]

app = new_app()


@app.command("partition")
def lay_out(
    triples: Annotated[
        str,
        typer.Argument(
            metavar="TRIPLES", help="A .tsv or .parquet file of head, relation and tail, or a folder of them."
        ),
    ],
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A new folder.")],
    parts: Annotated[
        int | None, typer.Option(min=1, help="How many parts.", show_default="one for each million facts")
    ] = None,
    memory_limit: Annotated[float, typer.Option(min=50, metavar="MB", help="Beyond this, the disk is used.")] = 400,
    json: Json = False,
) -> None:
    """Deal out triples that may be larger than memory, by hash, for mine and complete."""
    made = partition(triples, folder, parts=parts, memory_limit=memory_limit)
    if json:
        figures = {"folder": folder, "facts": dict(zip(made.relations, made.facts, strict=True))}
        print(in_json(figures | {"constants": made.nodes, "parts": made.parts}))
        return
    print(
        f"{folder}: {sum(made.facts):,} facts of {len(made.relations):,} relations about {made.nodes:,} constants, in "
        f"{made.parts:,} part{'s' * (made.parts != 1)}"
    )
