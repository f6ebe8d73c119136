"""What if: the difference is that of two predictions, whatever is added or removed."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from budget import budget
from possible_worlds import draw_case
from possilog.data import Evidence
from possilog.errors import DataError, DataWarning, QueryError, TheoryError
from possilog.inference import Difference, Fragments, Local, Prediction, Reasoner
from possilog.logic import (
    Atom,
    Literal,
    Theory,
    Weight,
    isomorphic,
    parse_atom,
    parse_clause,
    parse_rule,
    parse_theory,
)

CASES = budget(600)


def predicted(prediction: Prediction) -> dict[Atom, Weight]:
    return {conclusion.atom: conclusion.certainty for conclusion in prediction}


def check_difference(difference: Difference, before: Prediction, after: Prediction) -> None:
    old, new = predicted(before), predicted(after)
    assert predicted(difference.before) == old and predicted(difference.after) == new
    appeared, vanished = ({c.atom for c in some} for some in (difference.appeared, difference.vanished))
    assert appeared == new.keys() - old.keys() - set(after.evidence.facts)
    assert vanished == old.keys() - new.keys() - set(before.evidence.facts)
    for atom, was, becomes in difference.moved:
        assert (old[atom], new[atom]) == (was, becomes)
    both = {c.atom for c in before.added} & {c.atom for c in after.added}
    assert {atom for atom, _, _ in difference.moved} == {atom for atom in both if old[atom] != new[atom]}


@pytest.mark.parametrize("inference", ["local", "global"])
def test_the_difference_is_that_of_two_predictions(inference: str) -> None:
    changes = 0
    for seed in range(CASES):
        random = Random(seed)
        case, other = draw_case(seed), draw_case(seed + 1_000_000)
        literals, rules = case.evidence.literals, case.theory.rules
        add = [Literal(atom, random.random() < 0.8) for atom in random.sample(case.atoms, min(2, len(case.atoms)))]
        there = [literal for literal in literals if literal not in add]  # what is both added and removed is refused
        remove = random.sample(there, min(len(there), random.randint(0, 2)))
        new, gone = (random.sample(some, random.randint(0, 1)) for some in (other.theory.rules, rules))
        reasoner = Reasoner(case.theory)
        difference = reasoner.what_if(
            case.evidence, inference, add=add, remove=remove, add_rules=new, remove_rules=gone
        )
        kept = [literal for literal in literals if literal not in remove]
        left = [rule for rule in rules if not any(isomorphic(rule.clause, each.clause) for each in gone)]
        evidence = Evidence.of([*kept, *add], case.evidence.facts.constants)
        before = reasoner.predict(case.evidence, inference)
        check_difference(difference, before, Reasoner(Theory((*left, *new))).predict(evidence, inference))
        changes += bool(difference.appeared or difference.vanished)
    assert changes > CASES / 10


BIRDS = """
    flies(X) :- bird(X), healthy(X).
    :- flies(X), penguin(X).
    0.9 :: healthy(X) :- bird(X).
    0.4 :: glad(X) :- flies(X).
