"""``possilog explore``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.explain import load_words
from possilog.cli.facts import load_both, load_facts
from possilog.cli.options import FACTS, DataOptions, WordsFile
from possilog.data import Database
from possilog.errors import MissingPart
from possilog.files import check_writable
from possilog.logic import Theory, read_theory, write_theory

if TYPE_CHECKING:
    from possilog.explorer.explorer import Explorer

__all__ = ["app"]

app = new_app()


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """Where the page is, and how long a question may take."""

    host: Annotated[str, typer.Option(help="To whom to listen; others than this machine need a token.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for a free port.")] = 8127
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False
    time_limit: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="A question that takes longer is ended.")
    ] = 10.0


@app.command("explore")
@with_options
def explore(
    theory: Annotated[
        str, typer.Argument(metavar="THEORY|DATA", help=f"A theory; without --data, facts to learn one from: {FACTS}.")
    ],
    reading: DataOptions,
    serving: ServingOptions,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help=f"The theory's facts: {FACTS}.",
            show_default="the first argument, from which a theory is learned first",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where a theory goes that is learned first.", show_default="DATA.pl"
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="DATA", help=f"Facts on which edits are tried before they are accepted: {FACTS}."
        ),
    ] = None,
    words: WordsFile = None,
) -> None:
    """Open a page on which a theory is looked at, questioned and corrected. Ctrl-C ends it."""
    explorer, learns = _explorer(theory, data, output, test, words, reading, serving.time_limit)
    from possilog.explorer.serving import bind, rules_for, serve

    try:
        opened = bind(serving.host, serving.port)
        rules = rules_for(serving.host, opened.getsockname()[1])

        def ready(address: str) -> None:
            print(address, flush=True)
            if learns:
                explorer.learn_first()
            if not serving.no_browser:
                import webbrowser

                webbrowser.open(address)

        serve(explorer, opened, rules, ready)
    finally:
        explorer.close()


def _explorer(
    theory: str,
    data: str | None,
    output: str | None,
    test: str | None,
    words: str | None,
    reading: DataOptions,
    time_limit: float,
) -> tuple[Explorer, bool]:
    """All that is explored, and whether a theory has to be learned first."""
    try:
        from possilog.explorer.exploration import Sources
        from possilog.explorer.explorer import Explorer
        from possilog.explorer.history import Book
    except ImportError:
        raise MissingPart("the explorer needs more; install it with: pip install 'possilog[explorer]'") from None
    from possilog.inference import Reasoner

    if data is None:
        place, read, facts = _to_be_learned(theory, output, reading)
    else:
        read, facts = load_both(theory, data, reading)
        place = Path(theory).resolve()
    Reasoner(read)  # what cannot be used is refused now
    truth = None if test is None else load_facts(test, reading, read.mapping)
    sources = Sources(place.name, facts, place.parent, data or theory, truth, load_words(words))
    check_writable(place)
    if not place.exists():
        write_theory(read, place)
    book = Book.open(place, place.read_text("utf-8-sig"), read)
    explorer = Explorer(sources, book, place, seconds=time_limit)
    return explorer, data is None and not book.position.theory.rules


def _to_be_learned(data: str, output: str | None, reading: DataOptions) -> tuple[Path, Theory, Database]:
    """The file of a theory that is learned from these facts, or was the last time."""
    facts = load_facts(data, reading)
    place = Path(output or f"{Path(data).stem or 'theory'}.pl").resolve()
    if not place.exists():
        return place, Theory(mapping=facts.mapping), facts
    print(f"{place.name} is there already, and is explored as it is; learn again on the page", file=sys.stderr)
    return place, read_theory(place), facts
