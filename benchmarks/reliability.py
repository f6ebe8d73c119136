"""A picture of reliability: what was said against what came true, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["draw"]

SIDE, EDGE, GAP = 260, 40, 60

Tenths = tuple[Any, Any, Any]
"""For each tenth: how many conclusions, how many came true, and the sum of what was said."""


def draw(panels: Mapping[str, Tenths]) -> str:
    """A panel for each: a dot for every tenth of what was said, the larger the more conclusions it has.

    >>> draw({"now": ([0] * 9 + [4], [0] * 9 + [3], [0] * 9 + [3.8])}).count("<circle")
    1
    """
    width = len(panels) * (SIDE + GAP) + EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {SIDE + 2 * EDGE + 20}" '
        'font-family="sans-serif" font-size="12" fill="#888">'
    ]
    for place, (title, tenths) in enumerate(panels.items()):
        parts += _panel(EDGE + 15 + place * (SIDE + GAP), EDGE, title, tenths)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(left: int, top: int, title: str, tenths: Tenths) -> list[str]:
    bottom = top + SIDE
    parts = [
        f'<text x="{left}" y="{top - 12}" font-size="14">{title}</text>',
        f'<path d="M{left} {top}V{bottom}H{left + SIDE}" fill="none" stroke="#888"/>',
        f'<path d="M{left} {bottom}L{left + SIDE} {top}" stroke="#888" stroke-dasharray="4 4"/>',
        f'<text x="{left + SIDE}" y="{bottom + 32}" text-anchor="end">said</text>',
        f'<text x="{left - 44}" y="{top - 12}">true</text>',
    ]
    for tick in (0, 0.5, 1):
        x, y = left + tick * SIDE, bottom - tick * SIDE
        parts.append(f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{tick}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{tick}</text>')
    most = max(*map(float, tenths[0]), 1.0)
    for number, right, said in zip(*tenths, strict=True):
        if number:
            x, y = left + said / number * SIDE, bottom - right / number * SIDE
            radius = 3 + 12 * (number / most) ** 0.5
            name = f"said {said / number:.2f}, true {right / number:.2f}, {number:.0f} conclusions"
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#3f51b5" fill-opacity="0.6">'
                f"<title>{name}</title></circle>"
            )
    return parts
