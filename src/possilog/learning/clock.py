"""The time that a run may take, and by when each of its phases has to be done."""

from __future__ import annotations

import time

from possilog.deadline import Deadline

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

    def __init__(self, limit: float | None = None, before: float = 0.0) -> None:
        """Take the seconds of the whole run, None for as long as it takes, and how many are over already."""
        Deadline(limit)  # which says what a limit is
        self.limit = limit
        self._began = time.monotonic() - before
        self._given: list[Deadline] = []
        self._shortened = False

    @property
    def shortened(self) -> bool:
        """Was anything cut short?"""
        return self._shortened or any(deadline.passed for deadline in self._given)

    def shorten(self) -> None:
        """Remember that something was cut short."""
        self._shortened = True

    def until(self, phase: str, share: float = 1.0) -> Deadline:
        """By when a phase has to be done, or a share of it."""
        if self.limit is None:
            return Deadline()
        end = PHASES[phase]
        start = max((before for before in PHASES.values() if before < end), default=0.0)
        seconds = self._began + (start + share * (end - start)) * self.limit - time.monotonic()
        self._given.append(Deadline(max(0.0, seconds)))
        return self._given[-1]
