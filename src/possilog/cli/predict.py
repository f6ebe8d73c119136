"""``possilog predict``."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Sequence
from functools import cache, partial
from itertools import islice
from typing import Annotated

import typer

from possilog.cli.declaring import new_app, with_options
from possilog.cli.facts import load_evidence, load_facts
from possilog.cli.options import (
    DataOptions,
    EvidenceFile,
    InferenceOptions,
    Json,
    MoreConstants,
    Seed,
    TheoryFile,
)
from possilog.cli.query import suggestion
from possilog.data import Database, Evidence
from possilog.errors import LONGEST_MESSAGE, DataWarning, listed, shortened
from possilog.inference import Calibration, Conclusion, Conflict, Core, Prediction, Reasoner
from possilog.logic import Atom, Literal, Predicate, Theory, Weight, in_vocabulary, read_as, read_theory
from possilog.logic.spelling import spell_given, spell_predicate

__all__ = [
    "app",
    "as_spelled",
    "calibrated",
    "conflict_as_json",
    "conflict_text",
    "core_as_json",
    "load_question",
    "remark_unused",
    "show_prediction",
    "spell_fact",
    "spoken",
]

_SHOWN = 5
"""Conflicts that are told in words."""

_CORES = 100
"""Contradictions that are given as data."""

app = new_app()


@app.command("predict")
@with_options
def predict_facts(
    theory: TheoryFile,
    evidence: EvidenceFile,
    reading: DataOptions,
    how: InferenceOptions,
    negative: Annotated[bool, typer.Option("--negative", help="Say what is false too, for global inference.")] = False,
    calibrate: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Facts that the theory was learned from: leave out strata that do not pay."),
    ] = None,
    constants: MoreConstants = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Print at most this many added atoms.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print what a theory adds to evidence, most certain first; with --json, all that is predicted to hold."""
    question, given = load_question(theory, evidence, reading, constants or [])
    if calibrate is not None:
        question = calibrated(question, given, load_facts(calibrate, reading), seed)
    reasoner = Reasoner(question)
    prediction = reasoner.predict(given, **how.arguments, negatives=negative)
    show_prediction(reasoner, prediction, limit=limit, as_json=json)


def load_question(
    theory: str, evidence: str, reading: DataOptions, constants: Sequence[str] = ()
) -> tuple[Theory, Evidence]:
    """A theory and evidence; predicates that the evidence spells otherwise are read as the evidence's."""
    given = load_evidence(evidence, reading, constants)
    read = in_vocabulary(read_theory(theory), spoken(given))
    if read.predicates and given.facts and spoken(given).isdisjoint(read.predicates):
        remark = f"no rule of {theory} speaks of any predicate of {evidence}; check that the two belong together"
        warnings.warn(remark, DataWarning, stacklevel=2)
    return read, given


def calibrated(theory: Theory, evidence: Evidence, database: Database, seed: int) -> Theory:
    """The theory without the strata that do not pay for such evidence; says which these are."""
    calibration = Calibration.of(theory, database, seed=seed)
    adapted = calibration.adapted(evidence)
    dropped = len(theory.strata) - len(adapted.strata)
    share = f"{calibration.share(evidence):.0%} of the facts"
    seems = f"about {share} seem" if calibration.seen(evidence) is not None else f"nothing tells, so {share} are taken"
    print(
        f"{seems} to be known; at that share {dropped} of {len(theory.strata)} strata do not pay and are left out",
        file=sys.stderr,
    )
    return adapted


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


def spoken(evidence: Evidence) -> set[Predicate]:
    """The predicates that evidence speaks of."""
    return {*evidence.facts.predicates, *(atom.predicate for atom in evidence.denied)}


def show_prediction(reasoner: Reasoner, prediction: Prediction, *, limit: int | None, as_json: bool) -> None:
    """Print what is predicted: as JSON the evidence too, or what was added as a table."""
    if as_json:
        _print_json(reasoner, prediction, limit)
    else:
        _print_table(reasoner, prediction, limit)


def remark_unused(prediction: Prediction) -> None:
    """Say that rules played no part, if some did not."""
    if prediction.unused:
        print(
            f"{len(prediction.unused):,} rules with several heads play no part here; --inference global uses them",
            file=sys.stderr,
        )


def core_as_json(core: Core) -> dict[str, object]:
    """Some facts, and the ground rules that make something of them."""
    return {
        "facts": [_spell_literal(literal) for literal in core.literals],
        "rules": [str(rule) for rule in core.rules],
    }


def _spell_literal(literal: Literal) -> str:
    return spell_fact(literal.atom) if literal.positive else f"not {spell_fact(literal.atom)}"


def spell_fact(atom: Atom) -> str:
    """An atom as files of facts write it."""
    arguments = ", ".join(spell_given(term.name) for term in atom.arguments)
    name = spell_predicate(atom.predicate.name)
    return f"{name}({arguments})" if atom.arguments else name


