"""Values that a run kept, each kind against every other; and the clock of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from possilog.errors import QueryError
from possilog.learning import decoding
from possilog.learning.clock import PHASES, Clock

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2.5, -2.5, "", "text", [], [1], {}, {"a": 1}, {"a": 0, "b": 2}, {"a": -1}, {"a": "x"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("decode", "right"),
    [
        (decoding.listed, [[], [1]]),
        (lambda kept: decoding.mapped(kept, "a"), [{"a": 1}, {"a": -1}, {"a": "x"}]),
        (lambda kept: decoding.mapped(kept, "b", "a"), [{"a": 0, "b": 2}]),
        (decoding.text, ["", "text"]),
        (decoding.text_or_none, ["", "text", None]),
        (decoding.number, [0, 1, -1, 2.5, -2.5]),
        (decoding.number_or_none, [0, 1, -1, 2.5, -2.5, None]),
        (decoding.truth, [True, False]),
        (decoding.whole, [0, 1]),
        (decoding.counts, [{}, {"a": 1}, {"a": 0, "b": 2}]),
    ],
)
def test_a_value_is_of_its_kind_or_refused(decode: Callable[[Any], object], right: list[Any]) -> None:
    shown = [json.dumps(value) for value in right]  # since true is 1 for Python
    for value in VALUES:
        if json.dumps(value) in shown:
            assert decode(value) == value
        else:
            with pytest.raises(ValueError, match=r"^it (is|has)"):
                decode(value)


def test_clauses_are_a_list_of_texts() -> None:
    assert list(map(str, decoding.clauses(["p(X) :- q(X).", ":- r(X)."]))) == ["p(X) :- q(X).", ":- r(X)."]
    with pytest.raises(ValueError, match="it is no text"):
        decoding.clauses([1])


def test_by_when_each_phase_has_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phase has its share of the whole time; one that begins late has less, and one that is over has none."""
    now = [100.0]
    for module in ("possilog.learning.clock", "possilog.deadline"):
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=lambda: now[0]))
    clock = Clock(1000)
    ends = {phase: 1000 * share for phase, share in PHASES.items()}
    begins = dict(zip(ends, [0, *ends.values()], strict=False))
    for passed in (0.0, 250.0, 700.0, 1100.0):
        now[0] = 100 + passed
        for phase in PHASES:
            assert clock.until(phase).left == pytest.approx(max(0, ends[phase] - passed))
            half = (begins[phase] + ends[phase]) / 2
            assert clock.until(phase, 0.5).left == pytest.approx(max(0, half - passed))
    assert not clock.shortened, "nobody was told that the time is over"
    assert clock.until("hard rules")() and clock.shortened


def test_what_went_before_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("possilog.learning.clock", "possilog.deadline"):
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=lambda: 100.0))
    for before in (0.0, 1.5, 20.0):
        assert Clock(10, before).until("weights").left == pytest.approx(max(0, 10 - before))
        assert Clock(None, before).until("weights").left is None and Clock(10, before).limit == 10


def test_a_clock_without_a_limit_goes_on_and_remembers_what_was_cut_short() -> None:
    clock = Clock()
    assert clock.until("weights").left is None and not clock.until("hard rules")() and not clock.shortened
    clock.shorten()
    assert clock.shortened and not Clock(0).shortened
    assert Clock(inf).until("weights").left is None
    with pytest.raises(QueryError, match="the time limit is 'soon'"):
        Clock("soon")
