"""Which rules are needed: what all of them gain together, each where it is used, and what is lost without one."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

from possilog.learning.balance import Balance, Kind
from possilog.learning.bench import Bench, Place, Shard, drawn
from possilog.learning.elimination import Lost
from possilog.learning.outcomes import places_in
from possilog.learning.trials import Drawn, Trial
from possilog.logic import Clause, Measured, Measures

__all__ = ["Needs"]

ROUGHLY = 3
"""Of how many evidence sets one is looked at where it need not be exact."""

OF_EACH_PART = 4
"""Evidence sets of each held-out part at each share that are looked at: with more, rules that only all of the data
show would count for too little."""


class Needs:
    """Which of the rules are needed: what all of them gain, each where it is used, and what is lost without one.

    What counts are predictions by the rules of all the data, and on held-out parts by what was learned without them:
    the former have all rules, the latter know what new facts are like.
    """

    def __init__(self, bench: Bench, pool: Sequence[Measured], measures: Measures) -> None:
        """Take who is asked, the rules, and what was measured of them."""
        self._bench, self._gone = bench, list[int]()
        # Who answers keeps what it made of this, so it is sent as it is, and opened by those who need it.
        self._using = pickle.dumps(_Using({rule.clause: number for number, rule in enumerate(pool)}, measures))
        found = bench.each(_Used(self._using))
        self._number = len(found)
        self.used = {number for numbers in found for number in numbers}
        """The rules that are used with some evidence."""
        self._known_balance: Balance | None = None
        self._gone_since = 0
        self._lost: dict[int, int] = {}

    @property
    def gain(self) -> float:
        """What the rules that are left gain on average, where each kind of evidence counts alike."""
        return self._balance.gain(self._balance.whole - self._gone_since) / self._number

    @property
    def _balance(self) -> Balance:
        """What counts how much, by what the rules gained that were there when it was first asked."""
        if self._known_balance is None:
            hard, added = 0, dict[Kind, int]()
            for alone, facts in self._bench.answers(_Gains(self._using, tuple(self._gone))):
                hard += alone
                added |= {kind: added.get(kind, 0) + more for kind, more in facts.items()}
            self._known_balance, self._gone_since = Balance.of(hard, dict(sorted(added.items()))), 0
        return self._known_balance

    def added(self, rule: int, above: Sequence[int]) -> float:
        """What a rule adds on average to some others, which are above it."""
        return sum(self._bench.answers(_Added(self._using, tuple(above), rule))) / self._number

    def keep(self, rules: Container[int]) -> None:
        """Go on with none but these."""
        self._gone += sorted(rule for rule in self.used if rule not in rules and rule not in self._gone)
        self._known_balance, self._gone_since = None, 0
        self._lost.clear()

    def loss(self, rule: int, *, roughly: bool = False) -> Lost:
        """What is lost on average without a rule, where each kind of evidence counts alike."""
        if roughly:
            return self._roughly[rule]
        (lost,) = self._losses([rule], 1)
        self._lost[rule] = lost.total
        return lost.on_average

    def remove(self, rule: int) -> None:
        """Go on without a rule."""
        self._gone_since += self._lost[rule] if rule in self._lost else self._losses([rule], 1)[0].total
        self._gone.append(rule)
        self._lost.clear()

    @cached_property
    def _roughly(self) -> Mapping[int, Lost]:
        """What is lost without each of the rules, on some of the evidence."""
        rules = sorted(self.used.difference(self._gone))
        return {rule: lost.on_average for rule, lost in zip(rules, self._losses(rules, ROUGHLY), strict=True)}

    def _losses(self, rules: Sequence[int], every: int) -> list[_Sums]:
        """What is lost without each of some rules, on every so many evidence sets."""
        asked = _Losses(self._using, tuple(self._gone), tuple(rules), every, self._balance.weights)
        return [sum(lost, _Sums()) for lost in zip(*self._bench.answers(asked), strict=True)]


@dataclass(frozen=True, slots=True)
class _Sums:
    """What is lost with some evidence sets, each by how much its kind counts."""

    sets: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, losses: Sequence[int]) -> _Sums:
        """Those of single evidence sets."""
        return cls(len(losses), sum(losses), sum(loss * loss for loss in losses))

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.sets + other.sets, self.total + other.total, self.squares + other.squares)

    @property
    def on_average(self) -> Lost:
        """The mean, and its standard error."""
        sets = max(self.sets, 1)
        spread = max(sets * self.squares - self.total * self.total, 0)  # whole numbers, so that nothing is rounded
        return Lost(self.total / sets, sqrt(spread / sets) / sets)


# Where the evidence sets are


@dataclass(frozen=True)
class _Using:
    """By their numbers, the rules of which some are used with each evidence set; and what was measured of them."""

    numbers: Mapping[Clause, int]
    measures: Measures


class _Prediction:
    """One evidence set of a trial, and the rules that are used with it: by their places in the trial, and in all."""

    def __init__(
        self, trial: Trial, known: Drawn, rules: Sequence[int], numbers: Sequence[int], *, held_out: bool
    ) -> None:
        self._trial, self._known, self._places = trial, known, dict(zip(numbers, rules, strict=True))
        self.kind: Kind = held_out, known.share
        self._gain: int | None = None
        self._without: dict[int, int] = {}

    @property
    def numbers(self) -> list[int]:
        """The rules that are left."""
        return list(self._places)

    @property
    def hard(self) -> int:
        """What the hard rules gain alone."""
        return self._trial.gain(self._known, ())

    @property
    def gain(self) -> int:
        """What the rules that are left gain."""
        if self._gain is None:
            self._gain = self._trial.gain(self._known, self._places.values())
        return self._gain

    def added(self, number: int, above: Iterable[int]) -> int:
        """What a rule adds to some others, which are above it."""
        if number not in self._places:
            return 0
        places = [self._places[other] for other in above if other in self._places]
        before = self._trial.gain(self._known, places)
        return self._trial.gain(self._known, (*places, self._places[number])) - before

    def loss(self, number: int) -> int:
        """What is lost without a rule."""
        if number not in self._places:
            return 0
        if number not in self._without:
            rest = [place for other, place in self._places.items() if other != number]
            self._without[number] = self._trial.gain(self._known, rest)
        return self.gain - self._without[number]

    def remove(self, number: int) -> None:
        """Go on without a rule."""
        if number in self._places:
            self._gain = self._without.get(number)  # measured again where it was not
            del self._places[number]
            self._without.clear()


class _Predictions:
    """Those of a shard, without the rules that are gone."""

    def __init__(self, using: bytes, shard: Shard) -> None:
        self.using = using
        self.gone: list[int] = []
        self.all: list[tuple[Place, _Prediction]] = []
        asked: _Using = pickle.loads(using)  # of our own making, a moment ago
        of_data = ((False, trial, places) for trial, places in shard.of_data)
        held_out = ((True, trial, _first(trial, places)) for trial, places in shard.held_out)
        for is_held_out, trial, places in (*of_data, *held_out):
            gate = trial.gate(asked.measures, places_in(trial, asked.numbers))
            for place, known in drawn(trial, places):
                rules = trial.used(gate, known)[1]
                numbers = [asked.numbers[trial.pool[rule].clause] for rule in rules]
                self.all.append((place, _Prediction(trial, known, rules, numbers, held_out=is_held_out)))

    def without(self, gone: Sequence[int]) -> None:
        """Go on without more rules."""
        for number in gone[len(self.gone) :]:
            for _, prediction in self.all:
                prediction.remove(number)
            self.gone.append(number)


def _first(trial: Trial, places: Iterable[Place]) -> list[Place]:
    """The first evidence sets at each share."""
    return [place for place in places if place.number % trial.sets < OF_EACH_PART]


def _predictions(using: bytes, shard: Shard, gone: Sequence[int] = ()) -> list[tuple[Place, _Prediction]]:
    """Those that the shard keeps, or that are made now, if it keeps none or those of something else."""
    kept = shard.kept
    if not isinstance(kept, _Predictions) or kept.using != using or kept.gone != list(gone[: len(kept.gone)]):
        kept = shard.kept = _Predictions(using, shard)
    kept.without(gone)
    return kept.all


@dataclass(frozen=True)
class _Used:
    """Which rules are used with each evidence set?"""

    using: bytes

    def answer(self, shard: Shard) -> list[tuple[Place, list[int]]]:
        return [(place, prediction.numbers) for place, prediction in _predictions(self.using, shard)]


@dataclass(frozen=True)
class _Gains:
    """What do the hard rules gain, and the others add to them with each kind of evidence, when some are gone?"""

    using: bytes
    gone: tuple[int, ...]

    def answer(self, shard: Shard) -> tuple[int, dict[Kind, int]]:
        hard, added = 0, defaultdict[Kind, int](int)
        for _, prediction in _predictions(self.using, shard, self.gone):
            alone = prediction.hard
            hard += alone
            added[prediction.kind] += prediction.gain - alone
        return hard, dict(added)


@dataclass(frozen=True)
class _Added:
    """What does a rule add to some others, which are above it?"""

    using: bytes
    above: tuple[int, ...]
    rule: int

    def answer(self, shard: Shard) -> int:
        found = _predictions(self.using, shard)
        return sum(prediction.added(self.rule, self.above) for _, prediction in found)


@dataclass(frozen=True)
class _Losses:
    """What is lost without each of some rules, on every so many evidence sets, when others are gone?"""

    using: bytes
    gone: tuple[int, ...]
    rules: tuple[int, ...]
    every: int
    weights: Mapping[Kind, int]

    def answer(self, shard: Shard) -> list[_Sums]:
        found = _predictions(self.using, shard, self.gone)
        some = [prediction for place, prediction in found if shard.rank(place) % self.every == 0]
        return [_Sums.of([self.weights[one.kind] * one.loss(rule) for one in some]) for rule in self.rules]
