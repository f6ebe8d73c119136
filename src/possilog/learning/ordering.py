"""From a set of rules to an ordering with weights: what likelihood is good for (section Weight Learning)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from possilog.counting import Count, Counter, DataProfile, TooLarge, WorldProfile
from possilog.data import Database
from possilog.learning.confidence import Confidence
from possilog.learning.settings import Settings
from possilog.logic import Clause, Rule, Theory, Weight
from possilog.weights import (
    Levels,
    Ordering,
    Orderings,
    Penalty,
    ProfileLevels,
    count_levels,
    held_out_curve,
    search_ordering,
)

__all__ = ["Likelihood", "by_confidence", "complete_order"]

_A_MINUTE = 60.0

_HIGHEST = 0.999999
"""The highest weight of a soft rule, where weights are confidences."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Orders candidates by the likelihood of the data's fragments.

    Where counting takes too much, it raises TooLarge: at once, if only profiles are to be used (``only_profiles``),
    since cut by cut an ordering of many rules takes very long; otherwise when ``stop`` says so.
    """

    hard: Sequence[Clause]
    candidates: Sequence[Clause]
    settings: Settings
    only_profiles: bool
    seconds: float | None = None
    """How long a profile may take; a minute, unless it is said."""
    stop: Callable[[], bool] = lambda: False

    def order(
        self,
        database: Database,
        *,
        max_rules: int | None = None,
        penalty: Penalty = "none",
        progress: Callable[[Ordering], None] = lambda ordering: None,
    ) -> Orderings:
        """Greedy insertion and single changes over the candidates."""
        subsets, worlds = self._levels(database)
        return search_ordering(
            self.candidates,
            subsets,
            worlds,
            independent=len(database.constants) / self.settings.width,
            penalty=penalty,
            max_rules=max_rules,
            starts=self.settings.starts,
            smoothing=self.settings.smoothing,
            seed=self.settings.seed,
            progress=progress,
            stop=self.stop,
        )

    def held_out(self, rest: Database, part: Database) -> tuple[float, ...]:
        """The log-likelihood of a part, a fragment, with 0, 1, 2, … rules, under orderings found without it."""
        # Without smoothing, what the rest never does is impossible, and the curve falls to minus infinity.
        smoothing = max(self.settings.smoothing, 0.001)
        # Fragments of both must be of one width, even if the part is small.
        width = max(1, self._width(part))
        small = replace(self, settings=replace(self.settings, smoothing=smoothing, width=width, starts=1))
        subsets = ProfileLevels(small._data_profile(part).table(), len(self.candidates))
        return tuple(held_out_curve(small.order(rest).path, subsets))

    def _levels(self, database: Database) -> tuple[Levels, Levels]:
        width, number = self._width(database), len(self.candidates)
        # A person's rules may speak of more than the data do.
        spoken = {atom.predicate for clause in (*self.hard, *self.candidates) for atom in clause.atoms}
        if not self.only_profiles:
            counter = _Timed(database, width, hard=self.hard, predicates=spoken, seed=self.settings.seed)
            counter.stop = self.stop
            return count_levels(counter, self.candidates, seconds=self._seconds)
        predicates = spoken.union(database.predicates)
        worlds = WorldProfile(predicates, self.hard, width, self.candidates, seconds=self._seconds)
        return ProfileLevels(self._data_profile(database).table(), number), ProfileLevels(worlds.table(), number)

    def _data_profile(self, database: Database) -> DataProfile:
        return DataProfile(database, self._width(database), self.candidates, seconds=self._seconds)

    @property
    def _seconds(self) -> float:
        return _A_MINUTE if self.seconds is None else self.seconds

    def _width(self, database: Database) -> int:
        return min(self.settings.width, len(database.constants))


class _Timed(Counter):
    """A counter that counts no further cut when the time is over."""

    stop: Callable[[], bool] = staticmethod(lambda: False)

    def subsets(self, cut: Iterable[Clause] = ()) -> Count:
        self._check_time()
        return super().subsets(cut)

    def worlds(self, cut: Iterable[Clause] = ()) -> Count:
        self._check_time()
        return super().worlds(cut)

    def _check_time(self) -> None:
        if self.stop():
            raise TooLarge("counting cut by cut takes more time than there is; give more, or fewer candidates")


def complete_order(ordering: Ordering, pool: Sequence[Clause]) -> tuple[Clause, ...]:
    """All rules of a pool, the highest first: as likelihood orders them, then those that it has no use for."""
    ordered = tuple(reversed(ordering.rules))
    return ordered + tuple(clause for clause in pool if clause not in ordered)


def by_confidence(hard: Iterable[Clause], soft: Iterable[Clause], judged: Mapping[Clause, Confidence]) -> Theory:
    """Rules with their confidences for weights, where likelihood cannot be had.

    The confidence is that beyond the hard rules, as the rule of succession estimates it, so that no rule is certain.
    """
    return Theory((*map(Rule, hard), *(Rule(clause, _weight(judged.get(clause))) for clause in soft)))


def _weight(confidence: Confidence | None) -> Weight:
    true, wrong = (0, 0) if confidence is None else (confidence.true, confidence.nontrivial)
    return Weight.of(f"{min((true + 1) / (true + wrong + 2), _HIGHEST):.6f}")
