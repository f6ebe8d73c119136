"""``possilog predict``."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_facts
from possilog.cli.messages import in_json
from possilog.cli.options import (
    FACTS,
    DataOptions,
    Force,
    InferenceOptions,
    Json,
    MoreConstants,
    Seed,
    TheoryFile,
    WorkerOptions,
    WriteTo,
)
from possilog.cli.output import check_conclusions_file
from possilog.cli.query import suggestion
from possilog.cli.questions import load_question
from possilog.cli.sets import SetsAsked, evidence_sets, predict_sets
from possilog.cli.tables import check_place, write_predictions
from possilog.data import Database, Evidence
from possilog.data.evidence import require_one_arity
from possilog.errors import DataWarning, QueryError
from possilog.inference import Prediction, Reasoner
from possilog.inference.prediction import Advice
from possilog.inference.taken import spoken
from possilog.logic import Atom, Predicate, Theory, read_as

__all__ = [
    "app",
    "as_spelled",
    "calibrated",
    "remark_reservations",
    "show_prediction",
    "spoken",
]

_OPTIONS = Advice("--on-conflict repair", "--inference global")
"""What can be done about a prediction, here."""

_Sets = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SETS]...", help="Evidence sets, each a file, or folders of them: each is predicted."),
]
_OneSet = Annotated[
    str | None,
    typer.Option(metavar="DATA", help=f"What is known: {FACTS}; a .db file may also deny atoms."),
]
_Calibrate = Annotated[
    str | None,
    typer.Option(metavar="DATA", help="Facts that say where its rules pay, of a theory that does not say it itself."),
]
_Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write what is added here: .parquet, .csv, .tsv (triples) or .db; of SETS, .jsonl.",
    ),
]


app = new_app()


@app.command("predict")
@with_options
def predict_facts(
    theory: TheoryFile,
    reading: DataOptions,
    how: InferenceOptions,
    where: WorkerOptions,
    sets: _Sets = None,
    evidence: _OneSet = None,
    negative: Annotated[bool, typer.Option("--negative", help="Say what is false too, for global inference.")] = False,
    calibrate: _Calibrate = None,
    constants: MoreConstants = None,
    rank: Annotated[
        bool, typer.Option("--rank", help="In place of certainties: all that some rule concludes, in the order of ask.")
    ] = False,
    output: _Output = None,
    write_to: WriteTo = None,
    force: Force = False,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most this many added atoms.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print what a theory adds to evidence, most certain first; with --json, all that is predicted to hold."""
    if sets:
        unfit = {"--evidence": evidence, "--calibrate": calibrate, "--rank": rank or None, "--write-to": write_to}
        _refuse(unfit, "several evidence sets; leave it out, or give one by --evidence")
        asked = SetsAsked(theory, reading, how.how(negatives=negative), constants or [], limit, json)
        with where.workers() as jobs:
            predict_sets(asked, evidence_sets(sets), jobs, output, force=force)
        return
    if evidence is None:
        raise QueryError("there is no evidence; name evidence sets after the theory, or one as --evidence DATA")
    if rank:
        unfit = {"--calibrate": calibrate, "--negative": negative or None, "--output": output, "--write-to": write_to}
        _refuse(unfit, "--rank, which prints an order and no certainties; leave one of them out")
    if output is not None:
        check_conclusions_file(output, force=force)
    if write_to is not None:
        check_place(write_to, "predictions", force=force)
    question, given = load_question(theory, evidence, reading, constants or [])
    if rank:
        _show_ranked(question, given, limit, as_json=json)
        return
    if calibrate is not None:
        _refuse({"--share": how.share}, "--calibrate, which looks for the share itself; leave one of them out")
        question = calibrated(question, _learned_from(calibrate, reading, question, given), seed)
    prediction = Reasoner(question).predict(given, how.how(negatives=negative))
    if output is not None:
        prediction.save(output)
        limit = 0 if limit is None else limit
    if write_to is not None:
        write_predictions(prediction, write_to, force=force)
    show_prediction(prediction, limit=limit, as_json=json)


