"""Noise: facts that get lost, and false ones in their place that no hard rule forbids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from possilog.data.planting import GrowingFacts, Row

__all__ = ["Room", "blur"]

TRIES = 20
"""How often to look for a false fact that the hard rules allow; in a small world there may be none."""


@dataclass(frozen=True, slots=True)
class Room:
    """Which false facts a predicate has room for, as far as the hard rules go."""

    pools: Sequence[Sequence[Row]]
    """A false fact takes a row from each, and repeats no constant."""
    key: tuple[int, ...] = ()
    """Arguments that no two facts may share; none where any may."""
    symmetric: bool = False
    """Facts come and go together with their mirror images."""


def blur(facts: GrowingFacts, rooms: Mapping[str, Room], share: float, chance: Random) -> None:
    """Take away a share of the facts of each predicate, and give it as many false ones, if it has room for them."""
    for name, room in rooms.items():
        true = set(facts.rows(name))
        lost = [row for row in facts.rows(name) if not room.symmetric or row[0] < row[1]]
        lost = chance.sample(lost, round(share * len(lost)))
        for row in lost:
            for image in _images(row, room):
                facts.remove(name, *image)
        taken = {_key(row, room) for row in facts.rows(name)}
        for _ in lost:
            false = _false(true, taken, room, chance)
            for image in _images(false, room) if false else ():
                facts.add(name, *image)
                true.add(image)
                taken.add(_key(image, room))


def _false(true: set[Row], taken: set[Row], room: Room, chance: Random) -> Row | None:
    """A false fact that breaks no hard rule, or None where there seems to be none."""
    if not room.pools or not all(room.pools):
        return None
    for _ in range(TRIES):
        row = tuple(constant for pool in room.pools for constant in chance.choice(pool))
        if row not in true and len(set(row)) == len(row) and not (room.key and _key(row, room) in taken):
            return row
    return None


def _key(row: Row, room: Room) -> Row:
    return tuple(row[place] for place in room.key)


def _images(row: Row, room: Room) -> tuple[Row, ...]:
    return (row, row[::-1]) if room.symmetric else (row,)
