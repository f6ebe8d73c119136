"""What was said, and what came true: reliability in tenths, Brier score and expected calibration error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from possilog.data.cells import EmptyCells
from possilog.evaluation.protocol import Protocol
from possilog.inference import Reasoner
from possilog.inference.kinds import How
from possilog.logic import Predicate
from possilog.plotting import Line, Plot

__all__ = ["Reliability", "Said", "Tenth", "reliability_of", "said_by"]

TENTHS = 10


class Said(NamedTuple):
    """One conclusion: what it is about, how probable it was said to be, and whether it came true."""

    predicate: Predicate
    probability: float
    right: bool


@dataclass(frozen=True, slots=True)
class Tenth:
    """The conclusions whose probabilities lie in one tenth."""

    low: float
    said: float
    """The mean of what was said."""
    right: int
    cases: int

    @property
    def came_true(self) -> float:
        """The share that came true."""
        return self.right / self.cases


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far what was said came true."""

    tenths: tuple[Tenth, ...]
    brier: float
    """The mean square of the difference between what was said and what came true: 0 is perfect."""
    cases: int
    by_predicate: Mapping[str, Reliability] = field(default_factory=dict)

    @property
    def error(self) -> float:
        """The expected calibration error: how far the tenths are off, weighted by their cases."""
        off = (tenth.cases * abs(tenth.said - tenth.came_true) for tenth in self.tenths)
        return sum(off) / self.cases if self.cases else 0.0

    def plot(self) -> Plot:
        """What came true against what was said: on the diagonal, as often as was said."""
        line = Line([one.said for one in self.tenths], [one.came_true for one in self.tenths])
        title = f"What was said and what came true, {self.cases:,} cases"
        return Plot("reliability", title, "what was said", "what came true", {"tenths": line}, diagonal=True)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog evaluate --json`` prints."""
        tenths = [
            {"from": one.low, "said": one.said, "came_true": one.came_true, "right": one.right, "cases": one.cases}
            for one in self.tenths
        ]
        found = {"cases": self.cases, "calibration_error": self.error, "brier": self.brier, "tenths": tenths}
        named = {name: one.as_json for name, one in self.by_predicate.items()}
        return found | ({"by_predicate": named} if named else {})


def reliability_of(said: Iterable[Said]) -> Reliability | None:
    """Compare what was said with what came true; None where nothing was said.

    >>> p = Predicate("p", 1)
    >>> found = reliability_of([Said(p, 0.8, True), Said(p, 0.8, True), Said(p, 0.8, False), Said(p, 0.3, False)])
    >>> round(found.error, 3), round(found.brier, 3)
    (0.175, 0.203)
    """
    listed = list(said)
    if not listed:
        return None
    groups: dict[Predicate, list[Said]] = defaultdict(list)
    for one in listed:
        groups[one.predicate].append(one)
    named = {str(predicate): _measured(groups[predicate]) for predicate in sorted(groups)}
    return _measured(listed, named)


def _measured(said: list[Said], named: Mapping[str, Reliability] | None = None) -> Reliability:
    tenths: dict[int, list[Said]] = defaultdict(list)
    for one in said:
        tenths[min(int(one.probability * TENTHS), TENTHS - 1)].append(one)
    found = tuple(
        Tenth(
            place / TENTHS, sum(one.probability for one in some) / len(some), sum(one.right for one in some), len(some)
        )
        for place, some in sorted(tenths.items())
    )
    brier = sum((one.probability - one.right) ** 2 for one in said) / len(said)
    return Reliability(found, brier, len(said), named or {})


def said_by(reasoner: Reasoner, protocol: Protocol, how: How) -> Iterator[Said]:
    """What a theory says of its conclusions on all evidence sets, where it says how probable they are."""
    truth, empty = frozenset(protocol.test), EmptyCells(protocol.test)
    for given in protocol.evidence:
        for conclusion in reasoner.predict(given.facts, how).added:
            if conclusion.stated is not None and conclusion.atom not in empty:
                right = conclusion.atom in truth
                yield Said(conclusion.atom.predicate, conclusion.stated.probability, right)
