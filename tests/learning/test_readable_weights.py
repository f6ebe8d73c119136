"""Does a file explain its numbers? Weights, comments and what was measured of a rule, read from its text alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest

from learned import learned
from possilog import Theory, learn, parse_theory, weigh
from possilog.data.bundled import load
from possilog.learning import phases
from possilog.learning.calibration import refuting
from possilog.learning.confidence import Confidence
from possilog.learning.notes import rule_notes
from possilog.learning.ordering import CONFIDENCES, by_confidence, meaning_of
from possilog.logic import Clause, Measured, parse_clause
from possilog.report import portray

NOTE = re.compile(
    r"support (\d+), confidence (\S+?)(?: \((\d+) of (\d+)(?:; not refuted: (\d+) of (\d+), (\S+))?\))?"
    r"(?:, rests on (\d+) things?)?"
)


def read_note(note: str) -> tuple[int, int, int, int]:
    """True heads, false ones, those of them that are not refuted, and things; a comment may not contradict itself."""
    found = NOTE.fullmatch(note)
    assert found is not None, note
    confidence, guarded = found[2], found[7]
    true, right, cases, left, of_left, units = (int(one or 0) for one in found.group(1, 3, 4, 5, 6, 8))
    cases, of_left = cases or true, of_left or cases or true
    assert right in (0, true) and left in (0, true)
    assert confidence == f"{true / cases:.3g}" and guarded in (None, f"{true / max(of_left, 1):.3g}")
    return true, cases - true, of_left - true, units


def notes_of(text: str) -> Mapping[Clause, str]:
    """The comments of a file, by rule."""
    lines = (line.split("  % ") for line in text.splitlines() if not line.startswith("%") and "  % " in line)
    return {parse_clause(statement.split(" :: ")[-1]): note for statement, note in lines}


@pytest.fixture(scope="module")
def by_confidences() -> str:
    """The file of a village with more worlds than are counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phases, "_WORLDS", 10)
        start = parse_theory("#lock ? :: adult(X) :- walks(X, Y), dog(Y). #pin 0.7 :: child(A) :- livesIn(A, B).")
        return str(learn(load("village"), start=start))


def test_a_weight_is_read_from_its_comment(by_confidences: str) -> None:
    header = next(line for line in by_confidences.splitlines() if line.startswith(f"% {CONFIDENCES}"))
    assert "(right + 1) / (cases + 2)" in header and "refute" in header and "rests on some things" in header
    notes, theory = notes_of(by_confidences), parse_theory(by_confidences)
    seen = set()
    for rule in theory.ranked:
        true, _, nontrivial, units = read_note(notes[rule.clause])
        true = units or true
        if rule.keep != "pin":
            assert abs(float(rule.weight) - Fraction(true + 1, true + nontrivial + 2)) < 1e-6
        seen |= {rule.keep, *(["units"] if units else []), *(["wrong"] if nontrivial else [])}
    assert {"free", "lock", "pin", "units", "wrong"} <= seen
    assert "probability" not in by_confidences.replace(header, "")


def check_measured(theory: Theory, notes: Mapping[Clause, str]) -> int:
    """What was measured of the rules is what their comments say; how many rest on other things than their heads."""
    assert theory.measures is not None
    for rule in theory.measures.rules:
        assert read_note(notes[rule.clause])[:3] == (rule.true, rule.false, rule.nontrivial)
    return sum(bool(rule.units) for rule in theory.measures.rules)


def test_comments_say_what_was_measured_before_and_after_weighing() -> None:
    found = learned("village")
    assert check_measured(found.theory, found.notes)
    data = load("village")
    weighed = weigh(found.theory, data, smoothing=0.001).theory
    notes = rule_notes((rule.clause for rule in weighed), data, refuting(found.theory, data))
    assert check_measured(weighed, notes)
    for rule in found.theory.ranked:
        units = read_note(found.notes[rule.clause])[3]
        assert units == next(one.units for one in found.theory.measures.rules if one.clause == rule.clause)  # type: ignore[union-attr]


def test_what_breaks_in_the_data_refutes_nothing() -> None:
    theory = parse_theory(":- old(X), young(X). #demoted :- old(X), tall(X). 0.9 :: old(X) :- wise(X).")
    facts = load("village")
    assert refuting(theory, facts) == [rule.clause for rule in (*theory.hard, *theory.demoted)]
    broken = parse_theory("#demoted :- adult(X), married(X, Y). :- cat(X), dog(X). 0.9 :: old(X) :- wise(X).")
    assert refuting(broken, facts) == [broken.hard[0].clause]


def test_pages_say_the_same_with_data_and_without() -> None:
    found = learned("village")
    alone, beside = portray(found.theory), portray(found.theory, load("village"))
    rests = 0
    for one, other in zip(alone.soft, beside.soft, strict=True):
        assert one.numbers is not None and other.numbers is not None
        assert one.numbers.rate == other.numbers.rate and one.numbers.units == other.numbers.units
        rests += "rests on" in one.numbers.rate
    assert rests


def test_things_are_what_a_rule_is_trusted_for() -> None:
    """Prediction reads a line with things as it read the things alone."""
    clause = parse_clause("p(X, Y) :- p(Y, X).")
    by_things, by_heads = Measured(clause, 5, 0, 0), Measured(clause, 10, 0, 0, units=5)
    assert by_heads.counted == by_things.counted == 5
    for share in (0.0, 0.3, 0.9):
        assert by_heads.confidence(share) == by_things.confidence(share)
        assert by_heads.still_right(share) == by_things.still_right(share)
    text = "#measured true 10, false 0, nontrivial 0, units 5, right 0, said 0, of 0 :: p(X, Y) :- p(Y, X)."
    assert str(by_heads) == text
    read = parse_theory(text).measures
    assert read is not None and read.rules == (by_heads,) and read.is_of_format_7


def test_the_header_says_only_what_holds() -> None:
    rules = [parse_clause(text) for text in ("p(X) :- q(X).", "p(X) :- r(X).", "p(X) :- s(X).")]
    judged = {rules[0]: Confidence(4, 2, 2), rules[1]: Confidence(8, 0, 0)}
    plain = meaning_of((), {})
    assert plain.startswith(CONFIDENCES)
    theory = by_confidence((), rules[:2], judged)
    assert meaning_of(theory.ranked, judged) == plain
    kept = by_confidence((), rules[:2], judged, in_order=True)
    assert all(one.weight >= other.weight for one, other in pairwise(kept.ranked))
    assert meaning_of(kept.ranked, judged) == f"{plain}; none is above that of a rule before it"
    assert (
        meaning_of(theory.ranked, judged, {rules[0]})
        == f"{plain}; where a rule rests on some things, these are its cases"
    )
    some = {**judged, rules[0]: Confidence(4, 2, 1)}
    assert (
        meaning_of(by_confidence((), rules[:2], some).ranked, some)
        == f"{plain}; what the hard and the demoted rules refute is no case"
    )
    uncounted = by_confidence((), rules, judged)
    assert meaning_of(uncounted.ranked, judged) == f"{plain}; 0.5 where nothing was counted"
