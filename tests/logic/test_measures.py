"""What measures say of rules, by definition, and how they are written."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from possilog.errors import TheoryError
from possilog.logic import Predicate, parse_clause
from possilog.logic.measures import BELIEVED, NOTHING_HELD_OUT, PRIOR, HeldOut, Judged, Measured, Measures, Precision

RULE = parse_clause("p(X) :- q(X).")
CASES = list(product((0, 1, 7), (0, 3), (-2, 0, 3, 5), (-1, 0, 2, 5, 9)))
SHARES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]


@pytest.mark.parametrize(("true", "false", "right", "said"), CASES)
def test_a_judged_rule_is_trusted_less_by_what_it_should_have_given(
    true: int, false: int, right: int, said: int
) -> None:
    kept = Fraction(max(right, 0) + BELIEVED, max(said, 0) + BELIEVED)
    wanted = Fraction(true, true + false + PRIOR) * min(kept, Fraction(1))
    assert Judged(RULE, true, false, 0, HeldOut(right, said, 10)).confidence == pytest.approx(float(wanted))


@pytest.mark.parametrize(
    ("right", "said", "cases"), [(0, 0, 0), (3, 2, 4), (4, 4, 4), (0, 0, 9), (1, 9, 9), (5, 2.5, 5)]
)
@pytest.mark.parametrize("probability", SHARES)
def test_odds_move_by_how_far_what_was_said_was_off(
    right: float, said: float, cases: int, probability: Fraction
) -> None:
    """As if fourteen more cases had come true as often as was said of them, which is never too sure."""
    held_out, wanted = HeldOut(right, said, cases), probability
    if cases:
        told = min(max(Fraction(said) / cases, Fraction(1, 100)), Fraction(99, 100))
        came = (Fraction(right) + 14 * told) / (cases + 14)
        odds = came / (1 - came) / (told / (1 - told))
        wanted = 1 / (1 + (1 - probability) / probability / odds) if probability else Fraction(0)
    assert held_out.corrected(float(probability)) == pytest.approx(float(wanted))
    assert held_out.doubt() == pytest.approx(14 / (14 + cases))
    assert held_out.doubt(5) == pytest.approx(14 / (19 + cases))
    assert held_out.in_words == (f"{round(right)} of {cases}" if cases else "")


@pytest.mark.parametrize(("true", "false", "nontrivial"), [(0, 0, 0), (8, 0, 0), (8, 6, 2), (1, 5, 5), (20, 3, 0)])
@pytest.mark.parametrize("share", SHARES)
def test_confidence_by_what_is_known(true: int, false: int, nontrivial: int, share: Fraction) -> None:
    """Of the trivial errors those are refuted that are about known facts, and one more error is always feared."""
    errors = nontrivial + (1 - share) * (false - nontrivial)
    confidence = true / (true + errors + 1)
    measured = Measured(RULE, true, false, nontrivial)
    assert measured.confidence(float(share)) == pytest.approx(float(confidence))
    # Of all conclusions, those that are right and known say nothing: what is left is right, or wrong.
    left = confidence * (1 - share) + (1 - confidence)
    assert measured.still_right(float(share)) == pytest.approx(float(confidence * (1 - share) / left))
    assert measured.is_faultless == (false == 0)


@pytest.mark.parametrize(
    ("text", "is_recursive"),
    [
        ("p(X) :- q(X).", False),
        ("p(X) :- p(Y).", False),
        ("p(X, Y) :- p(Y, X).", False),
        ("p(X, Y) :- p(X, Z), p(Z, Y).", True),
        ("p(X) :- q(X), r(X).", False),
        ("p(X) ; r(X) :- q(X), r(Y).", True),
    ],
)
def test_a_rule_is_recursive_by_its_body(text: str, is_recursive: bool) -> None:
    assert Measured(parse_clause(text), 1, 0, 0).is_recursive == is_recursive


def test_how_measures_are_written() -> None:
    held_out = HeldOut(1, 2.5, 3) + HeldOut(2, 0.25, 4)
    assert held_out == HeldOut(3, 2.75, 7) and str(held_out) == "right 3, said 2.75, of 7"
    assert str(Judged(RULE, 4, 3, 2)) == "#rank true 4, false 3, nontrivial 2 :: p(X) :- q(X)."
    told = "#rank true 4, false 3, nontrivial 2, right 3, said 2.75, of 7 :: p(X) :- q(X)."
    assert str(Judged(RULE, 4, 3, 2, held_out)) == told
    plain = "#measured true 4, false 3, nontrivial 2, right 0, said 0, of 0"
    assert str(Measured(RULE, 4, 3, 2)) == f"{plain} :: p(X) :- q(X)."
    assert str(Measured(RULE, 4, 3, 2, gains=(1.0, -0.5))) == f"{plain}, gains 1, -0.5 :: p(X) :- q(X)."
    both = Measured(RULE, 4, 3, 2, gains=(1.0,), errors=(0.125,))
    assert str(both) == f"{plain}, gains 1; errors 0.125 :: p(X) :- q(X)."
    certain, lists = Precision(Predicate("p", 2), held_out), Precision(Predicate("q", 1), NOTHING_HELD_OUT)
    whole = Measures((0.5,), (0.25,), (-1.0,), (both,), (certain,), held_out, (3.0,), (lists,), (1.5,), 0.75)
    assert list(whole.lines) == [
        "#shares 0.5.",
        "#seen 0.25.",
        "#added -1.",
        "#given 3.",
        "#dense 1.5; weight 0.75.",
        "#faultless right 3, said 2.75, of 7.",
        "#list q/1, right 0, said 0, of 0.",
        "#certain p/2, right 3, said 2.75, of 7.",
        str(both),
    ]
    assert list(Measures(rules=(Measured(RULE, 4, 3, 2),)).lines) == [f"{plain} :: p(X) :- q(X)."]
    renamed = parse_clause("p(Y) :- q(Y).")
    assert whole.measured(renamed) is both and whole.measured(parse_clause("p(Y) :- r(Y).")) is None
    assert whole.only([renamed]) == whole and whole.only([]).rules == ()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"seen": (0.1,)}, "#seen has 1 numbers where #shares has 2"),
        ({"added": ()}, "#added has 0 numbers where #shares has 2"),
        ({"given": (1.0,)}, "#given has 1 numbers where #shares has 2"),
        ({"dense": (1.0,)}, "#dense has 1 numbers where #shares has 2; give one for each share"),
        ({"dense": (1.0, 2.0), "dense_weight": 1.25}, "the weight of #dense is 1.25; give a number from 0 to 1"),
        ({"dense_weight": -0.5}, "the weight of #dense is -0.5; give a number from 0 to 1"),
        ({"rules": (Measured(RULE, 1, 0, 0, gains=(1.0,)),)}, r"gains of #measured ... :: p\(X\) :- q\(X\)\. has 1"),
        ({"rules": (Measured(RULE, 1, 0, 0, errors=(1.0,)),)}, r"errors of #measured ... :: p\(X\) :- q\(X\)\. has 1"),
        ({"shares": (0.5, 0.5)}, "#shares has to rise from number to number"),
        ({"shares": (0.5, 0.4)}, "#shares has to rise from number to number"),
        ({}, ""),
        ({"dense": (1.0, 2.0), "dense_weight": 0.0}, ""),
        ({"dense": (1.0, 2.0), "dense_weight": 1.0}, ""),
        ({"given": (1.0, 2.0), "rules": (Measured(RULE, 1, 0, 0, gains=(1.0, 1.0), errors=(0.0, 0.0)),)}, ""),
    ],
)
def test_tables_have_a_number_for_each_share(numbers: dict[str, Any], message: str) -> None:
    given = {"shares": (0.25, 0.5), "seen": (0.1, 0.2), "added": (1.0, 2.0), **numbers}
    if message:
        with pytest.raises(TheoryError, match=message):
            Measures(**given)
    else:
        assert Measures(**given).shares == (0.25, 0.5)
