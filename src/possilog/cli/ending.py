"""How a command ends that is asked to: what it began is cleared away first."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["ending_tidily"]


@contextmanager
def ending_tidily() -> Iterator[None]:
    """While this lasts, a request to terminate unwinds like an interrupt: workers end, half-written files go."""
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
