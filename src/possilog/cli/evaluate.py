"""``possilog evaluate``."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from possilog.choices import Inference, OnConflict
from possilog.cli.declaring import new_app, with_options
from possilog.cli.ending import ending_tidily
from possilog.cli.facts import load_facts, load_theory
from possilog.cli.messages import in_json
from possilog.cli.options import FACTS, DataOptions, Json, Seed, WorkerOptions
from possilog.cli.progress import progress_bar
from possilog.data import Database
from possilog.errors import DataWarning, PossilogError, QueryError, shortened
from possilog.evaluation.models import EvidenceOnly, MarkovModel, Model, TheoryModel, hard_rules_only
from possilog.evaluation.protocol import Protocol
from possilog.evaluation.reliability import Reliability, reliability_of, said_by
from possilog.evaluation.running import run
from possilog.evaluation.scores import Summary, summarise
from possilog.inference import How, Reasoner
from possilog.inference.kinds import how_asked, how_of
from possilog.logic import TableMapping, read_theory
from possilog.markov import read_mln
from possilog.requiring import whole_in
from possilog.workers import Jobs

__all__ = ["app", "load_models", "parse_sizes", "show_evaluation", "sizes_within"]

app = new_app()


@app.command("evaluate")
@with_options
def evaluate_models(
    theories: Annotated[
        list[str],
        typer.Argument(metavar="THEORY...", help="Theories (our language or .poss), and networks (.mln)."),
    ],
    test: Annotated[
        str,
        typer.Option("--test", metavar="DATA", help=f"Facts, of which some are given, the rest asked for: {FACTS}."),
    ],
    reading: DataOptions,
    where: WorkerOptions,
    sizes: Annotated[
        str, typer.Option(metavar="N,N...", help="How many facts are given, or which share of them: 10,50 or 10%,50%.")
    ] = "3%,10%,20%,35%,50%,65%,80%",
    repeats: Annotated[int, typer.Option(min=1, help="Evidence sets of each size, the same for every model.")] = 10,
    inference: Annotated[Inference, typer.Option(help="How far a conflict reaches.")] = Inference.LOCAL,
    on_conflict: Annotated[
        OnConflict | None,
        typer.Option(
            help="Where the evidence breaks hard rules: predict nothing, or set aside what it breaks.",
            show_default="repair for local inference, else report",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Give up if a network's most probable world is not proved by then."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print how far the predictions of theories and networks are from test facts, some of which they are given."""
    facts = load_facts(test, reading, _mapping(theories))
    protocol = Protocol(facts, sizes_within(parse_sizes(sizes, len(facts)), facts), repeats, seed)
    models = load_models(theories, facts, how_asked(inference, on_conflict=on_conflict), time_limit)
    with where.workers() as jobs:
        show_evaluation(models, protocol, test, jobs=jobs, as_json=json)


def _mapping(theories: Sequence[str]) -> TableMapping | None:
    """How tables are read, by the first theory that says it."""
    read = (read_theory(path) for path in theories if not _is_network(path))
    return next((theory.mapping for theory in read if theory.mapping is not None), None)


def _is_network(path: str) -> bool:
    return path.lower().removesuffix(".gz").endswith(".mln")


def parse_sizes(text: str, facts: int) -> tuple[int, ...]:
    """Read ``10,50,100`` or ``10%,50%`` of this many facts.

    >>> parse_sizes("10, 50%,100", 400)
    (10, 200, 100)
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(dict.fromkeys(_size(part, facts) for part in parts))


def _size(part: str, facts: int) -> int:
    share = part.removesuffix("%")
    if (number := whole_in(part)) is not None:
        return number
    if share == part or not share.replace(".", "", 1).isdecimal() or float(share) > 100:
        raise QueryError(
            f"{shortened(repr(part))} is not a number of facts or a share of them; give sizes like 10,50 or 10%,50%"
        )
    return max(1, round(float(share) / 100 * facts))


def sizes_within(sizes: tuple[int, ...], test: Database) -> tuple[int, ...]:
    """The sizes that the test set has facts for, with a remark about others; all of them if it has none of them."""
    within = tuple(size for size in sizes if size <= len(test))
    beyond = ", ".join(str(size) for size in sizes if size > len(test))
    if within and beyond:
        warnings.warn(f"there are {len(test)} facts, so evidence of {beyond} is left out", DataWarning, stacklevel=2)
    return within or sizes


def load_models(paths: Sequence[str], test: Database, how: How, time_limit: float | None = None) -> list[Model]:
    """The models in the files, in their order, then the baselines: the evidence alone, and the theories' hard rules."""
    models: list[Model] = []
    baselines: list[Model] = [EvidenceOnly()]
    for path, name in zip(paths, _names(paths), strict=True):
        if _is_network(path):
            models.append(MarkovModel.of(name, read_mln(path), test.predicates, time_limit))
            continue
        theory = load_theory(path, test)
        models.append(TheoryModel(name, theory, how))
        if theory.soft:
            baselines.append(hard_rules_only(f"{name}, hard rules only", theory))
    return [*models, *baselines]


