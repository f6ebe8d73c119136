"""The time that a run may take, and by when each of its phases has to be done."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["PHASES", "Clock"]

PHASES = {
    "hard rules": 0.2,
    "candidates": 0.4,
    "held-out parts": 0.6,
    "simulation": 0.85,
    "ordering": 0.95,
    "weights": 1.0,
}
"""The phases in their order, and by which share of a time limit each has to be done."""


class Clock:
    """Runs from when it is made. It remembers whether anything was cut short."""

    def __init__(self, limit: float | None = None) -> None:
        """Take the seconds of the whole run; None for as long as it takes."""
        self.limit = limit
        self.shortened = False
        self._began = time.monotonic()

    def left(self, phase: str, share: float = 1.0) -> float | None:
        """The seconds that are left for a phase, or for a share of it; None for any number."""
        if self.limit is None:
            return None
        end = PHASES[phase]
        start = max((before for before in PHASES.values() if before < end), default=0.0)
        return max(0.0, self._began + (start + share * (end - start)) * self.limit - time.monotonic())

    def over(self, phase: str, share: float = 1.0) -> Callable[[], bool]:
        """A question to ask again and again: is the time of a phase over? Then something is cut short."""

        def is_over() -> bool:
            late = self.left(phase, share) == 0
            self.shortened = self.shortened or late
            return late

        return is_over
