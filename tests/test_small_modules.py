"""What every room may use, by its definition: chance, deadlines, what people give, and words for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from possilog.chance import clopper_pearson, generator, wilson
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.errors import QueryError, listed, shortened
from possilog.escaping import escape_latex
from possilog.printing import percent, plural
from possilog.progress import require_progress, silent
from possilog.requiring import (
    require_a,
    require_choice,
    require_kind,
    require_list,
    require_number,
    require_single,
    require_whole,
    whole_in,
)


def at_most(successes: int, trials: int, share: float) -> float:
    """The probability of so few successes, or fewer."""
    return math.fsum(
        math.comb(trials, some) * share**some * (1 - share) ** (trials - some) for some in range(successes + 1)
    )


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_the_exact_interval_leaves_half_of_the_doubt_on_each_side(confidence: float) -> None:
    for trials in (1, 2, 5, 12):
        for successes in range(trials + 1):
            low, high = clopper_pearson(successes, trials, confidence)
            above, below = 1 - at_most(successes - 1, trials, low), at_most(successes, trials, high)
            assert above == pytest.approx((1 - confidence) / 2 if successes else 1, abs=1e-7)
            assert below == pytest.approx((1 - confidence) / 2 if successes < trials else 1, abs=1e-7)
            assert (low == 0, high == 1) == (not successes, successes == trials)


def test_the_exact_interval_is_as_sharp_for_rare_things() -> None:
    low, high = clopper_pearson(1, 10**5)  # where it is that of Poisson's law
    assert 0.0252 < 1e5 * low <= 0.025318
    assert 1e5 * high == pytest.approx(5.571643, rel=1e-4)


def test_the_quick_interval_ends_where_the_share_is_two_deviations_off() -> None:
    for trials in (1, 2, 7, 30, 1_000):
        for successes in range(0, trials + 1, math.ceil(trials / 7)):
            low, high = wilson(successes, trials)
            assert 0 <= low <= successes / trials <= high <= 1 and low < high
            for bound in (low, high):
                assert (successes / trials - bound) ** 2 == pytest.approx(1.96**2 * bound * (1 - bound) / trials)
    assert wilson(0, 0) == (0, 1)


def test_random_numbers_of_a_purpose() -> None:
    drawn = [generator(*how).integers(2**60) for how in ((7,), (7, "a"), (7, "b"), (7, "a", "b"), (8, "a"))]
    assert len(set(drawn)) == len(drawn)
    assert generator(7, "a").integers(2**60) == drawn[1]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that a test sets."""
    clock = SimpleNamespace(time=100.0)
    monkeypatch.setattr("possilog.deadline.time", SimpleNamespace(monotonic=lambda: clock.time))
    return clock


def test_a_deadline_passes_when_its_time_is_over(now: SimpleNamespace) -> None:
    stop = Deadline(10)
    assert (stop(), stop.left, stop.passed) == (False, 10, False)
    now.time = 109.5
    assert (stop(), stop.left, stop.passed) == (False, 0.5, False)
    now.time = 110.0
    assert (stop.passed, stop(), stop.left, stop.passed) == (False, True, 0, True)
    now.time = 105.0
    assert (stop(), stop.passed) == (False, True)
    now.time = 1e9
    assert (stop.left, NEVER(), NEVER.left, NEVER.passed) == (0, False, None, False)


def test_a_deadline_may_be_cancelled(now: SimpleNamespace) -> None:
    minds: list[bool] = []
    stop = Deadline(10, cancelled=lambda: bool(minds))
    part = stop.part(0.5)
    assert not stop() and not part()
    minds.append(True)
    assert stop() and part() and stop.left == 10 and part.left == 5
    with pytest.raises(OutOfTime):
        stop.check()


def test_parts_of_a_deadline(now: SimpleNamespace) -> None:
    now.time = 104.0
    assert Deadline(8).part(0.25).left == 2
    assert Deadline(8).part(0.25, 1).left == 1
    assert Deadline(8).part(0.25, 3).left == 2
    assert NEVER.part(0.25, 3).left == 3
    assert NEVER.part(0.25).left is None


