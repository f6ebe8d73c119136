"""What a long job tells while it works: the one form of progress in the house."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from possilog.errors import QueryError, shortened

__all__ = ["Progress", "Step", "require_progress", "silent"]


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


def require_progress(given: object) -> None:
    """Refuse what cannot be told of steps.

    >>> require_progress(True)
    Traceback (most recent call last):
    possilog.errors.QueryError: progress is True; give a function that takes a step
    """
    if not callable(given):
        raise QueryError(f"progress is {shortened(repr(given))}; give a function that takes a step")


def silent(step: Step) -> None:
    """Tell nobody."""
