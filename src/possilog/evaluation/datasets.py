"""What an experiment is about: facts to learn from, facts to predict, and what others published about them."""

from __future__ import annotations

from dataclasses import dataclass

from possilog.data import Database
from possilog.errors import DataError
from possilog.learning.hiding import MEASURED, number_of
from possilog.logic import Theory
from possilog.markov import Network

__all__ = ["PUBLISHED", "DataSet", "Published", "Scale", "scale_for"]


@dataclass(frozen=True, slots=True)
class Published:
    """Where the files of one of the paper's data sets lie in a folder of data sets."""

    train: str
    test: str
    authors: str
    network: str | None = None


PUBLISHED = {
    "uwcse": Published(
        "uwcse/paper/train.db", "uwcse/paper/test.db", "uwcse/ijcai17/uwcse.poss", "uwcse/paper/alchemy.mln"
    ),
    "yeast": Published("yeast/paper/train.db", "yeast/paper/test.db", "yeast/ijcai17/yeast.poss"),
}
"""The paper's two data sets. They do not ship with possilog."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """Facts, and what else there is to compare with."""

    name: str
    train: Database
    test: Database
    authors: Theory | None = None
    """A theory that others published."""
    network: Network | None = None
    """A Markov logic network that others published."""
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for facts, purpose in ((self.train, "learn from"), (self.test, "predict")):
            if not len(facts):
                raise DataError(f"{self.name}: there are no facts to {purpose}; give more facts, or --train and --test")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much an experiment measures."""

    sizes: tuple[int, ...]
    repeats: int
    curve: tuple[int, ...]
    """The sizes of the cumulative curves, one evidence set each."""
    read_with: tuple[int, ...]
    """The sizes at which rules are read alone."""
    network_seconds: float
    """How long a network may be learned."""
    world_seconds: float
    """How long a network may look for its most probable world."""
    network_clauses: int | None = None
    """How many clauses may be judged for a network: what this ends is the same on any machine."""
    seed: int = 0


_SIZES = {
    "uwcse": (10, 50, 100, 150, 200, 250, 300, 400, 500, 600, 700),
    "yeast": (50, 100, 250, 500, 1000, 1500, 2000, 2500, 3000, 3500),
}
_CURVES = {"uwcse": 500, "yeast": 1999}
_POINTS = 500
"""Other data have at most this many points on a curve, up to the share of their facts that UWCSE's curve has."""
_CURVE_SHARE = 0.6


def scale_for(name: str, test: Database, *, quick: bool = False, seed: int = 0, repeats: int | None = None) -> Scale:
    """The paper's sizes for its data sets, shares of the facts for others; few of all that to see whether it works.

    >>> from possilog.data.bundled import load
    >>> scale_for("village", load("village"), quick=True).sizes
    (6, 22, 55)
    """
    facts = len(test)
    sizes = _SIZES.get(name) or tuple(number_of(test, share) for share in MEASURED)
    longest = _CURVES.get(name, round(_CURVE_SHARE * facts))
    if quick:
        sizes = sizes[1::2] if name in _SIZES else tuple(sizes[place] for place in (1, 3, 5))
        points, sets, seconds, clauses = 10, 3, (60.0, 30.0), 500
    else:
        points, sets, seconds, clauses = (_POINTS if name not in _CURVES else longest), 20, (600.0, 60.0), None
    sizes = tuple(dict.fromkeys(size for size in sizes if size <= facts)) or (facts,)
    longest = max(1, min(longest, facts))
    step = -(-longest // points)
    middle = sizes[len(sizes) // 4 :: max(1, len(sizes) // 4)][:3]
    return Scale(sizes, repeats or sets, tuple(range(1, longest + 1, step)), middle, *seconds, clauses, seed)
