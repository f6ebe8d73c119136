"""Maximum-likelihood weights where a person has pinned some: the closed form between bounds.

Between two pins the levels are pooled as ever, and their probabilities lie between those of the pins. Monotone
estimates with bounds are the estimates without, cut off at the bounds; so all that is left to find is one factor t by
which the pooled n_i / m_i are multiplied before they are cut off, such that Σ m_i p_i = 1. This sum grows with t, and
it is linear between the places where a level reaches a bound: t is found exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from possilog.errors import TheoryError
from possilog.logic import Rule
from possilog.weights.closed_form import Fit, as_smoothing, fit, log_likelihood

__all__ = ["fit_pinned"]


def fit_pinned(
    violating: Sequence[int], worlds: Sequence[int], pinned: Mapping[int, Rule], smoothing: Fraction | float = 0
) -> Fit:
    """The most likely weights that leave the levels of the pinned rules theirs; counts are from ⊥ upwards, as in fit.

    >>> from possilog.logic import parse_rule
    >>> found = fit_pinned([90, 2, 8], [5, 4, 4], {1: parse_rule("0.9 :: p(X).")})
    >>> [str(probability) for probability in found.probabilities]
    ['27/245', '1/10', '3/245']
    """
    free = fit(violating, worlds, smoothing)
    if not pinned:
        return free
    levels = _levels(violating, worlds, pinned, as_smoothing(smoothing))
    _check_room(levels, pinned)
    lowest = min(pinned)
    scale = _scale(levels)
    if _sum(levels, scale) < 1:
        levels = _unseen(levels, scale, lowest)
        scale = _scale(levels)
    found = _sum(levels, scale)
    if found < 1:
        raise TheoryError(
            f"the weight pinned to {pinned[lowest].clause} is too high: all worlds break it or a stronger rule, "
            f"and together would have probability {_number(found)}; pin a lower weight, or take the pin away"
        )
    probabilities = [level.at(scale) for level in levels]
    return Fit(tuple(probabilities), log_likelihood(violating, probabilities), free.idle)


@dataclass(frozen=True, slots=True)
class _Level:
    """How many worlds a level decides about, n / m of the levels that it is pooled with, and the bounds of its p."""

    worlds: int
    ratio: Fraction
    low: Fraction
    high: Fraction | None

    def at(self, scale: Fraction) -> Fraction:
        p = max(self.ratio * scale, self.low)
        return p if self.high is None else min(p, self.high)


def _levels(
    violating: Sequence[int], worlds: Sequence[int], pinned: Mapping[int, Rule], smoothing: Fraction
) -> list[_Level]:
    """The levels from ⊥ upwards, pooled between the pins."""
    levels: list[_Level] = []
    high: Fraction | None = None
    for place in (*sorted(pinned), len(worlds)):
        pin = Fraction(pinned[place].weight.doubt) if place in pinned else None
        between = slice(len(levels), place)
        ratios = _ratios(violating[between], worlds[between], smoothing)
        levels += (_Level(m, ratio, pin or Fraction(0), high) for m, ratio in zip(worlds[between], ratios, strict=True))
        if pin is not None:
            levels.append(_Level(worlds[place], Fraction(0), pin, pin))
            high = pin
    return levels


def _ratios(violating: Sequence[int], worlds: Sequence[int], smoothing: Fraction) -> list[Fraction]:
    """n / m of each level after pooling."""
    total = sum(violating) + smoothing * sum(worlds)
    if not total:
        return [Fraction(0)] * len(worlds)
    return [p * total for p in fit(violating, worlds, smoothing).probabilities]


def _sum(levels: Sequence[_Level], scale: Fraction) -> Fraction:
    return sum((level.worlds * level.at(scale) for level in levels), Fraction(0))


def _scale(levels: Sequence[_Level]) -> Fraction:
    """The factor for which all worlds together have probability 1; where there is none, one beyond all bounds."""
    bounds = {bound / level.ratio for level in levels if level.ratio for bound in (level.low, level.high) if bound}
    for before, after in pairwise([Fraction(0), *sorted(bounds)]):
        least, most = _sum(levels, before), _sum(levels, after)
        if most >= 1:
            return before + (after - before) * (1 - least) / (most - least) if most > least else before
    last = max(bounds, default=Fraction(0))
    slope = sum((level.worlds * level.ratio for level in levels if level.high is None), Fraction(0))
    return last + (1 - _sum(levels, last)) / slope if slope else last


def _unseen(levels: Sequence[_Level], scale: Fraction, lowest: int) -> list[_Level]:
    """The levels, where what was seen has all that the pins allow: only worlds of which nothing is seen may have more.

    The likelihood does not say which. They are those below the lowest pin, if there are any.
    """
    below = any(level.worlds for level in levels[:lowest])
    return [
        replace(level, ratio=Fraction(1))
        if (place < lowest if below else not level.ratio)
        else replace(level, ratio=Fraction(0), low=level.at(scale), high=level.at(scale))
        for place, level in enumerate(levels)
    ]


def _check_room(levels: Sequence[_Level], pinned: Mapping[int, Rule]) -> None:
    """No level may be less probable than the pin above it; is that possible, and is there something left?"""
    least = _sum(levels, Fraction(0))
    if least < 1 or (least == 1 and not any(level.ratio and not level.low for level in levels)):
        return
    shares: dict[int, Fraction] = {}
    below = 0
    for place in sorted(pinned):
        shares[place] = _sum(levels[below : place + 1], Fraction(0))
        below = place + 1
    worst = max(shares, key=lambda place: shares[place])
    raise TheoryError(
        f"the weight pinned to {pinned[worst].clause} is too low: the worlds that break it or only weaker rules would "
        f"have probability {_number(shares[worst])}, which with all others makes {_number(least)} instead of 1; "
        "pin a higher weight, or take the pin away"
    )


def _number(probability: Fraction) -> str:
    return f"{float(probability):.4g}"
