"""The pictures of a report: strata, how rules feed each other, calibration, and curves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from possilog.escaping import escape_html
from possilog.evaluation.reliability import Reliability
from possilog.evaluation.scores import Band
from possilog.printing import percent, plural
from possilog.report.overview.svg import Trace, circle, line_chart, line_to, picture, text
from possilog.report.overview.values import Coverage, RuleGraph, StratumRow, TestResults
from possilog.report.portrait import RuleCard

__all__ = [
    "clipped",
    "draw_coverage",
    "draw_curve",
    "draw_errors",
    "draw_gains",
    "draw_graph",
    "draw_reliability",
    "draw_sizes",
    "draw_strata",
    "interval_bar",
]

_ROWS = 40
"""Rows in the picture of strata; where there are more strata, several share a row."""

_ACROSS = 40
"""Rules in a row that are drawn one by one."""

_MANY = 300
"""Of so many rules, the blocks have short titles."""

_LONG_NAME = 28

_SMALL = 270
"""Half the width of a picture that can be read on a phone as a whole, if it is made smaller."""


def interval_bar(card: RuleCard) -> str:
    """How often a rule is right, and between which bounds."""
    numbers = card.numbers
    if numbers is None or numbers.confidence is None:
        return ""
    low, high = (100 * bound for bound in numbers.interval)
    said = f"right in {100 * numbers.confidence:.0f} %, between {low:.0f} and {high:.0f} %"
    middle = min(max(100 * numbers.confidence, 4), 96)
    parts = [  # in few letters, since every rule has one
        '<path class="rail" d="M0 5h100"/>',
        f'<path class="range" d="M{low:.1f} 5h{max(high - low, 1):.1f}"/>',
        f'<circle class="mark" cx="{middle:.1f}" cy="5" r="4"/>',
    ]
    return picture(100, 10, said, parts, "interval")


# Strata


def draw_strata(rows: Sequence[StratumRow]) -> str:
    """A row for each stratum, from the hard rules down; a block for each rule, the darker, the more often right.

    It is a list, so that on a phone and on paper the rows break where they have to.
    """
    packed = _packed(rows)
    most = 160 if sum(len(row.rules) for row in packed) < _MANY else 60
    drawn = "".join(_stratum(row, most, is_told=len(packed) == len(rows)) for row in packed)
    return f'<ol class="strata">{drawn}</ol>'


def _stratum(row: StratumRow, most: int, *, is_told: bool) -> str:
    """A row: what it is called, its weight, its blocks, and the rule where there is one."""
    blocks = "".join(
        f'<i class="{card.kind} {_shade(card)}" title="{escape_html(_titled(card, most))}"></i>'
        for card in row.rules[:_ACROSS]
    )
    more = len(row.rules) - _ACROSS
    told = f"and {more:,} more" if more > 0 else f"{row.rules[0].formula}" if len(row.rules) == 1 and is_told else ""
    said = f"<small>{escape_html(clipped(told, 100))}</small>" if told else ""
    return f"<li><b>{escape_html(row.name)}</b><span>{escape_html(row.weight)}</span><div>{blocks}{said}</div></li>"


def _packed(rows: Sequence[StratumRow]) -> list[StratumRow]:
    """At most so many rows of strata; neighbours share one. Hard rules keep theirs."""
    first = [row for row in rows if not row.is_stratum]
    strata = rows[len(first) :]
    if len(rows) <= _ROWS:
        return list(rows)
    size = math.ceil(len(strata) / _ROWS)
    groups = [strata[start : start + size] for start in range(0, len(strata), size)]
    return first + [
        StratumRow(
            f"{some[0].name} to {some[-1].name.removeprefix('stratum ')}" if len(some) > 1 else some[0].name,
            some[-1].weight,
            tuple(card for row in some for card in row.rules),
        )
        for some in groups
    ]


def _titled(card: RuleCard, most: int) -> str:
    rate = "" if card.numbers is None else f": {card.numbers.rate}"
    return f"{card.number}. {clipped(card.formula, most)}{rate}"


def _shade(card: RuleCard) -> str:
    """In tenths, as a class: the explorer's pages may have no style of their own."""
    confidence = None if card.numbers is None else card.numbers.confidence
    return f"tenth{10 if confidence is None else round(10 * confidence)}"


def clipped(said: str, most: int) -> str:
    """Text that has at most so many letters, and says how many it leaves out."""
    return said if len(said) <= most else f"{said[: most - 30]}… ({len(said) - most + 30:,} more letters)"


