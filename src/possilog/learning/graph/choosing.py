"""A few rules of one relation, chosen together by the likelihood of the ranking that they give.

An answer at rank r has probability in proportion to 1/r, so the likelihood of a ranking is the product of the answers'
reciprocal ranks. Candidate answers are ranked by what the chosen rules that conclude them say together (noisy-or). One
rule after the other is taken, each time the one with which the facts are the most likely, given those that are taken
already: a rule that says what others say is worth nothing, however confident it is. What is likely true and missing in
the data is hardly a wrong answer, so it hardly costs a rank. Exchanging rules for better ones
afterwards makes training facts likelier, and test facts not; nor does it help to fit how much each rule says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from possilog.deadline import NEVER, Deadline
from possilog.learning.graph.kernel import try_rule
from possilog.learning.graph.questions import Questions

__all__ = ["Choosing"]

LEAST_GAIN = 0.5
"""How much each atom of one more rule's body has to add to the log-likelihood: without that, a fact or two may have
chosen it, and long rules would be chosen where short ones do as well."""

Floats = npt.NDArray[np.float64]


class Choosing:
    """The rules of one relation, the questions that its facts ask, and the rules chosen so far."""

    def __init__(
        self,
        asked: Sequence[Questions],
        evidence: Sequence[float],
        atoms: Sequence[int] | None = None,
        stop: Deadline = NEVER,
    ) -> None:
        """Take the questions, what each rule says for what it concludes, and the atoms of each."""
        self._asked, self._evidence, self._stop = asked, list(evidence), stop
        self._cost = LEAST_GAIN * np.array([1] * len(self._evidence) if atoms is None else atoms)
        self.chosen: list[int] = []

    def choose(self, most: int) -> list[int]:
        """At most so many rules, in the order of the choice; when the time is over, those that were taken so far."""
        now = self._value([])
        while len(self.chosen) < min(most, len(self._evidence)) and not self._stop():
            best, value = self._best_beside(self.chosen)
            if value - now < self._cost[best]:
                break
            self.chosen.append(best)
            now = value
        return self.chosen

    def gains(self) -> list[float]:
        """How much less likely the facts are without each of the chosen rules."""
        every = self._value(self.chosen)
        return [every - self._value([other for other in self.chosen if other != rule]) for rule in self.chosen]

    def _best_beside(self, chosen: Sequence[int]) -> tuple[int, float]:
        scores = self._scores(chosen)
        left = [rule for rule in range(len(self._evidence)) if rule not in chosen]
        values = [self._with(scores, rule) for rule in left]
        best = int(np.argmax(values - self._cost[left]))
        return left[best], values[best]

    def _value(self, chosen: Sequence[int]) -> float:
        """The logarithm of the likelihood."""
        scores = self._scores(chosen[:-1])
        if chosen:
            return self._with(scores, chosen[-1])
        nothing = [np.zeros(len(score), dtype=np.uint8) for score in scores]
        return sum(self._try(number, score, nothing[number], 0.0) for number, score in enumerate(scores))

    def _with(self, scores: Sequence[Floats], rule: int) -> float:
        return sum(
            self._try(number, score, self._asked[number].concludes[rule], self._evidence[rule])
            for number, score in enumerate(scores)
        )

    def _try(self, number: int, score: Floats, concludes: npt.NDArray[np.uint8], evidence: float) -> float:
        asked = self._asked[number]
        ranks = np.empty(len(asked.answer))
        try_rule(asked.at, score, concludes, asked.wrong, asked.answer, asked.others, evidence, ranks)
        return -float(np.log(ranks).sum())

    def _scores(self, chosen: Sequence[int]) -> list[Floats]:
        """For each candidate answer, what the chosen rules that conclude it say."""
        scores = [np.zeros(asked.concludes.shape[1]) for asked in self._asked]
        for rule in chosen:
            for score, asked in zip(scores, self._asked, strict=True):
                score += self._evidence[rule] * asked.concludes[rule]
        return scores
