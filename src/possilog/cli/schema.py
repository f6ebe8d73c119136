"""``possilog schema``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts
from possilog.cli.messages import in_json, show
from possilog.cli.options import Data, DataOptions, Json
from possilog.data import Database, infer_types, schema, write_mapping
from possilog.data.tables.report import mapping_lines, shared_types
from possilog.errors import QueryError

__all__ = ["app", "describe"]

app = new_app()


@app.command("schema")
@with_options
def show_schema(
    data: Data,
    reading: DataOptions,
    write: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write what becomes of tables to a file, which --mapping takes."),
    ] = None,
    json: Json = False,
) -> None:
    """Print what the facts are about: predicates, their arguments and how many facts they have."""
    facts = load_facts(data, reading)
    if write is not None:
        if facts.mapping is None:
            raise QueryError(f"{data} holds facts, and no tables whose mapping could be written; leave --write out")
        write_mapping(facts.mapping, write)
    describe(facts, as_json=json)


def describe(database: Database, *, as_json: bool) -> None:
    """Print what became of tables, and the predicates of the facts, with inferred types of their arguments."""
    types = {predicate.name: types for predicate, types in database.types.items() if predicate in database.predicates}
    found = schema(database, types or infer_types(database))
    shared = shared_types(database)
    if as_json:
        told = {"tables": _tables(database), "shared": shared} if database.mapping is not None else {}
        print(in_json({**found.as_json, **told}))
        return
    if database.mapping is not None:
        print(*mapping_lines(database.mapping), "", sep="\n")
    show(str(found))
    for line in shared:
        print(f"warning: {line}", file=sys.stderr)


def _tables(database: Database) -> list[dict[str, object]]:
    return [
        {
            "name": table.name,
            "type": table.type,
            "key": table.key,
            "relation": table.relation,
            "columns": [
                {
                    "column": column.name,
                    "becomes": column.becomes,
                    "predicate": column.predicate,
                    "type": column.type,
                    "note": column.note,
                }
                for column in table.columns
            ],
        }
        for table in (database.mapping.tables if database.mapping else ())
    ]
