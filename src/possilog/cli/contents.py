"""``possilog``: one command for each job, and what it ends with.

A command is declared in the module of its name, beside what it does. The module is imported when the command is asked
for, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
import warnings
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from mmap import mmap
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from possilog.cli.declaring import new_app
from possilog.cli.messages import MOST, say
from possilog.errors import PossilogError

__all__ = ["CONTENTS", "app", "load_command", "main"]

CONTENTS = {
    "First steps": {
        "demo": "Learn a theory of a small village, predict, explain, and ask.",
    },
    "Facts": {
        "schema": "What facts are about: predicates, arguments, counts.",
        "query": "The matches of a query.",
        "partition": "Triples that are larger than memory, dealt out on disk.",
    },
    "Learning": {
        "learn": "A theory from facts.",
        "weigh": "The weights of a theory, fitted to facts.",
        "hard-rules": "Rules that hold without exception.",
        "rules": "Horn rules for every predicate, the candidates of theories.",
        "mine": "All path rules of a graph, with exact counts.",
        "count": "How many fragments and worlds each stratum decides.",
    },
    "Using a theory": {
        "show": "A theory for people: what it is about, its rules, and how often they are right.",
        "predict": "What a theory adds to evidence.",
        "complete": "What rules add to facts that are larger than memory.",
        "ask": "The best answers to a question, and why.",
        "explain": "Why an atom is predicted, or why it is not.",
        "what-if": "What changes if facts or rules come or go.",
        "check": "Where facts break the rules of a theory.",
        "explore": "A page on which a theory is looked at, questioned and corrected.",
        "report": "A page about a theory, to be read, searched, printed and handed on.",
        "diff": "What changed from one theory to another.",
        "convert": "A theory for other systems, for papers, and as JSON.",
        "export": "The same as convert.",
    },
    "Comparing": {
        "evaluate": "How far predictions are from test facts.",
        "rank": "How far up what is true comes: MRR and Hits@k, or areas under curves.",
        "experiment": "Learn, compare all models, and write tables, plots and a page.",
        "markov": "Markov logic networks: learn them, and find the most probable world.",
    },
}
"""All commands."""

FAILED = 2
"""The exit code of what cannot be done as it was asked for; docs/commands.md has the others."""


class Contents(TyperGroup):
    """The commands, of which only that one is imported that runs."""

    def __init__(self, **settings: Any) -> None:
        """List the commands."""
        super().__init__(**settings)
        self.commands = {
            name: TyperCommand(name, short_help=about, rich_help_panel=panel)
            for panel, entries in CONTENTS.items()
            for name, about in entries.items()
        }

    def resolve_command(self, *given: Any) -> Any:
        """Find the command that is asked for."""
        name, entry, rest = super().resolve_command(*given)
        return name, entry and load_command(str(name)), rest


def load_command(name: str) -> Any:
    """The command of a name, as its module declares it."""
    module = import_module(f"possilog.cli.{name.replace('-', '_')}")
    return typer.main.get_command(module.app)


app = new_app(
    cls=Contents,
    help="Readable, weighted logical theories from relational facts.",
    no_args_is_help=True,
    add_completion=True,
)


@app.callback(invoke_without_command=True)
def version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    """Readable, weighted logical theories from relational facts."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"possilog {installed('possilog')}")
        raise typer.Exit


_NO_MEMORY = "there is not enough memory for this; give less data, or narrower limits"

_WITH_OPENBLAS = "numpy._core._multiarray_umath", "scipy.linalg._fblas", "scipy.special._ufuncs"
_ROOM = 80 << 20
"""Bytes that OpenBLAS takes as it is loaded, with its code: 34 and 25 million."""


def main() -> None:
    """Run a command; where something is wrong, say so in one sentence and leave with exit code 2."""
    told = _Warnings()
    warnings.showwarning = told.show
    for stream in (sys.stdout, sys.stderr):
        # Names of constants may hold what a terminal's encoding does not. A stream may also be closed.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _conceal_secrets()
    _spare_memory()
    try:
        app()
    except PossilogError as error:
        _leave(str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"{place}{error.strerror or error}")
    except MemoryError:
        _leave(_NO_MEMORY)
    except ImportError as error:
        if "failed to map segment" not in str(error) and "annot allocate memory" not in str(error):
            raise  # it is no library for which there is no room
        _leave(_NO_MEMORY)
    except RecursionError:
        _leave("something that was given is nested too deeply; write it with fewer parentheses")
    except BrokenExecutor:
        _leave("a worker process was ended from outside, maybe as memory ran out; give less data, or fewer --jobs")
    finally:
        told.close()


def _conceal_secrets() -> None:
    """Take passwords out of the addresses that were given, before anything can show them."""
    if any("postgres" in word for word in sys.argv):
        from possilog.data.servers import conceal

        sys.argv[1:] = map(conceal, sys.argv[1:])


def _spare_memory() -> None:
    """Where memory is bounded, one thread for OpenBLAS: it waits for ever if there is no room for those it makes.

    As it is loaded it asks for its own room for ever, too, and Ctrl-C does not end that; so it is asked for before.
    """
    with suppress(ImportError):  # not every system has such bounds
        import resource

        if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            sys.meta_path.insert(0, _Room())


class _Room:
    """Finds no module, but sees which is about to be loaded."""

    def find_spec(self, name: str, *_: object) -> None:
        """MemoryError, if it is one that brings OpenBLAS, and that would not find its memory."""
        if name in _WITH_OPENBLAS:
            try:
                mmap(-1, _ROOM).close()
            except OSError:
                raise MemoryError from None


class _Warnings:
    """Prints the first warnings, each once, and counts the others: Python forgets what it said at some late imports."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def show(self, message: Warning | str, *_: Any, **__: Any) -> None:
        if len(self._said) < MOST and str(message) not in self._said:
            say("warning", message)
        self._said.add(str(message))

    def close(self) -> None:
        if len(self._said) > MOST:
            say("warning", f"and {len(self._said) - MOST:,} more, left out")


def _leave(message: str) -> None:
    say("error", message)
    raise SystemExit(FAILED)
