"""Which answers are likely true, though the data do not have them?

Rules rank what is missing in the data where they rank facts, and it is no mistake of theirs. How much is missing can be
told from the facts alone: if each true atom is in the data with one and the same probability c, then among atoms of
which the rules say the same, a share p is in the data, and a share (1 - c) / c · p / (1 - p) of the others is true. For
what is true beyond doubt p is c, so a mean of p over the facts says what c is (Elkan and Noto, KDD 2008). There each
fact counts by the square of p here: what the rules do not foresee says little about c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["added_up", "likely_true"]

Floats = npt.NDArray[np.float64]

FADE = 0.8
"""How much a rule counts beside a better one that says the same: many say what others say."""


def added_up(conclusions: Sequence[npt.NDArray[np.integer]], evidence: Sequence[float], atoms: int) -> Floats:
    """What rules say for each of so many atoms together, the best rule first: the numbers of those it concludes."""
    said, left = np.zeros(atoms), np.ones(atoms)
    for concluded, one in zip(conclusions, evidence, strict=True):
        said[concluded] += one * left[concluded]
        left[concluded] *= FADE
    return said


def likely_true(said: Floats, is_fact: npt.NDArray[np.bool_]) -> Floats:
    """For atoms that are no facts, how likely they are true, by what is said for each and for facts.

    >>> likely_true(np.array([2, 2, 2, 2, 1, 1, 1, 1, 1.0]), np.array([1, 1, 1, 0, 1, 0, 0, 0, 0], bool)).round(2)
    array([1.  , 1.  , 1.  , 1.  , 0.09, 0.09, 0.09, 0.09, 0.09])
    """
    if not is_fact.any():
        return np.zeros(len(said))
    shares = _rising(said, is_fact)
    known = float(np.average(shares[is_fact], weights=shares[is_fact] ** 2))
    return np.asarray(np.minimum((1 - known) / known * shares / np.maximum(1 - shares, 1e-9), 1))


def _rising(said: Floats, is_fact: npt.NDArray[np.bool_]) -> Floats:
    """The share of facts among atoms of which the same is said, where more never has a smaller share.

    Neighbours whose shares fall are taken together (pool adjacent violators).
    """
    levels, level, sizes = np.unique(said, return_inverse=True, return_counts=True)
    facts = np.bincount(level, is_fact, len(levels))
    pools: list[tuple[float, int, int]] = []
    for true, size in zip(facts.tolist(), sizes.tolist(), strict=True):
        width = 1
        while pools and pools[-1][0] * size >= true * pools[-1][1]:
            before, of, wide = pools.pop()
            true, size, width = true + before, size + of, width + wide
        pools.append((true, size, width))
    shares = np.repeat([true / size for true, size, _ in pools], [width for *_, width in pools])
    return np.asarray(shares[level], dtype=np.float64)
