"""Which pairs of constants a comparison is true of: in their order, equal, or near each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from possilog.errors import QueryError
from possilog.logic import BuiltIn, Nearness
from possilog.logic.spelling import plain
from possilog.logic.thresholds import DAY

__all__ = ["MOST_ORDERED", "compared_pairs"]

MOST_ORDERED = 2_000
"""Numbers, or dates, of which all pairs are compared; that is a table of two million rows."""

MOST_PAIRS = 5_000_000
"""Pairs of numbers that are near each other, at most."""

Floats = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int32]


def compared_pairs(comparison: BuiltIn, names: Sequence[str], numbers: Floats, dates: Floats) -> Pairs:
    """The pairs of distinct constants, in order; each constant is a number, a date or neither (nan)."""
    if isinstance(comparison, Nearness):
        found = [_near(numbers, comparison), _near(dates / DAY, comparison)]
        found += [] if comparison.number else [_alike(names, np.isnan(numbers) & np.isnan(dates))]
    else:
        found = [_in_order(numbers, comparison), _in_order(dates, comparison)]
    pairs = np.concatenate(found, axis=1)
    return np.ascontiguousarray(pairs[:, np.lexsort(pairs[::-1])])


def _in_order(numbers: Floats, comparison: BuiltIn) -> Pairs:
    known = np.flatnonzero(np.isfinite(numbers))
    if len(known) > MOST_ORDERED:
        raise QueryError(
            f"{comparison.name} between two variables compares all numbers of the data, and {len(known):,} are more "
            f"than {MOST_ORDERED:,}; compare with numbers, as D >= 15, or give data with fewer of them"
        )
    known = known[np.argsort(numbers[known], kind="stable")]
    side: Literal["left", "right"] = "right" if comparison.name == "<" else "left"
    first = np.searchsorted(numbers[known], numbers[known], side)
    return _paired(known, first, np.full(len(known), len(known)))


def _near(numbers: Floats, comparison: Nearness) -> Pairs:
    bound = comparison.number * (1 + 1e-6)  # a bit more, of which some are taken away
    known = np.flatnonzero(np.isfinite(numbers))
    known = known[np.argsort(numbers[known], kind="stable")]
    first = np.searchsorted(numbers[known], numbers[known] - bound, "left")
    last = np.searchsorted(numbers[known], numbers[known] + bound, "right")
    if int((last - first).sum()) > MOST_PAIRS:
        raise QueryError(
            f"{comparison.spelled('X', 'Y')} is true of more than {MOST_PAIRS:,} pairs of numbers of the data; compare "
            "with numbers, as D >= 15, or give data with fewer of them"
        )
    pairs = _paired(known, first, last)
    return pairs[:, comparison.admitted(np.abs(numbers[pairs[0]] - numbers[pairs[1]]))]


def _alike(names: Sequence[str], are_words: npt.NDArray[np.bool_]) -> Pairs:
    """Constants of one spelling and several types; numbers are compared as numbers."""
    places: dict[str, list[int]] = {}
    for place in np.flatnonzero(are_words).tolist():
        places.setdefault(plain(names[place]), []).append(place)
    found = [(one, other) for same in places.values() for one in same for other in same if one != other]
    return np.array(found, dtype=np.int32).reshape(-1, 2).T


def _paired(known: npt.NDArray[np.intp], first: npt.NDArray[np.intp], last: npt.NDArray[np.intp]) -> Pairs:
    """Each constant with those between two places, but not with itself."""
    ones = np.repeat(known, last - first)
    others = np.concatenate([known[:0], *(known[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True))])
    return np.stack([ones, others])[:, ones != others].astype(np.int32)
