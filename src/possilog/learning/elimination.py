"""Short theories: rules are taken away one after the other while nothing is lost by it.

Half of the rules that pay alone say what others say. Of all theories on the way down, the smallest that predicts nearly
as well as the best is taken. A loss is measured only when it might be the smallest, and again only if rules have gone
since. What is lost without a rule may be noise: of such rules the longest goes first, so that of a rule and one with
more conditions that does no better, the rule stays. Hundreds of rules may feed each other's errors, so that all of them
together are a bad start, and a slow one: there the way down begins with those that add something to the rules above
them.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

__all__ = ["Losses", "Lost", "Stage", "best_within", "eliminate", "grow", "shortest_best"]

NEARLY = 0.01
"""A theory that adds as much as the best, but for this share of it, is as good."""

EACH = 0.002
"""And no more than this share for each rule that it has less: of few rules, each is worth reading."""

WORTH = 0.01
"""Where all rules that may go add less than this share of what is gained without them, none is worth reading."""


class Lost(NamedTuple):
    """What is lost without a rule, on average, and the standard error of that."""

    mean: float
    error: float = 0.0

    def order(self, length: int) -> tuple[int, int, float]:
        """The place in the queue of a rule with so long a body: what harms goes first, then what may not matter."""
        if abs(self.mean) <= self.error:
            return 0, -length, self.mean
        return (1 if self.mean > 0 else -1 if self.mean < 0 else 0), 0, self.mean


class Losses(Protocol):
    """What is asked while rules are taken away."""

    @property
    def gain(self) -> float:
        """What the rules that are left gain."""

    def loss(self, rule: int, *, roughly: bool = False) -> Lost:
        """What is lost without a rule; roughly, it may be measured on less evidence."""

    def remove(self, rule: int) -> None:
        """Go on without a rule."""

    def added(self, rule: int, above: Sequence[int]) -> float:
        """What a rule adds to some others, which are above it."""

    def keep(self, rules: Container[int]) -> None:
        """Go on with none but these."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A theory on the way down: its rules, and what they gain."""

    rules: tuple[int, ...]
    gain: float


def grow(rules: Sequence[int], losses: Losses, *, kept: Container[int] = ()) -> list[int]:
    """Go on with the rules that add something to those taken before them, from the first to the last."""
    taken: list[int] = []
    for rule in rules:
        if rule in kept or losses.added(rule, taken) > 0:
            taken.append(rule)
    losses.keep(taken)
    return taken


def eliminate(
    rules: Sequence[int], losses: Losses, lengths: Mapping[int, int], *, kept: Container[int] = ()
) -> list[Stage]:
    """The theories on the way down, the largest first, to the one with only the rules that are to be kept.

    ``lengths`` are those of the rules' bodies: of two rules of which one or the other is enough, the shorter stays.
    """
    left = list(rules)
    path = [Stage(tuple(left), losses.gain)]
    free = [rule for rule in left if rule not in kept]
    waiting = [(losses.loss(rule, roughly=True).order(lengths[rule]), -rule, -1) for rule in free]
    heapify(waiting)
    while waiting:
        _, negative, measured = heappop(waiting)
        if measured + 1 != len(path):  # rules have gone since, or it was measured roughly
            heappush(waiting, (losses.loss(-negative).order(lengths[-negative]), negative, len(path) - 1))
            continue
        losses.remove(-negative)
        left.remove(-negative)
        path.append(Stage(tuple(left), losses.gain))
    return path


def shortest_best(path: Sequence[Stage]) -> Stage:
    """The smallest theory that adds nearly as much as any."""
    best, least = max(path, key=lambda stage: (stage.gain, -len(stage.rules))), path[-1].gain
    whole = best.gain - least
    if whole < WORTH * abs(least):
        return path[-1]

    def is_enough(stage: Stage) -> bool:
        less = len(best.rules) - len(stage.rules)
        return best.gain - stage.gain <= min(NEARLY, EACH * max(less, 0)) * whole

    return min(filter(is_enough, path), key=lambda stage: len(stage.rules))


def best_within(path: Sequence[Stage], most: int | None = None, *, unused: Container[int] = ()) -> Stage:
    """The theory that gains most, of those with at most so many rules: the shortest best, if it is among them.

    Who says how many rules there may be wants no fewer for what is nearly as good. Rules that are not used in any case
    do not count; of theories that differ by no other, it is the smallest. Where more have to be kept, there is no other
    than these.
    """

    def used(stage: Stage) -> int:
        return sum(rule not in unused for rule in stage.rules)  # one theory is in the other: these are the same then

    best = shortest_best(path)
    if most is not None and used(best) > most:
        within = [stage for stage in path if used(stage) <= most] or [path[-1]]
        best = max(within, key=lambda stage: (stage.gain, -len(stage.rules)))
    return min((stage for stage in path if used(stage) == used(best)), key=lambda stage: len(stage.rules))