def _refuse(options: Mapping[str, object], beside: str) -> None:
    """Some options would do nothing beside others."""
    for name, value in options.items():
        if value is not None:
            raise QueryError(f"{name} does not go with {beside}")


def _learned_from(data: str, reading: DataOptions, theory: Theory, given: Evidence) -> Database:
    """The facts to calibrate by, about what theory and evidence speak of."""
    learned_from = load_facts(data, reading, theory.mapping)
    require_one_arity(learned_from.predicates, theory.predicates, "the facts to calibrate by", "the theory")
    require_one_arity(spoken(given), theory.predicates, "the evidence", "the theory")
    return learned_from


def _show_ranked(theory: Theory, given: Evidence, limit: int | None, *, as_json: bool) -> None:
    """Print what the rules conclude, by their lists; what is denied is not concluded."""
    from possilog.inference.asking import rank_everything

    found = rank_everything(theory, given, limit)
    print(in_json(found.as_json) if as_json else found)


def calibrated(theory: Theory, database: Database, seed: int) -> Theory:
    """The theory with what the facts say of its rules; remarks where they say nothing that is used."""
    from possilog.learning import calibration

    if calibration.is_calibrated(theory):
        print(
            "the theory carries what was measured of its rules, so --calibrate measures nothing anew", file=sys.stderr
        )
        return theory
    found = calibration.calibrated(theory, database, seed=seed)
    if not calibration.is_calibrated(found):
        print("these facts say nothing of its soft rules, so all of them are used", file=sys.stderr)
    return found


def as_spelled(atom: Atom, known: Iterable[Predicate]) -> Atom:
    """An atom of the command line, its predicate as theory and evidence spell it; one that neither has is remarked."""
    known = set(known)
    meant = read_as([atom.predicate], known).get(atom.predicate)
    if meant is None:
        others = sorted({predicate.name for predicate in known})
        if atom.predicate.name not in others:
            hint = suggestion(atom.predicate.name, others, is_predicate=True)
            remark = f"neither theory nor evidence speaks of {atom.predicate}{hint}"
            warnings.warn(remark, DataWarning, stacklevel=2)
        return atom
    warnings.warn(f"{atom.predicate} is read as {meant}, as theory and evidence spell it", DataWarning, stacklevel=2)
    return Atom(meant, atom.arguments)


def show_prediction(prediction: Prediction, *, limit: int | None, as_json: bool) -> None:
    """Print what is predicted: as JSON the evidence too, or what was added as a table."""
    if as_json:
        _print_json(prediction.json_items(limit))
        return
    for row in prediction.rows(limit):
        print(row)
    print(end="", flush=True)  # where both streams go to one place, the remarks come last
    for remark in prediction.remarks(_OPTIONS):
        print(remark, file=sys.stderr)


def remark_reservations(prediction: Prediction) -> None:
    """Say which hard rules the evidence breaks, and that rules played no part, if some did not."""
    for remark in prediction.reservations(_OPTIONS):
        print(remark, file=sys.stderr)


def _print_json(items: Iterator[tuple[str, Any]]) -> None:
    """What may be long is written as it comes, an item in a line: there may be millions."""
    write, encode = partial(print, end=""), json.JSONEncoder(ensure_ascii=False).encode
    separator = "{\n"
    for name, value in items:
        write(f"{separator}  {encode(name)}: ")
        if isinstance(value, Iterator):
            _print_list(value)
        else:
            write(encode(value))
        separator = ",\n"
    write("\n}\n")


def _print_list(items: Iterator[dict[str, Any]]) -> None:
    write, encode = partial(print, end=""), json.JSONEncoder(ensure_ascii=False).encode
    separator = "["
    for item in items:
        write(f"{separator}\n    {encode(item)}")
        separator = ","
    write("[]" if separator == "[" else "\n  ]")
