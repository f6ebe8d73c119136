"""The formats of facts: what they are called, and how a file's content or name tells which one it is."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

__all__ = ["GZIP", "KNOWN", "NEGATIVES", "Format", "format_of_content", "format_of_name", "format_of_text", "stem"]


class Format(StrEnum):
    """A way to keep facts in a file or a folder."""

    DB = "db"
    """Ground atoms, one a line, as Alchemy and Prolog write them."""
    TSV = "tsv"
    """Triples: head, relation and tail, with tabs between."""
    NTRIPLES = "ntriples"
    """RDF, a triple a line."""
    TURTLE = "turtle"
    """RDF, as people write it."""
    GRAPHML = "graphml"
    """Nodes and edges, in XML."""
    CSV = "csv"
    """A table a predicate, in a file named like the predicate."""
    PARQUET = "parquet"
    """Likewise."""
    DUCKDB = "duckdb"
    """A table a predicate, all in one file."""
    SQLITE = "sqlite"
    """Likewise."""
    EXCEL = "excel"
    """A sheet a table, all in one workbook."""

    @property
    def is_text(self) -> bool:
        """Is it made of lines that a person can read?"""
        return self in (Format.DB, Format.TSV, Format.CSV) or self.is_graph

    @property
    def is_only_read(self) -> bool:
        """Is it another system's way to keep facts, which is read and not written?"""
        return self.is_graph or self is Format.EXCEL

    @property
    def is_graph(self) -> bool:
        """Is it another system's way to keep graphs?"""
        return self in (Format.NTRIPLES, Format.TURTLE, Format.GRAPHML)


KNOWN = (
    "facts (.db, .pl), triples (.tsv, .nt, .ttl), .graphml, each also with .gz, "
    ".csv, .parquet, .duckdb, .sqlite and .xlsx"
)
"""What error messages say of the formats."""

GZIP = b"\x1f\x8b"
"""How a gzip file begins."""

NEGATIVES = ".n"
"""The extension of a file whose atoms are all false, as tools for inductive logic programming have it beside ``.f``."""

_EXTENSIONS = {
    ".db": Format.DB,
    ".pl": Format.DB,
    ".facts": Format.DB,
    ".f": Format.DB,
    NEGATIVES: Format.DB,
    ".tsv": Format.TSV,
    ".nt": Format.NTRIPLES,
    ".ttl": Format.TURTLE,
    ".turtle": Format.TURTLE,
    ".graphml": Format.GRAPHML,
    ".csv": Format.CSV,
    ".parquet": Format.PARQUET,
    ".duckdb": Format.DUCKDB,
    ".ddb": Format.DUCKDB,
    ".sqlite": Format.SQLITE,
    ".sqlite3": Format.SQLITE,
    ".xlsx": Format.EXCEL,
    ".xlsm": Format.EXCEL,
}

_TRIPLE = re.compile(r"\s*+[^\t\n]++\t[^\t\n]++\t[^\t\n]++(?:\n|\Z)")
_COMMENTS = r"(?:\s++|(?://|%|#)[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)*+"
_FACT = re.compile(_COMMENTS + r"(?:[!~¬]\s*+)?[\w\"'][^\n(]*+\([^\n]*\)[ \t\r]*+\.?[ \t\r]*+(?:\n|\Z)")


def format_of_content(content: bytes) -> Format | None:
    """What the first bytes, and for Parquet also the last, say for certain; text says nothing."""
    if content.startswith(b"SQLite format 3\0"):
        return Format.SQLITE
    # Text may have DUCK at this place too, but not the zeros of the version's number that follows.
    if content[8:12] == b"DUCK" and b"\0" in content[12:20]:
        return Format.DUCKDB
    if content.startswith(b"PAR1") and content.endswith(b"PAR1"):
        return Format.PARQUET
    return None


def format_of_name(path: Path) -> Format | None:
    """What a file's extension says; ``.gz`` is looked through."""
    return _EXTENSIONS.get(_plain(path).suffix.lower())


def format_of_text(text: str) -> Format | None:
    """What a text looks like: triples, or facts after any comments, or nothing at all, which is no facts."""
    if _TRIPLE.match(text):
        return Format.TSV
    return Format.DB if _FACT.match(text) or not text.strip() else None


def stem(path: Path) -> str:
    """A file's name without its extension: the predicate of a table.

    >>> stem(Path("data/advisedBy.csv.gz"))
    'advisedBy'
    """
    return _plain(path).stem


def _plain(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path
