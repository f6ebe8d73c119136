"""Weigh a theory anew: most likely weights for its ordering, with respect for what a person has pinned or added.

The ordering is that of the theory (section Weight Learning). Rules that wait for a weight are put into it one after the
other, each where the likelihood becomes largest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isclose
from typing import Any

from possilog.counting import Count, CutCounter, StrataCounts
from possilog.counting.levels import Order
from possilog.counting.strata import broken_rules, rules_listed
from possilog.data import Database
from possilog.data.taking import Facts, facts_of
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.errors import DataWarning, TheoryError
from possilog.files import AnyPath
from possilog.inference.taken import theory_of
from possilog.learning.apart import spread
from possilog.learning.calibration import counted, is_calibrated, is_measurable, measures_on
from possilog.learning.settings import SMOOTHING
from possilog.logic import DEMOTED, Clause, Keep, Measured, Measures, Rule, Stratum, Theory, Weight
from possilog.logic.theory import UNWEIGHED
from possilog.requiring import require_number, require_whole
from possilog.weights import Fit, as_weights
from possilog.weights.pinned import fit_pinned
from possilog.workers import Jobs

__all__ = ["Weighing", "default_width", "weigh", "weigh_by"]

DIGITS = 12
"""Weights are written with this many digits of 1 - λ, unless it takes more to keep them apart or a pin has more."""


@dataclass(frozen=True, slots=True, repr=False)
class Weighing:
    """A theory with new weights, and what they were made of. It prints as the command line shows it."""

    theory: Theory
    fit: Fit
    """The probabilities, from ⊥ upwards, and the likelihood."""
    counts: StrataCounts
    """What each level of the ordering decides about, from ⊥ upwards, with its new weight."""
    smoothing: Fraction | float = 0
    """How many times every world counted as seen."""

    def __str__(self) -> str:
        lines = [
            f"{float(probability):>12.5g}  {counted}"
            for counted, probability in zip(self.counts.strata, self.fit.probabilities, strict=True)
        ]
        title = f"{self.counts.title}; log-likelihood {self.fit.log_likelihood:,.2f}"
        return "\n".join([title, "", f"{'probability':>12}  {'subsets':>18}  {'worlds':>14}", *lines])

    def __repr__(self) -> str:
        return f"<Weighing: {len(self.theory):,} rules, log-likelihood {self.fit.log_likelihood:,.2f}>"

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog weigh --json`` prints."""
        counted = self.counts.as_json
        strata = [
            {"rule": stratum["rule"], "probability": float(probability), **stratum}
            for stratum, probability in zip(counted.pop("strata"), self.fit.probabilities, strict=True)
        ]
        return {**counted, "log_likelihood": self.fit.log_likelihood, "strata": strata}


def weigh(
    theory: Theory | AnyPath,
    database: Facts,
    width: int | None = None,
    *,
    smoothing: Fraction | float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    jobs: Jobs = 1,
) -> Weighing:
    """Give the rules of a theory the weights under which the fragments of some data are most likely.

    The strata keep their order. Pinned weights stay. The theory's unplaced clauses become rules. Demoted constraints
    that the data keep count as hard meanwhile; all of them stay demoted. Types stay, and so does what was measured of
    the rules that are still there. Of a theory without measures, as a person writes it or likelihood chooses it, the
    data say where each rule pays, and of rules that a person added to another one what they cover: from then on,
    prediction uses them only where they pay. Nothing is held out for that, so there are no held-out cases.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        The rules in their order.
    database : Database, path of a file, dict of frames, or atoms
        The facts.
    width : int or None
        The constants of a fragment; None for the smallest number at which every soft rule can be broken.
    smoothing : number or None
        How many times every world counts as seen; above 0, no soft rule becomes certain. None for 0; but where that
        would make soft rules hard in a theory that has measures, or gets them here, or has demoted constraints, for
        0.001, as learn has it.
    seed : int
        Of what is estimated.
    time_limit : float or None
        Seconds. Where they are not enough for exact counts, there are estimates with their intervals.
    jobs : int, or Cluster
        The number of processes, or a Dask cluster. The result is the same everywhere.

    Returns
    -------
    Weighing
        The theory with its new weights, the counts behind them, and the likelihood.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    QueryError
        If the width is more than there are constants, or something is no number that should be one.
    TheoryError
        If the data break a hard rule, or pins leave no room for other weights.
    TooLarge
        If the time is not even enough for estimates.

    Examples
    --------
    >>> from possilog import parse_theory
    >>> facts = ["parent(ann, bob)", "parent(bob, eve)", "old(ann)"]
    >>> weighing = weigh(parse_theory(":- parent(X, X). ? :: old(X) :- parent(X, Y)."), facts)
    >>> for rule in weighing.theory:
    ...     print(rule)
    :- parent(X, X).
    0.952380952381 :: old(X) :- parent(X, Y).
    >>> print(weighing.theory.falsity)
    0.9259259259259
    >>> weighing.theory.measures.measured(weighing.theory.ranked[0].clause).true
    1
    """
    require_whole("width", 1 if width is None else width, 1, ", or None")
    require_whole("the seed", seed)
    require_number("smoothing", 0 if smoothing is None else smoothing)
    stop = Deadline(time_limit)
    known, facts = theory_of(theory), facts_of(database)
    measured = not is_calibrated(known) and is_measurable(known, facts)
    weighing = weigh_by(
        None, known, facts, width, smoothing=smoothing, measured=measured, seed=seed, stop=stop, jobs=jobs
    )
    return _measured(weighing, facts, seed, stop, jobs) if measured else weighing


