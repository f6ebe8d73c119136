"""How good predictions are: Hamming error, gain, precision and recall; means with bands, and paired tests.

The error is the size of the symmetric difference between what is predicted, the evidence included, and the whole test
set (section Methodology). The gain is the error of the evidence alone minus that of the model: right additions minus
wrong ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import inf, isinf

import numpy as np

from possilog.chance import generator
from possilog.data import Database
from possilog.learning.decoding import counts, number, whole
from possilog.logic import Atom, Predicate

__all__ = ["Additions", "Band", "Score", "Summary", "score", "sign_flip", "summarise"]

_EXACTLY = 12
"""With at most this many pairs, all signs are tried."""

_DRAWN = 20_000
"""Otherwise this many are drawn."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a model did with one evidence set: how many right and wrong atoms it added, by predicate."""

    size: int
    repeat: int
    hidden: Mapping[str, int]
    """How many test facts were not given, by predicate."""
    right: Mapping[str, int]
    wrong: Mapping[str, int]
    seconds: float

    @property
    def gain(self) -> int:
        """By how much it is better than to predict nothing."""
        return sum(self.right.values()) - sum(self.wrong.values())

    @property
    def error(self) -> int:
        """The size of the symmetric difference with the test set."""
        return sum(self.hidden.values()) - self.gain

    @classmethod
    def from_json(cls, kept: Mapping[str, object]) -> Score:
        """What ``as_json`` gave."""
        hidden, right, wrong = (counts(kept[name]) for name in ("hidden", "right", "wrong"))
        return cls(whole(kept["size"]), whole(kept["repeat"]), hidden, right, wrong, number(kept["seconds"]))

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {
            "size": self.size,
            "repeat": self.repeat,
            "hidden": dict(self.hidden),
            "right": dict(self.right),
            "wrong": dict(self.wrong),
            "seconds": self.seconds,
        }


def score(
    test: Set[Atom] | Database, facts: Database, added: Iterable[Atom], *, repeat: int = 0, seconds: float = 0.0
) -> Score:
    """Compare what was added to evidence with the test facts.

    >>> from possilog.logic import parse_atom
    >>> test = set(map(parse_atom, ["p(a)", "p(b)", "q(a)"]))
    >>> found = score(test, Database.of([parse_atom("p(a)")]), [parse_atom("q(a)"), parse_atom("q(b)")])
    >>> found.error, found.gain, found.right, found.wrong
    (2, 0, {'q/1': 1}, {'q/1': 1})
    """
    right: Counter[Predicate] = Counter()
    wrong: Counter[Predicate] = Counter()
    for atom in added:
        (right if atom in test else wrong)[atom.predicate] += 1
    hidden = _counts(test) if isinstance(test, Database) else Counter(atom.predicate for atom in test)
    hidden.subtract(_counts(facts))
    return Score(len(facts), repeat, _named(+hidden), _named(right), _named(wrong), seconds)


def _counts(facts: Database) -> Counter[Predicate]:
    return Counter({predicate: facts.count(predicate) for predicate in facts.predicates})


def _named(counts: Counter[Predicate]) -> dict[str, int]:
    return {str(predicate): counts[predicate] for predicate in sorted(counts)}


