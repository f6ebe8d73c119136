"""When an exact count would take too much."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from possilog.deadline import NEVER, Deadline
from possilog.errors import PossilogError

__all__ = ["Limit", "TooLarge", "require_time"]


OFTEN = 64
"""How many quick steps are made before the time is asked for again."""

_T = TypeVar("_T")


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

    def check_size(self, number: int) -> None:
        """Raise TooLarge where there are too many things."""
        if number > self.most:
            raise TooLarge(f"the {self.table} needs more than {self.most:,} {self.things}; count cut by cut instead")

    def timely(self, things: Iterable[_T]) -> Iterator[_T]:
        """The same things, as long as there is time; asked now and then, since what is done with each is quick."""
        for number, thing in enumerate(things):
            if not number % OFTEN:
                self.check()
            yield thing

    def check(self, number: int = 0) -> None:
        """Raise TooLarge where there are too many things, or the time is over."""
        self.check_size(number)
        if self.stop is not NEVER and self.stop():  # asked often, so it should cost nothing if it can
            raise self.late

    @property
    def late(self) -> TooLarge:
        """What is raised where the time is over."""
        return TooLarge(f"the {self.table} needs more time than it was given; count cut by cut instead")


def require_time(stop: Deadline) -> None:
    """Raise TimeoutError where the time is over: a signal within this room, which no user sees."""
    if stop():
        raise TimeoutError
