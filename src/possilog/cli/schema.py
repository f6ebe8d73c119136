"""``possilog schema``."""

from __future__ import annotations

import json as encoder

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts
from possilog.cli.options import Data, DataOptions, Json
from possilog.data import Database, infer_types, schema

__all__ = ["app", "describe"]

app = new_app()


@app.command("schema")
@with_options
def show_schema(data: Data, reading: DataOptions, json: Json = False) -> None:
    """Print what the facts are about: predicates, their arguments and how many facts they have."""
    describe(load_facts(data, reading), as_json=json)


def describe(database: Database, *, as_json: bool) -> None:
    """Print the predicates of some facts, with inferred types of their arguments."""
    found = schema(database, infer_types(database))
    print(encoder.dumps(found.as_json, indent=2) if as_json else found)
