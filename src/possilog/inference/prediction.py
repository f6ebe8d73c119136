"""What inference answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

from possilog.chaining.chaining import GroundRule
from possilog.data.evidence import Evidence
from possilog.inference.conclusions import Conclusion, Conclusions, Listed
from possilog.logic import CERTAIN, Atom, Clause, Rule, Weight

__all__ = ["Conclusion", "Conflict", "Conflicts", "Prediction"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stratum's conclusions, or the evidence itself (weight 1), break a ground rule."""

    weight: Weight
    broken: GroundRule
    barred: tuple[Atom, ...] = ()
    """The conclusions that were barred for it."""
    core: tuple[Clause, ...] = ()
    """Where a solver found it: ground rules that the evidence does not allow together, as few as can be."""


class Conflicts(Sequence[Conflict]):
    """Conflicts that are put into words only when somebody looks at them."""

    def __init__(self, found: Callable[[], Iterable[Conflict]]) -> None:
        """Take what finds the words."""
        self._found = found

    @cached_property
    def _all(self) -> tuple[Conflict, ...]:
        return tuple(self._found())

    @overload
    def __getitem__(self, place: int) -> Conflict: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Conflict, ...]: ...
    def __getitem__(self, place: int | slice) -> Conflict | tuple[Conflict, ...]:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a theory says about evidence."""

    inference: str
    """global, fragment or local."""
    method: str
    """How it was computed: horn (forward chaining) or sat."""
    evidence: Evidence
    added: Conclusions
    """What is predicted beyond the evidence, most certain first."""
    consistent: bool
    """Does the evidence agree with the hard rules?"""
    strata_kept: int
    """How many strata of soft rules stand as a whole."""
    cut: Weight
    """The weight of the lowest stratum that stands together with all above it; 1 if none does."""
    conflicts: Sequence[Conflict] = ()
    unused: tuple[Rule, ...] = ()
    """Rules that this kind of inference cannot use."""
    excluded: Conclusions = field(default_factory=Listed)
    """If they were asked for: the atoms that are false in every world of the cut, most certain first."""
    stopped: bool = False
    """Did inference end before it began, because the evidence contradicts the hard rules and nothing is repaired?"""

    def __iter__(self) -> Iterator[Conclusion]:
        """All that is predicted to hold: the evidence, then what was added."""
        for atom in self.evidence.facts:
            yield Conclusion(atom, CERTAIN, given=True)
        yield from self.added

    def __contains__(self, atom: object) -> bool:
        return isinstance(atom, Atom) and self.certainty(atom) is not None

    def certainty(self, atom: Atom) -> Weight | None:
        """How certain an atom is; None where it is not predicted."""
        return CERTAIN if atom in self.evidence.facts else self.added.certainty(atom)
