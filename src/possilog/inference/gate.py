"""Which rules pay with this evidence? A rule is worth what it gains where it is used.

Where nearly all facts are known, most of what a rule still concludes is wrong, however good it is: what it is right
about is known already. So evidence is first asked which share of the facts it holds: by how much of what the rules
expect is given. Then a rule is used only if it is more often right than wrong about what is not given at that share, if
it did not lose alone at that share on the facts that the theory was learned from, and if soft rules as a whole did not
lose there. All this was measured when the theory was learned, and stands in its file (``possilog.logic.Measures``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from possilog.chaining import Chaining, Program
from possilog.data import Evidence
from possilog.logic import (
    CERTAIN,
    Clause,
    HeldOut,
    Measured,
    Measures,
    Predicate,
    Rule,
    Theory,
    Weight,
    variables_of,
)

__all__ = ["Gate", "Stated", "Use"]

PAYS = 0.53
"""A rule is used if it is right at least this often about what is not given."""

LEAST_TRUE = 5
"""Rules that rest on fewer true heads than this are not asked about the share."""

CLEARLY = 3.0
"""A predicate has a share of its own where it differs from the common one by this many standard deviations."""

ROUGHLY = 0.15
"""What rules expect of a predicate is off by so much of it anyway."""

LOWEST, HIGHEST = 0.01, 0.97

ALWAYS = 0.985
TRUST = 20.0
"""What is certain comes true so often before anything is held out, as if that had been seen so many times."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What is said of a conclusion: how probable it is, and the held-out cases behind that."""

    probability: float
    cases: HeldOut

    def __str__(self) -> str:
        found = f" (right in {self.cases.right:.0f} of {self.cases.cases})" if self.cases.cases else ""
        return f"{self.probability:.2f}{found}"


@dataclass(frozen=True, slots=True)
class Use:
    """The rules that are used with some evidence."""

    share: float | None
    """The share of facts that the evidence seems to hold; None where nothing was measured, or any will do."""
    shares: Mapping[Predicate, float]
    """Of the predicates of which the evidence holds another share."""
    left_out: Mapping[Rule, str]
    """The rules that do not pay there, and why."""

    def share_of(self, predicate: Predicate) -> float | None:
        """The share for a rule about this predicate."""
        return self.shares.get(predicate, self.share)


EVERYTHING = Use(None, {}, {})


@dataclass(frozen=True, slots=True)
class _Expected:
    """What rules expect of evidence, and how much of that is given."""

    heads: float = 0.0
    given: int = 0

    def __add__(self, other: _Expected) -> _Expected:
        return _Expected(self.heads + other.heads, self.given + other.given)


