"""``possilog schema``."""

from __future__ import annotations

import json

from possilog.data import Database, infer_types, schema

__all__ = ["describe"]


def describe(database: Database, *, as_json: bool) -> None:
    """Print the predicates of some facts, with inferred types of their arguments."""
    found = schema(database, infer_types(database))
    if not as_json:
        print(f"{found.facts:,} facts, {len(found):,} predicates, {found.constants:,} constants")
        print(found)
        return
    predicates = [
        {
            "name": signature.predicate.name,
            "arity": signature.predicate.arity,
            "facts": signature.count,
            "arguments": signature.arguments,
            "types": signature.types,
        }
        for signature in found
    ]
    print(json.dumps({"facts": found.facts, "constants": found.constants, "predicates": predicates}, indent=2))
