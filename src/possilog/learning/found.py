"""What the phases of a run have found so far, and the best theory that can be made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from possilog.learning.confidence import Confidence
from possilog.learning.edits import Edits
from possilog.learning.hard_part import HardPart
from possilog.learning.measurement import Measurement
from possilog.learning.ordering import by_confidence, meaning_of
from possilog.learning.result import Ordered
from possilog.learning.weighing import Weighing
from possilog.logic import Clause, Theory
from possilog.weights import Ordering

__all__ = ["Found", "Weighed"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The last phase's product: the theory, how it was weighed, and what the data say about its rules."""

    theory: Theory
    weighing: Weighing | None
    """None where likelihood cannot be had."""
    notes: Mapping[Clause, str]
    judged: Mapping[Clause, Confidence] = field(default_factory=dict)
    """Rules that a person keeps and that are no candidates, where they were judged to weigh them."""


@dataclass(frozen=True, slots=True)
class Found:
    """The products of the phases; what has not been made yet is empty."""

    hard: HardPart = field(default_factory=HardPart)
    candidates: Mapping[Clause, Confidence] = field(default_factory=dict)
    measurement: Measurement | None = None
    ordering: Ordering | None = None
    """The best ordering so far, while one is searched."""
    ordered: Ordered = field(default_factory=Ordered)
    weighed: Weighed | None = None
    in_order: bool = False
    """Do the weights keep to the order of the rules?"""

    def theory(self, edits: Edits, judged: Mapping[Clause, Confidence] = MappingProxyType({})) -> Theory:
        """The best theory so far, with what a person said; further rules may have been judged."""
        if self.weighed is not None:
            return self.weighed.theory
        if self.measurement is None and self.ordering is not None and not edits.locked:
            return edits.marked(self.ordering.theory(self.hard.all))
        chosen = () if self.measurement is None else self.measurement.rules
        soft = self.ordered.rules or edits.with_locked(chosen)
        known = {**self.judged, **judged}
        return edits.marked(by_confidence(self.hard.all, soft, known, in_order=self.in_order))

    @property
    def judged(self) -> Mapping[Clause, Confidence]:
        """The candidates, the rules without exception that are not hard, and what a person keeps."""
        by_chance = {clause: Confidence(units, 0, 0) for clause, units in self.units.items()}
        return {**by_chance, **self.candidates, **({} if self.weighed is None else self.weighed.judged)}

    @property
    def units(self) -> Mapping[Clause, int]:
        """Of rules without exception that are not hard: the things that they rest on, which count as their cases."""
        return {clause: units for clause, units in self.hard.by_chance.items() if clause not in self.candidates}

    @property
    def meaning(self) -> str:
        """What the weights are, where they are confidences."""
        soft = () if self.weighed is None else self.weighed.theory.ranked
        return meaning_of(soft, self.judged, self.units)