# How rules feed each other


def draw_graph(graph: RuleGraph) -> str:
    """Predicates on a circle; a curve from each to those that are concluded from it, broader with more rules."""
    count = len(graph.predicates)
    radius = max(130.0, count * 9.0)
    names = [name if len(name) <= _LONG_NAME else f"{name[: _LONG_NAME - 1]}…" for name in graph.predicates]
    margin = 26 + 7.4 * max(map(len, names), default=1)
    middle_x, middle_y = radius + margin, radius + (34 if count <= 12 else margin)
    angles = {name: 2 * math.pi * place / max(count, 1) - math.pi / 2 for place, name in enumerate(graph.predicates)}

    def at(name: str, distance: float = radius) -> tuple[float, float]:
        return middle_x + distance * math.cos(angles[name]), middle_y + distance * math.sin(angles[name])

    parts = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z" class="tip"/></marker></defs>'
    ]
    for feed in graph.feeds:
        said = f"{clipped(feed.target, 80)} from {clipped(feed.source, 80)}: {plural(feed.rules, 'rule')}"
        broad = min(1 + math.log2(feed.rules), 4)
        if feed.source == feed.target:
            path = _loop(at(feed.source), angles[feed.source])
        else:
            (x1, y1), (x2, y2) = at(feed.source, radius - 7), at(feed.target, radius - 9)
            bend_x, bend_y = _bend(x1, y1, x2, y2, middle_x, middle_y)
            path = f"M{x1:.1f},{y1:.1f}Q{bend_x:.1f},{bend_y:.1f} {x2:.1f},{y2:.1f}"
        parts.append(
            f'<path d="{path}" class="feed" stroke-width="{broad:.1f}" marker-end="url(#tip)">'
            f"<title>{escape_html(said)}</title></path>"
        )
    for name, shown in zip(graph.predicates, names, strict=True):
        parts.append(circle(*at(name), 5, "node", clipped(name, 80)))
        parts.append(_label(shown, angles[name], at(name, radius + 16), radial=count > 12))
    said = (
        f"{plural(count, 'predicate')}, an arrow to each from what it is concluded from; the list below says the same"
    )
    small = " small" if middle_x <= _SMALL else ""
    return picture(2 * middle_x, 2 * middle_y, said, parts, f"graph{small}")


def _bend(x1: float, y1: float, x2: float, y2: float, x: float, y: float) -> tuple[float, float]:
    """Towards the middle of the circle, and a little aside, so that there and back are two curves."""
    middle_x, middle_y = (x1 + x2) / 2, (y1 + y2) / 2
    aside = 0.09
    return 0.45 * middle_x + 0.55 * x - aside * (y2 - y1), 0.45 * middle_y + 0.55 * y + aside * (x2 - x1)


def _loop(point: tuple[float, float], angle: float) -> str:
    """From a predicate to itself, inside the circle."""
    x, y = point
    ends = []
    for side in (-0.5, 0.5):
        ends.append((x - 34 * math.cos(angle + side), y - 34 * math.sin(angle + side)))
    (ax, ay), (bx, by) = ends
    from_x, from_y = x - 7 * math.cos(angle - 0.7), y - 7 * math.sin(angle - 0.7)
    to_x, to_y = x - 8 * math.cos(angle + 0.7), y - 8 * math.sin(angle + 0.7)
    return f"M{from_x:.1f},{from_y:.1f}C{ax:.1f},{ay:.1f} {bx:.1f},{by:.1f} {to_x:.1f},{to_y:.1f}"


def _label(said: str, angle: float, point: tuple[float, float], *, radial: bool) -> str:
    x, y = point
    on_left = math.cos(angle) < -0.01
    if radial:
        turn = math.degrees(angle) + (180 if on_left else 0)
        return text(x, y + 4, said, "name", "end" if on_left else "", turn)
    if abs(math.cos(angle)) < 0.2:
        return text(x, y + (14 if math.sin(angle) > 0 else -4), said, "name", "middle")
    return text(x, y + 4, said, "name", "end" if on_left else "")


# Calibration


