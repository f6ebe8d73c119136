"""When an exact count would take too much."""

from __future__ import annotations

from dataclasses import dataclass, replace

from possilog.deadline import NEVER, Deadline
from possilog.errors import PossilogError

__all__ = ["Limit", "TooLarge", "require_time"]


class TooLarge(PossilogError):
    """Something that cannot be counted with what there is; where it is a table, there are methods that need none."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How many things a table may be made of, and by when that has to be done."""

    table: str
    things: str
    most: int
    stop: Deadline = NEVER

    def by(self, stop: Deadline) -> Limit:
        """The same with another deadline."""
        return replace(self, stop=stop)

    def check(self, number: int = 0) -> None:
        """Raise TooLarge where there are too many things, or the time is over."""
        if number > self.most:
            raise TooLarge(f"the {self.table} needs more than {self.most:,} {self.things}; count cut by cut instead")
        if self.stop is not NEVER and self.stop():  # asked for every thing, so it should cost nothing if it can
            raise TooLarge(f"the {self.table} needs more time than it was given; count cut by cut instead")


def require_time(stop: Deadline) -> None:
    """Raise TimeoutError where the time is over: a signal within this room, which no user sees."""
    if stop():
        raise TimeoutError
