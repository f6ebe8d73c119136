"""Arguments and options that several commands have, and the words that they can be."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from possilog.choices import Inference, Joint, OnConflict

__all__ = [
    "Data",
    "Encoding",
    "Header",
    "Inference",
    "Joint",
    "Json",
    "Negatives",
    "Objective",
    "OnConflict",
    "Symmetric",
    "System",
]

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Facts: a file (.db, .tsv, .csv, .parquet, .duckdb, .sqlite), a folder, or the name of facts that "
        "ship with possilog (village, university).",
    ),
]


class Negatives(StrEnum):
    """Which false atoms are negative examples."""

    NONTRIVIAL = "nontrivial"
    RANDOM = "random"


class Objective(StrEnum):
    """What a theory is learned for."""

    PREDICTION = "prediction"
    LIKELIHOOD = "likelihood"


class System(StrEnum):
    """Another system, which a theory is written for."""

    PROBLOG = "problog"
    PSL = "psl"


Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="CSV files begin with the names of their columns, or with a fact."),
]
Encoding = Annotated[str, typer.Option(help="How text files are encoded.")]
Symmetric = Annotated[
    list[str] | None,
    typer.Option(metavar="PREDICATE", help="A relation that holds both ways, even if facts give one; may be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
