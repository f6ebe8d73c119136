"""When an exact count would take too much."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic

from possilog.errors import PossilogError

__all__ = ["Limit", "TooLarge"]


class TooLarge(PossilogError):
    """A table that would not fit; the methods that need none are to be used instead."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How many things a table may be made of, and how long that may take."""

    table: str
    things: str
    most: int
    seconds: float | None = None
    until: float | None = None

    def begun(self) -> Limit:
        """The same, with the time running from now."""
        return self if self.seconds is None else replace(self, until=monotonic() + self.seconds)

    def check(self, number: int) -> None:
        """Raise TooLarge where there are too many things, or the time is over."""
        if number > self.most:
            raise TooLarge(f"the {self.table} needs more than {self.most:,} {self.things}; count cut by cut instead")
        if self.until is not None and monotonic() > self.until:
            raise TooLarge(f"the {self.table} needs more time than it was given; count cut by cut instead")
