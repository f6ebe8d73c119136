"""The one door to wherever tasks run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Protocol, TypeVar

from possilog.errors import QueryError
from possilog.requiring import require_whole
from possilog.workers.processes import in_processes

__all__ = ["Jobs", "Prepare", "Workers", "in_order"]

_Task = TypeVar("_Task")
_Product = TypeVar("_Product")
Prepare = Callable[[], Callable[[_Task], _Product]]
"""Makes the function that does a task, once wherever tasks are done."""


class Workers(Protocol):
    """A place where tasks run."""

    def in_order(
        self, prepare: Prepare[_Task, _Product], tasks: Sequence[_Task], chunk: int = 1
    ) -> Generator[_Product, None, None]:
        """What the prepared function gives for each task, in the order of the tasks."""
        ...


Jobs = int | Workers
"""How many processes work here, or where else tasks run."""


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
        several = require_whole("jobs", jobs, 1) > 1
    elif hasattr(jobs, "in_order"):
        several = True
    else:
        raise QueryError(f"jobs are a number of processes, or a Cluster, and not {jobs!r}")
    if not several or len(tasks) <= 1:
        yield from map(prepare(), tasks)
    elif isinstance(jobs, int):
        yield from in_processes(prepare, tasks, jobs, chunk)
    else:
        yield from jobs.in_order(prepare, tasks, chunk)
