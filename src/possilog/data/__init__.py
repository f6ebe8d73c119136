"""Facts: the database, its schema, readers and writers, splits, and generated data."""

from possilog.data.builder import Builder
from possilog.data.database import Database
from possilog.data.reading import from_frames, read
from possilog.data.schema import Schema, Signature, infer_types, schema
from possilog.data.splits import Split, split_groups, split_halves
from possilog.data.writing import to_frames, write

__all__ = [
    "Builder",
    "Database",
    "Schema",
    "Signature",
    "Split",
    "from_frames",
    "infer_types",
    "read",
    "schema",
    "split_groups",
    "split_halves",
    "to_frames",
    "write",
]
