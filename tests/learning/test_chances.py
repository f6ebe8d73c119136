"""What chance would do, in numbers: rates of given copies, bounds, and which rows are among others."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pytest

from possilog import Atom, Database
from possilog.data.taking import facts_of
from possilog.deadline import Deadline
from possilog.learning import confidence
from possilog.learning.base_rate import BaseRate, Rate, _bound, _divergence
from possilog.learning.cases import Cases
from possilog.learning.confidence import Confidence, Judge, contained, judge_all
from possilog.logic import parse_clause

RULE = parse_clause("p(X) :- q(X).")
DATA = facts_of([f"p(a{n})" for n in range(6)] + [f"q(a{n})" for n in range(4, 12)])


@pytest.mark.parametrize("parts", [(1.0, 1.0), (0.25, 0.5), (0.01, 1.0)])
@pytest.mark.parametrize(
    "found", [[(1, 4), (3, 5), (2, 3)], [(2, 4)] * 3, [None, (0, 1)], [None], [], [(9, 9), (0, 9)]]
)
def test_the_rate_of_given_copies_by_definition(
    found: list[tuple[int, int] | None], parts: tuple[float, float]
) -> None:
    """Half of the twelve things are p; true heads vary from copy to copy as far as cases are not independent."""
    counts = [count for count in found if count is not None]
    more = 1 / parts[0]
    true, covered = (sum(count[side] for count in counts) for side in (0, 1))
    rate = (true + more + 5 * 0.5) / (covered + more + 5)
    likely = rate * (1 - rate) * covered / len(counts) if counts else 0
    spread = sum((one - rate * size) ** 2 for one, size in counts) / len(counts) if counts else 0
    seen = min(1, likely / spread) if spread else 1
    trust = likely / (likely + more)
    expected = [trust * seen + (1 - trust) * min(part, seen) for part in parts]
    result = BaseRate(DATA, (), 1)._rate(RULE, found, parts)
    assert list(result) == pytest.approx([rate, *expected])


def test_what_is_said_to_be_false_is_the_rate() -> None:
    denied = Database.of(list(DATA), denied=[Atom.ground("p", [f"a{n}"]) for n in range(6, 8)])
    assert BaseRate(denied, (), 1)._rate(RULE, [(1, 2)], (0.5, 0.25)) == Rate(6 / 8, 0.5, 0.25)
    (rate,) = BaseRate(denied, (), 1).rates([RULE])
    assert rate.right == 6 / 8 and BaseRate(denied, (), 1).rates([]) == []


@pytest.mark.parametrize(("share", "rate"), [(0.5, 0.25), (0.25, 0.5), (0.5, 0.5), (1.0, 0.25), (0.9, 0.1)])
def test_the_divergence_of_two_shares(share: float, rate: float) -> None:
    pairs = [(share, rate), (1 - share, 1 - rate)]
    expected = sum(one * log(one / other) for one, other in pairs if one) if share > rate else 0
    assert _divergence(share, rate) == pytest.approx(expected)
    found = Rate(rate, 0.5, 0.25).log_chance(Confidence(8, 20, 4))
    assert (
        found == pytest.approx(-5 * _divergence(4 / 5, rate)) and Rate(rate, 1, 1).log_chance(Confidence(0, 3, 3)) == 0
    )


@pytest.mark.parametrize("tried", [0, 1, 3, 10])
def test_bounds_by_definition(tried: int) -> None:
    """The largest chance that is no more than its place times five percent, of as many as were tried."""
    for chances in product((0.0, 0.005, 0.01, 0.016, 0.04, 0.2), repeat=3):
        rising = sorted(chances)
        number = max(tried, 1)
        passing = [one for place, one in enumerate(rising, 1) if one * number <= 0.05 * place]
        first = rising[0] * number <= 0.01
        assert _bound(chances, tried) == (max(passing) if first else 0.0), (chances, tried)


def test_rows_among_others_by_definition() -> None:
    chance = np.random.default_rng(1)
    for arity, constants in product((0, 1, 2, 3), (3, 2**21 - 1, 2**21, 2**31 - 1)):
        rows = chance.integers(min(constants, 4), size=(8, arity), dtype=np.int32)
        among = np.concatenate([rows[:2], chance.integers(min(constants, 4), size=(2, arity), dtype=np.int32)])
        known = {tuple(row) for row in among.tolist()}
        assert contained(rows, among, constants).tolist() == [tuple(row) in known for row in rows.tolist()]
        assert contained(rows, among[:0], constants).tolist() == [False] * 8
    wide = np.array([[0, 0, 0], [2**21 - 1, 0, 0], [0, 0, 2**20]], dtype=np.int32)
    assert contained(wide, wide[1:], 2**21).tolist() == [False, True, True]


@pytest.mark.parametrize(("most", "judged"), [(7, False), (8, True), (9, True)])
def test_rules_that_cover_too_much_are_not_judged(most: int, judged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confidence, "MOST_HEADS", most)
    assert Judge(DATA, ()).all([RULE]) == ({RULE: Confidence(2, 6, 6)} if judged else {})


def test_confidences_in_numbers_and_words() -> None:
    assert (Confidence(3, 1, 0).overall, Confidence(3, 5, 1).guarded, Confidence(0, 1, 1).overall) == (0.75, 0.75, 0.0)
    assert Confidence(0, 1, 0).guarded == 0.0
    assert (
        str(Confidence(0, 0, 0)) == "its body never holds"
        and str(Confidence(0, 2, 2)) == "support 0, confidence 0 (0 of 2)"
    )
    assert str(Confidence(3, 1, 1)) == "support 3, confidence 0.75 (3 of 4)"
    assert str(Confidence(3, 3, 1)) == "support 3, confidence 0.5 (3 of 6; not refuted: 3 of 4, 0.75)"


def test_without_time_nothing_is_judged_and_what_is_said_to_be_false_is_no_trifle() -> None:
    assert judge_all(DATA, (), [RULE], Deadline(0)) == {}
    denied = Database.of(list(DATA), denied=[Atom.ground("p", ["a7"]), Atom.ground("p", ["z"])])
    hard = [parse_clause(":- p(X), q(X).")]
    assert Judge(denied, hard).confidence(RULE) == Confidence(2, 1, 1)
    other = parse_clause("r(X) :- q(X).")
    several = [RULE, other, parse_clause(":- q(X).")]
    assert (
        judge_all(DATA, (), several, jobs=2)
        == judge_all(DATA, (), several)
        == {
            RULE: Confidence(2, 6, 6),
            other: Confidence(0, 8, 8),
        }
    )


def test_where_nothing_meets_or_too_much_is_covered_each_head_is_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    several = facts_of(["r(a, b)", "r(b, a)", "r(c, a)", "q(a, b)", "q(c, d)", "p(a)"])
    meeting = parse_clause("r(X, Y) :- q(X, Z), r(Z, Y).")
    assert (
        Cases(several)(parse_clause("p(a) :- q(X, Y)."))
        == (1.0, 1.0)
        == Cases(several)(parse_clause("p(b) :- q(X, Y)."))
    )
    twice = parse_clause("r(X, Y) :- r(Y, X).")
    assert Cases(several)(twice) == (0.5, 1.0), "one pair that is seen from both sides"
    monkeypatch.setattr(confidence, "MOST_HEADS", 0)
    assert Cases(several)(twice) == (1.0, 1.0) == Cases(several)(meeting)
