"""By when something has to be done: the one form of a time limit in the house."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import TypeVar

from possilog.requiring import require_number

__all__ = ["NEVER", "Deadline", "OutOfTime"]

_T = TypeVar("_T")


class OutOfTime(Exception):  # it is no error
    """There is no time for what was asked. Who gives a deadline catches it, and says what was left out."""


class Deadline:
    """Is asked again and again whether the time is over; it remembers whether it ever said so.

    Whoever works long takes a ``stop: Deadline = NEVER`` and asks ``stop()`` often enough. ``cancelled`` is one more
    reason to stop, for those who can change their mind.

    >>> stop = Deadline(0)
    >>> stop(), stop.left, stop.passed
    (True, 0.0, True)
    >>> NEVER(), NEVER.left, Deadline(float("inf")).left
    (False, None, None)
    """

    def __init__(self, seconds: float | None = None, *, cancelled: Callable[[], bool] = bool) -> None:
        """Take the seconds from now on; None for as long as it takes."""
        if seconds is not None:
            require_number("the time limit", seconds, " of seconds, or None")
        self._end = None if seconds is None or seconds == inf else time.monotonic() + seconds
        self._cancelled = cancelled
        self.passed = False
        """Did it ever say that the time is over? Then something was cut short."""

    def __reduce__(self) -> tuple[object, ...]:
        # Clocks of two machines do not agree, so what is sent is how long there is; who may cancel stays here.
        return Deadline, (self.left,)

    @property
    def left(self) -> float | None:
        """The seconds that are left; None for any number."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def __call__(self) -> bool:
        """Is the time over?"""
        over = self.left == 0 or self._cancelled()
        self.passed |= over
        return over

    def check(self) -> None:
        """Raise OutOfTime if the time is over, where there is nothing to give back before the end."""
        if self():
            raise OutOfTime

    def each(self, items: Iterable[_T]) -> Iterator[_T]:
        """The items, one after the other, while there is time; then OutOfTime."""
        for item in items:
            self.check()
            yield item

    def part(self, share: float, most: float | None = None) -> Deadline:
        """An earlier one: after a share of the time that is left, and after this many seconds at most."""
        left = self.left
        bounds = [seconds for seconds in (None if left is None else share * left, most) if seconds is not None]
        return Deadline(min(bounds, default=None), cancelled=self._cancelled)


NEVER = Deadline()
"""As long as it takes."""
