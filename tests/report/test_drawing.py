"""Pictures and cards of the report: what is drawn stands where it should."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from possilog import parse_clause, parse_theory, portray
from possilog.evaluation.reliability import Reliability, Tenth
from possilog.evaluation.scores import Additions, Band, Summary
from possilog.logic import Keep
from possilog.logic.measures import HeldOut, Measured, Measures
from possilog.report.overview.cards import _facts, draw_group, draw_rule, draw_schema, draw_suspect
from possilog.report.overview.making import make_report
from possilog.report.overview.page import _calibration
from possilog.report.overview.pictures import (
    _label,
    _loop,
    clipped,
    draw_coverage,
    draw_curve,
    draw_errors,
    draw_gains,
    draw_graph,
    draw_reliability,
    draw_sizes,
    draw_strata,
    interval_bar,
)
from possilog.report.overview.suspects import Suspect
from possilog.report.overview.svg import Trace, line_chart
from possilog.report.overview.values import (
    Coverage,
    Feed,
    Gains,
    RuleGraph,
    StratumRow,
    TestResults,
    held_out_reliability,
    strata,
)
from possilog.report.portrait import RuleCard
from possilog.report.portrait.numbers import Numbers
from transcribing import compare


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


TEXT = re.compile(
    r'<text x="([-\d.]+)" y="([-\d.]+)"(?: class="(\w+)")?(?: text-anchor="(\w+)")?( transform[^>]*)?>(.*?)<'
)


def require_inside(drawn: str, letter: float = 6.0) -> None:
    """All that is drawn, and every text with letters of this width, lies in the picture."""
    width, height = map(float, re.findall(r'width="([\d.]+)" height="([\d.]+)"', drawn)[0])
    places = [
        pair
        for line in re.findall(r' points="([^"]*)"', drawn)
        for pair in zip(*[iter(numbers(line))] * 2, strict=False)
    ]
    places += [(float(x), float(y)) for x, y in re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', drawn)]
    for x, y, _, anchor, turned, said in TEXT.findall(drawn):
        long = 0.0 if turned else letter * len(said)
        left = float(x) - {"end": long, "middle": long / 2, "": 0.0}[anchor]
        places += [(left, float(y)), (left + long, float(y))]
    assert places and all(0 <= x <= width and 0 <= y <= height for x, y in places)


def require_titles_outside(drawn: str) -> None:
    """The titles of the axes stand beyond all numbers: to the left of them, and below."""
    texts = TEXT.findall(drawn)
    titles = {bool(found[4]): found for found in texts if found[2] == "label"}
    assert float(titles[True][0]) < min(float(found[0]) for found in texts if found[2] == "tick")
    assert float(titles[False][1]) > max(float(found[1]) for found in texts if found[2] == "tick")


def scale(drawn: str, along: int) -> dict[float, float]:
    """By value, where the ticks of an axis stand: 0 for the one across, 1 for the one up."""
    ticks = [found for found in TEXT.findall(drawn) if found[2] == "tick" and found[3] == ("middle", "end")[along]]
    percent = any("%" in found[5] for found in ticks)
    value = (float(found[5].rstrip(" %").replace(",", "")) / (100 if percent else 1) for found in ticks)
    return dict(zip(value, (float(found[along]) - (4 if along else 0) for found in ticks), strict=True))


def at(ticks: dict[float, float], value: float) -> float:
    """Where a value stands, by the outermost ticks."""
    low, high = min(ticks), max(ticks)
    return ticks[low] + (value - low) / (high - low) * (ticks[high] - ticks[low])


@pytest.mark.parametrize(
    "points",
    [
        ((1.0, 3.0), (2.0, 7.0), (8.0, 4.5)),
        ((-3.0, -20.0), (0.5, 17.0)),
        ((100.0, 0.013), (350.0, 0.002)),
        ((2.0, 5.0),),
        ((0.03, 1e6), (0.8, -12345.0)),
    ],
)
def test_points_stand_where_the_axes_say_and_nothing_stands_outside(points: tuple[tuple[float, float], ...]) -> None:
    drawn = line_chart([Trace("a", points, "ours")], "x", "y", "said")
    require_inside(drawn)
    require_titles_outside(drawn)
    across, up = scale(drawn, 0), scale(drawn, 1)
    for ticks in (across, up):
        steps = {round(after - before, 9) for before, after in zip(sorted(ticks), sorted(ticks)[1:], strict=False)}
        assert 2 <= len(ticks) <= 8 and len(steps) == 1
        assert all(at(ticks, value) == pytest.approx(place, abs=0.2) for value, place in ticks.items())
    assert min(across) <= min(x for x, _ in points) and max(across) >= max(x for x, _ in points)
    assert min(up) <= min(0, *(y for _, y in points)) and max(up) >= max(0, *(y for _, y in points))
    dots = re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', drawn)
    for (x, y), (left, top) in zip(points, dots, strict=True):
        assert float(left) == pytest.approx(at(across, x), abs=0.3)
        assert float(top) == pytest.approx(at(up, y), abs=0.3)


def test_what_was_said_and_what_came_true_stand_where_the_axes_say() -> None:
    tenths = (Tenth(0.2, 0.25, 3, 10), Tenth(0.7, 0.75, 30, 40), Tenth(0.9, 0.95, 160, 160))
    drawn = draw_reliability(Reliability(tenths, 0.1, 210))
    require_inside(drawn)
    across, up = scale(drawn, 0), scale(drawn, 1)
    assert sorted(across) == sorted(up) == [0, 0.25, 0.5, 0.75, 1]
    dots = re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)" r="([-\d.]+)"', drawn)
    for tenth, (x, y, radius) in zip(tenths, dots, strict=True):
        assert (float(x), float(y)) == pytest.approx((at(across, tenth.said), at(up, tenth.came_true)), abs=0.2)
        assert (float(radius) - 4) ** 2 / 36 == pytest.approx(tenth.cases / 160, abs=0.01)
    require_titles_outside(drawn)
    middle = {found[5]: found for found in TEXT.findall(drawn) if found[2] == "label"}
    assert float(middle["what was said"][0]) == pytest.approx(at(across, 0.5), abs=0.2)
    assert float(middle["what came true"][1]) == pytest.approx(at(up, 0.5), abs=0.2)


def test_what_test_facts_said_is_drawn_by_the_share_that_was_given() -> None:
    bands = [(Band(9, 8, 10), Band(2, 1, 3)), (Band(4, 3, 6), Band(5, 4, 7))]
    sizes = tuple(Summary(3, error, gain, 0.1, Additions(0, 0, 0), {}) for error, gain in bands)
    results = TestResults(10, 2, (Gains("a", (0.1, 0.5), sizes),), ())
    for drawn, which in ((draw_errors(results), 0), (draw_gains(results), 1)):
        across, up = scale(drawn, 0), scale(drawn, 1)
        assert "%" in drawn and max(across) <= 1
        dots = re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', drawn)
        for share, pair, (x, y) in zip((0.1, 0.5), bands, dots, strict=True):
            assert (float(x), float(y)) == pytest.approx((at(across, share), at(up, pair[which].mean)), abs=0.3)


def test_a_bar_reaches_from_one_bound_to_the_other() -> None:
    shown = portray(
        parse_theory("0.9 :: p(X) :- q(X)."), [*(f"q({n})" for n in range(20)), *(f"p({n})" for n in "123456")]
    )
    (card,) = shown.rules
    assert card.numbers is not None
    low, high = card.numbers.interval
    (drawn,) = re.findall(r'class="range" d="([^"]*)"', interval_bar(card))
    begin, _, width = numbers(drawn)
    assert (begin, width) == pytest.approx((100 * low, 100 * (high - low)), abs=0.1) and 0 < low < 0.3 < high < 1


def test_what_is_known_of_a_rule_without_numbers() -> None:
    theory, facts = parse_theory(":- p(X), q(X)."), [*(f"p({n})" for n in "12345"), *(f"q({n})" for n in "345")]
    told = {known: " ".join(_facts(portray(theory, facts if known else None).rules[0], "#")) for known in (True, False)}
    assert "broken <b>3 times</b>" in told[True] and "broken" not in told[False]


def test_the_table_of_calibration_has_the_tenths() -> None:
    report = make_report(parse_theory("0.9 :: p(X) :- q(X)."), ["q(a)", "p(a)"])
    tenths = (Tenth(0.2, 0.25, 3, 10), Tenth(0.7, 0.75, 30, 40))
    told = _calibration(replace(report, reliability=Reliability(tenths, 0.1, 50)))
    rows = re.findall(r"<tr>((?:<td.*?)+)</tr>", told, re.DOTALL)
    cells = [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?>(.*?)</td>", row)] for row in rows]
    assert cells == [["20 to 30 %", "25 %", "30 %", "10"], ["70 to 80 %", "75 %", "75 %", "40"]]


@pytest.mark.parametrize("count", [1, 2, 3, 12, 13, 40])
def test_predicates_with_long_names_stand_inside_of_the_picture_on_one_circle(count: int) -> None:
    names = tuple(f"a rather long name of number {number}" for number in range(count))
    drawn = draw_graph(RuleGraph(names, (Feed(names[0], names[-1], 3), Feed(names[0], names[0], 1))))
    require_inside(drawn, letter=7.0)
    dots = [complex(float(x), float(y)) for x, y in re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', drawn)]
    width, height = map(float, re.findall(r'width="([\d.]+)" height="([\d.]+)"', drawn)[0])
    middle = complex(width / 2, height / 2)
    assert len(dots) == count and len({round(abs(dot - middle)) for dot in dots}) == 1
    assert count == 1 or min(abs(one - other) for one, other in itertools.pairwise(dots)) > 10


def test_what_was_said_of_rules_is_grouped_by_tenths() -> None:
    held = [HeldOut(1.5, 2.0, 10), HeldOut(4, 2.9, 10), HeldOut(9, 10, 10), HeldOut(5, 9.5, 10), HeldOut(0, 0, 0)]
    clause = parse_clause("p(X) :- q(X).")
    found = held_out_reliability(Measures(rules=tuple(Measured(clause, 1, 1, 1, one) for one in held)))
    assert found is not None and [(tenth.low, tenth.cases) for tenth in found.tenths] == [(0.2, 20), (0.9, 20)]
    assert [tenth.said for tenth in found.tenths] == pytest.approx([4.9 / 20, 19.5 / 20])
    assert [tenth.came_true for tenth in found.tenths] == pytest.approx([6 / 20, 14 / 20])
    assert found.cases == 40 and found.brier == pytest.approx(((0.245 - 0.3) ** 2 + (0.975 - 0.7) ** 2) / 2)
    assert held_out_reliability(None) is None and held_out_reliability(Measures()) is None


@pytest.mark.parametrize(("rules", "examples"), [(1, 5), (2, 5), (3, 3), (4, 3)])
def test_a_report_of_many_rules_has_fewer_examples_of_each(
    rules: int, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("possilog.report.overview.making.MANY_RULES", 2)
    theory = parse_theory("".join(f"0.9 :: p{number}(X) :- q(X).\n" for number in range(rules)))
    report = make_report(theory, [f"q(c{number})" for number in range(9)])
    assert {len(card.counterexamples) for card in report.portrait.rules} == {examples}


def test_a_predicate_that_feeds_itself_has_a_loop_and_others_have_curves() -> None:
    feeds = [("p", "p"), ("q", "q"), ("p", "q"), ("q", "p"), ("q", "r")]
    drawn = draw_graph(RuleGraph(("p", "q", "r"), tuple(Feed(*pair, 1) for pair in feeds)))
    paths = re.findall(r'<path d="([^"]*)" class="feed"', drawn)
    loops = ["C" in path for path in paths]
    assert loops == [source == target for source, target in feeds] and all(
        ("Q" in path) != ("C" in path) for path in paths
    )


def test_a_stratum_tells_its_rule_where_it_is_one_and_has_the_row_for_itself() -> None:
    lone = StratumRow("stratum 1", "0.9", portray(parse_theory("0.9 :: p(X) :- q(X).")).rules[:1])
    pair = StratumRow("stratum 2", "0.8", lone.rules * 2)
    for rows, told in (([lone], 1), ([pair], 0), ([lone, pair], 1), ([lone] * 40, 40), ([lone] * 41, 0)):
        assert draw_strata(rows).count("<small>") == told, len(rows)


def test_a_group_of_rules_is_open_unless_it_is_folded() -> None:
    (group,) = portray(parse_theory("0.9 :: p(X) :- q(X). 0.8 :: p(X) :- r(X).")).groups
    assert "<summary>Show 2 rules</summary>" in draw_group(group, 1, folded=True)
    assert 'class="fold"' not in draw_group(group, 1)


def card(number: int, body: str = "q(X)", numbers: Numbers | None = None) -> RuleCard:
    (made,) = portray(parse_theory(f"0.9 :: p(X) :- {body}.")).rules
    return replace(made, number=number, numbers=numbers)


def row(number: int, *cards: RuleCard) -> StratumRow:
    return StratumRow(f"stratum {number}", f"0.{99 - number}", cards)


def graph_of(names: list[str], *feeds: tuple[int, int, int]) -> str:
    return draw_graph(RuleGraph(tuple(names), tuple(Feed(names[one], names[other], n) for one, other, n in feeds)))


def results() -> TestResults:
    def summary(size: int, error: Band, gain: Band) -> Summary:
        return Summary(size, error, gain, 0.1, Additions(1, 2, 3), {})

    def bands(by: float) -> tuple[Summary, ...]:
        return tuple(summary(n, Band(n + by, n, n + 9), Band(by - n, by - n - 1, by)) for n in (3, 5, 6))

    once = tuple(summary(n, Band(n, -math.inf, math.inf), Band(7, -math.inf, math.inf)) for n in (3, 5, 6))
    shares = (0.1, 0.25, 0.9)
    models = [Gains("ours", shares, bands(2)), Gains("theirs", shares, bands(3.5)), Gains("once", shares, once)]
    return TestResults(50, 3, tuple(models), ((0, 0.0), (1, 2.25), (8, -1.5)))


RULES = """
0.9 :: p(X) :- q(X). 0.8 :: p(X) :- q(X), r(X, Y). 0.7 :: p(X) :- none(X). 0.6 :: :- q(X), r(X, Y).
:- p(X), s(X). p(X) :- s(X). :- q(X), t(X).
"""
TYPED = "#type r(one, r_2). #type q(one)."
FACTS = [*(f"q(a{n})" for n in range(8)), *(f"p(a{n})" for n in range(5)), "r(a1, b)", "r(a6, b)", "s(a7)", "t(a2)"]


def cards_of(facts: list[str] | None) -> tuple[RuleCard, ...]:
    """Cards of every kind; one is kept by hand, and something was held out for one."""
    first, second, *others = portray(parse_theory(RULES), facts, examples=0 if facts is None else 2).rules
    held = replace(first, rule=replace(first.rule, keep=Keep.LOCKED))
    numbers = None if second.numbers is None else replace(second.numbers, held_out=HeldOut(7, 6.5, 1200))
    return held, replace(second, numbers=numbers), *others


LETTERS = [chr(ord("a") + n) for n in range(26)]
FEEDS = [(0, 1, 1), (1, 0, 2), (1, 1, 3), (0, 0, 7), (2, 3, 8), (4, 2, 40), (3, 11, 1), (11, 5, 1), (6, 6, 1)]
PICTURES: dict[str, Callable[[], str]] = {
    "twelve predicates": lambda: graph_of(LETTERS[:12], *FEEDS),
    "thirteen predicates": lambda: graph_of(LETTERS[:13], *FEEDS, (12, 7, 1)),
    "names of 28 and 29 letters": lambda: graph_of(["a" * 28, "b" * 29, "c" * 90], (0, 1, 1), (2, 0, 1)),
    "fifteen predicates and no rules": lambda: graph_of(LETTERS[:15]),
    "no predicates": lambda: graph_of([]),
    "said and came true": lambda: draw_reliability(
        Reliability((Tenth(0.2, 0.25, 3, 10), Tenth(0.7, 0.75, 30, 40), Tenth(0.9, 0.95, 1, 1)), 0.1, 51)
    ),
    "coverage": lambda: draw_coverage([Coverage(n, n * n, 3 * n) for n in range(4)]),
    "coverage of 401 rules": lambda: draw_coverage([Coverage(n, n, n // 9) for n in range(402)]),
    "curve": lambda: draw_curve(((0, -1.0), (1, 2.0), (3, 4.5)), (1, 2.0)),
    "sizes": lambda: draw_sizes(results()),
    "gains": lambda: draw_gains(results()),
    "errors": lambda: draw_errors(results()),
    "bars": lambda: "".join(
        interval_bar(card(1, numbers=numbers))
        for numbers in (None, *(Numbers(*some) for some in ((0, 0), (0, 9), (1, 30), (5, 9), (9, 9), (29, 30))))
    ),
    "few strata": lambda: draw_strata(
        [
            StratumRow("hard", "1", (card(1),), False),
            row(1, card(2, numbers=Numbers(9, 10)), card(3, numbers=Numbers(0, 0)), card(4, "r(X), " * 80 + "q(X)")),
            row(2, card(5, '"<&>"(X), ' * 20 + "q(X)")),
            *(row(number, *map(card, range(number))) for number in (39, 40, 41)),
        ]
    ),
    "many strata": lambda: draw_strata(
        [StratumRow("hard", "1", (card(1),), False), *(row(number, card(number)) for number in range(1, 42))]
    ),
    "forty strata": lambda: draw_strata([row(number, card(number)) for number in range(1, 41)]),
    "299 rules and 300": lambda: "".join(
        draw_strata([row(1, card(1, "r(X), " * 30 + "q(X)"), *map(card, range(2, last)))]) for last in (300, 301)
    ),
    "cards of rules": lambda: "".join(
        draw_rule(one, depth, most) for one in cards_of(FACTS) for depth, most in ((0, 600), (2, 40), (5, 39))
    ),
    "cards without facts": lambda: "".join(map(draw_rule, cards_of(None))),
    "groups": lambda: "".join(
        draw_group(group, place, folded=place == 1) for place, group in enumerate(portray(parse_theory(RULES)).groups)
    ),
    "schema": lambda: "".join(draw_schema(portray(parse_theory(text), FACTS).schema) for text in (RULES, TYPED)),
    "suspects": lambda: "".join(
        draw_suspect(Suspect("p(a)", "a < p", missing, strength, rules, instead=instead))
        for missing, strength, rules, instead in ((True, 1, (0, 2), ""), (False, 0.955, (3,), ""), (False, 1, (), "b"))
    ),
}


def test_pictures_are_what_they_were(request: pytest.FixtureRequest) -> None:
    def ask(name: str) -> str:
        return re.sub(r"(?<=>)(?=<[^/])", "\n", PICTURES[name]())

    path = Path(__file__).with_name("pictures.txt")
    assert re.findall(r"^\$ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE) == list(PICTURES)
    compare(path, ask, request)