def draw_reliability(found: Reliability, word: str = "said") -> str:
    """What was said, or promised, against what came true: on the diagonal, it came true as often as was said."""
    size, left, top = 260.0, 56.0, 12.0

    def place(x: float, y: float) -> tuple[float, float]:
        return left + x * size, top + (1 - y) * size

    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [line_to([place(0, tick), place(1, tick)], "grid"), line_to([place(tick, 0), place(tick, 1)], "grid")]
        parts.append(text(left - 8, place(0, tick)[1] + 4, percent(tick), "tick", "end"))
        parts.append(text(place(tick, 0)[0], top + size + 18, percent(tick), "tick", "middle"))
    parts.append(line_to([place(0, 0), place(1, 1)], "diagonal"))
    most = max((tenth.cases for tenth in found.tenths), default=1)
    parts.append(line_to([place(tenth.said, tenth.came_true) for tenth in found.tenths], "line ours"))
    for tenth in found.tenths:
        said = f"{word} {percent(tenth.said)}, came true {percent(tenth.came_true)}, {plural(tenth.cases, 'case')}"
        parts.append(
            circle(*place(tenth.said, tenth.came_true), 4 + 6 * math.sqrt(tenth.cases / most), "dot ours", said)
        )
    parts.append(text(left + size / 2, top + size + 38, f"what was {word}", "label", "middle"))
    parts.append(text(14, top + size / 2, "what came true", "label", "middle", -90))
    said = f"what was {word} against what came true, {plural(found.cases, 'case')}; the table has the numbers"
    return picture(left + size + 30, top + size + 46, said, parts)


# Curves


def draw_coverage(points: Sequence[Coverage]) -> str:
    """How much is concluded with more and more rules."""
    thin = _thinned(points)
    lines = [
        Trace("true", tuple((one.rules, one.right) for one in thin), "ours"),
        Trace("false", tuple((one.rules, one.wrong) for one in thin), "other"),
    ]
    last = points[-1]
    said = f"with {plural(last.rules, 'soft rule')}, {last.right:,} true and {last.wrong:,} false conclusions"
    return line_chart(lines, "soft rules, from the highest", "conclusions", said)


def _thinned(points: Sequence[Coverage]) -> list[Coverage]:
    step = max(1, len(points) // 200)
    return [*points[:-1:step], points[-1]]


def draw_gains(test: TestResults) -> str:
    """What each model gains, by the share of facts that was given."""
    said = f"gain over the evidence alone by the share given; on average {_means(test, 'gain')} facts"
    return line_chart(list(_lines(test, "gain")), _SHARE, "gain, facts", said, x_percent=True)


def draw_errors(test: TestResults) -> str:
    """The Hamming error of each model, by the share of facts that was given."""
    said = f"Hamming error by the share given; on average {_means(test, 'error')} facts"
    return line_chart(list(_lines(test, "error")), _SHARE, "error, facts", said, x_percent=True)


_SHARE = "share of the test facts given"


def _lines(test: TestResults, measure: str) -> Iterator[Trace]:
    for kind, model in zip(("ours", "other", "third"), test.models, strict=False):
        found: list[Band] = [getattr(one, measure) for one in model.summaries]
        points = tuple((share, one.mean) for share, one in zip(model.shares, found, strict=True))
        bands = tuple((one.low, one.high) for one in found if one.interval is not None)
        yield Trace(model.name, points, kind, bands if len(bands) == len(points) and kind == "ours" else ())


def _means(test: TestResults, measure: str) -> str:
    means = ((m.name, [getattr(s, measure).mean for s in m.summaries]) for m in test.models)
    return ", ".join(f"{name} {sum(some) / len(some):.1f}" for name, some in means)


def draw_curve(curve: Sequence[tuple[int, float]], taken: tuple[int, float] | None) -> str:
    """The gain with fewer and with more rules, with a circle at the size that was taken."""
    points = tuple((float(rules), gain) for rules, gain in curve)
    best = max(curve, key=lambda one: one[1])
    was_taken = [] if taken is None else [("taken", taken)]
    ends = (("least", curve[0]), *was_taken, ("best", best), ("most", curve[-1]))
    said = "; ".join(f"{word}, {plural(rules, 'rule')}: {gain:.1f}" for word, (rules, gain) in ends)
    marks = [] if taken is None else [(float(taken[0]), taken[1], f"taken: {plural(taken[0], 'rule')}, {taken[1]:.1f}")]
    return line_chart([Trace("gain", points, "ours")], "soft rules", "gain, facts", said, marks=marks)


def draw_sizes(test: TestResults) -> str:
    """The gain on test facts with more and more rules."""
    points = tuple((float(rules), gain) for rules, gain in test.by_size)
    said = "; ".join(f"{plural(rules, 'rule')}: {gain:.1f}" for rules, gain in test.by_size)
    return line_chart([Trace("gain", points, "ours")], "soft rules, from the highest", "mean gain, facts", said)
