"""Chance, from one seed: random numbers, and how far off a share may be that was estimated from them."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from possilog.requiring import require_whole

__all__ = ["clopper_pearson", "generator", "wilson"]


def generator(seed: int, *purpose: str) -> np.random.Generator:
    """The random numbers for a purpose: the same whatever is drawn for others, and in whatever order."""
    return np.random.default_rng([require_whole("the seed", seed), *(crc32(word.encode()) for word in purpose)])


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934) for a share: it holds the truth at least as often as it says.

    It keeps this promise when drawing without replacement, and when drawing stops at a number of successes.

    >>> [round(bound, 4) for bound in clopper_pearson(3, 50)]
    [0.0125, 0.1655]
    """
    tail = (1 - confidence) / 2
    low = 1 - _largest(trials - successes, trials, tail) if successes else 0.0
    high = _largest(successes, trials, tail) if successes < trials else 1.0
    return low, high


def wilson(successes: float, trials: float) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share, at 95 %: quick, for what people look at by the thousand.

    >>> [round(bound, 3) for bound in wilson(18, 19)]
    [0.754, 0.991]
    """
    if not trials:
        return 0.0, 1.0
    share, doubt = successes / trials, 1.96**2 / trials
    centre = (share + doubt / 2) / (1 + doubt)
    reach = (share * (1 - share) * doubt + doubt**2 / 4) ** 0.5 / (1 + doubt)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _largest(successes: int, trials: int, tail: float) -> float:
    """The largest share for which so few successes, or fewer, have at least this probability."""
    numbers = np.arange(successes + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((trials - numbers[:-1]) / numbers[1:]))])
    low, high = 0.0, 1.0
    while high - low > 1e-9 * high and low < (middle := (low + high) / 2) < high:
        logs = ways + numbers * np.log(middle) + (trials - numbers) * np.log1p(-middle)
        low, high = (middle, high) if np.exp(logs).sum() >= tail else (low, middle)
    return high
