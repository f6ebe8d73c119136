"""Strata that pay at the share of facts that is known.

How much a rule is worth depends on how much is known: where almost everything is, most of what it still concludes is
wrong. Data that the theory was learned from tell how much each stratum gains at each share, and how the share can be
seen from evidence: by how many of the conclusions that one step with a hard rule yields are given already.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from possilog.chaining.chaining import Chaining
from possilog.data import Database, Evidence
from possilog.errors import DataError
from possilog.inference.horn import HornTheory
from possilog.learning.hiding import CALIBRATED, draw_known, number_of
from possilog.logic import Atom, Theory, Weight

__all__ = ["Calibration"]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What each stratum gains at each share of known facts, and how to see the share."""

    theory: Theory
    shares: tuple[float, ...]
    given: tuple[float, ...]
    """At each share: how many of the one-step hard conclusions are given already."""
    gains: tuple[tuple[float, ...], ...]
    """For each stratum, the highest first: right conclusions less wrong ones at each share."""
    noise: tuple[tuple[float, ...], ...]
    """The standard errors of these."""

    @classmethod
    def fit(cls, theory: Theory, database: Database, *, evidence_sets: int = 10, seed: int = 0) -> Calibration:
        """Calibrate a theory on the facts that it was learned from, with this many evidence sets at each share."""
        if len(database) < 2:
            raise DataError("there are too few facts to calibrate on; give the data that the theory was learned from")
        horn, truth, given, gains, noise = HornTheory(theory), frozenset(database), [], [], []
        for share in CALIBRATED:
            size = number_of(database, share)
            labels = [("calibration", str(share), str(number)) for number in range(evidence_sets)]
            drawn = [Evidence(draw_known(database, size, seed, *label)) for label in labels]
            given.append(_mean([_given(horn, evidence) for evidence in drawn]))
            found = np.array([_stratum_gains(horn, evidence, truth) for evidence in drawn])
            gains.append(found.mean(axis=0))
            noise.append(found.std(axis=0) / sqrt(evidence_sets))
        # More facts cannot show as less: what is drawn at random is made to grow.
        growing = np.maximum.accumulate(np.array(given))
        table, errors = (tuple(map(tuple, np.array(rows).T.tolist())) for rows in (gains, noise))
        return cls(theory, CALIBRATED, tuple(growing.tolist()), table, errors)

    def seen(self, evidence: Evidence) -> float | None:
        """How many of the conclusions of one step with a hard rule are evidence; None where nothing tells."""
        return _given(HornTheory(Theory(self.theory.hard)), evidence)

    def share(self, evidence: Evidence) -> float:
        """How much of what is true the evidence seems to hold; the middle of the shares where nothing tells."""
        seen = self.seen(evidence)
        if seen is None:
            return self.shares[len(self.shares) // 2]
        return float(np.interp(seen, self.given, self.shares))

    def pays(self, share: float) -> tuple[bool, ...]:
        """Which strata do not clearly lose at a share, the highest first."""
        bounds = [np.add(gains, noise) for gains, noise in zip(self.gains, self.noise, strict=True)]
        return tuple(float(np.interp(share, self.shares, bound)) >= 0 for bound in bounds)

    def adapted(self, evidence: Evidence) -> Theory:
        """The theory with only those strata that pay for such evidence."""
        pays = self.pays(self.share(evidence))
        dropped = {stratum.weight for stratum, kept in zip(self.theory.strata, pays, strict=True) if not kept}
        rules = tuple(rule for rule in self.theory.rules if rule.weight not in dropped)
        return replace(self.theory, rules=rules)


def _given(horn: HornTheory, evidence: Evidence) -> float | None:
    """How many of the conclusions of one step with a hard rule are evidence already; None where there is none."""
    chaining = Chaining(horn.program, evidence)
    heads = chaining.first_step()
    return sum(chaining.chainer.rank_of(head) < chaining.given for head in heads) / len(heads) if heads else None


def _mean(values: list[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def _stratum_gains(horn: HornTheory, evidence: Evidence, truth: frozenset[Atom]) -> list[float]:
    gains: dict[Weight, float] = defaultdict(float)
    for conclusion in horn.local(evidence).added:
        gains[conclusion.certainty] += 1 if conclusion.atom in truth else -1
    return [gains[stratum.weight] for stratum in horn.strata]
