"""Some facts are known and the rest is hidden: how whatever is simulated or measured draws its evidence."""

from __future__ import annotations

from possilog.chance import generator
from possilog.data import Database
from possilog.data.splits import draw_facts

__all__ = ["MEASURED", "SIMULATED", "draw_known", "number_of"]

SIMULATED = (0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8)
"""How much is known where the learner tries rules on held-out parts."""

MEASURED = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8)
"""How much is known where models are compared, unless the paper has sizes for the data."""


def number_of(facts: Database, share: float) -> int:
    """How many facts a share of them is, at least one."""
    return max(1, round(share * len(facts)))


def draw_known(facts: Database, number: int, seed: int, *names: str) -> Database:
    """This many of the facts, drawn at random, over their own constants: the same for the same seed and names.

    >>> from possilog.data.bundled import load
    >>> village = load("village")
    >>> len(draw_known(village, number_of(village, 0.1), 0, "an example"))
    11
    """
    return draw_facts(facts, number, generator(seed, *names))
