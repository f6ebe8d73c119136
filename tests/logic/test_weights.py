"""Weights at their borders: what is one, how exact it may be, and how it is written."""

from __future__ import annotations

from decimal import Decimal

import pytest

from possilog.errors import LogicError, TheoryError
from possilog.logic import CERTAIN, Judged, Rule, Theory, Weight, parse_clause
from possilog.logic.weights import shortest


@pytest.mark.parametrize("doubt", ["0", "1", "0.5", "1e-2000", f"0.{'1' * 2_000}"])
def test_what_is_a_weight(doubt: str) -> None:
    weight = Weight(Decimal(doubt))
    assert weight.doubt == Decimal(doubt) and weight.is_certain == (doubt == "0")
    assert weight.certainty + weight.doubt == 1 or len(doubt) > 6  # sums of decimals have 28 digits


@pytest.mark.parametrize(
    ("doubt", "why"),
    [
        ("-1e-9", "between 0 and 1"),
        ("1.000000001", "between 0 and 1"),
        ("nan", "between 0 and 1"),
        ("inf", "between 0 and 1"),
        ("1e-2001", "too many digits"),
        (f"0.{'1' * 2_001}", "too many digits"),
    ],
)
def test_what_is_none(doubt: str, why: str) -> None:
    with pytest.raises(LogicError, match=why):
        Weight(Decimal(doubt))


@pytest.mark.parametrize("text", [f"0.{'1' * 998}", "1e-1000", "1e-00001", "1E-2", "0.5", "1", "0", "1-0.25", "1-1e-9"])
def test_what_is_read(text: str) -> None:
    certainty = Decimal(text) if not text.startswith("1-") else 1 - Decimal(text[2:])
    assert Weight.parse(text).certainty == certainty
    assert Weight.of_doubt(text.removeprefix("1-")).doubt == Decimal(text.removeprefix("1-"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"0.{'1' * 999}", "too many digits"),
        ("1e-1001", "too many digits"),
        ("1e+1001", "too many digits"),
        ("1e-000001", "too many digits"),
        ("1e", "is not a number"),
        ("e5", "is not a number"),
        ("one", "is not a number"),
        ("1-", "is not a number"),
        ("nan", "'nan' is not a number"),
        ("inf", "'inf' is not a number"),
        ("1-2", "between 0 and 1"),
        ("2", "between 0 and 1"),
    ],
)
def test_what_is_not(text: str, why: str) -> None:
    with pytest.raises(LogicError, match=why):
        Weight.parse(text)


@pytest.mark.parametrize(
    ("doubt", "text"),
    [
        ("0", "1"),
        ("1", "0"),
        ("0.001", "0.999"),
        ("0.0001", "0.9999"),
        ("0.00001", "1-1e-5"),
        ("0.00123", "1-0.00123"),
        ("0.01", "0.99"),
        ("0.0099999", "1-0.0099999"),
        ("0.0100001", "0.9899999"),
        ("0.9999999", "1e-7"),
    ],
)
def test_how_a_weight_is_written(doubt: str, text: str) -> None:
    assert str(Weight(Decimal(doubt))) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("0.010", "0.01"),
        ("0.001", "1e-3"),
        ("0.0015", "0.0015"),
        ("0.00015", "1.5e-4"),
        ("100", "100"),
        ("1000", "1e3"),
        ("1200", "1200"),
        ("120000", "1.2e5"),
        ("0.0", "0"),
    ],
)
def test_a_number_is_written_the_shorter_way(number: str, text: str) -> None:
    assert shortest(Decimal(number)) == text


def test_weights_have_an_order() -> None:
    ordered = [Weight.of(certainty) for certainty in ("0", "0.5", "0.9999999999999999999999999999999999", "1")]
    for place, one in enumerate(ordered):
        for other, weight in enumerate(ordered):
            assert (one < weight, one <= weight, one == weight) == (place < other, place <= other, place == other)
    assert ordered[-1] == CERTAIN and float(ordered[1]) == 0.5
    with pytest.raises(TypeError):
        assert CERTAIN < 1


P, Q, R = (parse_clause(f"{name}(X) :- s(X).") for name in "pqr")


def test_what_is_banned_is_not_among_the_judged_rules() -> None:
    judged = tuple(Judged(clause, 3, 2, 1) for clause in (P, Q, R))
    assert Theory(judged=judged).judged == judged
    assert Theory(judged=judged, banned=(parse_clause("q(Y) :- s(Y)."),)).judged == (judged[0], judged[2])


def test_rules_are_put_in_order_and_those_of_one_weight_stay_in_theirs() -> None:
    half, most = Weight.of(0.5), Weight.of(0.9)
    rules = Rule(P, half), Rule(Q, most), Rule(R, half), Rule(P)
    assert Theory(rules).rules == (Rule(P), Rule(Q, most), Rule(P, half), Rule(R, half))


@pytest.mark.parametrize(("falsity", "is_refused"), [("0.4", False), ("0.5", False), ("0.500001", True), ("1", True)])
def test_falsity_is_not_above_a_rule(falsity: str, is_refused: bool) -> None:
    rules = Rule(P), Rule(Q, Weight.of(0.5))
    if is_refused:
        with pytest.raises(TheoryError, match="⊥"):
            Theory(rules, Weight.of(falsity))
    else:
        assert Theory(rules, Weight.of(falsity)).falsity == Weight.of(falsity)
