"""Trials side by side: each worker looks after some of the evidence sets, and keeps them from question to question.

A question is asked of all evidence sets at once. What it needs to know is in it, so that a worker that is new can
answer it as well as one that was lost; what is kept only saves time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, chain
from typing import Any, NamedTuple, Protocol, TypeVar

from possilog.learning.trials import Drawn, Trial
from possilog.workers import Jobs, hands, ready
from possilog.workers.places import Tasks

__all__ = ["Bench", "BenchQuestion", "Place", "Shard", "drawn", "side_by_side"]

_Answer = TypeVar("_Answer")
_Answer_co = TypeVar("_Answer_co", covariant=True)


class Place(NamedTuple):
    """Where an evidence set stands among all: the number of its trial, and its own there."""

    trial: int
    number: int


class Shard:
    """The evidence sets that one worker looks after."""

    def __init__(self, trials: Sequence[Trial], held_out: Sequence[Trial], number: int, of: int) -> None:
        """Take the trials on all the data, those on held-out parts, and which of how many shards this is."""
        self._trials = tuple(enumerate((*trials, *held_out)))
        self._first, self._number, self._of = len(trials), number, of
        self._before = list(accumulate((trial.size for _, trial in self._trials), initial=0))
        self.kept: object = None
        """What a question keeps for the next one."""

    def rank(self, place: Place) -> int:
        """How many evidence sets come before one, of all that there are."""
        return self._before[place.trial] + place.number

    @property
    def of_data(self) -> Iterator[tuple[Trial, list[Place]]]:
        """The trials on all the data, each with the evidence sets that are looked after here."""
        return self._places(self._trials[: self._first])

    @property
    def held_out(self) -> Iterator[tuple[Trial, list[Place]]]:
        """The same of trials on held-out parts."""
        return self._places(self._trials[self._first :])

    def _places(self, trials: Iterable[tuple[int, Trial]]) -> Iterator[tuple[Trial, list[Place]]]:
        for number, trial in trials:
            # By twos, since some questions are asked of every other evidence set only.
            mine = [n for n in range(trial.size) if (number + n // 2) % self._of == self._number]
            if mine:
                yield trial, [Place(number, n) for n in mine]


class BenchQuestion(Protocol[_Answer_co]):
    """What can be asked of evidence sets."""

    def answer(self, shard: Shard) -> _Answer_co:
        """The answer of one shard; those of all are put together by who asks."""
        ...


class Bench:
    """All evidence sets, as who asks sees them."""

    def __init__(self, ask: Tasks[tuple[Any, int], Any], shards: int) -> None:
        """Take what answers a question of a shard, and how many shards there are."""
        self._ask, self._shards = ask, shards

    def answers(self, question: BenchQuestion[_Answer]) -> list[_Answer]:
        """What every shard answers."""
        return list(self._ask([(question, shard) for shard in range(self._shards)], 1))

    def each(self, question: BenchQuestion[Sequence[tuple[Place, _Answer]]]) -> list[_Answer]:
        """What is answered of every evidence set, in their order."""
        found = sorted(chain.from_iterable(self.answers(question)), key=lambda one: one[0])
        return [answer for _, answer in found]


@contextmanager
def side_by_side(trials: Sequence[Trial], held_out: Sequence[Trial], jobs: Jobs) -> Iterator[Bench]:
    """The evidence sets of all trials, shared out."""
    number = hands(jobs)
    with ready(partial(_Answering, trials, held_out, number), jobs) as ask:
        yield Bench(ask, number)


class _Answering:
    """Where questions are answered."""

    def __init__(self, trials: Sequence[Trial], held_out: Sequence[Trial], of: int) -> None:
        self._make = partial(Shard, trials, held_out, of=of)
        self._shards: dict[int, Shard] = {}

    def __call__(self, task: tuple[BenchQuestion[_Answer], int]) -> _Answer:
        question, number = task
        if number not in self._shards:
            self._shards[number] = self._make(number=number)
        return question.answer(self._shards[number])


def drawn(trial: Trial, places: Iterable[Place]) -> Iterator[tuple[Place, Drawn]]:
    """Evidence sets of a trial."""
    return ((place, trial.draw(place.number)) for place in places)
