"""Count a union by drawing from it: the estimator of Karp and Luby (1983)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice
from math import ceil, comb, floor, log

import numpy as np

from possilog.chance import generator
from possilog.counting.count import Count
from possilog.counting.subsets.listing import GivenUp, Listing, Subset
from possilog.counting.subsets.partial import Partial
from possilog.counting.subsets.problem import SubsetProblem
from possilog.counting.subsets.sampling import draw_subsets
from possilog.deadline import NEVER, Deadline

__all__ = ["count_by_karp_luby"]


def count_by_karp_luby(
    problem: SubsetProblem,
    seed: int,
    *,
    tolerance: float = 0.1,
    confidence: float = 0.95,
    limit: int = 1_000_000,
    stop: Deadline = NEVER,
) -> Count | None:
    """Estimate how many k-subsets violate the cut within a factor of 1 ± tolerance.

    None where there are more than ``limit`` images, or time is over.

    Pick an image with probability proportional to the number of k-subsets above it, complete it at random, and weigh
    it by 1 / the number of images inside. The mean weight, times the sum of all those numbers, is unbiased.
    """
    try:
        return _count(problem, seed, tolerance, confidence, limit, stop)
    except GivenUp:
        return None


def _count(
    problem: SubsetProblem, seed: int, tolerance: float, confidence: float, limit: int, stop: Deadline
) -> Count | None:
    start = Partial.start(problem.constants, problem.width)
    listed = set(islice(Listing(problem, stop=stop).images(start), limit + 1))
    if len(listed) > limit:
        return None
    images = _minimal(listed)
    above = {size: len(images[size]) * problem.above(size) for size in images}
    together, most = sum(above.values()), _most_inside(images, problem.width)
    if most <= 1:
        return problem.without(together, "Karp-Luby")  # no k-subset has two images, so nothing is counted twice
    samples = _samples(most, tolerance, confidence)
    estimate = together * _mean_weight(problem, images, above, samples, generator(seed, "Karp-Luby"), stop)
    low = max(floor(estimate / (1 + Fraction(tolerance))), ceil(Fraction(together, most)))
    high = min(ceil(estimate / (1 - Fraction(tolerance))), together)
    return problem.without_about(round(estimate), low, high, "Karp-Luby", confidence)


def _minimal(images: Collection[Subset]) -> dict[int, list[Subset]]:
    """The images that contain no other, by size, in order: the others add no k-subset."""
    sizes = sorted({len(image) for image in images})
    minimal: dict[int, list[Subset]] = {}
    for image in sorted(images):
        if not any(part in images for size in sizes if size < len(image) for part in combinations(image, size)):
            minimal.setdefault(len(image), []).append(image)
    return minimal


def _most_inside(images: Mapping[int, Sequence[Subset]], width: int) -> int:
    """A bound on the images inside a k-subset: none contains another, so it is that of Lubell, Yamamoto and Meshalkin.

    Σ (images of size s inside) / C(k, s) ≤ 1.
    """
    return min(sum(map(len, images.values())), max((comb(width, size) for size in images), default=0))


def _samples(most: int, tolerance: float, confidence: float) -> int:
    """How many samples make the mean weight right within 1 ± tolerance, by Bernstein's inequality.

    A weight is between 1/M and 1, for M images inside at most. So its variance, relative to the square of its mean,
    is at most (M-1)²/4M (Bhatia and Davis), and its deviation, relative to its mean, at most M-1.
    """
    spread = (most - 1) ** 2 / (2 * most) + 2 / 3 * tolerance * (most - 1)
    return ceil(log(2 / (1 - confidence)) / tolerance**2 * spread)


def _mean_weight(
    problem: SubsetProblem,
    images: Mapping[int, Sequence[Subset]],
    above: Mapping[int, int],
    samples: int,
    random: np.random.Generator,
    stop: Deadline,
) -> Fraction:
    together = sum(above.values())
    known = {image for listed in images.values() for image in listed}
    inside: Counter[int] = Counter()
    drawn = random.multinomial(samples, [above[size] / together for size in images])
    for listed, number in zip(images.values(), drawn.tolist(), strict=True):
        for subset in _completed(problem, listed, number, random):
            if stop is not NEVER and stop():
                raise GivenUp
            inside[sum(part in known for size in images for part in combinations(subset, size))] += 1
    return sum((Fraction(number, count) for count, number in inside.items()), Fraction(0)) / samples


def _completed(
    problem: SubsetProblem, images: Sequence[Subset], number: int, random: np.random.Generator
) -> Iterator[Subset]:
    """Some of the images, which all have one size, each with random other constants to make a k-subset."""
    size = len(images[0])
    picked = np.array([images[i] for i in random.integers(0, len(images), number)]).reshape(number, size)
    others = draw_subsets(random, number, problem.constants - size, problem.width - size)
    for place in range(size):  # leave out the image's constants, which are in order
        others += others >= picked[:, place : place + 1]
    rows = np.sort(np.concatenate([picked, others], axis=1), axis=1)
    return map(tuple, rows.astype(np.int64).tolist())
