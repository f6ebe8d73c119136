"""Arguments and options that several commands have, and the words that they can be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from possilog.choices import Aggregate, Inference, Joint, OnConflict

if TYPE_CHECKING:
    from possilog.inference import How
    from possilog.inference.kinds import Share
    from possilog.workers import Jobs

__all__ = [
    "FACTS",
    "CountingTime",
    "Data",
    "DataOptions",
    "EvidenceFile",
    "Force",
    "InferenceOptions",
    "Json",
    "MoreConstants",
    "NegativeExamples",
    "Objective",
    "Preset",
    "RankAggregate",
    "Seed",
    "TheoryFile",
    "WordsFile",
    "WorkerOptions",
    "WriteTo",
]

_READING = "How facts are read"
_INFERENCE = "Inference"
_WORKERS = "Where the work is done"

FACTS = "a file, a folder, or facts that ship with possilog (village, university, shop)"
"""What DATA is, wherever facts are asked for."""


class NegativeExamples(StrEnum):
    """Which false atoms are negative examples."""

    NONTRIVIAL = "nontrivial"
    RANDOM = "random"


class Objective(StrEnum):
    """What a theory is learned for."""

    PREDICTION = "prediction"
    LIKELIHOOD = "likelihood"


@dataclass(frozen=True, slots=True)
class DataOptions:
    """How facts are read: for every command that takes some, wherever it takes them."""

    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="CSV files begin with the names of their columns, or with a fact.",
            show_default="what a file looks like",
            rich_help_panel=_READING,
        ),
    ] = None
    encoding: Annotated[str, typer.Option(help="How text files are encoded.", rich_help_panel=_READING)] = "utf-8"
    symmetric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREDICATE",
            help="A relation that holds both ways, even if facts give one; may be repeated.",
            rich_help_panel=_READING,
        ),
    ] = None
    mapping: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What becomes of tables and their columns; possilog schema --write gives such a file.",
            show_default="as the theory says, or what the tables look like",
            rich_help_panel=_READING,
        ),
    ] = None
    as_is: Annotated[
        bool,
        typer.Option(
            "--as-is", help="Each table is a predicate, and each of its rows a fact.", rich_help_panel=_READING
        ),
    ] = False
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="A word that stands for an unknown value in tables, beside the empty cell; may be repeated.",
            show_default="NA, NULL, nan, N/A, ?, -",
            rich_help_panel=_READING,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Where the work is done; the result is the same everywhere."""

    jobs: Annotated[
        int, typer.Option(min=1, help="Processes; the result is the same for any number.", rich_help_panel=_WORKERS)
    ] = 1
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask scheduler, such as tcp://127.0.0.1:8786, whose workers do the work.",
            rich_help_panel=_WORKERS,
        ),
    ] = None

    @contextmanager
    def workers(self) -> Iterator[Jobs]:
        """Where tasks run, while the command does."""
        from possilog.errors import QueryError

        if self.cluster is None:
            yield self.jobs
            return
        if self.jobs != 1:
            raise QueryError("--jobs are processes here, and --cluster has its own; give one of the two")
        from possilog.workers import Cluster

        with Cluster(self.cluster) as cluster:
            print(f"the cluster shows what it does at {cluster.dashboard}", file=sys.stderr)
            yield cluster


@dataclass(frozen=True, slots=True)
class InferenceOptions:
    """How a theory is applied to evidence."""

    inference: Annotated[Inference, typer.Option(help="How far a conflict reaches.", rich_help_panel=_INFERENCE)] = (
        Inference.LOCAL
    )
    on_conflict: Annotated[
        OnConflict | None,
        typer.Option(
            help="Where the evidence breaks hard rules: predict nothing, or set aside what it breaks.",
            show_default="repair for local inference, else report",
            rich_help_panel=_INFERENCE,
        ),
    ] = None
    joint: Annotated[
        Joint,
        typer.Option(
            help="Conclusions of a stratum in conflict, for local inference: bar all, or the weakest.",
            rich_help_panel=_INFERENCE,
        ),
    ] = Joint.BAR
    width: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Constants in a fragment.",
            show_default="as many as a soft rule has variables",
            rich_help_panel=_INFERENCE,
        ),
    ] = None
    votes: Annotated[
        float | None,
        typer.Option(
            metavar="G", help="The share of its fragments that a conclusion needs.", rich_help_panel=_INFERENCE
        ),
    ] = None
    share: Annotated[
        str | None,
        typer.Option(
            metavar="S|any",
            help="The share of all facts that is known: rules that do not pay there are left out; any: none is.",
            show_default="as the evidence looks",
            rich_help_panel=_INFERENCE,
        ),
    ] = None

    def how(self, *, negatives: bool = False) -> How:
        """The kind of inference that they ask for."""
        from possilog.inference.kinds import how_asked

        return how_asked(
            self.inference,
            on_conflict=self.on_conflict,
            joint=self.joint,
            width=self.width,
            votes=self.votes,
            negatives=negatives,
            share=parse_share(self.share),
        )


def parse_share(text: str | None) -> Share:
    """A number between 0 and 1, or ``any``.

    >>> parse_share("0.3"), parse_share("any"), parse_share(None)
    (0.3, 'any', None)
    """
    from possilog.errors import QueryError

    if text is None:
        return None
    if text == "any":
        return "any"
    try:
        return float(text)
    except ValueError:
        raise QueryError(f"--share is a number between 0 and 1 or 'any', and {text!r} is neither") from None


Data = Annotated[str, typer.Argument(metavar="DATA", help=f"Facts: {FACTS}.")]
TheoryFile = Annotated[str, typer.Argument(metavar="THEORY", help="A theory: a file in our language, or a .poss file.")]
EvidenceFile = Annotated[
    str,
    typer.Option("--evidence", metavar="DATA", help=f"What is known: {FACTS}; a .db file may also deny atoms."),
]
MoreConstants = Annotated[
    list[str] | None, typer.Option("--constant", metavar="NAME", help="One more constant; may be repeated.")
]
CountingTime = Annotated[
    float | None,
    typer.Option("--time-limit", min=0, metavar="SECONDS", help="Estimate what cannot be counted exactly by then."),
]
WordsFile = Annotated[
    str | None,
    typer.Option("--words", metavar="FILE", help="Sentences: lines like  advisedBy: {0} is advised by {1}"),
]
Preset = Annotated[
    str | None, typer.Option(help="The authors' settings for a data set, uwcse or yeast; for learn also graph.")
]
RankAggregate = Annotated[
    Aggregate | None,
    typer.Option("--aggregate", help="The rules of an atom: their list, best first, or added up; else as THEORY says."),
]
Seed = Annotated[int, typer.Option(min=0, help="For all that is drawn at random.")]
WriteTo = Annotated[
    str | None,
    typer.Option(
        "--write-to",
        metavar="PLACE",
        help="Also write a table here: postgresql://user@host/database/schema, duckdb:FILE or sqlite:FILE.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there, even if possilog did not write it.")]
