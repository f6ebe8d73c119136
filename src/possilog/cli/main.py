"""``possilog``: one command for each job. What a job needs is imported when it runs, so that help comes at once."""

from __future__ import annotations

import sys
import warnings
from enum import StrEnum
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from possilog.errors import PossilogError

app = typer.Typer(
    help="Readable, weighted logical theories from relational facts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

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


Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="CSV files begin with the names of their columns, or with a fact."),
]
Encoding = Annotated[str, typer.Option(help="How text files are encoded.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def query(
    data: Data,
    question: Annotated[str, typer.Argument(metavar="QUERY", help='For example "R(X,Y), R(Y,Z), not P(Z)".')],
    count: Annotated[bool, typer.Option("--count", help="Print how many matches there are.")] = False,
    exists: Annotated[bool, typer.Option("--exists", help="Print whether there is a match: true or false.")] = False,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most so many matches.")] = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Print the matches of a query: distinct variables stand for distinct constants."""
    from possilog.cli.facts import load_facts
    from possilog.cli.query import answer
    from possilog.logic import parse_query

    asked = parse_query(question)
    answer(load_facts(data, header, encoding), asked, count=count, exists=exists, limit=limit, as_json=json)


@app.command()
def schema(data: Data, header: Header = None, encoding: Encoding = "utf-8", json: Json = False) -> None:
    """Print what the facts are about: predicates, their arguments and how many facts they have."""
    from possilog.cli.facts import load_facts
    from possilog.cli.schema import describe

    describe(load_facts(data, header, encoding), as_json=json)


Literals = Annotated[int, typer.Option(min=1, help="A hard rule has at most so many literals.")]
UnaryLiterals = Annotated[
    int, typer.Option(min=0, help="A hard rule of unary literals over one variable may have so many.")
]
Variables = Annotated[str, typer.Option(metavar="N|any", help="A hard rule has at most so many variables.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="Stop the search for hard rules then, and say what was not searched."),
]
Seed = Annotated[int, typer.Option(min=0, help="For all that is drawn at random.")]


@app.command("hard-rules")
def hard_rules(
    data: Data,
    literals: Literals = 2,
    unary_literals: UnaryLiterals = 5,
    variables: Variables = "any",
    min_support: Annotated[int, typer.Option(min=0, help="Leave out rules that rest on less.")] = 0,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    header: Header = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Print the rules that hold without exception, by kind, with the number of times they could have failed."""
    from possilog.cli.facts import load_facts
    from possilog.cli.hard_rules import parse_variables, search

    search(
        load_facts(data, header, encoding),
        literals=literals,
        unary_literals=unary_literals,
        variables=parse_variables(variables),
        min_support=min_support,
        time_limit=time_limit,
        seed=seed,
        as_json=json,
    )


@app.command()
def rules(
    data: Data,
    target: Annotated[list[str] | None, typer.Option(help="A predicate to search rules for; may be repeated.")] = None,
    preset: Annotated[str | None, typer.Option(help="The authors' settings for a data set: uwcse or yeast.")] = None,
    body: Annotated[
        int | None, typer.Option("--body", "--body-length", min=1, help="Atoms in a body, at most.", show_default="3")
    ] = None,
    width: Annotated[int | None, typer.Option(min=1, help="Variables in a rule, at most.", show_default="3")] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Rules kept at each length.", show_default="100")] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Rules for each length of body.", show_default="5")] = None,
    min_support: Annotated[
        int | None, typer.Option(min=1, help="Positive examples that a rule must cover.", show_default="2")
    ] = None,
    negatives: Annotated[
        Negatives, typer.Option(help="Negative examples: those that the hard rules do not explain, or any.")
    ] = Negatives.NONTRIVIAL,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Negative examples for a predicate, at most.", show_default="1000")
    ] = None,
    literals: Literals = 2,
    unary_literals: UnaryLiterals = 5,
    variables: Variables = "any",
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes; the result is the same for any number.")] = 1,
    header: Header = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Search Horn rules for every predicate: the candidates from which theories are made."""
    from possilog.cli.facts import load_facts
    from possilog.cli.hard_rules import parse_variables
    from possilog.cli.rules import make_settings, search

    limits = {"body": body, "width": width, "beam": beam, "repeats": repeats, "min_support": min_support}
    search(
        load_facts(data, header, encoding),
        target or [],
        make_settings(preset, seed, negatives is Negatives.RANDOM, samples=samples, **limits),
        literals=literals,
        unary_literals=unary_literals,
        variables=parse_variables(variables),
        time_limit=time_limit,
        jobs=jobs,
        as_json=json,
    )


@app.command("count")
def count_cuts(
    theory: Annotated[str, typer.Argument(metavar="THEORY", help="A theory: a file in our language, or a .poss file.")],
    data: Annotated[str, typer.Option("--data", metavar="DATA", help="The facts whose fragments are counted.")],
    width: Annotated[int, typer.Option(min=1, help="Constants in a fragment: the paper's k.")] = 3,
    header: Header = None,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Print how many fragments of the data, and how many worlds, each stratum of a theory decides."""
    from possilog.cli.count import show_counts
    from possilog.cli.facts import load_facts
    from possilog.logic import read_theory

    show_counts(read_theory(theory), load_facts(data, header, encoding), width, as_json=json)


@app.command()
def demo() -> None:
    """Load the facts of a small village, which ship with possilog, and ask about them."""
    from possilog.cli.demo import show

    show()


@app.callback(invoke_without_command=True)
def version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Readable, weighted logical theories from relational facts."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"possilog {installed('possilog')}")
        raise typer.Exit


def main() -> None:
    """Run a command; where something is wrong, say so in one sentence and leave with exit code 2."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        # Names of constants may hold what a terminal's encoding does not. A stream may also be closed.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except PossilogError as error:
        _leave(f"error: {error}", 2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"error: {place}{error.strerror or error}", 2)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warning: {message}", file=sys.stderr)


def _leave(message: str, code: int) -> None:
    print(message, file=sys.stderr)
    raise SystemExit(code)