def _measured(weighing: Weighing, database: Database, seed: int, stop: Deadline, jobs: Jobs) -> Weighing:
    """The same, where the theory carries what the data say of its rules."""
    theory = weighing.theory
    try:
        measures = measures_on(theory, database, seed=seed, stop=stop, jobs=jobs)
    except OutOfTime:
        told = "there was no time to measure the rules, so that they are used whatever is known; give it more"
        warnings.warn(told, DataWarning, stacklevel=3)
        return weighing
    return replace(weighing, theory=replace(theory, measures=measures))


def weigh_by(
    counter: CutCounter | None,
    theory: Theory,
    database: Database,
    width: int | None,
    *,
    smoothing: Fraction | float | None = None,
    measured: bool = False,
    seed: int = 0,
    stop: Deadline = NEVER,
    jobs: Jobs = 1,
) -> Weighing:
    """The same, where what a counter of the same run knows is not counted again, and no theory gets its first measures.

    ``measured`` says whether it will get some.
    """
    width = default_width(theory, database) if width is None else width
    broken = _check_hard_rules(theory, database, width)
    hard = [*(rule.clause for rule in theory.hard), *_kept_demoted(theory, database)]
    counter = CutCounter(
        database,
        width,
        hard=hard,
        predicates=theory.predicates,
        rules=(*(rule.clause for rule in theory.soft), *theory.unplaced),
        seed=seed,
        stop=stop,
        jobs=jobs,
        beside=counter,
    )
    lowest = Stratum(theory.falsity, (Rule(Clause(), theory.falsity, _keep_of_falsity(theory)),))
    ordered = [stratum for stratum in reversed(theory.strata) if stratum.weight != DEMOTED]
    fitting = _Fitting(counter, lowest, [*ordered, *_waiting(theory)], 0 if smoothing is None else smoothing)
    stays_soft = smoothing is None and bool(measured or theory.measures or theory.demoted)
    order, n, m, found = fitting.best(len(ordered), stays_soft=stays_soft)
    falsity, *strata = _weighed(fitting.stacked(order), found)
    if measured or is_calibrated(theory):
        falsity, strata = _in_their_places(falsity, strata)
    rules = [rule for stratum in reversed(strata) for rule in stratum.rules]
    weighed = replace(
        theory,
        rules=(*theory.hard, *theory.demoted, *rules),
        falsity=falsity.weight,
        unplaced=(),
        locked=(),
        measures=theory.measures
        and _counted_too(
            theory.measures,
            [rule.clause for rule in rules],
            lambda some: counted(some, database, [clause for clause in hard if clause not in broken], stop, jobs),
        ),
    )
    counts = StrataCounts.of(counter, [Stratum(falsity.weight, ()), *strata], n, m)
    return Weighing(weighed, found, counts, fitting.smoothing)


def _counted_too(
    measures: Measures, rules: Sequence[Clause], count: Callable[[Iterable[Clause]], Sequence[Measured]]
) -> Measures:
    """What was measured of some rules, with the counts of those of which nothing was, where there are shares to ask."""
    kept = measures.only(rules)
    if not kept.shares:
        return kept
    found = count([clause for clause in rules if kept.measured(clause) is None])
    return replace(kept, rules=(*kept.rules, *found))


class _Fitting:
    """Fits of orderings of some strata, which are the candidates: the last ones wait for a place."""

    def __init__(
        self, counter: CutCounter, lowest: Stratum, strata: Sequence[Stratum], smoothing: Fraction | float
    ) -> None:
        self._lowest, self._strata, self.smoothing = lowest, strata, smoothing
        self._levels = counter.levels([[rule.clause for rule in stratum.rules] for stratum in strata])

    def best(self, ordered: int, *, stays_soft: bool) -> tuple[Order, list[Count], list[Count], Fit]:
        """The best ordering and what ``fitted`` says of it; with smoothing, if rules that stay soft became hard else.

        That no fragment breaks a rule is no reason to make it hard where that has to be earned.
        """
        order = self.placed(ordered)
        n, m, found = self.fitted(order)
        if stays_soft and 0 in found.probabilities:
            self.smoothing = SMOOTHING
            return self.best(ordered, stays_soft=False)
        return order, n, m, found

    def placed(self, ordered: int) -> tuple[int, ...]:
        """The first strata are an ordering; one after the other the rest find the place where likelihood is largest."""
        order = tuple(range(ordered))
        for candidate in range(ordered, len(self._strata)):
            trials = [(*order[:place], candidate, *order[place:]) for place in range(len(order) + 1)]
            order = trials[_first_best([self._likelihood(trial) for trial in trials])]
        return order

    def fitted(self, order: Order) -> tuple[list[Count], list[Count], Fit]:
        """What the levels of an ordering decide about, and the most likely weights."""
        stacked = self.stacked(order)
        pinned = {level: rule for level, stratum in enumerate(stacked) for rule in stratum.rules if _is_pinned(rule)}
        n, m = self._levels.totals(order)
        found = fit_pinned([count.value for count in n], [count.value for count in m], pinned, self.smoothing)
        return n, m, found

    def stacked(self, order: Order) -> list[Stratum]:
        """The strata of an ordering, from ⊥ upwards."""
        return [self._lowest, *(self._strata[candidate] for candidate in order)]

    def _likelihood(self, order: Order) -> float:
        try:
            return self.fitted(order)[2].log_likelihood
        except TheoryError:  # pins may leave no room here, and yet elsewhere
            return -inf


