"""The log-likelihood of many orderings at once, in floating point: what a search compares.

``closed_form`` says the same exactly, for one ordering.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from possilog.counting.levels import Floats

__all__ = ["TOLERANCE", "Insertion", "best_insertion", "log_likelihoods"]

Indexes = npt.NDArray[np.intp]

TOLERANCE = 1e-12
"""Log-likelihoods per k-subset that differ by no more than this are equal."""

CHUNK = 256
"""How many orderings are pooled before the rest is looked at again."""


def log_likelihoods(n: Floats, m: Floats) -> Floats:
    """The log-likelihood per k-subset of each ordering (rows), with the best weights; levels are columns, from ⊥.

    >>> log_likelihoods(np.array([[90.0, 2, 8, 0]]), np.array([[5.0, 4, 4, 1]])).round(5).tolist()
    [-1.98152]
    """
    orderings, levels = n.shape
    rows = np.arange(orderings)
    pooled_n, pooled_m = np.zeros_like(n), np.zeros_like(m)
    last = np.full(orderings, -1)
    for level in range(levels):
        last += 1
        pooled_n[rows, last], pooled_m[rows, last] = n[:, level], m[:, level]
        active = rows[last > 0]
        while len(active):
            here = last[active]
            rising = (
                pooled_n[active, here] * pooled_m[active, here - 1]
                >= pooled_n[active, here - 1] * pooled_m[active, here]
            )
            active, here = active[rising], here[rising]
            for pooled in (pooled_n, pooled_m):
                pooled[active, here - 1] += pooled[active, here]
                pooled[active, here] = 0
            last[active] -= 1
            active = active[here > 1]
    total = n.sum(axis=1)
    found = _terms(pooled_n, pooled_m).sum(axis=1) / total - np.log(total)
    # Estimates can leave a level with k-subsets and without worlds. That is no ordering to keep.
    return np.where(((n > 0) & (m <= 0)).any(axis=1), -np.inf, found)


@dataclass(frozen=True, slots=True)
class Insertion:
    """A candidate, the level above which it is put, and the log-likelihood per k-subset that this gives."""

    candidate: int
    level: int
    log_likelihood: float


def best_insertion(n: Floats, m: Floats, taken_n: Floats, taken_m: Floats, floor: float) -> Insertion | None:
    """The best candidate at its best place, if it is more likely than the floor; of equal ones, the first.

    ``n`` and ``m`` are the totals of the levels from ⊥ upwards, and ``taken`` says for each candidate (rows) how many
    of those violate it.

    >>> n, m = np.array([99.0, 1]), np.array([3.0, 1])
    >>> best_insertion(n, m, np.array([[9.0, 0]]), np.array([[1.0, 0]]), floor=-2.0)
    Insertion(candidate=0, level=0, log_likelihood=-0.98...)
    """
    bounds = _bounds(n, m, taken_n, taken_m)
    found = np.full(bounds.size, -np.inf)
    best = floor
    order = np.argsort(-bounds, axis=None, kind="stable")
    for start in range(0, len(order), CHUNK):
        rows = order[start : start + CHUNK]
        # What cannot be as good as the best so far need not be pooled.
        rows = rows[bounds.flat[rows] >= best - TOLERANCE]
        if not len(rows):
            break
        places = np.divmod(rows, len(n))
        found[rows] = log_likelihoods(_inserted(n, taken_n, *places), _inserted(m, taken_m, *places))
        best = max(best, found[rows].max())
    if best <= floor + TOLERANCE:
        return None
    first = int(np.flatnonzero(found >= best - TOLERANCE)[0])
    return Insertion(*divmod(first, len(n)), float(found[first]))


def _bounds(n: Floats, m: Floats, taken_n: Floats, taken_m: Floats) -> Floats:
    """For each candidate and level, the log-likelihood if weights need not fall: it is never less with that freedom."""
    above = _terms(n, m)[::-1].cumsum()[::-1] - _terms(n, m)
    below = _terms(n - taken_n, m - taken_m).cumsum(axis=1)
    own = _terms(taken_n.cumsum(axis=1), taken_m.cumsum(axis=1))
    bounds: Floats = (below + own + above) / n.sum() - np.log(n.sum())
    return np.where(np.isnan(bounds), np.inf, bounds)


def _inserted(totals: Floats, taken: Floats, candidates: Indexes, levels: Indexes) -> Floats:
    """The totals of all levels after each insertion: it takes from those below, and those above move up."""
    columns = np.arange(len(totals) + 1)
    rest = np.pad(totals - taken[candidates], ((0, 0), (0, 1)))
    result = np.where(columns <= levels[:, np.newaxis], rest, np.pad(totals, (1, 0)))
    result[np.arange(len(levels)), levels + 1] = taken.cumsum(axis=1)[candidates, levels]
    return result


def _terms(n: Floats, m: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 0, n * np.log(n / m), 0.0)