def test_items_while_there_is_time(now: SimpleNamespace) -> None:
    items = Deadline(3).each(range(9))
    for expected in range(3):
        assert next(items) == expected
        now.time += 1
    with pytest.raises(OutOfTime):
        next(items)
    assert list(NEVER.each("ab")) == ["a", "b"]


def test_a_deadline_that_is_sent_has_what_is_left(now: SimpleNamespace) -> None:
    kind, given = Deadline(8).__reduce__()
    assert kind is Deadline and given == (8,)
    for wrong in ("soon", True, math.nan):
        with pytest.raises(QueryError, match=r"the time limit is .*; give a number of seconds, or None"):
            Deadline(wrong)  # type: ignore[arg-type]


def refused(check: Callable[..., object], *given: object) -> bool:
    try:
        check(*given)
    except QueryError:
        return True
    return False


GIVEN = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    np.int64(2),
    0.5,
    math.inf,
    math.nan,
    "",
    "a",
    "ab",
    [],
    ["a"],
    ("a", 1),
    {1: 2},
]


def taken(check: Callable[..., object], *how: object) -> list[object]:
    return [each for each in GIVEN if not refused(check, "it", each, *how)]


def test_what_is_taken_of_what_people_give() -> None:
    assert taken(require_whole) == [0, 1, 2, np.int64(2)]
    assert taken(require_whole, 2) == [2, np.int64(2)]
    assert taken(require_number)[:-1] == [-1, 0, 1, 2, np.int64(2), 0.5] and taken(require_number)[-1] == math.inf
    assert taken(require_kind, str) == [None, "", "a", "ab"]
    assert taken(require_a, str) == ["", "a", "ab"]
    assert taken(require_choice, ["a", "b"]) == ["a"]
    assert taken(require_list, str, "") == [[], ["a"]]
    assert taken(require_list, str | int, "write it") == [[], ["a"], ("a", 1)]
    single = [each for each in GIVEN if not refused(lambda one: require_single(it=one), each)]
    assert len(single) == 14 and single[-1] == "ab"
    assert type(require_whole("it", np.int64(2))) is int
    assert not refused(require_progress, silent) and refused(require_progress, "silent")


def test_what_is_said_of_what_is_not_taken() -> None:
    def said(check: Callable[..., object], *given: object) -> str:
        with pytest.raises(QueryError) as caught:
            check(*given)
        return str(caught.value)

    assert said(require_a, "it", 1, str) == "it is 1; give str"
    assert said(require_whole, "it", -1, 0, " or so") == "it is -1; give a whole number, 0 or more or so"
    assert said(require_choice, "it", 1, "ab", "; or none") == "it is 1, and it can be one of: a, b; or none"
    assert said(require_list, "they", 1, str | int, "write it") == "they are a list of str or int, and not 1; write it"


def test_whole_numbers_in_text() -> None:
    assert [whole_in(text) for text in ("0", "1" * 18, "1" * 19, "", "a", "1.0")] == [0, int("1" * 18), *[None] * 4]


def test_words_for_numbers() -> None:
    assert [plural(number, "box", "boxes") for number in (0, 1, 2, 1_000)] == [
        "0 boxes",
        "1 box",
        "2 boxes",
        "1,000 boxes",
    ]
    assert [percent(share) for share in (0, 0.5, 1, 2)] == ["0 %", "50 %", "100 %", "200 %"]


def test_long_texts_are_shortened() -> None:
    assert [shortened("abcdef", most) for most in (7, 6, 5, 4)] == [
        "abcdef",
        "abcdef",
        "ab…ef (1 characters left out)",
        "ab…ef (2 characters left out)",
    ]
    assert shortened("a" * 2_000, 10).endswith("(1,990 characters left out)")
    assert [listed("abc"[:size], 2) for size in range(4)] == ["", "a", "a, b", "a, b and 1 more"]


def test_dashes_stay_dashes() -> None:
    assert escape_latex("a---b-c") == "a-{}-{}-b-c"
