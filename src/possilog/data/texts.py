"""Many texts in little room: names by the million, of which each would be an object of a hundred bytes."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice, pairwise
from typing import overload

import numpy as np
import numpy.typing as npt

__all__ = ["Texts", "compact", "in_order"]

_Places = npt.NDArray[np.int32]

_BLOCK = 4096
_RUN = 1 << 18
"""Texts that are sorted at a time."""
MANY = 1 << 16
"""Fewer texts are kept as they are."""


class Texts(Sequence[str]):
    """Texts, of which some thousands at a time are one text, with the places where each of them ends.

    >>> texts = Texts(["ann", "", "bob"])
    >>> texts[0], texts[-1], len(texts), [*texts], "bob" in texts
    ('ann', 'bob', 3, ['ann', '', 'bob'], True)
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Take some texts, of which no list is made."""
        self._blocks: list[tuple[str, array[int]]] = []
        self._last: list[str] = []
        self.extend(texts)

    def extend(self, texts: Iterable[str]) -> None:
        """Add texts behind the others."""
        left = iter(texts)
        while some := list(islice(left, _BLOCK - len(self._last))):
            self._last += some
            if len(self._last) == _BLOCK:
                ends = np.cumsum([0, *map(len, self._last)], dtype=np.int64)
                self._blocks.append(("".join(self._last), array("q", ends.tobytes())))
                self._last = []

    def __len__(self) -> int:
        return _BLOCK * len(self._blocks) + len(self._last)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return tuple(map(self.__getitem__, range(*place.indices(len(self)))))
        block, within = divmod(range(len(self))[place], _BLOCK)
        if block == len(self._blocks):
            return self._last[within]
        text, ends = self._blocks[block]
        return text[ends[within] : ends[within + 1]]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(chain(map(_opened, self._blocks), (self._last,)))

    def taken(self) -> Iterator[list[str]]:
        """All texts, some thousands at a time; those that were given are not kept."""
        self._blocks.reverse()
        while self._blocks:
            yield _opened(self._blocks.pop())
        last, self._last = self._last, []
        if last:
            yield last


def _opened(block: tuple[str, array[int]]) -> list[str]:
    text, ends = block
    return [text[start:end] for start, end in pairwise(ends)]


def compact(texts: Sequence[str]) -> Sequence[str]:
    """The same texts, in little room where they are many."""
    return Texts(texts) if len(texts) > MANY and not isinstance(texts, Texts) else texts


def in_order(texts: Iterable[str]) -> tuple[Texts, _Places]:
    """The texts in order, each once, and the place of each that was given.

    Runs are sorted, and then merged, so that never all texts are objects at the same time.

    >>> texts, places = in_order(["bob", "ann", "eve", "bob"])
    >>> [*texts], places.tolist()
    (['ann', 'bob', 'eve'], [1, 0, 2, 1])
    """
    left, streams, given = iter(texts), [], []
    while run := list(islice(left, _RUN)):
        names, (places,) = _numbered([run])
        streams.append(Texts(names).taken())
        given.append(places)
    heads: list[list[str]] = [next(stream) for stream in streams]
    merged: list[list[_Places]] = [[] for _ in streams]
    found = Texts()
    while any(heads):
        # What is not above the least of the last ones is in nothing that is still to come.
        least = min(head[-1] for head in heads if head)
        parts = [head[: bisect_right(head, least)] for head in heads]
        names, numbers = _numbered(parts)
        for some, part in zip(merged, numbers, strict=True):
            some.append(part + np.int32(len(found)))
        found.extend(names)
        heads = [
            head[len(part) :] or next(stream, []) for head, part, stream in zip(heads, parts, streams, strict=True)
        ]
    all_places = (np.concatenate(some)[places] for some, places in zip(merged, given, strict=True))
    return found, np.concatenate([np.empty(0, np.int32), *all_places])


def _numbered(lists: Sequence[Sequence[str]]) -> tuple[list[str], list[_Places]]:
    """The texts of some lists in order, each once, and for each list the places of its texts."""
    names = sorted(set(chain.from_iterable(lists)))
    numbers = dict(zip(names, count(), strict=False))
    return names, [np.fromiter(map(numbers.__getitem__, some), np.int32, len(some)) for some in lists]
