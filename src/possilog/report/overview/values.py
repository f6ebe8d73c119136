"""What a report shows, as frozen values: all that is computed from a theory, data and test data is computed here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from possilog.data import Database
from possilog.evaluation.reliability import Reliability, Tenth
from possilog.evaluation.scores import Summary
from possilog.inference import Words
from possilog.learning.confidence import Judge
from possilog.logic import Measures, Predicate
from possilog.logic.thresholds import BuiltIn
from possilog.plotting import Line, Plot
from possilog.report.overview.suspects import Suspects
from possilog.report.portrait import Portrait, RuleCard, RuleKind
from possilog.report.portrait.portrait import brief

__all__ = [
    "Coverage",
    "Feed",
    "Gains",
    "Report",
    "RuleGraph",
    "StratumRow",
    "TestResults",
    "coverage",
    "graph",
    "strata",
]

MOST_PREDICATES = 30
"""More are not told apart in a picture of how rules feed each other."""


@dataclass(frozen=True, slots=True)
class StratumRow:
    """A stratum, or the hard rules, with the rules in it by their numbers."""

    name: str
    weight: str
    rules: tuple[RuleCard, ...]
    is_stratum: bool = True


@dataclass(frozen=True, slots=True)
class Feed:
    """How many rules conclude something from facts of some predicate."""

    source: str
    target: str
    rules: int


@dataclass(frozen=True, slots=True)
class RuleGraph:
    """How rules feed each other: predicates, and which are concluded from which."""

    predicates: tuple[str, ...]
    feeds: tuple[Feed, ...]
    left_out: int = 0
    """Predicates that have a part in the fewest rules, and are not shown."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """With this many soft rules, from the highest: how many distinct heads they conclude, true ones and false ones."""

    rules: int
    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Gains:
    """A model on test facts, by the share that was given."""

    name: str
    shares: tuple[float, ...]
    summaries: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class TestResults:
    """What test facts said."""

    facts: int
    repeats: int
    models: tuple[Gains, ...]
    by_size: tuple[tuple[int, float], ...]
    """The mean gain with so many soft rules, from the highest."""

    __test__ = False  # it is no test, whatever pytest thinks

    def plot(self) -> Plot:
        """Hamming curves: the mean error of each model by the share of test facts that is given."""
        lines = {one.name: Line(one.shares, [size.error.mean for size in one.summaries]) for one in self.models}
        return Plot("errors", "Hamming error on test facts", "share of facts given", "error, facts", lines)

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {
            "facts": self.facts,
            "repeats": self.repeats,
            "models": {model.name: [one.as_json for one in model.summaries] for model in self.models},
            "by_size": [{"rules": rules, "gain": gain} for rules, gain in self.by_size],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report shows."""

    title: str
    data: str
    facts: int
    constants: int
    portrait: Portrait
    strata: tuple[StratumRow, ...]
    graph: RuleGraph
    suspects: Suspects
    coverage: tuple[Coverage, ...]
    reliability: Reliability | None = None
    reliability_of: str = ""
    """Which facts it was measured on."""
    was_corrected: bool = False
    """Is what was said by now corrected by what came true? Then it is not what predictions say."""
    test: TestResults | None = None
    words: Words = field(default_factory=Words, compare=False)

    @property
    def curve(self) -> tuple[tuple[int, float], ...]:
        """What theories with fewer and with more soft rules gained while the rules were chosen, if the file says it."""
        measures = self.portrait.theory.measures
        return () if measures is None or len(measures.curve) < 2 else measures.curve

    @property
    def taken(self) -> tuple[int, float] | None:
        """The size that was taken, and what it gained; None where the curve has no such size."""
        measures = self.portrait.theory.measures
        return None if measures is None else next((one for one in self.curve if one[0] == measures.taken), None)

    def plot(self) -> Plot:
        """Size against quality: what theories of other sizes gain, or what the first rules conclude in these facts."""
        if self.curve:
            sizes, gains = zip(*self.curve, strict=True)
            lines = {"gain": Line(sizes, gains)}
            if self.taken is not None:
                lines["taken"] = Line([self.taken[0]], [self.taken[1]])
            return Plot("sizes", "Size against quality", "soft rules", "gain, facts", lines)
        rules = [one.rules for one in self.coverage]
        lines = {
            "true conclusions": Line(rules, [one.right for one in self.coverage]),
            "false conclusions": Line(rules, [one.wrong for one in self.coverage]),
        }
        return Plot("coverage", "Size against quality", "soft rules, from the highest", "conclusions", lines)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog report --json`` prints."""
        return {
            "title": self.title,
            "facts": self.facts,
            "constants": self.constants,
            "theory": self.portrait.as_json,
            "suspects": self.suspects.as_json,
            "curve": [{"rules": rules, "gain": gain} for rules, gain in self.curve],
            "taken": None if self.taken is None else self.taken[0],
            "coverage": [asdict(one) for one in self.coverage],
            "reliability": None if self.reliability is None else self.reliability.as_json,
            "reliability_of": None if self.reliability is None else self.reliability_of,
            "reliability_corrected": None if self.reliability is None else self.was_corrected,
            "test": None if self.test is None else self.test.as_json,
        }


def strata(portrait: Portrait) -> tuple[StratumRow, ...]:
    """The hard rules, the demoted ones and the strata, in this order."""
    rows = []
    for kind in (RuleKind.HARD, RuleKind.DEMOTED):
        cards = tuple(card for card in portrait.rules if card.kind is kind)
        if cards:
            rows.append(StratumRow(str(kind), "1" if kind is RuleKind.HARD else "just below 1", cards, False))
    places: dict[int, list[RuleCard]] = {}
    for card in portrait.soft:
        places.setdefault(card.stratum or 0, []).append(card)
    for place, some in sorted(places.items()):
        rows.append(StratumRow(f"stratum {place}", brief(some[0].rule.weight), tuple(some)))
    return tuple(rows)


def graph(portrait: Portrait) -> RuleGraph:
    """What is concluded from what, by the rules that conclude something."""
    edges: Counter[tuple[str, str]] = Counter()
    for card in portrait.rules:
        clause = card.rule.clause
        sources = {atom.predicate.name for atom in clause.body if not isinstance(atom.predicate, BuiltIn)}
        edges.update((source, head.predicate.name) for head in clause.head for source in sources)
    parts: Counter[str] = Counter()
    for (source, target), rules in edges.items():
        parts.update({source: rules, target: rules})
    shown = {name for name, _ in sorted(parts.items(), key=lambda one: (-one[1], one[0]))[:MOST_PREDICATES]}
    feeds = (Feed(*edge, rules) for edge, rules in sorted(edges.items()) if shown.issuperset(edge))
    return RuleGraph(tuple(sorted(shown)), tuple(feeds), len(parts) - len(shown))


def coverage(portrait: Portrait, facts: Database) -> tuple[Coverage, ...]:
    """How much the soft rules conclude directly, one rule after the other."""
    judge = Judge(facts, ())
    known: dict[Predicate, set[tuple[int, ...]]] = {}
    right = wrong = 0
    points = [Coverage(0, 0, 0)]
    for number, card in enumerate(portrait.soft, 1):
        clause = card.rule.clause
        rows = judge.heads(clause)
        if rows is not None and len(rows):
            predicate = clause.head[0].predicate
            before = known.setdefault(predicate, set())
            is_true = judge.are_true(predicate, rows)
            new = np.array([row not in before for row in map(tuple, rows.tolist())], dtype=bool)
            before.update(map(tuple, rows[new].tolist()))
            right, wrong = right + int((new & is_true).sum()), wrong + int((new & ~is_true).sum())
        points.append(Coverage(number, right, wrong))
    return tuple(points)


def held_out_reliability(measures: Measures | None) -> Reliability | None:
    """What the counts of the rules promised, and what came true, in tenths; None where nothing was measured.

    These cases have corrected what is said since, so that predictions say something else.
    """
    if measures is None:
        return None
    groups: dict[int, list[tuple[float, float, int]]] = {}
    known = [one.held_out for one in measures.rules] + [one.held_out for one in measures.certain]
    for one in known:
        if one.cases:
            place = min(int(10 * one.said / one.cases), 9)
            groups.setdefault(place, []).append((one.said, one.right, one.cases))
    tenths = tuple(_tenth(place, some) for place, some in sorted(groups.items()))
    cases = sum(tenth.cases for tenth in tenths)
    brier = sum(t.cases * (t.said - t.came_true) ** 2 for t in tenths) / cases if cases else 0.0
    return Reliability(tenths, brier, cases) if tenths else None


def _tenth(place: int, some: Sequence[tuple[float, float, int]]) -> Tenth:
    said, right, cases = (sum(one[part] for one in some) for part in range(3))
    return Tenth(place / 10, said / cases, round(right), int(cases))