def _names(paths: Sequence[str]) -> list[str]:
    """The files' names; the whole paths where two are the same."""
    names = [Path(path).name for path in paths]
    count = Counter(names)
    return [path if count[name] > 1 else name for path, name in zip(paths, names, strict=True)]


class Evaluated(NamedTuple):
    """A model, how far its predictions are off, and how far what it says comes true."""

    name: str
    summaries: tuple[Summary, ...]
    reliability: Reliability | None


def show_evaluation(models: Sequence[Model], protocol: Protocol, test: str, *, jobs: Jobs, as_json: bool) -> None:
    """Run the models on the same evidence sets, and print their errors."""
    found: list[Evaluated] = []
    steps = len(models) * len(protocol.sizes) * protocol.repeats
    with ending_tidily(), progress_bar("evidence sets", steps) as advance:
        for model in models:
            try:
                scores = run(model, protocol, jobs=jobs, progress=lambda step: advance(step.phase))
            except PossilogError as error:  # such as evidence against a hard formula
                raise QueryError(f"{model.name}: {error}") from None
            found.append(Evaluated(model.name, summarise(scores), _reliability(model, protocol)))
    if as_json:
        print(in_json(_as_json(found, protocol, test)))
    else:
        _print(found, protocol, test)


def _as_json(found: Sequence[Evaluated], protocol: Protocol, test: str) -> dict[str, object]:
    return {
        "test": test,
        "atoms": len(protocol.test),
        "repeats": protocol.repeats,
        "seed": protocol.seed,
        "sizes": list(protocol.sizes),
        "models": [
            {
                "model": one.name,
                "results": [summary.as_json for summary in one.summaries],
                "reliability": None if one.reliability is None else one.reliability.as_json,
            }
            for one in found
        ],
    }


def _print(found: Sequence[Evaluated], protocol: Protocol, test: str) -> None:
    facts = "one fact" if len(protocol.test) == 1 else f"{len(protocol.test):,} facts"
    sets = "one evidence set" if protocol.repeats == 1 else f"{protocol.repeats} evidence sets"
    print(f"{test}: {facts}, {sets} per size, seed {protocol.seed}")
    for name, summaries, reliability in found:
        print(f"\n{name}\n  evidence  error             gain              precision  recall  ms")
        for one in summaries:
            shares = one.additions.precision, one.additions.recall
            precision, recall = ("-" if share is None else f"{share:.3f}" for share in shares)
            print(
                f"  {one.size:>8,}  {one.error!s:<16}  {one.gain!s:<16}  {precision:<9}  {recall:<6}  "
                f"{1000 * one.seconds:.3g}"
            )
        if reliability is not None:
            _print_reliability(reliability)


def _print_reliability(found: Reliability) -> None:
    print(f"  said and came true: {_scores(found)}")
    for tenth in found.tenths:
        print(f"    said {tenth.said:.2f}  came true {tenth.came_true:.2f}  ({tenth.right:,} of {tenth.cases:,})")
    for name, one in found.by_predicate.items():
        print(f"    {name}: {_scores(one)}")


def _scores(found: Reliability) -> str:
    return f"{found.cases:,} conclusions, calibration error {found.error:.3f}, Brier score {found.brier:.3f}"


def _reliability(model: Model, protocol: Protocol) -> Reliability | None:
    """What a theory that carries measures said, and what came true."""
    if not isinstance(model, TheoryModel) or model.theory.measures is None:
        return None
    return reliability_of(said_by(Reasoner(model.theory), protocol, how_of(model.how)))
