"""Local inference rule by rule, for those who know the truth and try many theories on the same evidence."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import pairwise, takewhile
from operator import eq

from possilog.choices import Joint
from possilog.data import Evidence
from possilog.inference.horn import HornTheory, Run
from possilog.logic import Atom

__all__ = ["Steps"]


class Steps:
    """Local inference rule by rule: strata of a theory are taken one below the other, in any order, and let go again.

    Theories that begin alike can be tried on the same evidence, at the cost of where they differ.
    """

    def __init__(
        self, theory: HornTheory, evidence: Evidence, truth: Container[Atom], unknown: Container[Atom] = ()
    ) -> None:
        """Begin with the hard rules alone; conclusions are right if they are in the truth, unless that is unknown."""
        self._run = Run(theory, evidence)
        self._truth, self._unknown = truth, unknown
        self._is_right: dict[int, bool | None] = {}
        self._run.harden()
        self._taken: list[int] = []
        self._gains = [self._gain(self._run.chaining.given)]

    def gain(self, strata: Sequence[int]) -> int:
        """Right conclusions less wrong ones, with just these strata in this order; the highest is number 0."""
        common = sum(takewhile(bool, map(eq, self._taken, strata)))
        while len(self._taken) > common:
            self._run.unstage(self._taken.pop() + 1)
            self._gains.pop()
        for stratum in strata[common:]:
            held = self._run.chaining.chainer.size
            self._run.stage(stratum + 1, self._run.theory.strata[stratum].weight, Joint.BAR)
            self._taken.append(stratum)
            self._gains.append(self._gains[-1] + self._gain(held))
        return self._gains[-1]

    def last(self, strata: Sequence[int]) -> tuple[int, int]:
        """Of these strata, the last alone: how many right conclusions it adds, and how many wrong ones."""
        gain = self.gain(strata) - self._gains[-2]
        number = sum(right is not None for right in self._judged_between(self._run.ends[-2][1], self._run.ends[-1][1]))
        return (number + gain) // 2, (number - gain) // 2

    def conclusions(self, strata: Sequence[int]) -> list[list[tuple[Atom, bool]]]:
        """What the hard rules conclude with these strata, and then each of the strata, each atom with the truth.

        What is about something unknown is left out.
        """
        self.gain(strata)
        chaining = self._run.chaining
        starts = [chaining.given, *(end for _, end in self._run.ends)]
        return [
            [
                (chaining.atom(atom), right)
                for atom in chaining.chainer.listed(start, end)
                if (right := self._judged(atom)) is not None
            ]
            for start, end in pairwise(starts)
        ]

    def _gain(self, start: int) -> int:
        """That of the conclusions from a rank on."""
        end = self._run.chaining.chainer.size
        if start == end:  # as most stages end, and there are very many
            return 0
        return sum(1 if right else -1 for right in self._judged_between(start, end) if right is not None)

    def _judged_between(self, start: int, end: int) -> Iterator[bool | None]:
        return map(self._judged, self._run.chaining.chainer.listed(start, end))

    def _judged(self, number: int) -> bool | None:
        if number not in self._is_right:
            atom = self._run.chaining.atom(number)
            self._is_right[number] = True if atom in self._truth else None if atom in self._unknown else False
        return self._is_right[number]
