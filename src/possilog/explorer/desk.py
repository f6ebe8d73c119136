"""Where questions are answered: in processes beside the server, which are ended when they take too long.

As many processes wait for questions as there are cores. Where all of them have long ones, others are begun, so that
nobody waits for a stranger's question; they go again when nothing is left to do.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

from possilog.errors import PossilogError
from possilog.explorer.answering import Order, Reply
from possilog.explorer.position import Position
from possilog.workers.chunks import Done
from possilog.workers.processes import work

__all__ = ["Desk", "OutOfPatience", "begun"]

LONG = 1.0
"""Seconds after which a question is a long one."""

MOST = 8
"""Processes at a time."""

IDLE = 10.0
"""Seconds after which a process goes that there are enough of without it."""


TRIES = 5
"""Times that a process is begun, where the one that all come from was ended; it begins anew as soon as that is seen."""

PAUSE = 0.1
"""Seconds between two of them."""


class OutOfPatience(PossilogError):
    """A question took too long and was ended."""


def _context() -> Any:
    """Processes come from one that has loaded everything and runs no threads; where that cannot be, from nothing."""
    if os.name == "nt":
        return get_context("spawn")
    found = get_context("forkserver")
    found.set_forkserver_preload(["possilog.explorer.answering"])
    return found


def begun(target: Callable[..., None], *arguments: object, duplex: bool = True) -> tuple[Any, Any]:
    """A process that was begun, whose function gets one end of a pipe before its arguments; and the other end."""
    processes = _context()
    for _ in range(TRIES):
        home, away = processes.Pipe(duplex)
        process = processes.Process(target=target, args=(away, *arguments), daemon=True)
        try:
            process.start()
            return process, home
        except (EOFError, OSError):
            home.close()
            time.sleep(PAUSE)
        finally:
            away.close()
    raise PossilogError("no process could be begun to work on this, perhaps because memory is short; try again later")


class _Helper:
    """A process that answers, seen from here."""

    def __init__(self, prepare: Callable[[], Callable[[Order], Reply]]) -> None:
        self._process, self._home = begun(work, prepare)
        self.revision = -1
        self.since = time.monotonic()
        """Since when it does what it does, or nothing."""

    @property
    def is_alive(self) -> bool:
        """It may have been ended while it had nothing to do."""
        return bool(self._process.is_alive())

    def ask(self, order: Order, seconds: float) -> Reply | None:
        """What it answers; None where it did not in time."""
        self._home.send([order])
        if not self._home.poll(seconds):
            return None
        done: Done[Reply] = self._home.recv()
        if done.error is not None:
            raise done.error
        return done.products[0]

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self._home.close()


@dataclass
class Desk:
    """Hands questions to processes, first come, first served."""

    prepare: Callable[[], Callable[[Order], Reply]]
    size: int = 2
    seconds: float = 10.0
    """For one question."""

    def __post_init__(self) -> None:
        self._idle: deque[_Helper] = deque()
        self._busy: set[_Helper] = set()
        self._waiting: deque[asyncio.Future[_Helper]] = deque()
        self._threads = ThreadPoolExecutor(MOST, "answers")
        self._closed = False

    async def answer(self, order: Order, position: Position, seconds: float | None = None) -> Reply:
        """What a process answers, for the exploration as it stands."""
        helper = await self._free()
        limit = self.seconds if seconds is None else seconds
        told = replace(order, position=position) if helper.revision != position.revision else order
        helper.since = time.monotonic()
        alive = False
        try:
            reply = await asyncio.get_running_loop().run_in_executor(self._threads, helper.ask, told, limit)
            alive = reply is not None
        except (EOFError, OSError):
            raise PossilogError(
                "the process that worked on this was ended, perhaps because memory was short; ask for less"
            ) from None
        finally:
            helper.revision = position.revision
            self._give_back(helper, alive)
        if reply is None:
            raise OutOfPatience(
                f"this took more than {limit:g} seconds and was ended; ask about less evidence, or fewer rules"
            )
        return reply

    async def _free(self) -> _Helper:
        """A process that has nothing to do."""
        while self._idle and not self._idle[-1].is_alive:
            self._threads.submit(self._idle.pop().end)
        if self._idle:
            helper = self._idle.pop()
        elif len(self._busy) < self.size or (len(self._busy) < MOST and self._all_long()):
            helper = _Helper(self.prepare)
        else:
            turn: asyncio.Future[_Helper] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            helper = await self._turn(turn)
        self._busy.add(helper)
        return helper

    async def _turn(self, turn: asyncio.Future[_Helper]) -> _Helper:
        """Wait for one that is done; if all are busy for long, begin one more."""
        while True:
            try:
                return await asyncio.wait_for(asyncio.shield(turn), LONG)
            except TimeoutError:
                if len(self._busy) < MOST and self._all_long() and not turn.done():
                    self._waiting.remove(turn)
                    return _Helper(self.prepare)
            except asyncio.CancelledError:
                if turn.done():
                    self._give_back(turn.result(), alive=True)
                else:
                    self._waiting.remove(turn)
                raise

    def _all_long(self) -> bool:
        now = time.monotonic()
        return all(now - helper.since > LONG for helper in self._busy)

    def _give_back(self, helper: _Helper, alive: bool) -> None:
        self._busy.discard(helper)
        if self._closed or not alive:
            self._threads.submit(helper.end) if not self._closed else helper.end()
            if self._closed or not self._waiting:
                return
            try:
                helper = _Helper(self.prepare)
            except PossilogError:  # those who wait begin one themselves
                return
        helper.since = time.monotonic()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(helper)
                return
        self._idle.append(helper)
        if len(self._idle) + len(self._busy) > self.size:
            asyncio.get_running_loop().call_later(IDLE, self._thin_out)

    def _thin_out(self) -> None:
        """Let go what is too many and has waited long; the one that was used last is taken first, so others wait."""
        now = time.monotonic()
        while self._idle and len(self._idle) + len(self._busy) > self.size and now - self._idle[0].since >= IDLE:
            self._threads.submit(self._idle.popleft().end)

    def close(self) -> None:
        """End all processes."""
        if self._closed:
            return
        self._closed = True
        for helper in (*self._idle, *self._busy):
            helper.end()
        self._idle.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
