"""Where to cut a column of numbers: where it says most about a target, at round numbers."""

from __future__ import annotations

from math import ceil, floor, log, log10

import numpy as np
import numpy.typing as npt

__all__ = ["best_cuts", "middle_between", "round_between"]

MOST = 3
"""Cuts of one column for one target, at most."""

NEARLY = 0.5
"""A rounder number is taken where it loses less likelihood than this, in nats."""

LEVEL = 0.01
"""Chance alone would make a cut this good so often, however many places there are to cut at."""

Floats = npt.NDArray[np.float64]
Truth = npt.NDArray[np.bool_]


def best_cuts(numbers: Floats, positive: Truth, *, least: int = 5) -> list[float]:
    """The numbers at which a column is cut, given in order; each side has ``least`` rows or more.

    >>> amounts = np.arange(100.0)
    >>> best_cuts(amounts, amounts >= 40)
    [40.0]
    """
    found: list[float] = []
    parts = [(0, len(numbers))]
    while parts and len(found) < MOST:
        start, end = parts.pop(0)
        cut = _best_cut(numbers[start:end], positive[start:end], least)
        if cut is not None:
            found.append(cut)
            middle = start + int(np.searchsorted(numbers[start:end], cut))
            parts += [(start, middle), (middle, end)]
    return sorted(found)


def _best_cut(numbers: Floats, positive: Truth, least: int) -> float | None:
    """The cut that says most, if chance would not make it; of those that say nearly as much, the roundest."""
    ends = np.flatnonzero(numbers[1:] > numbers[:-1])  # the last places of each number but the last
    size = (ends + 1).astype(np.float64)
    total = float(len(numbers))
    allowed = (size >= least) & (total - size >= least)
    ends, size = ends[allowed], size[allowed]
    if not len(ends):
        return None
    true = positive.cumsum()[ends].astype(np.float64)
    all_true = float(positive.sum())
    gain = _entropy(all_true, total) - _entropy(true, size) - _entropy(all_true - true, total - size)
    if float(gain.max()) < log((len(ends) + 1) / LEVEL):
        return None
    return _roundest(numbers, ends, gain)


def _roundest(numbers: Floats, ends: npt.NDArray[np.intp], gain: Floats) -> float:
    """Of the cuts after some places that say nearly as much as the best one, the roundest."""
    rounded = []
    for place in np.flatnonzero(gain >= float(gain.max()) - NEARLY).tolist():
        cut = round_between(numbers[ends[place]], numbers[ends[place] + 1])
        rounded.append((_roundness(cut), -float(gain[place]), cut))
    return min(rounded)[2]


def _entropy(true: Floats | float, size: Floats | float) -> Floats:
    """The entropy of some rows' labels, in nats, times their number."""
    true, size = np.asarray(true, dtype=np.float64), np.asarray(size, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(part > 0, -part * np.log(part / size), 0.0) for part in (true, size - true)]
    return np.asarray(parts[0] + parts[1])


def round_between(low: float, high: float) -> float:
    """The roundest number above one number and not above another.

    >>> round_between(14, 15), round_between(13.7, 16.1), round_between(97.3, 104.2), round_between(-3, 2)
    (15.0, 15.0, 100.0, 0.0)
    """
    if low < 0 <= high:
        return 0.0
    exponent = floor(log10(max(abs(low), abs(high)))) + 1
    while exponent > -300:
        for part in (1.0, 0.5, 0.2):
            step = part * 10.0**exponent
            number = float(round(floor(high / step + 1e-9) * step, max(0, 2 - exponent)))
            if low < number <= high:
                return number
        if 10.0**exponent < (high - low) / 1000:
            break
        exponent -= 1
    return float(high)


def middle_between(low: float, high: float, *, whole: bool) -> float:
    """A round number in the middle half of what is between two numbers; of whole numbers a whole one, if it can be.

    >>> middle_between(14, 15, whole=True), middle_between(14, 15, whole=False), middle_between(0.3, 0.9, whole=False)
    (15.0, 14.5, 0.5)
    """
    cut = round_between(low + (high - low) / 4, high - (high - low) / 4)
    cut = float(ceil(cut)) if whole and ceil(cut) <= high else cut
    return cut if low < cut <= high else high


def _roundness(number: float) -> float:
    """How many digits it takes to write a number; a 5 at the end is half a digit."""
    digits = f"{abs(number):.12g}".replace(".", "").strip("0")
    return len(digits) - 0.5 * digits.endswith("5")
