"""What a long job tells while it works: the one form of progress in the house."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress", "Step", "silent"]


@dataclass(frozen=True, slots=True)
class Step:
    """Where a job is: its phase, how many of the phase's steps are done, and what is happening."""

    phase: str
    done: int = 0
    steps: int | None = None
    """How many steps the phase has; None where that is unknown."""
    doing: str = ""


Progress = Callable[[Step], None]
"""Is told of every step."""


def silent(step: Step) -> None:
    """Tell nobody."""
