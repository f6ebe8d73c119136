"""A run of the learner under way: its clock, its work folder, and whom it tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from possilog.counting import CutCounter
from possilog.learning.clock import PHASES, Clock
from possilog.learning.files import Work
from possilog.progress import Progress, Step

__all__ = ["LearningRun"]

_T = TypeVar("_T")


class LearningRun:
    """Opens and closes phases, tells of their steps, and keeps what they made."""

    def __init__(self, clock: Clock, work: Work, progress: Progress) -> None:
        """Take the clock, which is running, the folder for finished phases, and whom to tell."""
        self.clock = clock
        self.seconds: dict[str, float] = {}
        """How long each phase took."""
        self.remarks: list[str] = []
        """What a reader of the theory has to know about the run."""
        self.counter: CutCounter | None = None
        """What the ordering counted, so that the weights need not count it again."""
        self.phase_now = next(iter(PHASES))
        self._work, self._progress = work, progress

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """A phase, from its beginning to its end."""
        self.phase_now = name
        self._progress(Step(name))
        began = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - began, 3)

    def tell(self, doing: str, done: int = 0, steps: int | None = None) -> None:
        """Tell of a step of the phase."""
        self._progress(Step(self.phase_now, done, steps, doing))

    def told(self, step: Step) -> None:
        """Tell of a step of somebody who works for the phase."""
        self.tell(step.doing, step.done, step.steps)

    def remark(self, text: str) -> None:
        """Remember what a reader of the theory has to know."""
        if text not in self.remarks:
            self.remarks.append(text)

    def has(self, name: str) -> bool:
        """Did an earlier run leave it in the work folder?"""
        return self._work.get(name, bool) is not None

    def kept(self, name: str, make: Callable[[], _T], encode: Callable[[_T], Any], decode: Callable[[Any], _T]) -> _T:
        """What an earlier run left in the work folder, or what is made now; kept if nothing was cut short."""
        found = self._work.get(name, decode)
        if found is None:
            found = make()
            if not self.clock.shortened:
                self._work.put(name, encode(found))
        return found