def default_width(theory: Theory, database: Database) -> int:
    """The smallest width at which every soft rule can be broken, but at least 2 where there are two constants."""
    clauses = (*(rule.clause for rule in theory.ranked), *theory.unplaced)
    return min(max([2, *(len(clause.variables) for clause in clauses)]), len(database.constants))


def _check_hard_rules(theory: Theory, database: Database, width: int) -> list[Clause]:
    """The hard rules that the data break. A fragment that does has probability 0, and then so have the data."""
    broken = broken_rules(database, (rule.clause for rule in theory.hard))
    seen = [clause for clause in broken if len(clause.variables) <= width]
    if seen:
        raise TheoryError(
            f"the data break {rules_listed(seen)}, so that the theory makes them impossible; correct the data or take "
            "these rules away, or write '? ::' before them to have them weighed"
        )
    if broken:
        warnings.warn(
            f"the data break {rules_listed(broken)}; fragments of {width} constants cannot show that, so the weights "
            "do not depend on it",
            DataWarning,
            stacklevel=4,
        )
    return broken


def _kept_demoted(theory: Theory, database: Database) -> list[Clause]:
    """The demoted constraints that the data keep."""
    demoted = [rule.clause for rule in theory.demoted]
    broken = broken_rules(database, demoted)
    if broken:
        warnings.warn(
            f"the data break {rules_listed(broken, 'demoted rule')}, which therefore have no part in the weights; they "
            "stay in the theory, and what is given may break them",
            DataWarning,
            stacklevel=4,
        )
    return [clause for clause in demoted if clause not in broken]


def _waiting(theory: Theory) -> list[Stratum]:
    """The rules that wait for a place, each a stratum."""
    keeps = [Keep.LOCKED if clause in theory.locked else Keep.FREE for clause in theory.unplaced]
    rules = [Rule(clause, keep=keep) for clause, keep in zip(theory.unplaced, keeps, strict=True)]
    return [Stratum(UNWEIGHED, (rule,)) for rule in rules]


def _keep_of_falsity(theory: Theory) -> Keep:
    return Keep.PINNED if theory.falsity_pinned else Keep.FREE


def _is_pinned(rule: Rule) -> bool:
    return rule.keep is Keep.PINNED


def _first_best(likelihoods: Sequence[float]) -> int:
    """The place of the largest, the lowest of those that differ by no more than rounding."""
    best = max(likelihoods)
    return next(
        place for place, found in enumerate(likelihoods) if found == best or isclose(found, best, rel_tol=1e-12)
    )


def _weighed(strata: Sequence[Stratum], found: Fit) -> list[Stratum]:
    """The strata from ⊥ upwards, with their new weights; a pinned weight comes back digit by digit."""
    pins = [rule.weight.doubt for stratum in strata for rule in stratum.rules if _is_pinned(rule)]
    digits = max([DIGITS, *(len(doubt.as_tuple().digits) for doubt in pins)])
    weights = as_weights(found.probabilities, digits)
    return [_at(stratum, weight) for weight, stratum in zip(weights, strata, strict=True)]


def _in_their_places(lowest: Stratum, strata: Sequence[Stratum]) -> tuple[Stratum, list[Stratum]]:
    """⊥ and the strata above it, each with a weight of its own: what was measured of a rule is about its place."""
    highest_first = [*reversed(strata), *([lowest] if any(map(_is_pinned, lowest.rules)) else [])]
    pinned = {place for place, stratum in enumerate(highest_first) if any(map(_is_pinned, stratum.rules))}
    doubts = spread([stratum.weight.doubt for stratum in highest_first], pinned)
    apart = [_at(stratum, Weight(doubt)) for stratum, doubt in zip(highest_first, doubts, strict=True)]
    if len(apart) > len(strata):
        lowest = apart.pop()
    return _at(lowest, min([lowest.weight, *(one.weight for one in apart)])), apart[::-1]


def _at(stratum: Stratum, weight: Weight) -> Stratum:
    return Stratum(weight, tuple(replace(rule, weight=weight) for rule in stratum.rules))
