"""How much of what rules expect does evidence hold? From that, the share of the facts is seen that it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from possilog.chaining import Chaining, Program
from possilog.data import Evidence
from possilog.logic import Clause, Measured, Predicate, variables_of

__all__ = ["HIGHEST", "LOWEST", "MOST_HEADS", "Counted", "Survey", "Surveyed", "Surveyor", "derives", "target_of"]

MOST_HEADS = 50
"""Data that a rule was not learned from are never quite the same: it is not trusted as if it rested on more heads."""

LEAST_TRUE = 5
"""Rules that rest on fewer true heads than this are not asked about the share."""

COMMON = 0.06
"""Rules that were chosen together err together: what all of them expect is off by so much of it anyway."""

LOWEST, HIGHEST = 0.01, 0.97
"""No share of known facts is thought to be lower, or higher."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one rule, or several, expect of evidence: the heads that they cover, and how many of these are given."""

    covered: float = 0
    given: float = 0
    expected: float = 0.0
    """Of the heads that are covered, those that should be true."""
    variance: float = 0.0
    """Of that number: how often rules are right was seen on the heads that they rest on, and may be otherwise here."""

    @classmethod
    def of(cls, covered: float, given: float, confidence: float, heads: float) -> Survey:
        """What a rule expects that rests on so many heads.

        >>> one = Survey.of(100, 30, 0.6, 1000)
        >>> one.expected, round(one.doubt, 2)
        (60.0, 0.13)
        """
        spread = confidence * (1 - confidence) / min(max(heads, 1), MOST_HEADS)
        return cls(covered, given, confidence * covered, spread * covered * covered)

    @property
    def share_given(self) -> float:
        """How much of what should be true is given; with little to go by, little."""
        return min(max((self.given + 0.4) / (self.expected + 2), LOWEST), HIGHEST)

    @property
    def doubt(self) -> float:
        """The standard error of the share, as a part of it: where one rule says it all, that rule may be worse here."""
        return sqrt(self.variance + (COMMON * self.expected) ** 2) / (self.expected + 2)

    def __add__(self, other: Survey) -> Survey:
        return Survey(
            self.covered + other.covered,
            self.given + other.given,
            self.expected + other.expected,
            self.variance + other.variance,
        )


NOTHING = Survey()


@dataclass(frozen=True)
class Surveyed:
    """What rules expect of some evidence."""

    by_rule: Mapping[Clause, Survey] = field(default_factory=dict)
    """Of the rules that cover something."""
    about: Mapping[Predicate, Survey] = field(default_factory=dict)
    """Of each predicate, by the rules that may be asked about the share."""

    def by(self, clause: Clause) -> Survey:
        """What one rule expects."""
        return self.by_rule.get(clause, NOTHING)

    @cached_property
    def whole(self) -> Survey:
        """What is expected of all predicates."""
        return sum(self.about.values(), NOTHING)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A rule that is asked what it expects."""

    clause: Clause
    about: Predicate
    confidence: float
    """How often its heads are true."""
    heads: int | None = None
    """Those that it rests on; None where it is hard."""
    is_sure: bool = True
    """Does it rest on enough to be asked about the share?"""

    def expects(self, covered: int, given: int) -> Survey:
        """What it expects of evidence where it covers so many heads."""
        return Survey.of(covered, given, self.confidence, self.heads or 0)

    def weight(self, covered: int) -> float:
        """What it counts about the share: one that rests on few heads counts for no more, however many it covers."""
        return 1.0 if self.heads is None or covered <= self.heads else self.heads / covered


Counted = dict[Clause, tuple[int, int]]
"""For each of some rules the heads that it covers with some evidence, and those that are given: others have no say."""


class Surveyor:
    """Asks the rules of a theory what they expect of evidence."""

    def __init__(self, hard: Iterable[Clause], soft: Iterable[Measured]) -> None:
        """Take the hard rules, and what was measured of the others; those that derive nothing are not asked."""
        asked = [_Asked(clause, target_of(clause), 1.0) for clause in hard]
        asked += [_asked(measured) for measured in soft]
        self._asked = {one.clause: one for one in asked if derives(one.clause)}

    @cached_property
    def _program(self) -> Program:
        return Program((clause, 0) for clause in self._asked)

    def asks(self, clause: Clause) -> bool:
        """Is this rule among them?"""
        return clause in self._asked

    def survey(self, evidence: Evidence, counted: Counted | None = None) -> Surveyed:
        """For each rule, how many heads it covers, given these facts, and how many of them are among them.

        Who asks many theories about the same evidence gives what was counted before, and finds the rest there.
        """
        counts = {} if counted is None else counted
        if not self._asked.keys() <= counts.keys():
            chainer = Chaining(self._program, evidence).chainer
            chainer.settle()
            counts.update((clause, chainer.survey(number)) for number, clause in enumerate(self._asked))
        by_rule: dict[Clause, Survey] = {}
        sums: dict[Predicate, list[float]] = {}  # of numbers alone: each survey that is made takes as long as the rest
        for asked in self._asked.values():
            covered, given = counts[asked.clause]
            if covered:
                found = by_rule[asked.clause] = asked.expects(covered, given)
                if asked.is_sure:
                    weight, mine = asked.weight(covered), sums.setdefault(asked.about, [0.0] * 4)
                    mine[0] += covered * weight
                    mine[1] += given * weight
                    mine[2] += found.expected * weight
                    mine[3] += found.variance * weight * weight
        return Surveyed(by_rule, {predicate: Survey(*numbers) for predicate, numbers in sums.items()})


def _asked(measured: Measured) -> _Asked:
    """One that has exceptions, or may have them."""
    counted = measured.counted
    heads = counted + measured.false
    confidence = counted / (heads + 1)
    return _Asked(measured.clause, target_of(measured.clause), confidence, heads, counted >= LEAST_TRUE)


def target_of(clause: Clause) -> Predicate:
    """The predicate that a rule speaks about; of a constraint, the first one."""
    return (clause.head or clause.body)[0].predicate


def derives(clause: Clause) -> bool:
    """Has it one head, all of it bound by a body?"""
    return clause.is_definite and bool(clause.body) and set(clause.head[0].variables) <= set(variables_of(clause.body))
