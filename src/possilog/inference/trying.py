"""Many suppositions about one prediction: facts and rules that come and go, each at the cost of what it changes."""

from __future__ import annotations

from collections.abc import Sequence

from possilog.inference.prediction import Prediction
from possilog.inference.reasoner import Reasoner
from possilog.inference.what_if import Difference
from possilog.inference.words import PLAIN, Words
from possilog.logic import Literal, Rule

__all__ = ["Trials"]


class Trials:
    """What would be predicted otherwise, beside one prediction."""

    def __init__(self, reasoner: Reasoner, before: Prediction) -> None:
        """Take a reasoner, and what it predicted."""
        self._reasoner, self._before = reasoner, before

    def difference(
        self,
        add: Sequence[Literal] = (),
        remove: Sequence[Literal] = (),
        add_rules: Sequence[Rule] = (),
        remove_rules: Sequence[Rule] = (),
        words: Words = PLAIN,
    ) -> Difference:
        """What appears, vanishes and moves; as ``Reasoner.what_if`` says it."""
        return self._reasoner.what_if(
            self._before, add=add, remove=remove, add_rules=add_rules, remove_rules=remove_rules, words=words
        )
