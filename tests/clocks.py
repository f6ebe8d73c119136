"""Clocks for tests of time limits, which a busy machine must not decide."""

from collections.abc import Callable
from itertools import count
from types import SimpleNamespace

import pytest

__all__ = ["ticking"]


def ticking(monkeypatch: pytest.MonkeyPatch, tick: float) -> Callable[[], float]:
    """For deadlines, time passes only when they look at the clock, by one tick (in seconds). Gives the clock."""
    looks = count()

    def monotonic() -> float:
        return next(looks) * tick

    monkeypatch.setattr("possilog.deadline.time", SimpleNamespace(monotonic=monotonic))
    return monotonic
