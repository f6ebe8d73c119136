"""How much does each further rule help? The likelihood at every size, on data that were not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

from possilog.counting import LevelCounts
from possilog.weights.closed_form import log_likelihood
from possilog.weights.ordering import Ordering

__all__ = ["held_out_curve", "knee"]


def held_out_curve(path: Sequence[Ordering], held_out: LevelCounts) -> list[float]:
    """The log-likelihood per k-subset of held-out data under each ordering of a path.

    ``held_out`` counts the k-subsets of the held-out constants, for the candidates of the search. Minus infinity says
    that they break a rule which the training data never break; search with smoothing, and no rule is that certain.
    """
    curve = []
    for ordering in path:
        counts = [count.value for count in held_out.totals(ordering.order)]
        curve.append(log_likelihood(counts, ordering.fit.probabilities) / sum(counts))
    return curve


def knee(curve: Sequence[float]) -> int:
    """The size after which more rules help little: where the curve is highest above the line from its start to its top.

    >>> knee([-8.0, -6.0, -5.0, -4.9, -4.85, -4.86])
    2
    >>> knee([-8.0, -8.5])
    0
    """
    known = [size for size, value in enumerate(curve) if isfinite(value)]
    top = max(known, key=lambda size: curve[size], default=0)
    start = min(known, default=0)
    if top == start:
        return top
    slope = (curve[top] - curve[start]) / (top - start)
    above = {size: curve[size] - slope * (size - start) for size in known if size <= top}
    # On a straight line every size is as good as the next, and the top is best.
    highest = max(above.values(), default=-inf)
    return top if highest <= curve[start] + 1e-9 * abs(curve[start]) else max(above, key=lambda size: above[size])
