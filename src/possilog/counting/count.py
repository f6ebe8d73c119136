"""A number that was counted, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Count", "readable"]

LONGEST = 4_000
"""Digits of a number that is written out: with a few more, Python and most readers of JSON refuse it."""


def readable(value: int) -> int | str:
    """A number as it is or, where it has thousands of digits, the first of them and the power of ten.

    >>> readable(7), readable(12_345 * 10**5_000)
    (7, '1.2345e+5004')
    """
    return value if value < 10**LONGEST else f"{Decimal(value):.4e}"


def _shown(value: int) -> str:
    short = readable(value)
    return f"{short:,}" if isinstance(short, int) else f"about {short}"


@dataclass(frozen=True, slots=True)
class Count:
    """An exact integer, or an estimate with the interval that holds the truth with the stated confidence.

    >>> Count.of(7, "profile").exact, Count(7, 5, 10, "sampling", 0.95).exact
    (True, False)
    """

    value: int
    low: int
    high: int
    method: str
    confidence: float = 1.0

    @classmethod
    def of(cls, value: int, method: str) -> Count:
        """An exact count."""
        return cls(value, value, value, method)

    @property
    def exact(self) -> bool:
        """Is it known to be right?"""
        return self.confidence == 1.0 and self.low == self.high

    def __str__(self) -> str:
        """The count, or the interval that holds it.

        >>> print(Count.of(7_000, "profile"), Count(7, 5, 10, "sampling", 0.95), sep=", ")
        7,000, 5 to 10
        """
        return _shown(self.value) if self.exact else f"{_shown(self.low)} to {_shown(self.high)}"

    def json_fields(self, name: str) -> dict[str, object]:
        """The count under a name and, where it is not exact, the interval that holds it with some confidence.

        >>> Count.of(7, "profile").json_fields("n")
        {'n': 7}
        >>> Count(7, 5, 10, "sampling", 0.95).json_fields("n")
        {'n': 7, 'n_interval': [5, 10], 'n_confidence': 0.95}
        """
        value = readable(self.value)
        if self.exact:
            return {name: value}
        interval = [readable(self.low), readable(self.high)]
        return {name: value, f"{name}_interval": interval, f"{name}_confidence": self.confidence}

    def minus(self, part: Count) -> Count:
        """How many are left when a part is taken away.

        >>> Count(10, 8, 12, "sampling", 0.95).minus(Count.of(4, "listing"))
        Count(value=6, low=4, high=8, method='sampling, listing', confidence=0.95)
        """
        method = self.method if self.method == part.method else f"{self.method}, {part.method}"
        sure = max(self.confidence + part.confidence - 1, 0.0)
        value, low, high = self.value - part.value, self.low - part.high, self.high - part.low
        return Count(max(value, 0), max(low, 0), max(high, 0), method, sure)
