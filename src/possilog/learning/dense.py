"""How much is said of each thing at each share of known facts, and how well that shows the share on held-out parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from possilog.data import Database
from possilog.inference.density import Density, facts_each, log_odds
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.logic import Measures

__all__ = ["Dense"]

DRAWS = 4
"""Evidence sets at each share that are looked at; of each held-out part, half as many."""

SHOWING = 0.2
"""Below this share, next to nothing is said of anything."""

RULES_OFF = 0.5
"""What rules expect is taken to be off by this much elsewhere, in log odds of the share: they were chosen here."""

LEAST_OFF = 0.1
"""And how much is said of each thing by this much more than on held-out parts."""


@dataclass(frozen=True)
class Dense:
    """How much is said of each thing at each share, and how much that counts beside what rules expect."""

    facts: tuple[float, ...]
    weight: float

    @classmethod
    def fit(cls, database: Database, parts: Iterable[Database], seed: int) -> Dense:
        """Draw evidence from the data, and from each of the held-out parts, which say how far off it is.

        Where everything hangs together, less is said of each thing in a part than in the whole, and it counts little.
        """
        facts = tuple(
            float(np.mean([facts_each(known) for known in _drawn(database, share, seed, "all", DRAWS)]))
            for share in SIMULATED
        )
        density = Density(Measures(SIMULATED, SIMULATED, (0.0,) * len(SIMULATED), dense=facts))
        off = [
            log_odds(density.share(known)) - log_odds(share)
            for number, part in enumerate(parts)
            for share in SIMULATED
            if share >= SHOWING
            for known in _drawn(part, share, seed, str(number), DRAWS // 2)
        ]
        error = float(np.mean(np.square(off))) + LEAST_OFF**2
        return cls(facts, RULES_OFF**2 / (RULES_OFF**2 + error))

    def within(self, measures: Measures) -> Measures:
        """Measures that have it."""
        return replace(measures, dense=self.facts, dense_weight=self.weight)


def _drawn(facts: Database, share: float, seed: int, name: str, number: int) -> Iterator[Database]:
    for place in range(number):
        yield draw_known(facts, number_of(facts, share), seed, "dense", name, str(share), str(place))
