"""The paper's protocol (section Methodology): random true facts of the test set are given, the rest is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from possilog.data import Database
from possilog.errors import QueryError
from possilog.learning.hiding import draw_known

__all__ = ["EvidenceSet", "Protocol"]


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """Facts that are given to a model; their constants are its domain."""

    size: int
    repeat: int
    facts: Database


@dataclass(frozen=True)
class Protocol:
    """How many evidence sets of which sizes are drawn from a test set, and with which seed.

    A set depends on the test facts, its size, its number and the seed, and on nothing else: every model gets the same.

    >>> from possilog.data.bundled import load
    >>> protocol = Protocol(load("village"), sizes=(5, 50), repeats=2, seed=1)
    >>> [(given.size, given.repeat, len(given.facts)) for given in protocol.evidence]
    [(5, 0, 5), (5, 1, 5), (50, 0, 50), (50, 1, 50)]
    """

    test: Database
    sizes: tuple[int, ...]
    repeats: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if not len(self.test):
            raise QueryError("there are no test facts, so nothing can be asked for; give data with facts")
        if not self.sizes:
            raise QueryError("there are no sizes of evidence; give some, like 10,50,100")
        wrong = next((size for size in self.sizes if not 1 <= size <= len(self.test)), None)
        if wrong is not None:
            raise QueryError(
                f"evidence of {wrong} facts was asked for; give sizes from 1 to {len(self.test)}, all there are"
            )
        if self.repeats < 1:
            raise QueryError(f"{self.repeats} evidence sets per size were asked for; ask for 1 or more")

    @cached_property
    def evidence(self) -> tuple[EvidenceSet, ...]:
        """The evidence sets, size by size."""
        return tuple(self._drawn(size, repeat) for size in self.sizes for repeat in range(self.repeats))

    def _drawn(self, size: int, repeat: int) -> EvidenceSet:
        return EvidenceSet(size, repeat, draw_known(self.test, size, self.seed, "evidence", str(size), str(repeat)))
