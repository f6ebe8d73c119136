"""Which model it is: where it comes from, and how it infers. Tables and ``results.json`` show it as a name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["OURS", "Label", "Origin", "Way"]


class Origin(StrEnum):
    """Where a model comes from."""

    EVIDENCE = "evidence only"
    HARD_RULES = "hard rules only"
    SYMMETRIC_CLOSURE = "symmetric closure"
    DENSITY_TREE = "density-estimation tree"
    PUBLISHED_NETWORK = "published MLN"
    LEARNED_NETWORK = "learned MLN"
    AUTHORS = "authors"
    OURS = "ours"

    @property
    def is_theory(self) -> bool:
        """Is it a whole theory, which every kind of inference can take?"""
        return self in (Origin.AUTHORS, Origin.OURS)

    @property
    def is_network(self) -> bool:
        """Is it a Markov logic network?"""
        return self in (Origin.PUBLISHED_NETWORK, Origin.LEARNED_NETWORK)


class Way(StrEnum):
    """How a theory infers."""

    GLOBAL = "global"
    REPAIRED = "global, repaired"
    FRAGMENT = "fragment"
    LOCAL = "local"
    CALIBRATED = "calibrated"


@dataclass(frozen=True, slots=True)
class Label:
    """One of the models of an experiment.

    >>> str(Label(Origin.AUTHORS, Way.REPAIRED)), str(Label(Origin.EVIDENCE))
    ('authors, global, repaired', 'evidence only')
    >>> Label.from_json("authors, global, repaired") == Label(Origin.AUTHORS, Way.REPAIRED)
    True
    """

    origin: Origin
    way: Way | None = None
    """None for what is not a whole theory."""

    @classmethod
    def from_json(cls, name: str) -> Label:
        """The label that has this name."""
        origin, _, way = name.partition(", ")
        return cls(Origin(origin), Way(way) if way else None)

    def __str__(self) -> str:
        return self.origin.value if self.way is None else f"{self.origin}, {self.way}"


OURS = Label(Origin.OURS, Way.LOCAL)
"""The model that all others are compared with."""
