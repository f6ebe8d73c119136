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
    parts: dict[int, tuple[set[_V], list[_T]]] = {}
    home: dict[_V, int] = {}
    last: dict[int, int] = {}  # when each part got something
    for number, thing in enumerate(things):
        mine = variables(thing)
        first, *others = sorted({home[one] for one in mine if one in home}, key=last.__getitem__) or [number]
        known, part = parts.pop(first, (set(), []))
        for its, more in map(parts.pop, others):
            known |= its
            part += more
        known |= mine
        home |= dict.fromkeys(known if others else mine, first)
        part.append(thing)
        parts[first], last[first] = (known, part), number
    return [part for _, part in parts.values()]
