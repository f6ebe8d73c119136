"""Some atoms of a database that stand for all: the true ones, and false ones drawn at random."""

from __future__ import annotations

import numpy as np

from possilog.chance import generator
from possilog.data import Evidence
from possilog.deadline import NEVER, Deadline
from possilog.logic import Predicate
from possilog.markov.cnf import WeightedClause
from possilog.markov.domain import Domain, Numbers
from possilog.markov.flips import Known, flip_tables
from possilog.markov.grounding import AtomSet
from possilog.markov.likelihood import Changes
from possilog.markov.problem import Weights

__all__ = ["Sample"]


class Sample:
    """Some atoms of a database, predicate by predicate: which are true, and how much each counts."""

    def __init__(self, domain: Domain, given: Evidence, samples: int, seed: int, stop: Deadline = NEVER) -> None:
        """Take at most this many false atoms of each predicate."""
        self.domain = domain
        self.true = AtomSet(domain, domain.facts(given.facts))
        self.known = Known()
        self.columns: dict[Predicate, list[Numbers]] = {}
        self.spans: dict[Predicate, tuple[int, int]] = {}
        truth, counts = [], []
        end = 0
        for predicate in stop.each(domain.declarations):
            true = self.true.numbers_of(predicate)
            false, total = self._false(predicate, true, samples, seed)
            atoms = np.concatenate([true, false])
            self.columns[predicate] = domain.columns(predicate, atoms)
            self.spans[predicate] = end, end + len(atoms)
            end += len(atoms)
            truth.append(np.arange(len(atoms)) < len(true))
            counts.append(np.where(truth[-1], 1.0, total / max(len(false), 1)))
        self.truth = np.concatenate(truth)
        self.counts = np.concatenate(counts)

    def _false(self, predicate: Predicate, true: Numbers, samples: int, seed: int) -> tuple[Numbers, int]:
        """Some false atoms of a predicate, and how many there are."""
        low, high = self.domain.span(predicate)
        total = high - low - len(true)
        if total <= samples:
            return np.setdiff1d(np.arange(low, high), true, assume_unique=True), total
        # The ranks of the chosen among the false ones; each true atom before one moves it up by a place.
        chance = generator(seed, "atoms", predicate.name)
        ranks = np.sort(chance.choice(total, samples, replace=False, shuffle=False))
        return low + ranks + np.searchsorted(true - low - np.arange(len(true)), ranks, "right"), total

    def changes(self, clause: WeightedClause) -> Changes:
        """What turning each atom true changes; a clause is refused whose weight could not be learned from all atoms."""
        found: dict[Predicate, Weights] = {}
        for table in flip_tables(self.domain, clause, self.true, self.known):
            low, high = self.spans[table.predicate]
            shape = self.domain.shapes[table.predicate]
            table.check(shape)
            own = found.setdefault(table.predicate, np.zeros(high - low))
            own += table.at(self.columns[table.predicate], shape, high - low)
        return Changes.joined((self.spans[predicate][0], Changes.of(own)) for predicate, own in found.items())
