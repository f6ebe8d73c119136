"""The one door to wherever tasks run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from possilog.errors import QueryError
from possilog.requiring import require_whole
from possilog.workers.processes import Crew

__all__ = ["Jobs", "Prepare", "Tasks", "Workers", "hands", "in_order", "ready"]

_Task = TypeVar("_Task")
_Product = TypeVar("_Product")
Prepare = Callable[[], Callable[[_Task], _Product]]
"""Makes the function that does a task, once wherever tasks are done."""

Tasks = Callable[[Sequence[_Task], int], Generator[_Product, None, None]]
"""Takes tasks, and how many go to a worker at a time; gives what comes of each, in their order."""


class Workers(Protocol):
    """A place where tasks run."""

    @property
    def size(self) -> int:
        """How many tasks can be done at a time."""
        ...

    def ready(self, prepare: Prepare[_Task, _Product]) -> AbstractContextManager[Tasks[_Task, _Product]]:
        """Workers that are prepared, and stay so while they are asked."""
        ...


Jobs = int | Workers
"""How many processes work here, or where else tasks run."""


def hands(jobs: Jobs) -> int:
    """How many tasks can be done at a time.

    >>> hands(3)
    3
    """
    if isinstance(jobs, int):
        return require_whole("jobs", jobs, 1)
    if hasattr(jobs, "ready"):
        return jobs.size
    raise QueryError(f"jobs are a number of processes, or a Cluster, and not {jobs!r}")


@contextmanager
def ready(prepare: Prepare[_Task, _Product], jobs: Jobs = 1) -> Iterator[Tasks[_Task, _Product]]:
    """Workers that were prepared, and keep what they have laid out, for who asks again and again.

    ``prepare`` makes the function that does a task, once in each process that works. If there are as many chunks of
    tasks as workers, each worker gets the chunk at the same place every time, so that it may know the way.

    >>> from functools import partial
    >>> with ready(partial(partial, pow, 2)) as ask:
    ...     list(ask([1, 2], 1)), list(ask([3], 1))
    ([2, 4], [8])
    """
    if isinstance(jobs, int) and hands(jobs) == 1:
        function = prepare()
        yield lambda tasks, chunk: (function(task) for task in tasks)
        return
    hands(jobs)
    with Crew(prepare, jobs) if isinstance(jobs, int) else jobs.ready(prepare) as ask:
        yield ask


def in_order(
    prepare: Prepare[_Task, _Product], tasks: Sequence[_Task], jobs: Jobs = 1, *, chunk: int = 1
) -> Generator[_Product, None, None]:
    """What a function gives for each task, in the order of the tasks.

    ``prepare`` makes the function, once in each process that works: what is the same for all tasks is sent and laid
    out once. Tasks go to a process ``chunk`` at a time. Whoever closes the generator, or is interrupted, ends what is
    still under way.

    >>> from functools import partial
    >>> list(in_order(partial(partial, pow, 2), [1, 2, 3]))
    [2, 4, 8]
    """
    if isinstance(jobs, int):
        jobs = max(1, min(hands(jobs), -(-len(tasks) // chunk)))
    with ready(prepare, 1 if hands(jobs) and len(tasks) <= 1 else jobs) as ask:
        yield from ask(tasks, chunk)
