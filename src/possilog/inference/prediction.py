"""What inference answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from possilog.inference.chaining import GroundRule
from possilog.inference.evidence import Evidence
from possilog.logic import CERTAIN, Atom, Rule, Weight

__all__ = ["Conclusion", "Conflict", "Prediction"]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """An atom that is predicted to hold, and how certain that is: the weight of the highest cut that yields it."""

    atom: Atom
    certainty: Weight
    given: bool = False
    """Is it evidence?"""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stratum's conclusions, or the evidence itself (weight 1), break a ground rule."""

    weight: Weight
    broken: GroundRule
    barred: tuple[Atom, ...] = ()
    """The conclusions that were barred for it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a theory says about evidence."""

    inference: str
    """global, fragment or local."""
    method: str
    """How it was computed: horn (forward chaining) or sat."""
    evidence: Evidence
    added: tuple[Conclusion, ...]
    """What is predicted beyond the evidence, most certain first."""
    consistent: bool
    """Does the evidence agree with the hard rules?"""
    strata_kept: int
    """How many strata of soft rules stand as a whole."""
    cut: Weight
    """The weight of the lowest stratum that stands together with all above it; 1 if none does."""
    conflicts: tuple[Conflict, ...] = ()
    unused: tuple[Rule, ...] = ()
    """Rules that this kind of inference cannot use."""

    def __iter__(self) -> Iterator[Conclusion]:
        """All that is predicted to hold: the evidence, then what was added."""
        for atom in self.evidence.facts:
            yield Conclusion(atom, CERTAIN, given=True)
        yield from self.added

    def __contains__(self, atom: object) -> bool:
        return atom in self.evidence.facts or any(atom == conclusion.atom for conclusion in self.added)

    def certainty(self, atom: Atom) -> Weight | None:
        """How certain an atom is; None where it is not predicted."""
        if atom in self.evidence.facts:
            return CERTAIN
        return next((conclusion.certainty for conclusion in self.added if conclusion.atom == atom), None)
