"""A number that was counted, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Count"]


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
