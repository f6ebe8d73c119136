"""``possilog predict``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from possilog.cli.facts import load_facts
from possilog.data import Database, read_evidence, with_mirrors
from possilog.data.bundled import names
from possilog.inference import Calibration, Conclusion, Conflict, Evidence, Prediction
from possilog.logic import Atom, Theory, in_vocabulary, read_theory
from possilog.logic.spelling import spell_given, spell_predicate

__all__ = [
    "calibrated",
    "conflict_as_json",
    "conflict_text",
    "load_evidence",
    "load_question",
    "show_prediction",
    "spell_fact",
]

_SHOWN = 5
"""Conflicts that are told in words."""


def load_question(
    theory: str,
    evidence: str,
    constants: Sequence[str] = (),
    header: bool | None = None,
    encoding: str = "utf-8",
    symmetric: Sequence[str] | None = None,
) -> tuple[Theory, Evidence]:
    """A theory and evidence; predicates that the evidence spells otherwise are read as the evidence's."""
    given = load_evidence(evidence, constants, header, encoding, symmetric)
    spoken = {*given.facts.predicates, *(atom.predicate for atom in given.denied)}
    return in_vocabulary(read_theory(theory), spoken), given


def load_evidence(
    evidence: str,
    constants: Sequence[str] = (),
    header: bool | None = None,
    encoding: str = "utf-8",
    symmetric: Sequence[str] | None = None,
) -> Evidence:
    """Read facts, and atoms that are said to be false; constants that do not occur in them may be declared."""
    denied: tuple[Atom, ...] = ()
    if evidence in names() and not Path(evidence).exists():
        facts = load_facts(evidence)
    else:
        facts, denied = read_evidence(evidence, header=header, encoding=encoding)
    if symmetric:
        facts = with_mirrors(facts, symmetric)
    return Evidence(_declared(facts, constants), denied)


def calibrated(theory: Theory, evidence: Evidence, database: Database, seed: int) -> Theory:
    """The theory without the strata that do not pay for such evidence; says which these are."""
    calibration = Calibration.of(theory, database, seed=seed)
    adapted = calibration.adapted(evidence)
    dropped = len(theory.strata) - len(adapted.strata)
    print(
        f"about {calibration.share(evidence):.0%} of the facts seem to be known; at that share {dropped} of "
        f"{len(theory.strata)} strata do not pay and are left out",
        file=sys.stderr,
    )
    return adapted


def _declared(facts: Database, constants: Sequence[str]) -> Database:
    return facts.declare(constants) if any(facts.number(name) is None for name in constants) else facts


def show_prediction(prediction: Prediction, *, limit: int | None, as_json: bool) -> None:
    """Print what is predicted: everything as JSON, or what was added as a table."""
    if as_json:
        _print_json(prediction)
    else:
        _print_table(prediction, limit)


def spell_fact(atom: Atom) -> str:
    """An atom as files of facts write it."""
    arguments = ", ".join(spell_given(term.name) for term in atom.arguments)
    name = spell_predicate(atom.predicate.name)
    return f"{name}({arguments})" if atom.arguments else name


def _print_json(prediction: Prediction) -> None:
    """One conclusion a line, written as they come: there may be millions."""
    write = sys.stdout.write
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
    _print_list("predicted", map(_as_json, prediction))
    if prediction.excluded:
        _print_list("excluded", map(_as_json, prediction.excluded))
    if prediction.unused:
        write(f'  "unused": {json.dumps([str(rule) for rule in prediction.unused], ensure_ascii=False)},\n')
    _print_list("conflicts", map(conflict_as_json, prediction.conflicts), last=True)
    write("}\n")


def _print_list(name: str, items: Iterable[dict[str, object]], *, last: bool = False) -> None:
    write = sys.stdout.write
    write(f"  {json.dumps(name)}: [")
    separator = "\n"
    for item in items:
        write(f"{separator}    {json.dumps(item, ensure_ascii=False)}")
        separator = ",\n"
    write(("]" if separator == "\n" else "\n  ]") + ("\n" if last else ",\n"))


def _as_json(conclusion: Conclusion) -> dict[str, object]:
    return {
        "atom": spell_fact(conclusion.atom),
        "certainty": str(conclusion.certainty),
        "given": conclusion.given,
    }


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


def _print_table(prediction: Prediction, limit: int | None) -> None:
    shown = prediction.added if limit is None else prediction.added[:limit]
    width = max((len(str(weight)) for weight in {conclusion.certainty for conclusion in shown}), default=0)
    for conclusion in shown:
        print(f"{conclusion.certainty!s:<{width}}  {spell_fact(conclusion.atom)}")
    for conclusion in prediction.excluded:
        print(f"{conclusion.certainty!s:<{width}}  not {spell_fact(conclusion.atom)}")
    sys.stdout.flush()  # where both streams go to one place, the remarks come last
    print(
        f"added to the {len(prediction.evidence.facts):,} facts given: {len(prediction.added):,}; "
        f"strata that stand as a whole: {prediction.strata_kept}",
        file=sys.stderr,
    )
    _print_conflicts(prediction)


def _print_conflicts(prediction: Prediction) -> None:
    hard = [conflict for conflict in prediction.conflicts if conflict.weight.is_certain]
    # A rule may say the same of the same atoms in two ways.
    places = {(frozenset(conflict.broken.body), conflict.broken.rule): conflict for conflict in reversed(hard)}
    if places:
        if prediction.inference == "fragment":
            done = "fragments that break one say nothing"
        elif prediction.added:
            done = "what it breaks is set aside"
        else:
            done = "nothing is added; --on-conflict repair sets aside what it breaks"
        print(f"the evidence contradicts the hard rules ({done}):", file=sys.stderr)
        for conflict in list(places.values())[:_SHOWN]:
            print(f"  {conflict_text(conflict)}", file=sys.stderr)
        if len(places) > _SHOWN:
            print(f"  and {len(places) - _SHOWN:,} more", file=sys.stderr)
    if prediction.unused:
        print(
            f"{len(prediction.unused):,} rules with several heads play no part here; --inference global uses them",
            file=sys.stderr,
        )
