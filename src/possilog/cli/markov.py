"""``possilog markov``: Markov logic networks."""

from __future__ import annotations

import json as encoder
import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from possilog.logic import Atom
    from possilog.markov import MapState

__all__ = ["app"]

app = typer.Typer(help="Markov logic networks: the most probable world.", no_args_is_help=True)


class Solver(StrEnum):
    """Who solves the ground problems."""

    HIGHS = "highs"
    RC2 = "rc2"


@app.callback()
def markov() -> None:
    """Markov logic networks: the most probable world."""


@app.command("map")
def find_map(
    network: Annotated[
        str, typer.Argument(metavar="MLN", help="A Markov logic network: a .mln file as Alchemy has it.")
    ],
    evidence: Annotated[
        str | None, typer.Option(metavar="FILE", help="What is known: facts; a .db file may also have negated atoms.")
    ] = None,
    closed: Annotated[
        list[str] | None,
        typer.Option(metavar="PREDICATE", help="All of it is known: what is not given is false. May be repeated."),
    ] = None,
    solver: Annotated[Solver, typer.Option(help="An integer program, or MaxSAT.")] = Solver.HIGHS,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop then, and say how far from the best it may be.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the most probable world: what is given, and what is true besides."""
    from possilog.markov import map_state, read_evidence, read_mln

    known = None if evidence is None else read_evidence(evidence)
    state = map_state(read_mln(network), known, closed=closed or (), solver=solver.value, time_limit=time_limit)
    print(encoder.dumps(_as_json(state), indent=2, ensure_ascii=False) if json else _as_text(state))


def _as_json(state: MapState) -> dict[str, object]:
    atoms = [{"atom": _spell(atom), "given": True} for atom in state.evidence.facts]
    atoms += [{"atom": _spell(atom), "given": False} for atom in state.predicted]
    return {
        "optimal": state.optimal,
        "objective": state.objective,
        "gap": state.gap if math.isfinite(state.gap) else None,
        "seconds": state.seconds,
        "grounding_seconds": state.grounding_seconds,
        "solving_seconds": state.solving_seconds,
        "rounds": state.rounds,
        "active_atoms": state.active,
        "ground_clauses": state.clauses,
        "predicted": atoms,
    }


def _as_text(state: MapState) -> str:
    quality = "the best" if state.optimal else f"at most {state.gap:g} below the best"
    counts = f"{len(state.predicted)} predicted, {len(state.evidence.facts)} given"
    lines = [f"  {_spell(atom)}" for atom in state.predicted]
    return "\n".join([*lines, f"{counts}; objective {state.objective:g}, {quality}"])


def _spell(atom: Atom) -> str:
    """An atom as files of facts write it."""
    from possilog.logic.spelling import spell_given, spell_predicate

    arguments = ", ".join(spell_given(term.name) for term in atom.arguments)
    return f"{spell_predicate(atom.predicate.name)}({arguments})"
