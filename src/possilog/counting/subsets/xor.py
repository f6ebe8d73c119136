"""XOR constraints on indicators: linear equations over GF(2).

An equation is an integer. Bit c tells whether the indicator of constant c takes part in the sum, and ``right``, a bit
above all others, is the right-hand side.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = ["forced", "random_equations", "reduced", "substituted"]


def random_equations(random: np.random.Generator, indicators: int, number: int) -> list[int]:
    """Equations whose every bit is a fair coin: as a hash they are 3-wise independent, which ApproxMC2 asks for."""
    size = indicators // 8 + 1
    return [int.from_bytes(random.bytes(size), "little") % (2 << indicators) for _ in range(number)]


def reduced(equations: Iterable[int], right: int) -> tuple[int, ...] | None:
    """The same equations in reduced echelon form, by Gauss and Jordan; None where they contradict each other.

    The lowest bit of each is its pivot, and occurs in no other. Equations that follow from others are left out.

    >>> [bin(equation) for equation in reduced([0b1011, 0b1010], right=0b1000)]
    ['0b1', '0b1010']
    """
    result: list[int] = []
    for equation in equations:
        for other in result:
            if equation & other & -other:
                equation ^= other
        if equation == right:
            return None  # 0 = 1
        if equation:
            pivot = equation & -equation
            result = [other ^ equation if other & pivot else other for other in result]
            result.append(equation)
    return tuple(result)


def substituted(equations: Iterable[int], ones: int, free: int, right: int) -> tuple[int, ...] | None:
    """What is left of the equations when only the ``free`` indicators are unknown, and of the others these are one."""
    kept = free | right
    return reduced(((e & kept) ^ (right if (e & ones).bit_count() & 1 else 0) for e in equations), right)


def forced(equations: Iterable[int], right: int) -> tuple[int, int]:
    """The indicators that must be one, and those that must be zero, by equations in reduced form.

    An indicator has the same value in all solutions if and only if it is alone in such an equation.
    """
    ones = zeros = 0
    for equation in equations:
        indicators = equation & ~right
        if not indicators & (indicators - 1):
            ones, zeros = (ones | indicators, zeros) if equation & right else (ones, zeros | indicators)
    return ones, zeros
