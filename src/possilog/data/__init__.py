"""Facts: the database, its schema, readers and writers, splits, and generated data."""

from possilog.data.builder import Builder
from possilog.data.bundled import load
from possilog.data.database import Database
from possilog.data.evidence import Evidence, read_evidence
from possilog.data.generate import University, university
from possilog.data.reading import from_frames, from_graph, read
from possilog.data.schemas import Schema, Signature, infer_types, schema
from possilog.data.shop_tables import Shop, shop
from possilog.data.splits import Split, split_groups, split_halves
from possilog.data.symmetry import with_mirrors
from possilog.data.tables import RawTable, TableColumn, find_mapping
from possilog.data.tables.files import read_mapping, write_mapping
from possilog.data.writing import to_frames, write

__all__ = [
    "Builder",
    "Database",
    "Evidence",
    "RawTable",
    "Schema",
    "Shop",
    "Signature",
    "Split",
    "TableColumn",
    "University",
    "find_mapping",
    "from_frames",
    "from_graph",
    "infer_types",
    "load",
    "read",
    "read_evidence",
    "read_mapping",
    "schema",
    "shop",
    "split_groups",
    "split_halves",
    "to_frames",
    "university",
    "with_mirrors",
    "write",
    "write_mapping",
]
