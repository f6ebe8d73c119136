"""ApproxMC2: estimate a number of models by random XOR constraints, which cut the models into buckets.

Each XOR constraint halves the models, about. They are taken until few enough models are left to be listed; their
number times the number of buckets is one measurement. It is off by more than a factor of 1 + ε with probability at most
0.36, so the median of enough of them is so with probability at most δ.
Reference: Chakraborty, Meel and Vardi, IJCAI 2016; appendix Model Counting of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, floor
from random import Random

from possilog.counting.count import Count
from possilog.errors import QueryError

__all__ = ["Bounded", "Cell", "Xor", "combine", "estimate", "measurements", "threshold"]

Xor = tuple[list[int], bool]
"""Atoms, and whether an odd number of them is true (or an even one)."""

Bounded = Callable[[Sequence[Xor], int], int]
"""How many models satisfy some XOR constraints? It stops at a limit."""

OFF = 0.36
"""How often a measurement may be off (shown by Chakraborty, Meel and Vardi)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An independent part of a problem: its number of atoms, a way to list its models, and how often it occurs."""

    atoms: int
    bounded: Bounded
    times: int = 1


def combine(free: int, cells: Sequence[Cell], epsilon: float, delta: float, seed: int, method: str) -> Count:
    """The number of models of independent parts (cells) together, within a factor of 1 + ε with probability 1 - δ.

    Those with few models are listed. The others share ε and δ.
    """
    if not (epsilon > 0 and 0 < delta < 1):
        raise QueryError(f"ε is above 0 and δ is between 0 and 1; they are {epsilon} and {delta}")
    limit = threshold(epsilon)
    value, open_cells = 1 << free, []
    for cell in cells:
        listed = cell.bounded([], limit)
        if listed < limit:
            value *= listed**cell.times
        else:
            open_cells.append(cell)
    if not value or not open_cells:
        return Count.of(value, method)
    share = (1 + epsilon) ** (1 / sum(cell.times for cell in open_cells)) - 1
    random = Random(seed)
    for cell in open_cells:
        value *= estimate(cell.atoms, cell.bounded, share, delta / len(open_cells), random) ** cell.times
    spread = 1 + Fraction(epsilon)
    return Count(value, ceil(value / spread), floor(value * spread), method, 1 - delta)


def estimate(atoms: int, bounded: Bounded, epsilon: float, delta: float, random: Random) -> int:
    """ApproxMC2 for one formula: the median of measurements."""
    limit = threshold(epsilon)
    listed = bounded([], limit)
    if listed < limit:
        return listed
    found, cuts = [], 1
    for _ in range(measurements(delta)):
        drawn = [_random_xor(atoms, random) for _ in range(atoms - 1)]
        value, cuts = _measure(atoms, bounded, drawn, limit, cuts)
        found.append(value)
    return sorted(found)[len(found) // 2]


def threshold(epsilon: float) -> int:
    """The number of models from which on a bucket is too large to be listed."""
    return ceil(1 + 9.84 * (1 + epsilon / (1 + epsilon)) * (1 + 1 / epsilon) ** 2)


def measurements(delta: float) -> int:
    """The smallest odd number of measurements of which half or more are off with probability at most δ.

    >>> measurements(0.2), measurements(0.05)
    (9, 33)
    """
    count = 1
    while _too_many_off(count) > delta:
        count += 2
    return count


def _too_many_off(count: int) -> float:
    return sum(comb(count, off) * OFF**off * (1 - OFF) ** (count - off) for off in range(count // 2 + 1, count + 1))


_Drawn = tuple[int, bool]
"""An XOR constraint as it is drawn, a bit for each atom: most are drawn and never looked at."""


def _random_xor(atoms: int, random: Random) -> _Drawn:
    """Each atom is in it with probability one half, and so is the parity odd."""
    return random.getrandbits(atoms), bool(random.getrandbits(1))


def _xor(drawn: _Drawn) -> Xor:
    bits, odd = drawn
    return [place for place, bit in enumerate(reversed(f"{bits:b}"), 1) if bit == "1"], odd


def _measure(atoms: int, bounded: Bounded, drawn: Sequence[_Drawn], limit: int, start: int) -> tuple[int, int]:
    """One measurement, and how many constraints it took; ``start`` is how many the last one took.

    More constraints leave fewer models, so the first number of them that is enough is found by growing steps, then by
    halving (the paper's LogSATSearch).
    """
    sizes: dict[int, int] = {}
    low, high = 0, atoms  # 0 constraints are too few, and more than atoms - 1 are not to be had
    probe, step = min(start, atoms - 1), 1
    while high - low > 1:
        size = sizes[probe] = bounded([_xor(one) for one in drawn[:probe]], limit)
        low, high, change = (probe, high, step) if size == limit else (low, probe, -step)
        probe, step = probe + change, 2 * step
        if not low < probe < high:
            probe = (low + high) // 2
    # Where all constraints are too few, the measurement has failed, and counts as one that is far too high.
    return (sizes[high] << high if high in sizes else 1 << atoms), min(high, atoms - 1)