def _print_json(reasoner: Reasoner, prediction: Prediction, limit: int | None) -> None:
    """One conclusion a line, written as they come: there may be millions."""
    write = partial(print, end="")
    whole: dict[str, object] = {
        "consistent": prediction.consistent,
        "inference": prediction.inference,
        "method": prediction.method,
        "strata_kept": prediction.strata_kept,
        "cut": str(prediction.cut),
    }
    write("{\n")
    for name, value in whole.items():
        write(f"  {json.dumps(name)}: {json.dumps(value)},\n")
    most = None if limit is None else len(prediction.evidence.facts) + limit
    _print_list("predicted", map(_as_json, islice(prediction, most)))
    if prediction.excluded:
        _print_list("excluded", map(_as_json, islice(prediction.excluded, limit)))
    if prediction.unused:
        write(f'  "unused": {json.dumps([str(rule) for rule in prediction.unused], ensure_ascii=False)},\n')
    if not prediction.consistent:
        _print_list("contradictions", map(core_as_json, reasoner.conflicts(prediction.evidence, _CORES)))
    _print_list("conflicts", map(conflict_as_json, prediction.conflicts), last=True)
    write("}\n")


def _print_list(name: str, items: Iterable[dict[str, object]], *, last: bool = False) -> None:
    write, encode = partial(print, end=""), json.JSONEncoder(ensure_ascii=False).encode
    write(f"  {json.dumps(name)}: [")
    separator = "\n"
    for item in items:
        write(f"{separator}    {encode(item)}")
        separator = ",\n"
    write(("]" if separator == "\n" else "\n  ]") + ("\n" if last else ",\n"))


def _as_json(conclusion: Conclusion) -> dict[str, object]:
    return {
        "atom": spell_fact(conclusion.atom),
        "certainty": _spell_weight(conclusion.certainty),
        "given": conclusion.given,
    }


@cache
def _spell_weight(weight: Weight) -> str:
    """As text; there are few weights, and may be millions of conclusions."""
    return str(weight)


def conflict_as_json(conflict: Conflict) -> dict[str, object]:
    """A conflict: the rule, and the atoms that break it."""
    found: dict[str, object] = {
        "weight": str(conflict.weight),
        "rule": None if conflict.broken.rule is None else str(conflict.broken.rule),
        "atoms": [spell_fact(atom) for atom in conflict.broken.body],
    }
    if conflict.barred:
        found["barred"] = [spell_fact(atom) for atom in conflict.barred]
    if conflict.core:
        found["core"] = [str(clause) for clause in conflict.core]
    return found


def conflict_text(conflict: Conflict) -> str:
    """A conflict in one line."""
    atoms = ", ".join(spell_fact(atom) for atom in conflict.broken.body)
    if conflict.broken.rule is None:
        return f"{atoms} follows, and the evidence denies it"
    return f"{atoms}, against the rule  {conflict.broken.rule}"


def _print_table(reasoner: Reasoner, prediction: Prediction, limit: int | None) -> None:
    shown = list(islice(prediction.added, limit))
    width = max((len(str(weight)) for weight in {conclusion.certainty for conclusion in shown}), default=0)
    for conclusion in shown:
        print(f"{_spell_weight(conclusion.certainty):<{width}}  {spell_fact(conclusion.atom)}")
    for conclusion in islice(prediction.excluded, limit):
        print(f"{conclusion.certainty!s:<{width}}  not {spell_fact(conclusion.atom)}")
    print(end="", flush=True)  # where both streams go to one place, the remarks come last
    print(
        f"added to the {len(prediction.evidence.facts):,} facts given: {len(prediction.added):,}; "
        f"strata that stand as a whole: {prediction.strata_kept}",
        file=sys.stderr,
    )
    _print_conflicts(reasoner, prediction)
    remark_unused(prediction)


def _print_conflicts(reasoner: Reasoner, prediction: Prediction) -> None:
    hard = [conflict for conflict in prediction.conflicts if conflict.weight.is_certain]
    # A rule may say the same of the same atoms in two ways.
    places: dict[object, Conflict] = {}
    for conflict in hard:
        places.setdefault((frozenset(conflict.broken.body), conflict.broken.rule), conflict)
    if not places:
        return
    if prediction.inference == "fragment":
        done = "fragments that break one say nothing"
    elif prediction.stopped:
        done = "nothing is added; --on-conflict repair sets aside what it breaks"
    else:
        done = "what it breaks is set aside"
    print(f"the evidence contradicts the hard rules ({done}):", file=sys.stderr)
    told = list(places.values())[:_SHOWN]
    for conflict in told:
        print(f"  {shortened(conflict_text(conflict), LONGEST_MESSAGE)}", file=sys.stderr)
    if len(places) > _SHOWN:
        print(f"  and {len(places) - _SHOWN:,} more", file=sys.stderr)
    if not all(atom in prediction.evidence.facts for conflict in told for atom in conflict.broken.body):
        print("these facts cannot be true together:", file=sys.stderr)
        for core in reasoner.conflicts(prediction.evidence, _SHOWN):
            print(f"  {listed(map(_spell_literal, core.literals), 20)}", file=sys.stderr)
