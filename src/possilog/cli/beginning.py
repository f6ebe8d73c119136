"""When the command began: its time limit counts from then, so that loading what it needs counts, too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["begun", "left_of", "seconds_before"]

_began: list[float] = []


@contextmanager
def begun() -> Iterator[None]:
    """A command, from its beginning to its end."""
    _began.append(time.monotonic())
    try:
        yield
    finally:
        _began.pop()


def seconds_before() -> float:
    """How long the command has been running; 0 for those who call its functions from Python.

    >>> with begun():
    ...     seconds_before() > 0
    True
    >>> seconds_before()
    0.0
    """
    return time.monotonic() - _began[-1] if _began else 0.0


def left_of(time_limit: float | None) -> float | None:
    """What is left of the seconds that a command may take."""
    return None if time_limit is None else max(time_limit - seconds_before(), 0.0)
