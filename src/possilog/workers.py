"""Where tasks run: in this process, or in several. What comes back is the same, and in the same order."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Generic, TypeVar

from possilog.errors import PossilogError
from possilog.requiring import require_whole

__all__ = ["in_order"]

_Task = TypeVar("_Task")
_Product = TypeVar("_Product")
_Prepare = Callable[[], Callable[[_Task], _Product]]


def in_order(
    prepare: _Prepare[_Task, _Product], tasks: Sequence[_Task], jobs: int = 1, *, chunk: int = 1
) -> Generator[_Product, None, None]:
    """What a function gives for each task, in the order of the tasks.

    ``prepare`` makes the function, once in each process that works: what is the same for all tasks is sent and laid
    out once. Tasks go to a process ``chunk`` at a time. Whoever closes the generator, or is interrupted, ends the
    processes at once; they end by themselves when this process is killed.

    >>> from functools import partial
    >>> list(in_order(partial(partial, pow, 2), [1, 2, 3]))
    [2, 4, 8]
    """
    if require_whole("jobs", jobs, 1) == 1 or len(tasks) <= 1:
        yield from map(prepare(), tasks)
        return
    chunks = [tasks[begin : begin + chunk] for begin in range(0, len(tasks), chunk)]
    workers: list[_Worker[_Task, _Product]] = []
    try:
        with _uninterrupted():
            workers += [_Worker(prepare) for _ in range(min(jobs, len(chunks)))]
        yield from _each(chunks, workers)
    finally:
        for worker in workers:
            worker.end()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Interrupts wait until this is over: Python loses those that come while it forks."""
    if current_thread() is not main_thread():  # where interrupts do not come
        yield
        return
    came: list[int] = []
    here = os.getpid()

    def later(number: int, frame: FrameType | None) -> None:
        if os.getpid() == here:
            came.append(number)
        elif number == signal.SIGTERM:  # a process that has hardly begun
            os._exit(1)

    numbers = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is not None]
    before = {number: signal.signal(number, later) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _each(chunks: Sequence[Sequence[_Task]], workers: Sequence[_Worker[_Task, _Product]]) -> Iterator[_Product]:
    """Give every worker a chunk, and another whenever it is done; products wait for those of earlier chunks."""
    waiting = iter(enumerate(chunks))
    busy = {}
    for worker, (place, tasks) in zip(workers, waiting, strict=False):
        worker.give(tasks)
        busy[worker.home] = worker, place
    done: dict[int, _Done[_Product]] = {}
    for wanted in range(len(chunks)):
        while wanted not in done:
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                worker, place = busy.pop(ready)
                done[place] = worker.take()
                for place, tasks in waiting:
                    worker.give(tasks)
                    busy[worker.home] = worker, place
                    break
        found = done.pop(wanted)
        yield from found.products
        if found.error is not None:
            raise found.error


@dataclass(frozen=True, slots=True)
class _Done(Generic[_Product]):
    """What came of a chunk: a product for each task before the one that failed, if one did."""

    products: list[_Product]
    error: Exception | None = None


class _Worker(Generic[_Task, _Product]):
    """A process that works for this one, seen from here."""

    def __init__(self, prepare: _Prepare[_Task, _Product]) -> None:
        self.home, away = Pipe()
        self._process = Process(target=_work, args=(away, prepare), daemon=True)
        self._process.start()
        away.close()  # so that nothing is left of it when the process ends

    def give(self, tasks: Sequence[_Task]) -> None:
        """Send tasks."""
        try:
            self.home.send(tasks)
        except OSError:
            raise self._gone from None

    def take(self) -> _Done[_Product]:
        """What came of them."""
        try:
            found: _Done[_Product] = self.home.recv()
        except (EOFError, OSError):
            raise self._gone from None
        return found

    @property
    def _gone(self) -> PossilogError:
        return PossilogError(
            "a process that worked for this one was ended, perhaps because memory was short; take fewer jobs"
        )

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.home.close()


def _work(away: Connection, prepare: _Prepare[_Task, _Product]) -> None:
    """In the other process: do what comes, until nothing can come any more."""
    # A terminal interrupts all processes at once; the one that began the others decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_the_other, daemon=True).start()
    function: Callable[[_Task], _Product] | None = None
    while True:
        try:
            tasks = away.recv()
        except (EOFError, OSError):
            return
        products: list[_Product] = []
        try:
            for task in tasks:
                function = function or prepare()
                products.append(function(task))
            away.send(_Done(products))
        except Exception as error:  # it goes home, where it is raised
            away.send(_Done(products, error))


def _end_with_the_other() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
