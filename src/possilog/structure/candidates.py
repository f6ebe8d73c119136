"""The candidates of the next level: clauses all of whose parts with one literal less fail.

Each is made from one of its parts only, the one with the smallest key. So it is enough to look for doubles among the
extensions of one clause, and memory holds a chunk of the level at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct
from possilog.structure.clause_space import ClauseSpace, Keys, Numbers

__all__ = ["candidates"]

AT_ONCE = 1 << 18
"""This many extensions are made at a time."""


def candidates(space: ClauseSpace, failing: Keys, literals: int) -> Iterator[tuple[Keys, float]]:
    """The keys of the candidates with this many literals, in chunks, and the share of the level that is done with each.

    ``failing`` has the sorted keys of all clauses with one literal less that fail.
    """
    for first, last, width in _chunks(space, failing, literals - 1):
        parents = space.clauses(failing[first:last], literals - 1)
        added = space.extensions(width)
        clauses = np.concatenate(
            [np.repeat(parents, len(added), axis=0), np.tile(added, len(parents))[:, np.newaxis]], axis=1
        )
        origin = np.repeat(failing[first:last], len(added))
        new = (clauses[:, :-1] >> 1 != clauses[:, -1:] >> 1).all(axis=1)
        yield distinct(space.keys(_admissible(space, clauses[new], origin[new], failing))), last / len(failing)


def _chunks(space: ClauseSpace, failing: Keys, literals: int) -> Iterator[tuple[int, int, int]]:
    """Stretches of the failing clauses with equally many variables, short enough for their extensions to fit."""
    # Keys have the order of the largest literal, and that has the clause's last variable: widths ascend.
    widths = space.width(space.clauses(failing, literals))
    for width in distinct(widths).tolist():
        start, end = np.searchsorted(widths, [width, width + 1]).tolist()
        step = max(1, AT_ONCE // max(1, len(space.extensions(width))))
        for first in range(start, end, step):
            yield first, min(first + step, end), width


def _admissible(space: ClauseSpace, clauses: Numbers, origin: Keys, failing: Keys) -> Numbers:
    """The clauses all of whose parts fail, and that were made from the part with the smallest key."""
    for left_out in range(clauses.shape[1] - 1):
        parts = space.keys(np.delete(clauses, left_out, axis=1))
        # Smaller keys first: they are quickly seen, and looking up is what takes time.
        kept = np.flatnonzero(parts >= origin)
        kept = kept[_contained(parts[kept], failing)]
        clauses, origin = clauses[kept], origin[kept]
    return clauses


def _contained(keys: Keys, among: Keys) -> npt.NDArray[np.bool_]:
    places = np.minimum(np.searchsorted(among, keys), len(among) - 1)
    contained: npt.NDArray[np.bool_] = among[places] == keys
    return contained
