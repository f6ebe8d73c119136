"""Short theories: rules are taken away one after the other while nothing is lost by it.

Half of the rules that pay alone say what others say. Of all theories on the way down, the smallest that predicts best
is taken. A loss is measured only when it might be the smallest, and again only if rules have gone since.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Protocol

__all__ = ["Losses", "Stage", "eliminate"]

NEARLY = 0.003
"""A theory that reaches the best gain but for this share of it is as good."""

LEAST = 0.04
"""Less than so many facts per prediction are no gain either."""

WORTH = 0.01
"""Where all of them together gain less than this share, none is worth having."""

SPECIAL = 0.005
"""All special cases together that go with the rules that contain them may cost this share of the gain."""


class Losses(Protocol):
    """What is asked while rules are taken away."""

    @property
    def gain(self) -> float:
        """What the rules that are left gain."""

    def loss(self, rules: Collection[int], *, roughly: bool = False) -> float:
        """What is lost without some rules; roughly, it may be measured on less evidence."""

    def remove(self, rule: int) -> None:
        """Go on without a rule."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A theory on the way down: its rules, and what they gain."""

    rules: tuple[int, ...]
    gain: float


def eliminate(
    rules: Sequence[int],
    losses: Losses,
    *,
    kept: Container[int] = (),
    special: Mapping[int, Sequence[int]] | None = None,
) -> list[Stage]:
    """The theories on the way down, the largest first, to the one with only the rules that are to be kept.

    ``special`` has the rules that a rule contains: they go first, where it says as much as they do.
    """
    left = list(rules)
    path = [Stage(tuple(left), losses.gain)]

    def remove(rule: int) -> None:
        losses.remove(rule)
        left.remove(rule)
        path.append(Stage(tuple(left), losses.gain))

    for rule in _contained(left, losses, kept, special or {}):
        remove(rule)
    waiting = [(losses.loss([rule], roughly=True), -rule, -1) for rule in left if rule not in kept]
    heapify(waiting)
    while waiting:
        _, negative, measured = heappop(waiting)
        if measured + 1 != len(path):  # rules have gone since, or it was measured roughly
            heappush(waiting, (losses.loss([-negative]), negative, len(path) - 1))
            continue
        remove(-negative)
    return path


def _contained(
    left: Sequence[int], losses: Losses, kept: Container[int], special: Mapping[int, Sequence[int]]
) -> list[int]:
    """The rules that go together because one that contains them all is nearly as good without them.

    One by one the general rule would go first: beside its special cases all that is left for it are their exceptions.
    """
    gone: list[int] = []
    allowed = SPECIAL * abs(losses.gain)
    for general in sorted(special, key=lambda rule: (-len(special[rule]), rule)):
        cases = [rule for rule in special[general] if rule in left and rule not in kept and rule not in gone]
        if general in gone or general not in left or not cases:
            continue
        if losses.loss([*gone, *cases]) <= allowed:
            gone += cases
    return gone


def shortest_best(path: Sequence[Stage], most: int | None = None) -> Stage:
    """The smallest theory that gains as much as any, of those with at most so many rules."""
    within = [stage for stage in path if most is None or len(stage.rules) <= most] or [path[-1]]
    best = max(stage.gain for stage in within)
    if within[-1].gain >= best - WORTH * abs(best):
        return within[-1]
    enough = best - max(NEARLY * abs(best), LEAST)
    return min((stage for stage in within if stage.gain >= enough), key=lambda stage: len(stage.rules))