"""


def test_facts_and_rules_come_and_go() -> None:
    reasoner = Reasoner(parse_theory(BIRDS))
    before = reasoner.predict([parse_atom("bird(tweety)")])
    penguin = reasoner.what_if(before, add=[parse_atom("penguin(tweety)")])
    assert penguin.before is before
    assert [str(each.atom) for each in penguin.vanished] == ["flies(tweety)", "healthy(tweety)", "glad(tweety)"]
    surer = reasoner.what_if(before, add=[parse_atom("healthy(tweety)")])
    assert [(str(atom), str(was), str(now)) for atom, was, now in surer.moved] == [("flies(tweety)", "0.9", "1")]
    assert surer.vanished == () == surer.appeared
    denied = reasoner.what_if(before, add=[Literal(parse_atom("healthy(tweety)"), False)])
    assert len(denied.vanished) == 3
    sad = reasoner.what_if(
        before, add_rules=[parse_rule("0.5 :: sings(X) :- glad(X)")], remove_rules=[parse_clause("glad(Y) :- flies(Y)")]
    )
    assert [str(each.atom) for each in sad.vanished] == ["glad(tweety)"]
    gone = reasoner.what_if(before, remove=[parse_atom("bird(tweety)")])
    assert len(gone.vanished) == 3 and not gone.after.added


def test_what_is_not_there_cannot_be_removed() -> None:
    reasoner = Reasoner(parse_theory(BIRDS))
    with pytest.raises(DataError, match="not in the evidence"):
        reasoner.what_if([], remove=[parse_atom("bird(tweety)")])
    both = [parse_atom("bird(tweety)")]
    for known in ([], both):
        with pytest.raises(DataError, match=r"bird\(tweety\) is both added and removed; leave out one of the two"):
            reasoner.what_if(known, add=both, remove=both)
    with pytest.raises(TheoryError, match="not in the theory"):
        reasoner.what_if([], remove_rules=[parse_clause("p(X) :- q(X).")])


def test_both_predictions_are_made_in_the_same_way() -> None:
    theory = parse_theory(":- p(X), q(X). 0.5 :: p(X) :- r(X). 0.5 :: p(X) :- s(X). 0.5 :: q(X) :- r(X).")
    evidence = Evidence.of([parse_atom("r(a)"), parse_atom("s(a)")])
    reasoner = Reasoner(theory)
    before = reasoner.predict(evidence, Local(joint="fewest"))
    assert len(before.added) == 1
    same = reasoner.what_if(before, add=[parse_atom("t(b)")])
    assert not (same.appeared or same.vanished)
    how = Fragments(width=1, votes=1.0)
    votes = reasoner.what_if(evidence, how, add=[parse_atom("r(b)")])
    assert votes.after == reasoner.predict(votes.after.evidence, how)
    with pytest.raises(QueryError, match="the prediction was made by Local"):
        reasoner.what_if(before, "global")


def test_the_command_reads_predicates_as_theory_and_evidence_spell_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from possilog.cli.contents import app

    (tmp_path / "theory.pl").write_text("0.9 :: flies_high(X) :- bird(X).")
    (tmp_path / "facts.db").write_text("Bird(Tweety)\n")
    command = ["what-if", str(tmp_path / "theory.pl"), "--evidence", str(tmp_path / "facts.db")]
    with pytest.warns(DataWarning, match="read as"):
        app([*command, "--add", "bird(Polly)", "--add", "!fliesHigh(Tweety)"], standalone_mode=False)
    assert capsys.readouterr().out == "Appears (0.9): Polly flies high\nVanishes (0.9): Tweety flies high\n"
    with pytest.warns(DataWarning, match="read as"):
        app([*command, "--remove-rule", "flies_high(X) :- bird(X)."], standalone_mode=False)
    assert capsys.readouterr().out == "Vanishes (0.9): Tweety flies high\n"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from possilog.cli.contents import app

    (tmp_path / "theory.pl").write_text(BIRDS)
    (tmp_path / "facts.db").write_text("bird(Tweety)\n")
    command = ["what-if", str(tmp_path / "theory.pl"), "--evidence", str(tmp_path / "facts.db")]
    app([*command, "--add", "bird(Polly)", "--remove-rule", "glad(A) :- flies(A)"], standalone_mode=False)
    assert capsys.readouterr().out.splitlines() == [
        "Appears (0.9): Polly flies",
        "Appears (0.9): Polly is healthy",
        "Vanishes (0.4): Tweety is glad",
    ]
    app(
        [*command, "--add", "not flies(Tweety)", "--add-rule", "bird(X) :- penguin(X)", "--json"], standalone_mode=False
    )
    found = json.loads(capsys.readouterr().out)
    assert [each["atom"] for each in found["vanished"]] == ["flies(Tweety)", "healthy(Tweety)", "glad(Tweety)"]
    app([*command], standalone_mode=False)
    assert capsys.readouterr().out == "Nothing changes.\n"
    (tmp_path / "facts.db").write_text("penguin(Tweety)\nflies(Tweety)\n")
    app([*command, "--remove", "penguin(Tweety)"], standalone_mode=False)
    assert capsys.readouterr().out == "Nothing changes.\nThe evidence no longer contradicts the hard rules.\n"
