"""A few rules of one relation, chosen together by the likelihood of the ranking that they give.

An answer at rank r has probability in proportion to 1/r, so the likelihood of a ranking is the product of the answers'
reciprocal ranks. One rule after the other is taken, each time the one with which the facts are the most likely, given
those that are taken already: a rule that says what others say is worth nothing, however confident it is. Exchanging
rules for better ones afterwards makes training facts likelier, and test facts not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from possilog.deadline import NEVER, Deadline
from possilog.learning.graph.kernel import try_rule
from possilog.learning.graph.questions import Questions

__all__ = ["Choosing"]

MOST_RULES = 60
"""Rules are bits of a number."""

LEAST_GAIN = 0.5
"""How much each atom of one more rule's body has to add to the log-likelihood: without that, a fact or two may have
chosen it, and long rules would be chosen where short ones do as well."""


class Choosing:
    """The rules of one relation, the questions that its facts ask, and the rules chosen so far, the best first."""

    def __init__(
        self,
        asked: Sequence[Questions],
        order: Sequence[int],
        nodes: int,
        atoms: Sequence[int] | None = None,
        stop: Deadline = NEVER,
    ) -> None:
        """Take the questions, the numbers of the rules in the order of their confidence, and the atoms of each."""
        self._asked, self._order, self._stop = asked, list(order), stop
        self._place = {rule: place for place, rule in enumerate(self._order)}
        self._worth = -np.log(np.maximum(np.arange(2 * nodes + 4), 2) / 2)
        self._cost = LEAST_GAIN * np.array([1] * len(self._order) if atoms is None else atoms)
        self.chosen: list[int] = []

    def choose(self, most: int) -> list[int]:
        """At most so many rules, the best first; when the time is over, those that were taken so far."""
        now = self._value([])
        while len(self.chosen) < min(most, MOST_RULES, len(self._order)) and not self._stop():
            best, value = self._best_beside(self.chosen)
            if value - now < self._cost[best]:
                break
            self.chosen = self._sorted([*self.chosen, best])
            now = value
        return self.chosen

    def gains(self) -> list[float]:
        """How much less likely the facts are without each of the chosen rules."""
        every = self._value(self.chosen)
        return [every - self._value([other for other in self.chosen if other != rule]) for rule in self.chosen]

    def _best_beside(self, chosen: Sequence[int]) -> tuple[int, float]:
        codes = self._codes(chosen)
        left = [rule for rule in self._order if rule not in chosen]
        values = [self._with(codes, rule, chosen) for rule in left]
        best = int(np.argmax(values - self._cost[left]))
        return left[best], values[best]

    def _value(self, chosen: Sequence[int]) -> float:
        """The logarithm of the likelihood."""
        codes = self._codes(chosen[1:])
        if chosen:
            return self._with(codes, chosen[0], chosen[1:])
        nothing = [np.zeros(len(code), dtype=np.uint8) for code in codes]
        return sum(self._try(number, code, nothing[number], 0) for number, code in enumerate(codes))

    def _with(self, codes: Sequence[npt.NDArray[np.int64]], rule: int, chosen: Sequence[int]) -> float:
        below = sum(self._place[other] > self._place[rule] for other in chosen)
        return sum(
            self._try(number, code, self._asked[number].concludes[rule], below) for number, code in enumerate(codes)
        )

    def _try(self, number: int, code: npt.NDArray[np.int64], concludes: npt.NDArray[np.uint8], below: int) -> float:
        asked = self._asked[number]
        return try_rule(asked.at, code, concludes, asked.answer, asked.others, self._worth, below)

    def _codes(self, chosen: Sequence[int]) -> list[npt.NDArray[np.int64]]:
        """For each candidate answer, the list of the chosen rules that conclude it, as a number."""
        codes = [np.zeros(asked.concludes.shape[1], dtype=np.int64) for asked in self._asked]
        for rule in chosen:
            codes = [code << 1 | asked.concludes[rule] for code, asked in zip(codes, self._asked, strict=True)]
        return codes

    def _sorted(self, rules: Sequence[int]) -> list[int]:
        return sorted(rules, key=self._place.__getitem__)
