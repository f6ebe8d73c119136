"""Pictures as SVG inside a page: they take colours and fonts from its style, and say in words what they show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from possilog.escaping import escape_html
from possilog.printing import percent

__all__ = ["Trace", "circle", "line_chart", "line_to", "picture", "text"]


def picture(width: float, height: float, description: str, parts: Iterable[str], kind: str = "") -> str:
    """A picture with a description for those who do not see it."""
    return (
        f'<svg class="{kind or "chart"}" role="img" aria-label="{escape_html(description)}" '
        f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">{"".join(parts)}</svg>'
    )


def text(x: float, y: float, said: str, kind: str = "", anchor: str = "", turn: float = 0) -> str:
    """Text; ``anchor`` is middle or end."""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    turned = f' transform="rotate({turn:.1f} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{_class(kind)}{anchored}{turned}>{escape_html(said)}</text>'


def circle(x: float, y: float, radius: float, kind: str, title: str = "") -> str:
    """A dot."""
    inside = f"<title>{escape_html(title)}</title>" if title else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"{_class(kind)}>{inside}</circle>'


def line_to(points: Sequence[tuple[float, float]], kind: str) -> str:
    """A line through points."""
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{listed}"{_class(kind)}/>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


# Charts of lines


@dataclass(frozen=True, slots=True)
class Trace:
    """Points by name, with how far off they may be."""

    name: str
    points: tuple[tuple[float, float], ...]
    kind: str
    """The class that the style sheet tells it by."""
    bands: tuple[tuple[float, float], ...] = ()


_WIDTH, _HEIGHT = 440, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 68, 26, 14, 44


def line_chart(
    lines: Sequence[Trace],
    x_label: str,
    y_label: str,
    description: str,
    x_percent: bool = False,
    marks: Sequence[tuple[float, float, str]] = (),
) -> str:
    """Lines over a grid, with the names of the lines at the top; circles mark some points, and say why."""
    xs = [x for line in lines for x, _ in line.points] or [0, 1]
    ys = [
        0.0,
        *(y for line in lines for _, y in line.points),
        *(b for line in lines for pair in line.bands for b in pair),
    ]
    x_ticks, y_ticks = _ticks(min(xs), max(xs)), _ticks(min(ys), max(ys))
    low, high = y_ticks[0], y_ticks[-1]
    left, right = min(min(xs), x_ticks[0]), max(max(xs), x_ticks[-1])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - left) / ((right - left) or 1)
        up = (y - low) / ((high - low) or 1)
        return (
            _LEFT + across * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = []
    for tick in y_ticks:
        x, y = place(left, tick)
        parts.append(line_to([(x, y), place(right, tick)], "zero" if tick == 0 else "grid"))
        parts.append(text(x - 8, y + 4, f"{tick:,.10g}", "tick", "end"))
    for tick in x_ticks:
        x, y = place(tick, low)
        parts.append(text(x, y + 18, percent(tick) if x_percent else f"{tick:,.10g}", "tick", "middle"))
    for line in lines:
        if line.bands:
            upper = [place(x, top) for (x, _), (_, top) in zip(line.points, line.bands, strict=True)]
            lower = [place(x, bottom) for (x, _), (bottom, _) in zip(line.points, line.bands, strict=True)]
            listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*upper, *reversed(lower)))
            parts.append(f'<polygon points="{listed}" class="band {line.kind}"/>')
        placed = [place(x, y) for x, y in line.points]
        parts.append(line_to(placed, f"line {line.kind}"))
        if len(placed) <= 12:
            parts += [circle(x, y, 3, f"dot {line.kind}") for x, y in placed]
    parts += [circle(*place(x, y), 6, "taken", said) for x, y, said in marks]
    parts.append(text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, x_label, "label", "middle"))
    parts.append(text(14, (_TOP + _HEIGHT - _BOTTOM) / 2, y_label, "label", "middle", -90))
    return picture(_WIDTH, _HEIGHT, description, parts)


def _ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers that enclose an interval."""
    span = (high - low) or 1.0
    step = 10 ** math.floor(math.log10(span / about))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= about)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]
