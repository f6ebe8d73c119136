"""``possilog markov``: Markov logic networks."""

from __future__ import annotations

import json as encoder
from typing import TYPE_CHECKING, Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, DataOptions, Force, Json, Seed
from possilog.markov.map import MapSolver
from possilog.markov.network import FormulaWeights

if TYPE_CHECKING:
    from possilog.data import Evidence

__all__ = ["app"]

app = new_app(help="Markov logic networks: learn them, and find the most probable world.", no_args_is_help=True)


@app.callback()
def markov() -> None:
    """Markov logic networks: learn them, and find the most probable world."""


Network = Annotated[str, typer.Argument(metavar="MLN", help="A Markov logic network: a .mln file as Alchemy has it.")]
WeightsOfFormulas = Annotated[
    FormulaWeights,
    typer.Option(
        "--formula-weights",
        help="The weight of a formula of several clauses is split among them, or counts whole, as in pracmln.",
    ),
]
Prior = Annotated[float, typer.Option(metavar="S", help="The standard deviation of the weights' Gaussian prior.")]
Output = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the network here.")]


@app.command("map")
@with_options
def find_map(
    network: Network,
    reading: DataOptions,
    evidence: Annotated[
        str | None,
        typer.Option(metavar="DATA", help=f"What is known: {FACTS}; a .db file may also deny atoms."),
    ] = None,
    closed: Annotated[
        list[str] | None,
        typer.Option(metavar="PREDICATE", help="All of it is known: what is not given is false; may be repeated."),
    ] = None,
    solver: Annotated[
        MapSolver, typer.Option(help="An integer program or MaxSAT; auto eliminates atoms where that is quicker.")
    ] = MapSolver.AUTO,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop then, and say how far from the best it may be.")
    ] = None,
    formula_weights: WeightsOfFormulas = FormulaWeights.SPLIT,
    json: Json = False,
) -> None:
    """Print the most probable world: what is given, and what else is true."""
    from possilog.markov import map_state, read_mln

    known = None if evidence is None else _evidence(evidence, reading)
    asked = read_mln(network, formula_weights=formula_weights)
    state = map_state(asked, known, closed=closed or (), solver=solver, time_limit=time_limit)
    print(in_json(state.as_json) if json else state)


@app.command("weights")
@with_options
def find_weights(
    network: Network,
    data: Annotated[
        list[str],
        typer.Option("--data", metavar="DATA", help=f"Facts to learn from: {FACTS}; may be repeated, a world each."),
    ],
    output: Output,
    reading: DataOptions,
    prior: Prior = 100.0,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Every predicate counts alike, however many atoms it has.")
    ] = False,
    formula_weights: WeightsOfFormulas = FormulaWeights.SPLIT,
    force: Force = False,
    json: Json = False,
) -> None:
    """Learn the weights of a network's formulas by pseudo-likelihood; hard formulas stay hard."""
    from possilog.cli.output import check_network_file
    from possilog.markov import learn_weights, read_mln, write_mln

    check_network_file(output, force=force)
    asked = read_mln(network, formula_weights=formula_weights)
    worlds = (_world(one, reading) for one in data)
    learned = learn_weights(asked, worlds, prior=prior, weighted=weighted)
    write_mln(learned.network, output)
    print(in_json(learned.as_json) if json else learned)


@app.command("learn")
@with_options
def learn(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help=f"Facts: {FACTS}; each is a world.")],
    output: Output,
    reading: DataOptions,
    types: Annotated[
        str | None, typer.Option(metavar="MLN", help="Take the predicates and types that this network declares.")
    ] = None,
    max_vars: Annotated[int, typer.Option(min=1, help="Variables in a clause, at most.")] = 4,
    max_clause_length: Annotated[int, typer.Option(min=1, help="Literals in a clause, at most.")] = 4,
    beam: Annotated[int, typer.Option(min=1, help="Clauses kept at each step of the search.")] = 5,
    penalty: Annotated[float, typer.Option(min=0, help="What each literal takes off the score.")] = 0.01,
    prior: Prior = 100.0,
    samples: Annotated[int, typer.Option(min=1, help="False atoms of a predicate to look at, at most.")] = 5_000,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop the search then, and keep what was found.")
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Learn a network, clauses and weights, by beam search with weighted pseudo-likelihood."""
    from possilog.cli.output import check_network_file
    from possilog.cli.progress import progress_bar
    from possilog.markov import LearningSettings, learn_network, read_mln, write_mln

    check_network_file(output, force=force)
    settings = LearningSettings(
        max_vars=max_vars,
        max_length=max_clause_length,
        beam=beam,
        penalty=penalty,
        prior=prior,
        samples=samples,
        time_limit=time_limit,
        seed=seed,
    )
    declarations = None if types is None else read_mln(types).declarations
    with progress_bar("clauses", None) as advance:
        worlds = (_world(one, reading) for one in data)
        learned = learn_network(worlds, declarations, settings, progress=lambda step: advance(step.doing))
    write_mln(learned.network, output)
    print(in_json(learned.as_json) if json else learned)


@app.command("encode")
def encode(
    network: Network,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="Write the theory here.")],
    constants: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE=A,B", help="Constants of a type, beside those of the network; may be repeated."),
    ] = None,
    formula_weights: WeightsOfFormulas = FormulaWeights.SPLIT,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a possibilistic theory that gives every world the probability that the network gives it."""
    from possilog.cli.output import check_theory_file
    from possilog.errors import QueryError
    from possilog.logic import write_theory
    from possilog.markov import encode_network, parse_mln, read_mln

    given: dict[str, list[str]] = {}
    for one in constants or ():
        name, equals, listed = one.partition("=")
        if not equals:
            raise QueryError(f"{one!r} does not say whose constants these are; write TYPE=A,B")
        for type_name, names in parse_mln(f"{name}={{{listed}}}", "--constants").constants.items():
            given.setdefault(type_name, []).extend(names)
    check_theory_file(output, force=force)
    theory = encode_network(read_mln(network, formula_weights=formula_weights), given)
    write_theory(theory, output)
    figures = {"rules": len(theory.rules), "hard": len(theory.hard), "strata": len(theory.strata)}
    print(encoder.dumps(figures) if json else "{rules} rules, {hard} of them hard, {strata} strata".format(**figures))


def _evidence(data: str, reading: DataOptions) -> Evidence:
    """What is known of a world, read as all commands read facts."""
    from possilog.cli.facts import load_evidence

    return load_evidence(data, reading)


def _world(data: str, reading: DataOptions) -> Evidence:
    """A world to learn from: it has facts."""
    from possilog.cli.facts import require_facts

    given = _evidence(data, reading)
    require_facts(given.facts, data)
    return given
