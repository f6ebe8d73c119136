"""Things that share variables belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["connected_parts"]

_T = TypeVar("_T")
_V = TypeVar("_V")


def connected_parts(things: Iterable[_T], variables: Callable[[_T], set[_V]]) -> list[list[_T]]:
    """Split things into parts so that no two parts share a variable.

    >>> connected_parts(["ab", "cd", "be", "f"], set)
    [['cd'], ['ab', 'be'], ['f']]
    """
    parts: list[tuple[set[_V], list[_T]]] = []
    for thing in things:
        mine = variables(thing)
        touched = [part for part in parts if not part[0].isdisjoint(mine)]
        parts = [part for part in parts if part[0].isdisjoint(mine)]
        parts.append((mine.union(*(part[0] for part in touched)), [*(x for part in touched for x in part[1]), thing]))
    return [part for _, part in parts]
