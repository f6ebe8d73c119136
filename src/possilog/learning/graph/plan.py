"""What will be done with a graph, said before it is done: what is exact, what sampled, how long, how much memory."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from possilog.printing import plural
from possilog.structure.paths.graph import Graph

__all__ = ["MANY_FACTS", "GraphPlan", "make_plan"]

MANY_FACTS = 50_000
"""With more facts than this, a graph is learned by its path rules, without being asked for."""

_MANY_CANDIDATES, _FEW_CANDIDATES = 400, 60
_MANY_ASKED, _FEW_ASKED = 2_000, 1_000

_SECONDS_PER_STEP, _SECONDS_PER_RELATION = 6e-9, 0.5
"""Measured on FB15k-237: of a step of mining, and of choosing among a relation's candidates."""


@dataclass(frozen=True, slots=True)
class GraphPlan:
    """How the rules of a graph are found and chosen."""

    facts: int
    relations: int
    candidates: int
    """Rules of a relation that may be chosen: so many of the most confident, and so many that give most facts."""
    asked: int
    """Training facts of a relation by which rules are chosen, at most."""
    seconds: float
    """About how much CPU time it takes."""
    megabytes: float
    """About how much memory it takes."""
    every: bool = False
    """Are all rules taken, and none chosen?"""

    @property
    def exact(self) -> str:
        """What is counted exactly."""
        return "all path rules and their confidences; functional dependencies"

    @property
    def sampled(self) -> str:
        """What is not."""
        if self.every:
            return "nothing: all rules are taken"
        return f"rules are chosen on at most {self.asked:,} facts of a relation, among its best {2 * self.candidates}"

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {"kind": "graph", "exact": self.exact, "sampled": self.sampled} | asdict(self)

    def __str__(self) -> str:
        return (
            f"plan: {plural(self.facts, 'fact')} of {plural(self.relations, 'relation')}, as a graph\n"
            f"  exact: {self.exact}\n  sampled: {self.sampled}\n"
            f"  about {self.seconds:,.0f} s and {self.megabytes:,.0f} MB"
        )


def make_plan(graph: Graph, every: bool = False) -> GraphPlan:
    """The plan for a graph: fewer candidates and fewer facts to choose by where it is large, unless all are taken."""
    large = len(graph.code) > 2 * MANY_FACTS
    degree = np.diff(graph.at)
    source = np.repeat(np.arange(graph.nodes), degree)
    steps = float(np.minimum(degree[source], degree[graph.near]).sum()) * 4
    cells = graph.codes * (graph.nodes + graph.most_links + 24 * graph.codes)
    return GraphPlan(
        sum(map(graph.database.count, graph.predicates)),
        len(graph.predicates),
        _FEW_CANDIDATES if large else _MANY_CANDIDATES,
        _FEW_ASKED if large else _MANY_ASKED,
        1 + steps * _SECONDS_PER_STEP + len(graph.predicates) * _SECONDS_PER_RELATION,
        150 + cells / 1e6 + 200 * len(graph.code) / 1e6 + 400 * large,
        every,
    )
