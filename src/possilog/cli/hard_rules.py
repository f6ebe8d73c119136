"""``possilog hard-rules``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts
from possilog.cli.messages import in_json
from possilog.cli.options import Data, DataOptions, Json, Seed
from possilog.cli.progress import Bars
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.errors import QueryError, shortened
from possilog.requiring import whole_in
from possilog.structure import find_hard_rules

__all__ = ["HardRuleOptions", "app", "parse_variables", "show_hard_rules"]

app = new_app()

_HARD_RULES = "The search for hard rules"


@dataclass(frozen=True, slots=True)
class HardRuleOptions:
    """How hard rules are searched."""

    literals: Annotated[
        int, typer.Option(min=1, help="Literals in a hard rule, at most.", rich_help_panel=_HARD_RULES)
    ] = 2
    unary_literals: Annotated[
        int,
        typer.Option(
            min=0,
            help="Literals in a hard rule of unary literals over one variable, at most.",
            rich_help_panel=_HARD_RULES,
        ),
    ] = 5
    variables: Annotated[
        str,
        typer.Option(metavar="N|any", help="Variables in a hard rule, at most.", rich_help_panel=_HARD_RULES),
    ] = "any"
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Stop then, and say what was not searched.",
            rich_help_panel=_HARD_RULES,
        ),
    ] = None


@app.command("hard-rules")
@with_options
def hard_rules(
    data: Data,
    reading: DataOptions,
    limits: HardRuleOptions,
    min_support: Annotated[int, typer.Option(min=0, help="Leave out rules that rest on less.")] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print the rules that hold without exception, by kind, with the number of times they could have failed."""
    stop = Deadline(limits.time_limit)  # reading takes time, too
    show_hard_rules(
        load_facts(data, reading),
        literals=limits.literals,
        unary_literals=limits.unary_literals,
        variables=parse_variables(limits.variables),
        min_support=min_support,
        stop=stop,
        seed=seed,
        as_json=json,
    )


def parse_variables(text: str) -> int | None:
    """A number of variables, or ``any``."""
    if text == "any":
        return None
    if (number := whole_in(text)) is None:
        raise QueryError(f"--variables is a number or 'any', and {shortened(repr(text))} is neither")
    return number


def show_hard_rules(
    database: Database,
    *,
    literals: int,
    unary_literals: int,
    variables: int | None,
    min_support: int,
    stop: Deadline,
    seed: int,
    as_json: bool,
) -> None:
    """Find the hard rules of some facts and print them by kind."""
    with Bars() as bars:
        found = find_hard_rules(
            database,
            literals=literals,
            unary_literals=unary_literals,
            variables=variables,
            min_support=min_support,
            time_limit=stop.left,
            seed=seed,
            progress=bars.show,
        )
    print(in_json(found.as_json) if as_json else found)
