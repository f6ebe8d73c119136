"""Pictures and cards of the report: what is drawn stands where it should."""

from __future__ import annotations

import math
import re

import pytest

from possilog import parse_theory, portray
from possilog.report.overview.cards import draw_suspect
from possilog.report.overview.pictures import _label, _loop, clipped, draw_graph, draw_strata
from possilog.report.overview.suspects import Suspect
from possilog.report.overview.svg import Trace, line_chart
from possilog.report.overview.values import Feed, RuleGraph, strata


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+|-?\d+", text)]


@pytest.mark.parametrize("radial", [False, True])
def test_a_name_on_the_left_ends_at_its_point(radial: bool) -> None:
    assert 'text-anchor="end"' in _label("p", math.pi, (0, 0), radial=radial)
    assert "text-anchor" not in _label("p", 0.0, (0, 0), radial=radial)


@pytest.mark.parametrize("angle", [0.0, 1.0, 4.0])
def test_a_loop_leaves_on_one_side_and_comes_back_on_the_other(angle: float) -> None:
    drawn = numbers(_loop((0.0, 0.0), angle).replace("C", " "))
    turned = [x * complex(math.cos(angle), -math.sin(angle)) for x in map(complex, drawn[::2], drawn[1::2])]
    start, first, second, end = turned  # as it would be at the rightmost point, from which the middle is on the left
    assert first.real == pytest.approx(second.real, abs=0.2) and first.real < end.real < 0
    assert first.imag == pytest.approx(-second.imag, abs=0.2) and second.imag < end.imag < 0 < start.imag < first.imag
    assert end.real == pytest.approx(8 / 7 * start.real, abs=0.2)
    assert end.imag == pytest.approx(-8 / 7 * start.imag, abs=0.2)


def test_names_stand_outside_of_the_circle() -> None:
    drawn = draw_graph(RuleGraph(("p", "q", "r"), (Feed("p", "q", 1),)))
    dot, name = (re.findall(rf'<{shape}[^>]* c?y="([\d.]+)"', drawn)[0] for shape in ("circle", "text"))
    assert float(name) < float(dot)  # the first predicate is at the top, and its name above it


def suspect(rules: int) -> str:
    return draw_suspect(Suspect("p(a)", "a is no p", True, 0.9, tuple(range(1, rules + 1))))


def test_a_suspect_names_six_rules_and_counts_the_others() -> None:
    assert " more:" not in suspect(5) + suspect(6)
    assert "rule 6</a> and 1 more: right in at least 90 %" in suspect(7)


def chart(count: int) -> str:
    points = tuple((float(x), float(x)) for x in range(count))
    return line_chart([Trace("a", points, "one", tuple((y - 1, y + 1) for _, y in points))], "x", "y", "said")


def test_few_points_are_drawn_as_dots() -> None:
    assert [chart(count).count('class="dot one"') for count in (11, 12, 13)] == [11, 12, 0]


def test_a_chart_uses_its_height_and_a_band_goes_around() -> None:
    drawn = chart(3)
    (band,) = re.findall(r'<polygon points="([^"]+)"', drawn)
    places = [tuple(map(float, pair.split(","))) for pair in band.split()]
    assert len(places) == 6 and min(y for _, y in places) >= 14 and max(y for _, y in places) <= 280 - 44


def test_the_line_at_zero_is_told_from_the_grid() -> None:
    drawn = line_chart([Trace("a", ((0, -2), (1, 3)), "ours")], "x", "y", "below and above")
    zero = re.findall(r'<polyline points="([^"]*)" class="zero"', drawn)
    label = re.search(r'<text x="[^"]*" y="([^"]*)"[^>]*>0</text>', drawn)
    assert len(zero) == 1 and label is not None
    assert {y for _, y in zip(*[iter(numbers(zero[0]))] * 2, strict=True)} == {float(label[1]) - 4}


def test_the_weight_of_a_stratum_stands_beside_its_name() -> None:
    rows = portray(parse_theory("0.9 :: p(X) :- q(X).\n0.8 :: q(X) :- r(X).\n:- p(X), r(X)."))
    told = re.sub(r"<(?:/?div|i [^>]*|/i)>", "", draw_strata(strata(rows)))
    assert re.findall(r"<li><b>(.*?)</b><span>(.*?)</span>(?:<small>(.*?)</small>)?</li>", told) == [
        ("hard", "1", ":- p(X), r(X)."),
        ("stratum 1", "0.9", "p(X) :- q(X)."),
        ("stratum 2", "0.8", "q(X) :- r(X)."),
    ]


def test_numbers_of_a_rule_that_nothing_was_held_out_for() -> None:
    shown = portray(parse_theory("0.9 :: p(X) :- q(X)."), ["q(a)", "q(b)", "p(a)"]).as_json
    (rule,) = shown["rules"]
    assert rule["held_out"] is None and rule["confidence"] == 0.5


def test_text_is_clipped_only_where_it_is_too_long() -> None:
    assert [clipped("x" * size, 100) for size in (0, 99, 100)] == ["", "x" * 99, "x" * 100]
    assert clipped("x" * 130, 100) == f"{'x' * 70}… (60 more letters)"
