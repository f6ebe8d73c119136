"""Size against quality: what the learner saw is in the file, and it is what a report draws."""

from __future__ import annotations

import re

import pytest

from learned import learned
from possilog import parse_theory, weigh
from possilog.data.bundled import load
from possilog.errors import LanguageError, TheoryError
from possilog.learning.measurement import with_curve
from possilog.logic import Measures
from possilog.logic.files import theory_text
from possilog.report.overview import page
from possilog.report.overview.making import make_report
from possilog.report.overview.pictures import draw_curve

RULES = "0.9 :: flies(X) :- bird(X). 0.8 :: sings(X) :- bird(X)."
FACTS = ["bird(tom)", "bird(sam)", "flies(tom)", "sings(sam)"]
CURVE = "#curve 0 -1.5, 1 2, 2 3.25, 7 3; taken 2."


def test_a_file_has_the_curve_that_was_measured_and_keeps_it() -> None:
    found = learned("village")
    measurement, measures = found.measurement, found.theory.measures
    assert measurement is not None and measures is not None and len(measures.curve) > 3
    by_size = {one.rules: one.gain for one in measurement.curve}
    assert [size for size, _ in measures.curve] == sorted(by_size)
    assert all(gain == float(f"{by_size[size]:.4g}") for size, gain in measures.curve)
    assert measures.taken == len(found.theory.ranked)
    again = parse_theory(str(found))
    assert again.measures == measures
    weighed = weigh(again, load("village"), smoothing=0.001).theory.measures
    assert weighed is not None and (weighed.curve, weighed.taken) == (measures.curve, measures.taken)
    assert with_curve(measurement) == measurement.measures


def test_it_is_a_line_of_the_newest_format() -> None:
    theory = parse_theory(f"{RULES} {CURVE}")
    assert theory.measures == Measures(curve=((0, -1.5), (1, 2.0), (2, 3.25), (7, 3.0)), taken=2)
    text = theory_text(theory, None, {})
    assert CURVE in text.splitlines() and text.startswith("#format 7.") and parse_theory(text) == theory


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("#curve 0 1, 0 2; taken 0.", "the numbers of rules in #curve have to rise"),
        ("#curve 2 1, 1 2; taken 0.", "the numbers of rules in #curve have to rise"),
        ("#curve 1 2.", "',' or ';'"),
        ("#curve 1 2; taken.", "1:18"),
        ("#curve 1.5 2; taken 1.", "1:8"),
        ("#curve 1; taken 1.", "1:9"),
        (f"{CURVE} {CURVE}", "one line #curve in a theory"),
    ],
)
def test_what_is_no_curve_is_refused(line: str, message: str) -> None:
    with pytest.raises((LanguageError, TheoryError), match=re.escape(message)):
        parse_theory(line)


def test_a_report_draws_it_and_marks_what_was_taken() -> None:
    report = make_report(parse_theory(f"{RULES} {CURVE}"), FACTS)
    drawn = page._size(report)
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="3.0"', drawn)
    mark = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="6.0" class="taken"><title>(.*?)</title>', drawn)
    assert len(dots) == 4 and [one[:2] for one in mark] == [dots[2]] and mark[0][2] == "taken: 2 rules, 3.2"
    assert "the size that was taken, 2 rules" in drawn and "true conclusions" not in drawn
    assert report.as_json["curve"][1] == {"rules": 1, "gain": 2.0} and report.as_json["taken"] == 2
    plot = report.plot()
    assert plot.lines["gain"].y == (-1.5, 2.0, 3.25, 3.0) and plot.lines["taken"].x == [2]


def test_without_a_curve_the_facts_are_counted() -> None:
    for line in ("", "#curve 1 2; taken 1."):
        report = make_report(parse_theory(f"{RULES} {line}"), FACTS)
        drawn = page._size(report)
        assert "true conclusions" in drawn and 'class="mark"' not in drawn
        assert report.curve == () and report.taken is None and "true conclusions" in report.plot().lines
    untaken = make_report(parse_theory(f"{RULES} {CURVE}".replace("taken 2", "taken 3")), FACTS)
    drawn = page._size(untaken)
    assert untaken.taken is None and 'class="mark"' not in drawn and "was taken" not in drawn and "<svg" in drawn
    assert "taken" not in untaken.plot().lines


def test_the_picture_says_in_words_what_it_shows() -> None:
    drawn = draw_curve(((0, -1.5), (1, 2.0), (2, 3.25), (7, 3.0)), (1, 2.0))
    assert "least, 0 rules: -1.5; taken, 1 rule: 2.0; best, 2 rules: 3.2; most, 7 rules: 3.0" in drawn


def test_held_out_cases_are_what_was_promised_before_they_corrected_it() -> None:
    """What the report says of the village is not what is predicted, and it says so."""
    found = learned("village")
    promised = make_report(found.theory, load("village"))
    drawn = page._calibration(promised)
    assert promised.was_corrected and promised.as_json["reliability_corrected"] is True
    assert "promised beforehand" in drawn and "what was promised" in drawn and ">said<" not in drawn
    assert found.theory.measures is not None
    for rule in found.theory.measures.rules:
        cases = rule.held_out
        if cases.cases:  # which is why predictions say something else, nearer to what came true
            before, came = cases.said / cases.cases, cases.right / cases.cases
            assert abs(cases.corrected(before) - came) <= abs(before - came) + 0.02
    tested = make_report(found.theory, load("village"), load("village"))
    assert not tested.was_corrected and "against what was said of them" in page._calibration(tested)