@dataclass(frozen=True, slots=True)
class Band:
    """A mean, and the interval that holds the true one with 95 %, if the sets are many or the spread is normal.

    >>> str(Band.of([1, 2, 3])), str(Band.of([7]))
    ('2.0 ± 2.5', '7.0')
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Band:
        """The band of some values; one value does not tell how far off it may be."""
        mean = float(np.mean(values))
        if len(values) < 2:
            return cls(mean, -inf, inf)
        spread = _student(len(values) - 1) * float(np.std(values, ddof=1)) / len(values) ** 0.5
        return cls(mean, mean - spread, mean + spread)

    @property
    def interval(self) -> list[float] | None:
        """Both ends, rounded to what matters; None where nothing is known about them."""
        return None if isinf(self.high) else [round(self.low, 4), round(self.high, 4)]

    @property
    def spread(self) -> str:
        """What is shown behind the mean: how far off it may be, if that is known."""
        return "" if isinf(self.high) else f" ± {self.high - self.mean:.1f}"

    def __str__(self) -> str:
        return f"{self.mean:.1f}{self.spread}"


@cache
def _student(freedom: int) -> float:
    """The point that Student's t with that many degrees of freedom exceeds with probability 2.5 %.

    With t = √ν tan θ the density becomes cos θ to the power ν - 1, which is easy to integrate.

    >>> [round(_student(freedom), 3) for freedom in (1, 4, 19)]
    [12.706, 2.776, 2.093]
    """
    angles = np.linspace(0, np.pi / 2, 100_001)
    density = np.cos(angles) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return float(freedom**0.5 * np.tan(np.interp(0.95 * below[-1], below, angles)))


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """The two-sided p-value of paired differences: how often random signs make as large a sum.

    All signs are tried where there are few pairs; otherwise some are drawn.

    >>> sign_flip([1, 2, 3, 1]), sign_flip([1, -1])
    (0.125, 1.0)
    """
    values = np.asarray(differences, dtype=float)
    values = values[values != 0]
    if not len(values):
        return 1.0
    observed = abs(values.sum()) - 1e-9
    if len(values) <= _EXACTLY:
        signs = np.array(list(product([1.0, -1.0], repeat=len(values))))
        return float(np.mean(np.abs(signs @ values) >= observed))
    signs = generator(seed, "sign flips").choice([1.0, -1.0], size=(_DRAWN, len(values)))
    return float((np.sum(np.abs(signs @ values) >= observed) + 1) / (_DRAWN + 1))


@dataclass(frozen=True, slots=True)
class Additions:
    """What was added beside what was hidden: numbers of atoms, means over evidence sets."""

    right: float
    wrong: float
    hidden: float

    @property
    def precision(self) -> float | None:
        """The share of the added atoms that are right; None where none was added."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """The share of the hidden facts that were added; None where nothing was hidden."""
        return self.right / self.hidden if self.hidden else None

    @property
    def as_json(self) -> dict[str, float | None]:
        """Plain numbers, rounded to what matters."""
        names = ("precision", "recall", "right", "wrong", "hidden")
        values = {name: getattr(self, name) for name in names}
        return {name: None if value is None else round(value, 4) for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class Summary:
    """A model at one size of evidence, over all evidence sets."""

    size: int
    error: Band
    gain: Band
    seconds: float
    additions: Additions
    predicates: Mapping[str, Additions]

    @property
    def as_json(self) -> dict[str, object]:
        """Plain numbers, rounded to what matters."""
        return self.answers | {"seconds": self.shown_seconds}

    @property
    def shown_seconds(self) -> float:
        """How long a prediction took, rounded."""
        return float(f"{self.seconds:.4g}")

    @property
    def answers(self) -> dict[str, object]:
        """The same numbers without the time, which is another on each run."""
        return {
            "size": self.size,
            "error": round(self.error.mean, 4),
            "error_band": self.error.interval,
            "gain": round(self.gain.mean, 4),
            "gain_band": self.gain.interval,
            **self.additions.as_json,
            "predicates": {name: found.as_json for name, found in self.predicates.items()},
        }


def summarise(scores: Iterable[Score]) -> tuple[Summary, ...]:
    """The means of a model's scores, size by size."""
    by_size: dict[int, list[Score]] = {}
    for one in scores:
        by_size.setdefault(one.size, []).append(one)
    return tuple(_summary(size, found) for size, found in by_size.items())


def _summary(size: int, scores: Sequence[Score]) -> Summary:
    def mean(counts: Iterable[int]) -> float:
        return sum(counts) / len(scores)

    names = sorted({name for one in scores for name in (*one.hidden, *one.right, *one.wrong)})
    predicates = {
        name: Additions(*(mean(counts.get(name, 0) for counts in kind) for kind in _kinds(scores))) for name in names
    }
    return Summary(
        size,
        Band.of([one.error for one in scores]),
        Band.of([one.gain for one in scores]),
        float(np.mean([one.seconds for one in scores])),
        Additions(*(mean(sum(counts.values()) for counts in kind) for kind in _kinds(scores))),
        predicates,
    )


def _kinds(scores: Sequence[Score]) -> tuple[list[Mapping[str, int]], ...]:
    """The right additions of all scores, the wrong ones, and what was hidden."""
    return [one.right for one in scores], [one.wrong for one in scores], [one.hidden for one in scores]