class Gate:
    """Decides for one theory which of its rules are used."""

    def __init__(self, theory: Theory) -> None:
        """Take a theory; one without measures has all its rules used."""
        self._theory = theory
        self._measures = theory.measures or Measures()
        measured = [(rule, self._measures.of(rule.clause)) for rule in theory.ranked]
        self.rules = {rule: found for rule, found in measured if found is not None}
        """The rules that it decides about, the highest first, with what was measured of them."""

    @property
    def is_open(self) -> bool:
        """Are all rules used whatever is known?"""
        return not self._measures.shares

    def use(self, evidence: Evidence, share: float | None = None) -> Use:
        """The rules that pay with some evidence, or at a share that a person gives."""
        if self.is_open:
            return EVERYTHING
        shares: dict[Predicate, float] = {}
        against: dict[Clause, str] = {}
        if share is None:
            found = self.survey(evidence)
            share, shares = self._shares(found, evidence)
            against = dict(_contradicted(found, evidence))
        left_out = {}
        for rule, measured in self.rules.items():
            reason = self._why_not(measured, shares.get(_target(rule.clause), share)) or against.get(rule.clause)
            if reason is not None:
                left_out[rule] = reason
        return Use(share, shares, left_out)

    # The share

    def survey(self, evidence: Evidence) -> dict[Clause, _Expected]:
        """For each rule that is asked, how much it expects, given these facts, and how much of that is among them."""
        chaining = Chaining(self._program, evidence)
        chaining.chainer.settle()
        found = {}
        for number, (clause, confidence) in enumerate(self._witnesses):
            heads, given = chaining.chainer.survey(number)
            found[clause] = _Expected(confidence * heads, given)
        return found

    @cached_property
    def _program(self) -> Program:
        return Program((clause, 0) for clause, _ in self._witnesses)

    @cached_property
    def _witnesses(self) -> list[tuple[Clause, float]]:
        """The rules that are asked, and how often their heads are true."""
        hard = [(rule.clause, 1.0) for rule in self._theory.hard]
        soft = [
            (rule.clause, measured.true / (measured.true + measured.false + 1))
            for rule, measured in self.rules.items()
            if measured.true >= LEAST_TRUE
        ]
        return [(clause, confidence) for clause, confidence in (*hard, *soft) if _derives(clause)]

    def shares(self, evidence: Evidence) -> tuple[float, dict[Predicate, float]]:
        """The share of facts that the evidence seems to hold, and those of the predicates that clearly have others."""
        return self._shares(self.survey(evidence), evidence)

    def _shares(self, surveyed: Mapping[Clause, _Expected], evidence: Evidence) -> tuple[float, dict[Predicate, float]]:
        found: dict[Predicate, _Expected] = {}
        for clause, expected in surveyed.items():
            found[_target(clause)] = found.get(_target(clause), _Expected()) + expected
        whole = raw_share(found.values())
        common = self._mapped(whole)
        apart = {}
        for predicate, expected in found.items():
            likely = whole * expected.heads
            spread = (likely * (1 - whole) + (ROUGHLY * likely) ** 2) ** 0.5
            if abs(expected.given - likely) > CLEARLY * max(spread, 1.0):
                share = self._mapped(raw_share([expected]))
                # Facts that are given, but not where they are expected, speak against the rules that expect them.
                if share > common or not evidence.facts.count(predicate):
                    apart[predicate] = share
        return common, apart

    def _mapped(self, raw: float) -> float:
        """From how much is seen to the share, as it was on held-out facts."""
        seen, shares = self._map
        return min(max(float(np.interp(raw, seen, shares)), LOWEST), HIGHEST)

    @cached_property
    def _map(self) -> tuple[list[float], list[float]]:
        """What is seen, from nothing to all, and the share; where several shares look alike, the one between them."""
        alike: dict[float, list[float]] = {0.0: [0.0]}
        for seen, share in zip(_rising(self._measures.seen), self._measures.shares, strict=True):
            alike.setdefault(seen, []).append(share)
        alike.setdefault(1.0, []).append(1.0)
        return list(alike), [sum(shares) / len(shares) for shares in alike.values()]

    # Rules at a share

    def _why_not(self, measured: Measured, share: float) -> str | None:
        """Why a rule is left out at a share; None where it is used."""
        if self._added_at(share) < 0:
            return f"where {share:.0%} of the facts are known, the soft rules lost on held-out facts"
        right = self.expected(measured, share)
        if right <= PAYS:
            return f"where {share:.0%} of the facts are known, it is right about {right:.0%} of what is not"
        if measured.gains and float(np.interp(share, self._measures.shares, measured.gains)) < 0:
            return f"where {share:.0%} of the facts are known, it lost on the facts that it was learned from"
        return None

    def _added_at(self, share: float) -> float:
        return float(np.interp(share, self._measures.shares, self._measures.added))

    def believed(self, measured: Measured, share: float) -> float:
        """How often a rule is right; one without an exception is only believed as others of its kind deserve."""
        right = measured.still_right(share)
        return self._measures.faultless.corrected(right) if measured.is_faultless else right

    def expected(self, measured: Measured, share: float) -> float:
        """How often a rule is right, by what is believed and what came true on held-out facts."""
        return measured.held_out.corrected(self.believed(measured, share))

    # Probabilities

    def statement(self, use: Use) -> Callable[[Weight, Predicate], Stated | None]:
        """What is said of conclusions of a certainty about a predicate, where some rules are used."""
        by_weight: dict[Weight, list[Rule]] = {}
        for rule in self.rules:
            by_weight.setdefault(rule.weight, []).append(rule)

        def state(weight: Weight, predicate: Predicate) -> Stated | None:
            if weight == CERTAIN:
                return self.stated_certain(predicate)
            used = [rule for rule in by_weight.get(weight, ()) if rule not in use.left_out]
            # What no rule of the stratum is about follows from what one of them says, by a hard rule.
            about = [rule for rule in used if _target(rule.clause) == predicate] or used
            known = [one for rule in about if (one := self.stated(rule, use)) is not None]
            return max(known, key=lambda one: one.probability, default=None)

        return state

    def stated(self, rule: Rule, use: Use) -> Stated | None:
        """What is said of the conclusions of a rule; None where nothing was measured."""
        measured, share = self.rules.get(rule), use.share_of(_target(rule.clause))
        if measured is None or share is None:
            return None
        return Stated(self.expected(measured, share), measured.held_out)

    def stated_certain(self, predicate: Predicate) -> Stated | None:
        """What is said of what the hard rules conclude about a predicate."""
        if self.is_open:
            return None
        found = next((one.held_out for one in self._measures.certain if one.predicate == predicate), HeldOut())
        return Stated((found.right + ALWAYS * TRUST) / (found.cases + TRUST), found)


def raw_share(found: Iterable[_Expected]) -> float:
    """How much of what is expected is given; with little to go by, little."""
    total = sum(found, _Expected())
    return min(max((total.given + 0.4) / (total.heads + 2), LOWEST), HIGHEST)


def _contradicted(found: Mapping[Clause, _Expected], evidence: Evidence) -> Iterator[tuple[Clause, str]]:
    """Rules of which clearly not even half as much is given as of the others; facts of their kind must be given."""
    whole = raw_share(found.values())
    for clause, expected in found.items():
        half = whole * expected.heads / 2
        if half - expected.given > CLEARLY * half**0.5 and evidence.facts.count(_target(clause)):
            yield (
                clause,
                f"of about {2 * half:.0f} facts that it lets expect among those given, {expected.given} are there",
            )


def _target(clause: Clause) -> Predicate:
    """The predicate that a rule speaks about; of a constraint, the first one."""
    return (clause.head or clause.body)[0].predicate


def _derives(clause: Clause) -> bool:
    """Has it one head, all of it bound by a body?"""
    return clause.is_definite and bool(clause.body) and set(clause.head[0].variables) <= set(variables_of(clause.body))


def _rising(numbers: Iterable[float]) -> Iterator[float]:
    """Numbers that fall by chance only are made not to."""
    return accumulate(numbers, max)
