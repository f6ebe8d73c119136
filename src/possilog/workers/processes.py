"""Tasks in several processes of this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Generic, TypeVar

from possilog.errors import PossilogError
from possilog.workers.chunks import Done, done, in_chunks, once

__all__ = ["Crew", "end_with_the_other", "work"]

_Task = TypeVar("_Task")
_Product = TypeVar("_Product")
_Prepare = Callable[[], Callable[[_Task], _Product]]


class Crew(Generic[_Task, _Product]):
    """Processes that were prepared, and do tasks until it is left.

    Whoever leaves it, or is interrupted, ends the processes at once; they end by themselves when this process is
    killed.
    """

    def __init__(self, prepare: _Prepare[_Task, _Product], jobs: int) -> None:
        """Take what makes the function that does a task, and how many processes there are."""
        self._prepare, self._jobs = prepare, jobs
        self._workers: list[_Worker[_Task, _Product]] = []

    def __enter__(self) -> Callable[[Sequence[_Task], int], Generator[_Product, None, None]]:
        return self._in_order

    def __exit__(self, *_: object) -> None:
        while self._workers:
            self._workers.pop().end()

    def _in_order(self, tasks: Sequence[_Task], chunk: int) -> Generator[_Product, None, None]:
        """What comes of each task, in the order of the tasks; the processes are begun for the first ones."""
        if not self._workers:
            with _uninterrupted():
                self._workers += [_Worker(self._prepare) for _ in range(self._jobs)]
        try:
            yield from _each(in_chunks(tasks, chunk), self._workers)
        except BaseException:  # what they still do nobody wants, and must not be taken for what is asked next
            self.__exit__()
            raise


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
    finished: dict[int, Done[_Product]] = {}
    for wanted in range(len(chunks)):
        while wanted not in finished:
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                worker, place = busy.pop(ready)
                finished[place] = worker.take()
                for place, tasks in waiting:
                    worker.give(tasks)
                    busy[worker.home] = worker, place
                    break
        yield from finished.pop(wanted).each()


class _Worker(Generic[_Task, _Product]):
    """A process that works for this one, seen from here."""

    def __init__(self, prepare: _Prepare[_Task, _Product]) -> None:
        self.home, away = Pipe()
        self._process = Process(target=work, args=(away, prepare), daemon=True)
        self._process.start()
        away.close()  # so that nothing is left of it when the process ends

    def give(self, tasks: Sequence[_Task]) -> None:
        """Send tasks."""
        try:
            self.home.send(tasks)
        except OSError:
            raise self._gone from None

    def take(self) -> Done[_Product]:
        """What came of them."""
        try:
            found: Done[_Product] = self.home.recv()
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


def work(away: Connection, prepare: _Prepare[_Task, _Product]) -> None:
    """In the other process: do what comes, until nothing can come any more."""
    # A terminal interrupts all processes at once; the one that began the others decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=end_with_the_other, daemon=True).start()
    function = once(prepare)
    while True:
        try:
            tasks = away.recv()
        except (EOFError, OSError):
            return
        found = done(function, tasks)
        try:
            away.send(found)
        except Exception as error:  # what cannot be sent; the error goes home, where it is raised
            away.send(Done([], error))


def end_with_the_other() -> None:
    """Wait for the process that began this one to end, and then end as well."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
