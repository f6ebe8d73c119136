"""From a set of rules to an ordering with weights: what likelihood is good for (section Weight Learning)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from possilog.counting import CutCounter
from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.learning.confidence import Confidence
from possilog.learning.settings import Settings
from possilog.logic import Clause, Keep, Rule, Theory, Weight
from possilog.weights import Ordering, Orderings, Penalty, held_out_curve, search_ordering
from possilog.workers import Jobs

__all__ = ["CONFIDENCES", "Likelihood", "by_confidence", "complete_order", "meaning_of"]

CONFIDENCES = "the weights are the confidences of the rules, not probabilities of worlds"

_A_MINUTE = 60.0
"""The most seconds for a profile."""

_HIGHEST = 0.999999
"""The highest weight of a soft rule, where weights are confidences."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Orders candidates by the likelihood of the data's fragments.

    Where counting takes too much, it raises TooLarge: at once, if only profiles are to be used (``only_profiles``),
    since cut by cut an ordering of many rules takes very long; otherwise when ``stop`` says so.
    """

    counter: CutCounter
    """It counts in all the data. ``weigh`` takes it too, so that nothing is counted twice."""
    candidates: Sequence[Clause]
    settings: Settings
    only_profiles: bool

    @classmethod
    def of(
        cls,
        database: Database,
        hard: Sequence[Clause],
        candidates: Sequence[Clause],
        settings: Settings,
        *,
        only_profiles: bool,
        most_worlds: int = 2_000_000,
        stop: Deadline = NEVER,
        jobs: Jobs = 1,
    ) -> Likelihood:
        """Make the counter for some data and hard rules; worlds are counted up to ``most_worlds``."""
        counter = CutCounter(
            database,
            min(settings.width, len(database.constants)),
            hard=hard,
            rules=candidates,  # a person's may speak of more than the data do
            seed=settings.seed,
            limit=most_worlds,
            profile_seconds=_A_MINUTE,
            stop=stop,
            jobs=jobs,
        )
        return cls(counter, candidates, settings, only_profiles)

    def order(
        self,
        *,
        max_rules: int | None = None,
        penalty: Penalty = "none",
        better: Callable[[Ordering], None] = lambda ordering: None,
    ) -> Orderings:
        """Greedy insertion and single changes over the candidates."""
        return search_ordering(
            self.candidates,
            self.counter.levels(self.candidates, only_profiles=self.only_profiles),
            independent=len(self.counter.database.constants) / self.settings.width,
            penalty=penalty,
            max_rules=max_rules,
            starts=self.settings.starts,
            smoothing=self.settings.smoothing,
            seed=self.settings.seed,
            better=better,
            stop=self.counter.stop,
        )

    def held_out(self, rest: Database, part: Database) -> tuple[float, ...]:
        """The log-likelihood per fragment of a part, with 0, 1, 2, … rules, under orderings found without it."""
        # Without smoothing, what the rest never does is impossible, and the curve falls to minus infinity.
        smoothing = max(self.settings.smoothing, 0.001)
        # Fragments of both must be of one width, even if the part is small.
        width = max(1, min(self.settings.width, len(part.constants)))
        settings = replace(self.settings, smoothing=smoothing, width=width, starts=1)
        levels = self.counter.over(part, width).subset_levels(self.candidates, only_profiles=True)
        without = replace(self, counter=self.counter.over(rest, width), settings=settings)
        return tuple(held_out_curve(without.order().path, levels))


def complete_order(ordering: Ordering, pool: Sequence[Clause]) -> tuple[Clause, ...]:
    """All rules of a pool, as a theory lists them, the highest first: as likelihood orders them, then the others."""
    ordered = tuple(reversed(ordering.rules))
    return ordered + tuple(clause for clause in pool if clause not in ordered)


def by_confidence(
    hard: Iterable[Clause], soft: Iterable[Clause], judged: Mapping[Clause, Confidence], *, in_order: bool = False
) -> Theory:
    """Rules with their confidences for weights, where likelihood cannot be had.

    The confidence is that among conclusions that are not refuted, as the rule of succession estimates it, so that no
    rule is certain. ``in_order`` keeps the order of the rules: none weighs more than one before it. What it all means
    stands in the file, as ``meaning_of`` says it.
    """
    listed = list(soft)
    weights = [_weight(judged.get(clause)) for clause in listed]
    ranked = accumulate(weights, min) if in_order else weights
    return Theory((*map(Rule, hard), *map(Rule, listed, ranked)))


def meaning_of(soft: Iterable[Rule], judged: Mapping[Clause, Confidence], units: Collection[Clause] = ()) -> str:
    """How the weights of some rules were made of their confidences: what each can be read from, in one line.

    ``units`` are the rules that were judged by the things that they rest on.
    """
    free = [rule for rule in soft if rule.keep is not Keep.PINNED]
    known = {rule: judged[rule.clause] for rule in free if rule.clause in judged}
    refuted = any(found.nontrivial < found.false for found in known.values())
    # Rules that would weigh alike differ in the last digits.
    lowered = any(float(rule.weight) < float(_weight(found)) - 1e-6 for rule, found in known.items())
    apart = {
        "what the hard and the demoted rules refute is no case": refuted,
        "where a rule rests on some things, these are its cases": any(rule.clause in units for rule in known),
        "none is above that of a rule before it": lowered,
        "0.5 where nothing was counted": len(known) < len(free),
    }
    how = "".join(f"; {said}" for said, holds in apart.items() if holds)
    return f"{CONFIDENCES}: (right + 1) / (cases + 2), such as 17/19 for 16 of 17{how}"


def _weight(confidence: Confidence | None) -> Weight:
    true, wrong = (0, 0) if confidence is None else (confidence.true, confidence.nontrivial)
    return Weight.of(f"{min((true + 1) / (true + wrong + 2), _HIGHEST):.6f}")
