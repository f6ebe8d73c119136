"""A k-subset that is known in part, and what follows from the part that is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from possilog.counting.subsets.xor import forced, substituted

__all__ = ["Partial", "as_bits", "members"]


@dataclass(frozen=True, slots=True)
class Partial:
    """Sets of constants as bits: those inside, those that may be inside, and XOR constraints on the undecided.

    This is the paper's global constraint (appendix, Subset Counting): indicators are no decision variables, they occur
    in the equations only. ``narrowed`` propagates in both directions: what the search decides goes into the equations,
    what the equations force leaves the domains (a zero) or is required (a one).
    """

    width: int
    inside: int
    possible: int
    equations: tuple[int, ...]
    right: int

    @classmethod
    def start(cls, constants: int, width: int, equations: Iterable[int] = ()) -> Partial | None:
        """Nothing is decided but what the equations force; None where no k-subset satisfies them."""
        everything = (1 << constants) - 1
        return cls(width, 0, everything, tuple(equations), 1 << constants).narrowed(0, everything)

    @property
    def free(self) -> int:
        """The constants that are undecided."""
        return self.possible & ~self.inside

    @property
    def missing(self) -> int:
        """How many constants are still to be put inside."""
        return self.width - self.inside.bit_count()

    def narrowed(self, inside: int, possible: int) -> Partial | None:
        """Decide more, and all that follows; None where nothing is left. When one is missing, any free one will do."""
        inside, possible, equations = self.inside | inside, self.possible & possible, self.equations
        while True:
            size, largest = inside.bit_count(), possible.bit_count()
            if size > self.width or largest < self.width or inside & ~possible:
                return None
            if size == self.width:
                possible = inside
            elif largest == self.width:
                inside = possible
            free = possible & ~inside
            remaining = substituted(equations, inside, free, self.right)
            if remaining is None:
                return None
            ones, zeros = forced(remaining, self.right)
            if size == self.width - 1 and free:
                zeros |= free & ~_candidates(remaining, free, self.right)
            equations = remaining
            if not ones and not zeros:
                return Partial(self.width, inside, possible, equations, self.right)
            inside, possible = inside | ones, possible & ~zeros


def _candidates(equations: Iterable[int], free: int, right: int) -> int:
    """The constants that may be the last one: in all sums that are one, and in none that is zero."""
    for equation in equations:
        free &= equation if equation & right else ~equation
    return free


def as_bits(numbers: Iterable[int]) -> int:
    """A set of numbers as bits."""
    result = 0
    for number in numbers:
        result |= 1 << number
    return result


def members(mask: int) -> Iterator[int]:
    """The numbers in a set of bits, in order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
