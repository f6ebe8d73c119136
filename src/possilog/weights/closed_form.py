"""Maximum-likelihood weights of an ordering, in closed form (section Weight Learning).

The paper maximises Σ n_i log p_i, where p_i = 1 - λ_i, subject to p_1 ≥ p_2 ≥ … ≥ p_n and Σ m_i p_i = 1, and calls a
solver for geometric programs. The problem is that of a monotone density (Grenander): pool neighbours for as long as
n_i / m_i rises, and divide by Σ n_i. That is exact, and linear in the number of levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import fsum, inf, log, log1p

from possilog.errors import TheoryError
from possilog.logic import Weight

__all__ = ["Fit", "as_smoothing", "as_weights", "fit", "log_likelihood"]


@dataclass(frozen=True, slots=True)
class Fit:
    """The most likely weights of some levels, from ⊥ upwards. Levels of equal probability are one stratum."""

    probabilities: tuple[Fraction, ...]
    """1 - λ of each level, exactly; it never rises from ⊥ upwards. 0 is a hard rule in all but name."""
    log_likelihood: float
    """Of all k-subsets of the data."""
    idle: tuple[bool, ...]
    """Which levels decide about no world and no k-subset? They have the probability of a neighbour."""

    @property
    def weights(self) -> tuple[Weight, ...]:
        """λ of each level: twelve digits of 1 - λ, and more where it takes more to tell two levels apart."""
        return as_weights(self.probabilities)


def fit(violating: Sequence[int], worlds: Sequence[int], smoothing: Fraction | float = 0) -> Fit:
    """The weights under which the data are most likely; ``violating`` is n, ``worlds`` is m, both from ⊥ upwards.

    With smoothing, every world counts as seen this many times more, so that none is impossible; the levels that are
    pooled are the same.

    >>> found = fit([90, 2, 8, 0], [5, 4, 4, 1])
    >>> [str(probability) for probability in found.probabilities], round(found.log_likelihood, 3)
    (['9/50', '1/80', '1/80', '0'], -198.152)
    >>> print(*found.weights)
    0.82 0.9875 0.9875 1
    >>> [str(probability) for probability in fit([90, 2, 8, 0], [5, 4, 4, 1], smoothing=1).probabilities]
    ['1/6', '3/152', '3/152', '1/114']
    """
    _check(violating, worlds)
    extra = as_smoothing(smoothing)
    total = sum(violating) + extra * sum(worlds)
    if not total:
        raise TheoryError("no k-subset of the data was counted, so there is nothing to fit; give data, or smoothing")
    idle = tuple(not n and not m for n, m in zip(violating, worlds, strict=True))
    levels = [level for level, is_idle in enumerate(idle) if not is_idle]
    found: dict[int, Fraction] = {}
    for block in _pooled([(violating[level], worlds[level], 1) for level in levels]):
        n, m, size = block
        for _ in range(size):
            found[levels[len(found)]] = (n + extra * m) / (m * total)
    probabilities = _with_neighbours(found, len(idle))
    return Fit(probabilities, log_likelihood(violating, probabilities), idle)


def as_smoothing(number: Fraction | float) -> Fraction:
    """How often every world counts as seen, exactly: the float 0.1 means 0.1."""
    if not 0 <= number < inf:
        raise TheoryError(f"the smoothing is {number}; give 0, or a number above it")
    return Fraction(str(number))


def log_likelihood(violating: Sequence[int], probabilities: Sequence[Fraction]) -> float:
    """Σ n_i log p_i: minus infinity where a k-subset of the data is impossible.

    >>> log_likelihood([1, 0], [Fraction(1), Fraction(0)]), log_likelihood([1, 1], [Fraction(1), Fraction(0)])
    (0.0, -inf)
    """
    pairs = [(n, p) for n, p in zip(violating, probabilities, strict=True) if n]
    return fsum(n * _log(p) for n, p in pairs) if all(p for _, p in pairs) else -inf


def as_weights(probabilities: Sequence[Fraction], digits: int = 12) -> tuple[Weight, ...]:
    """Weights with this many digits of 1 - λ, and more where it takes more to keep different ones apart.

    >>> print(*as_weights([Fraction(2, 3), Fraction(1, 3)], digits=2))
    0.33 0.67
    >>> print(*as_weights([Fraction(331, 1000), Fraction(33, 100)], digits=2))
    0.669 0.67
    """
    distinct = sorted(set(probabilities))
    while True:
        context = Context(prec=digits)
        doubt = {p: context.divide(Decimal(p.numerator), Decimal(p.denominator)) for p in distinct}
        if all(doubt[low] < doubt[high] for low, high in pairwise(distinct)):
            return tuple(_weight(doubt[p]) for p in probabilities)
        digits += 1


def _weight(doubt: Decimal) -> Weight:
    try:
        return Weight(doubt)
    except ValueError as error:
        raise TheoryError(
            f"{error}, since there are too many worlds for any to have a probability; give a smaller width, or rules "
            "and data with fewer predicates"
        ) from None


def _pooled(levels: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Pool adjacent violators: n, m and the number of levels of each block, with n / m falling strictly."""
    blocks: list[tuple[int, int, int]] = []
    for n, m, size in levels:
        while blocks and n * blocks[-1][1] >= blocks[-1][0] * m:
            below = blocks.pop()
            n, m, size = n + below[0], m + below[1], size + below[2]
        blocks.append((n, m, size))
    return blocks


def _with_neighbours(found: dict[int, Fraction], levels: int) -> tuple[Fraction, ...]:
    """The probability of each level; one that has none takes that of the level below, or, at the bottom, above."""
    probabilities = []
    latest = found[min(found)]
    for level in range(levels):
        latest = found.get(level, latest)
        probabilities.append(latest)
    return tuple(probabilities)


def _log(probability: Fraction) -> float:
    # Near 1 the logarithms of numerator and denominator would cancel.
    if 2 * probability > 1:
        return log1p(float(probability - 1))
    return log(probability.numerator) - log(probability.denominator)


def _check(violating: Sequence[int], worlds: Sequence[int]) -> None:
    if len(violating) != len(worlds):
        raise TheoryError(f"{len(violating)} levels have k-subsets and {len(worlds)} have worlds; count both for each")
    for level, (n, m) in enumerate(zip(violating, worlds, strict=True)):
        if min(n, m) < 0:
            raise TheoryError(f"level {level} from ⊥ has {n} k-subsets and {m} worlds; counts are never negative")
        if n > 0 == m:
            raise TheoryError(
                f"level {level} from ⊥ decides about {n} k-subsets of the data and about no world; check that the data "
                "satisfy the hard rules, and that both were counted for the same rules and width"
            )
