"""``possilog report``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_both, load_facts
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, DataOptions, Force, Json, Seed, TheoryFile, WordsFile
from possilog.cli.output import check_page_file
from possilog.cli.progress import Bars
from possilog.printing import plural
from possilog.report.overview.making import write_report
from possilog.report.overview.values import Report

__all__ = ["app", "show"]

app = new_app()


@app.command("report")
@with_options
def report(
    theory: TheoryFile,
    data: Annotated[
        str, typer.Option("--data", metavar="DATA", help=f"Facts in which the rules are counted: {FACTS}.")
    ],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the page here.")],
    reading: DataOptions,
    test: Annotated[
        str | None,
        typer.Option("--test", metavar="DATA", help=f"Facts, of which some are given, the rest predicted: {FACTS}."),
    ] = None,
    title: Annotated[str, typer.Option(help="What the report is called.", show_default="the theory's file")] = "",
    words: WordsFile = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a report about a theory: one HTML file, to be read, searched, printed and handed on."""
    check_page_file(output, force=force)
    read, facts = load_both(theory, data, reading)
    truth = None if test is None else load_facts(test, reading, read.mapping)
    with Bars() as bars:
        made = write_report(
            read, facts, output, truth, title=title or theory, words=load_words(words), seed=seed, progress=bars.show
        )
    show(made, output, as_json=json)


def show(made: Report, output: str, *, as_json: bool) -> None:
    """Say where the page is, and what was found; or all that it shows."""
    if as_json:
        print(in_json({"report": output, **made.as_json}))
        return
    suspects = len(made.suspects.listed) + made.suspects.more
    print(f"{output}: {plural(len(made.portrait.rules), 'rule')}, {plural(suspects, 'suspect')}")
    print("open it in a browser; it needs nothing else", file=sys.stderr)
