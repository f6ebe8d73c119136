"""Tasks by the chunk, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

__all__ = ["Done", "done", "in_chunks", "once"]

_Task = TypeVar("_Task")
_Product = TypeVar("_Product")


@dataclass(frozen=True, slots=True)
class Done(Generic[_Product]):
    """What came of a chunk: a product for each task before the one that failed, if one did."""

    products: list[_Product]
    error: Exception | None = None

    def each(self) -> Iterator[_Product]:
        """The products; then the error, if there was one."""
        yield from self.products
        if self.error is not None:
            raise self.error


def in_chunks(tasks: Sequence[_Task], size: int) -> list[Sequence[_Task]]:
    """The tasks, some at a time.

    >>> in_chunks([1, 2, 3], 2)
    [[1, 2], [3]]
    """
    return [tasks[begin : begin + size] for begin in range(0, len(tasks), size)]


def once(prepare: Callable[[], Callable[[_Task], _Product]]) -> Callable[[_Task], _Product]:
    """The function that is prepared, which is done when it is first called."""
    made = cache(prepare)
    return lambda task: made()(task)


def done(function: Callable[[_Task], _Product], tasks: Sequence[_Task]) -> Done[_Product]:
    """Do the tasks of a chunk; an error goes home with what was done before, and is raised there."""
    products: list[_Product] = []
    try:
        for task in tasks:
            products.append(function(task))
    except Exception as error:
        return Done(products, error)
    return Done(products)
