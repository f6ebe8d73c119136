"""When an exact count would take too much."""

from __future__ import annotations

from possilog.errors import PossilogError

__all__ = ["TooLarge"]


class TooLarge(PossilogError):
    """A table that would not fit; the methods that need none are to be used instead."""
