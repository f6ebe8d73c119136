"""Rules tried on a part of the data: evidence drawn from it at several shares, and what the rules gain there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from possilog.data import Database, Evidence
from possilog.data.cells import EmptyCells
from possilog.deadline import NEVER, Deadline
from possilog.inference.gate import Gate, Use
from possilog.inference.horn import HornTheory
from possilog.inference.surveys import Counted
from possilog.learning.confidence import Confidence
from possilog.learning.hard_part import HardPart
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.learning.pool import make_pool
from possilog.learning.steps import Steps
from possilog.logic import DEMOTED, Atom, Clause, Measured, Measures, Rule, Theory, Weight

__all__ = ["Drawn", "Holdout", "Trial", "noise", "ranked"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Holdout:
    """A part of the data, and what was learned without it."""

    name: str
    part: Database
    hard: HardPart
    judged: Mapping[Clause, Confidence]
    surprising: frozenset[Clause] = frozenset()
    """The rules of its pool that chance does not explain."""

    @cached_property
    def pool(self) -> tuple[Measured, ...]:
        """The candidates that may pay, as far as one can see without the part."""
        return make_pool(self.judged, self.hard)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One evidence set of a trial: a share of the part's facts."""

    share: float
    number: int
    evidence: Evidence
    steps: Steps
    counted: Counted = field(default_factory=dict)
    """What rules cover: gates come and go, and this stays."""


class Trial:
    """A pool of rules on a part of the data, with evidence sets drawn from the part.

    Rules are known by their places in the pool.
    """

    def __init__(
        self,
        hard: HardPart,
        pool: Sequence[Measured],
        part: Database,
        name: str,
        *,
        sets: int,
        seed: int = 0,
        stop: Deadline = NEVER,
        standing: Collection[Clause] = (),
    ) -> None:
        """Take the rules and the part, and how many evidence sets are drawn at each share.

        Of the pool's standing rules nothing can be measured; they are used whatever is known.
        """
        self.hard, self.pool, self.name, self.sets = hard, tuple(pool), name, sets
        self._part, self._seed, self._stop = part, seed, stop
        self._standing = [place for place, rule in enumerate(self.pool) if rule.clause in standing]
        self._drawn: dict[int, Drawn] = {}
        self.theory = ranked(hard.earned, [rule.clause for rule in pool], hard.demoted)
        self.first = len(self.theory.strata) - len(self.pool)
        """How many strata are always taken: one, if constraints were demoted."""

    @property
    def size(self) -> int:
        """How many evidence sets there are."""
        return len(SIMULATED) * self.sets

    @property
    def known(self) -> list[Drawn]:
        """All evidence sets, those with few facts first."""
        return [self.draw(number) for number in range(self.size)]

    def draw(self, number: int) -> Drawn:
        """One evidence set, drawn when it is first needed; OutOfTime when the time is over."""
        if number not in self._drawn:
            self._stop.check()
            share, place = SIMULATED[number // self.sets], number % self.sets
            facts = draw_known(self._part, number_of(self._part, share), self._seed, self.name, str(share), str(place))
            evidence = Evidence(facts)
            self._drawn[number] = Drawn(share, place, evidence, self._steps(evidence))
        return self._drawn[number]

    def _steps(self, evidence: Evidence) -> Steps:
        return Steps(self._laid_out, evidence, self._truth, self._empty)

    @cached_property
    def _empty(self) -> EmptyCells:
        return EmptyCells(self._part)

    @cached_property
    def _laid_out(self) -> HornTheory:
        return HornTheory(self.theory)

    @cached_property
    def _truth(self) -> frozenset[Atom]:
        return frozenset(self._part)

    def gain(self, known: Drawn, rules: Iterable[int]) -> int:
        """Right conclusions less wrong ones, with these rules."""
        self._stop.check()
        return known.steps.gain(self._strata(rules))

    def added(self, known: Drawn, rule: int, above: Iterable[int] = ()) -> tuple[int, int]:
        """What a rule adds to the hard ones and to those above it: right conclusions, and wrong ones."""
        self._stop.check()
        return known.steps.last(self._strata([*above, rule]))

    def conclusions(self, known: Drawn, rules: Sequence[int]) -> tuple[list[tuple[Atom, bool]], ...]:
        """What the hard rules conclude, and then each of these rules, each atom with the truth."""
        self._stop.check()
        found = known.steps.conclusions(self._strata(rules))
        return (found[0], *found[1 + self.first :])

    def _strata(self, rules: Iterable[int]) -> tuple[int, ...]:
        return (*range(self.first), *[self.first + rule for rule in rules])

    def gate(self, measures: Measures, rules: Iterable[int] | None = None) -> Gate:
        """What decides which rules are used, by some measures; rules of the pool that are not among these are left out.

        Those that have not been measured otherwise have the numbers that the pool has.
        """
        chosen = range(len(self.pool)) if rules is None else rules
        named = {rule.clause: rule for rule in measures.rules}
        asked = [self.pool[place] for place in chosen if place not in self._standing]
        mine = tuple(_with_gains(rule, named.get(rule.clause)) for rule in asked)
        kept = {rule.clause for rule in mine} | {self.pool[place].clause for place in self._standing}
        soft = tuple(rule for rule in self.theory.soft if rule.clause in kept)
        shown = replace(measures, rules=mine, certain=())
        return Gate(Theory((*self.theory.hard, *soft), measures=shown), cautious=False)

    def used(self, gate: Gate, known: Drawn) -> tuple[Use, list[int]]:
        """The rules that a gate lets through with some evidence, by their places in the pool, and the standing ones."""
        use = gate.use(known.evidence, counted=known.counted)
        let = [self._places[rule] for rule in gate.rules if rule not in use.left_out]
        return use, sorted((*let, *self._standing)) if self._standing else let

    @cached_property
    def _places(self) -> dict[Rule, int]:
        places = {rule.clause: place for place, rule in enumerate(self.pool)}
        return {rule: places[rule.clause] for rule in self.theory.soft if rule.weight != DEMOTED}


def _with_gains(mine: Measured, named: Measured | None) -> Measured:
    """The counts are those of the data without the part; what it gained alone is known of all the data only."""
    return mine if named is None else replace(mine, gains=named.gains, errors=named.errors)


def ranked(hard: Iterable[Clause], soft: Sequence[Clause], demoted: Iterable[Clause] = ()) -> Theory:
    """A theory of rules in this order, each a stratum of its own; the weights say nothing else."""
    doubts = [Weight.of_doubt(f"{place}e-9") for place in range(1, len(soft) + 1)]
    return Theory((*map(Rule, hard), *(Rule(clause, DEMOTED) for clause in demoted), *map(Rule, soft, doubts)))


def noise(values: Numbers) -> float:
    """The standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")
