"""Learn again, in a process of its own: it tells how far it is, and can be ended; the theory is used meanwhile."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from possilog.data import Database
from possilog.errors import PossilogError, QueryError
from possilog.explorer.desk import begun
from possilog.learning import learn
from possilog.learning.clock import PHASES
from possilog.logic import Theory
from possilog.progress import Step
from possilog.workers.processes import end_with_the_other

__all__ = ["Relearning"]

OFTEN = 0.1
"""Seconds between two tellings."""


def _learn_apart(away: Connection, data: Database, start: Theory, seed: int, time_limit: float | None) -> None:
    """In the other process: learn, and tell of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=end_with_the_other, daemon=True).start()
    last = 0.0
    phase = ""

    def tell(step: Step) -> None:
        nonlocal last, phase
        now = time.monotonic()
        if step.phase != phase or now - last > OFTEN:
            last, phase = now, step.phase
            away.send(step)

    try:
        away.send(learn(data, start=start, seed=seed, time_limit=time_limit, progress=tell).theory)
    except PossilogError as error:
        away.send(str(error))
    except MemoryError:
        away.send("there is not enough memory to learn from these facts; give less data")


@dataclass
class Relearning:
    """A theory that is being learned, or was."""

    state: str = "idle"
    """idle, learning, done, failed or cancelled."""
    step: Step = field(default_factory=lambda: Step(""))
    began: float = 0.0
    took: float = 0.0
    error: str = ""
    theory: Theory | None = None
    _process: Any = None

    def start(
        self, data: Database, start: Theory, seed: int, time_limit: float | None, done: Callable[[], object]
    ) -> None:
        """Begin; ``done`` is called, in a thread, when it ends by itself."""
        if self.state == "learning":
            raise QueryError("a theory is being learned already; wait for it, or cancel it")
        process, home = begun(_learn_apart, data, start, seed, time_limit, duplex=False)
        self.state, self.step, self.error, self.theory = "learning", Step("begin"), "", None
        self.began, self._process = time.monotonic(), process
        Thread(target=self._listen, args=(home, process, done), daemon=True).start()

    def _listen(self, home: Connection, process: Any, done: Callable[[], object]) -> None:
        while True:
            try:
                told = home.recv()
            except (EOFError, OSError):
                told = "the process that learned was ended, perhaps because memory was short; give less data"
            if process is not self._process or self.state != "learning":
                break
            if isinstance(told, Step):
                self.step = told
                continue
            self.took = time.monotonic() - self.began
            if isinstance(told, Theory):
                self.theory, self.state = told, "done"
            else:
                self.error, self.state = told, "failed"
            done()
            break
        home.close()
        process.join()

    def cancel(self) -> None:
        """End it; what was learned so far is lost."""
        if self.state != "learning":
            raise QueryError("nothing is being learned")
        self.state, self.took = "cancelled", time.monotonic() - self.began
        self._process.kill()

    def forget(self) -> None:
        """The theory was taken, or is not wanted."""
        self.state, self.theory = "idle", None

    def close(self) -> None:
        """End what runs."""
        if self.state == "learning":
            self.cancel()

    @property
    def share(self) -> float:
        """About how much of it is done, by phases."""
        phases = list(PHASES)
        if self.state == "done":
            return 1.0
        if self.step.phase not in phases:
            return 0.0
        inside = self.step.done / self.step.steps if self.step.steps else 0.0
        return (phases.index(self.step.phase) + min(inside, 1.0)) / len(phases)

    @property
    def as_json(self) -> dict[str, Any]:
        """How far it is."""
        seconds = time.monotonic() - self.began if self.state == "learning" else self.took
        return {
            "state": self.state,
            "phase": self.step.phase,
            "done": self.step.done,
            "steps": self.step.steps,
            "doing": self.step.doing,
            "share": round(self.share, 3),
            "seconds": round(seconds, 1),
            "error": self.error or None,
            "rules": None if self.theory is None else len(self.theory.ranked),
        }
