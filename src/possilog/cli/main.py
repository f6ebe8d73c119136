"""``possilog``: one command for each job. What a job needs is imported when it runs, so that help comes at once."""

from __future__ import annotations

import sys
import warnings
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
        help="Facts: a file (.db, .tsv, .csv, .parquet, .duckdb, .sqlite), a folder, or the name of facts that "
        "ship with possilog (village, university)."
    ),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="CSV files begin with the names of their columns, or with a fact."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def query(
    data: Data,
    question: Annotated[str, typer.Argument(metavar="QUERY", help='For example "R(X,Y), R(Y,Z), not P(Z)".')],
    count: Annotated[bool, typer.Option("--count", help="Print how many matches there are.")] = False,
    exists: Annotated[bool, typer.Option("--exists", help="Print whether there is a match: true or false.")] = False,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most so many matches.")] = None,
    header: Header = None,
    json: Json = False,
) -> None:
    """Print the matches of a query: distinct variables stand for distinct constants."""
    from possilog.cli.facts import load_facts
    from possilog.cli.query import answer
    from possilog.logic import parse_query

    asked = parse_query(question)
    answer(load_facts(data, header), asked, count=count, exists=exists, limit=limit, as_json=json)


@app.command()
def schema(data: Data, header: Header = None, json: Json = False) -> None:
    """Print what the facts are about: predicates, their arguments and how many facts they have."""
    from possilog.cli.facts import load_facts
    from possilog.cli.schema import describe

    describe(load_facts(data, header), as_json=json)


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
        # Names of constants may hold what a terminal's encoding does not.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
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
