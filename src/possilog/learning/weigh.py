"""Weigh a theory anew: most likely weights for its ordering, with respect for what a person has pinned or added.

The ordering is that of the theory (section Weight Learning). Rules that wait for a weight are put into it one after the
other, each where the likelihood becomes largest.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import inf, isclose

from possilog.counting import Counter, StrataCounts, StratumCounts, count_strata_by
from possilog.counting.strata import broken_rules, listed
from possilog.data import Database
from possilog.errors import DataWarning, TheoryError
from possilog.logic import Clause, Keep, Rule, Stratum, Theory, Weight
from possilog.weights import Fit, as_weights
from possilog.weights.pinned import fit_pinned

__all__ = ["Weighing", "default_width", "weigh"]

DIGITS = 12
"""Weights are written with so many digits of 1 - λ, unless it takes more to keep them apart or a pin has more."""

Level = tuple[Rule, ...]
"""The rules of one stratum. Levels that turn out to be equally probable are one stratum in the end."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """A theory with new weights, and what they were made of."""

    theory: Theory
    fit: Fit
    """The probabilities, from ⊥ upwards, and the likelihood."""
    counts: StrataCounts
    """What each level of the ordering decides about, from ⊥ upwards, with its new weight."""


def weigh(
    theory: Theory,
    database: Database,
    width: int | None = None,
    *,
    smoothing: Fraction | float = 0,
    seed: int = 0,
) -> Weighing:
    """Give the rules of a theory the weights under which the fragments of some data are most likely.

    The strata keep their order. Pinned weights stay. The theory's unplaced clauses become rules.

    >>> from possilog.logic import parse_atom, parse_theory
    >>> facts = Database.of(map(parse_atom, ["parent(ann, bob)", "parent(bob, eve)", "old(ann)"]))
    >>> weighing = weigh(parse_theory(":- parent(X, X). ? :: old(X) :- parent(X, Y)."), facts)
    >>> print(weighing.theory, end="")
    % hard rules
    :- parent(X, X).
    <BLANKLINE>
    % a world that breaks this rule has probability at most 0.0477
    0.952380952381 :: old(X) :- parent(X, Y).
    <BLANKLINE>
    % ⊥: no world has a probability above 0.0741
    0.9259259259259 :: false.
    """
    width = default_width(theory, database) if width is None else width
    _check_hard_rules(theory, database, width)
    hard = [rule.clause for rule in theory.hard]
    counter = Counter(database, width, hard=hard, predicates=theory.predicates, seed=seed)
    lowest: Level = (Rule(Clause(), theory.falsity, Keep.PINNED if theory.falsity_pinned else Keep.FREE),)

    def fitted(levels: Sequence[Level]) -> tuple[StrataCounts, Fit]:
        counts = count_strata_by(counter, _ordered(levels))
        pinned = {place: rule for place, level in enumerate([lowest, *levels]) for rule in level if _is_pinned(rule)}
        n, m = ([getattr(level, name).value for level in counts.strata] for name in "nm")
        return counts, fit_pinned(n, m, pinned, smoothing)

    def likelihood(levels: Sequence[Level]) -> float:
        try:
            return fitted(levels)[1].log_likelihood
        except TheoryError:  # pins may leave no room here, and yet elsewhere
            return -inf

    levels = [stratum.rules for stratum in reversed(theory.strata)]
    for clause in theory.unplaced:
        rule = Rule(clause, keep=Keep.LOCKED if clause in theory.locked else Keep.FREE)
        trials = [[*levels[:place], (rule,), *levels[place:]] for place in range(len(levels) + 1)]
        levels = trials[_first_best([likelihood(trial) for trial in trials])]
    counts, fit = fitted(levels)
    falsity, *strata = _strata([lowest, *levels], fit)
    rules = [rule for stratum in reversed(strata) for rule in stratum.rules]
    weighed = Theory((*theory.hard, *rules), falsity.weight, banned=theory.banned, falsity_pinned=theory.falsity_pinned)
    strata = [Stratum(falsity.weight, ()), *strata]
    counted = (StratumCounts(stratum, old.n, old.m) for stratum, old in zip(strata, counts.strata, strict=True))
    return Weighing(weighed, fit, replace(counts, strata=tuple(counted)))


def default_width(theory: Theory, database: Database) -> int:
    """The smallest width at which every soft rule can be broken, but at least 2 where there are two constants."""
    clauses = (*(rule.clause for rule in theory.soft), *theory.unplaced)
    return min(max([2, *(len(clause.variables) for clause in clauses)]), len(database.constants))


def _check_hard_rules(theory: Theory, database: Database, width: int) -> None:
    """A fragment that breaks a hard rule has probability 0, and then so have the data, whatever the weights."""
    broken = broken_rules(database, (rule.clause for rule in theory.hard))
    seen = [clause for clause in broken if len(clause.variables) <= width]
    if seen:
        raise TheoryError(
            f"the data break {listed(seen)}, so that the theory makes them impossible; correct the data or take such "
            "rules away, or write '? ::' before them to have them weighed"
        )
    if broken:
        warnings.warn(
            f"the data break {listed(broken)}; fragments of {width} constants cannot show that, so the weights do not "
            "depend on it",
            DataWarning,
            stacklevel=3,
        )


def _ordered(levels: Sequence[Level]) -> Theory:
    """A theory with a stratum for each level, whatever weights its rules have or lack."""
    step = Decimal(1).scaleb(-len(str(len(levels))))
    weights = [Weight(step * (len(levels) - place)) for place in range(len(levels))]
    return Theory(tuple(Rule(r.clause, weight) for level, weight in zip(levels, weights, strict=True) for r in level))


def _is_pinned(rule: Rule) -> bool:
    return rule.keep is Keep.PINNED


def _first_best(likelihoods: Sequence[float]) -> int:
    """The place of the largest, the lowest of those that differ by no more than rounding."""
    best = max(likelihoods)
    return next(
        place for place, found in enumerate(likelihoods) if found == best or isclose(found, best, rel_tol=1e-12)
    )


def _strata(levels: Sequence[Level], fit: Fit) -> list[Stratum]:
    """The levels from ⊥ upwards, with their new weights; a pinned weight comes back digit by digit."""
    pins = [rule.weight.doubt for level in levels for rule in level if _is_pinned(rule)]
    digits = max([DIGITS, *(len(doubt.as_tuple().digits) for doubt in pins)])
    weights = as_weights(fit.probabilities, digits)
    return [
        Stratum(weight, tuple(replace(rule, weight=weight) for rule in level))
        for weight, level in zip(weights, levels, strict=True)
    ]
