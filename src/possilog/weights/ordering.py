"""Which candidates, in which order? Greedy insertion (section Weight Learning), then single changes while one helps.

The paper starts from the hard rules, tries every candidate at every place and keeps what raises the likelihood most.
Here a trial costs microseconds, so the search goes on: a rule is taken out, moved or replaced, two change places, until
no single change helps; and it starts several times. The likelihood counts all k-subsets as if they were independent.
About |C| / k of them are, so it is scaled to that many, and every rule has its price.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import log
from typing import Literal, NamedTuple

import numpy as np

from possilog.chance import generator
from possilog.counting import Count, Levels, ProfileLevels
from possilog.counting.levels import Floats, Order
from possilog.deadline import NEVER, Deadline
from possilog.errors import TheoryError
from possilog.logic import Clause, Rule, Theory
from possilog.weights.closed_form import Fit, fit
from possilog.weights.pooling import TOLERANCE, best_insertion, log_likelihoods

__all__ = ["Ordering", "Orderings", "Penalty", "price", "search_ordering"]

Penalty = Literal["bic", "aic", "none"] | float
"""What a rule costs, in log-likelihood of independent k-subsets: by name, or as a number."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """Rules from the lowest level upwards (``possilog.counting.levels``), and their weights."""

    order: tuple[int, ...]
    """The rules, by their numbers among the candidates."""
    rules: tuple[Clause, ...]
    """The same rules, to be read."""
    fit: Fit
    """The weights of ⊥ and of the rules."""
    score: float
    """The log-likelihood scaled to as many k-subsets as are independent, less the price of the rules."""

    @property
    def log_likelihood(self) -> float:
        """Of all k-subsets of the data."""
        return self.fit.log_likelihood

    def theory(self, hard: Sequence[Clause] = ()) -> Theory:
        """The theory of these rules and some hard rules."""
        falsity, *weights = self.fit.weights
        soft = [Rule(clause, weight) for clause, weight in zip(self.rules, weights, strict=True)]
        return Theory((*map(Rule, hard), *reversed(soft)), falsity)


@dataclass(frozen=True, slots=True)
class Orderings:
    """The best ordering found, and the best of every size."""

    best: Ordering
    path: tuple[Ordering, ...]
    """The most likely ordering found of 0, 1, 2, … rules."""
    finished: bool
    """Was the search allowed to come to its end?"""


def price(penalty: Penalty, independent: float) -> float:
    """What a rule costs, for this many independent k-subsets: half their logarithm (BIC), 1 (AIC), or what is said.

    >>> price("bic", 100), price("aic", 100), price("none", 100), price(0.5, 100)
    (2.302585092994046, 1.0, 0.0, 0.5)
    """
    if isinstance(penalty, str):
        return {"bic": log(max(independent, 1)) / 2, "aic": 1.0, "none": 0.0}[penalty]
    return penalty


def search_ordering(
    candidates: Sequence[Clause],
    levels: Levels,
    *,
    independent: float,
    penalty: Penalty = "bic",
    max_rules: int | None = None,
    starts: int = 3,
    smoothing: Fraction | float = 0,
    seed: int = 0,
    better: Callable[[Ordering], None] = lambda ordering: None,
    stop: Deadline = NEVER,
) -> Orderings:
    """Search the ordering of some of the candidates with the best score.

    ``levels`` are those of the same candidates (``CutCounter.levels``). ``independent`` says how many k-subsets are
    independent: about |C| / k. ``better`` is told of every ordering that is the best so far, so that it can be kept
    whatever happens. As soon as ``stop`` says so, the best is the answer.
    With no starts, it is the paper's greedy insertion alone.

    >>> from possilog.logic import parse_clause
    >>> rules = [parse_clause("p(X) :- q(X)."), parse_clause("q(X) :- p(X).")]
    >>> sides = {0: 90, 1: 1, 2: 9}, {0: 2, 1: 1, 2: 1}
    >>> levels = Levels(*(ProfileLevels(table, [0b01, 0b10]) for table in sides))
    >>> found = search_ordering(rules, levels, independent=100)
    >>> print(found.best.theory(), end="")
    % a world that breaks this rule has probability at most 0.01
    0.99 :: p(X) :- q(X).
    <BLANKLINE>
    % a world that breaks this rule has probability at most 0.09
    0.91 :: q(X) :- p(X).
    <BLANKLINE>
    % ⊥: no world has a probability above 0.45
    0.55 :: false.
    >>> [round(ordering.log_likelihood, 2) for ordering in found.path]
    [-138.63, -114.36, -98.14]
    """
    _check(levels)
    search = _Search(
        candidates,
        levels,
        independent=independent,
        cost=price(penalty, independent),
        most=len(candidates) if max_rules is None else max_rules,
        smoothing=smoothing,
        better=better,
        stop=stop,
    )
    search.start(range(len(candidates)), improve=starts > 0)
    for number in range(1, starts):
        # A start from half of the candidates leads elsewhere; then all of them may come in.
        half = generator(seed, "ordering", str(number)).permutation(len(candidates))[: len(candidates) // 2]
        search.start([search.by_text[place] for place in half.tolist()])
    return Orderings(search.best, search.path(), search.finished)


def _check(levels: Levels) -> None:
    subsets, worlds = levels
    if isinstance(subsets, ProfileLevels) and isinstance(worlds, ProfileLevels) and not subsets.sets <= worlds.sets:
        raise TheoryError(
            "some k-subsets of the data violate rules as no world does; check that the data satisfy the hard rules and "
            "that both profiles have the same rules and width"
        )


class _Tried(NamedTuple):
    """An ordering, and its log-likelihood per k-subset."""

    order: tuple[int, ...]
    log_likelihood: float


@dataclass
class _Search:
    """The state of a search: the best ordering found, of every size and over all."""

    candidates: Sequence[Clause]
    levels: Levels
    independent: float
    cost: float
    most: int
    smoothing: Fraction | float
    better: Callable[[Ordering], None]
    stop: Deadline
    finished: bool = True

    def __post_init__(self) -> None:
        # Where two changes are equally good, the text of the rules decides.
        self.by_text = sorted(range(len(self.candidates)), key=lambda rule: str(self.candidates[rule]))
        self._by_size: dict[int, _Tried] = {}
        nothing = self._try(())
        self.best = self._ordering(nothing)
        self._keep(nothing)

    def path(self) -> tuple[Ordering, ...]:
        """The most likely ordering of every size."""
        return tuple(self._ordering(tried) for _, tried in sorted(self._by_size.items()))

    def start(self, allowed: Sequence[int], improve: bool = True) -> None:
        """Grow an ordering from nothing, and improve the best that was on the way."""
        visited = [self._try(()), *self._grow(allowed)]
        if improve:
            self._improve(max(visited, key=self._score))

    def _grow(self, allowed: Sequence[int]) -> Iterator[_Tried]:
        """Greedy insertion, for as long as it makes the data more likely."""
        current = self._try(())
        while len(current.order) < self.most and not self._stops():
            longer = self._insertion(current.order, allowed, current.log_likelihood)
            if longer is None or longer.log_likelihood <= current.log_likelihood + self._margin(longer.order):
                return
            current = longer
            self._keep(current)
            yield current

    def _improve(self, current: _Tried) -> None:
        """Make single changes until none helps."""
        changing = True
        while changing:
            before = current
            for rule in (None, *current.order):
                if self._stops():
                    return
                current = self._better(current, self._without(current, rule))
            if current == before:
                current = self._better(current, self._swaps(current.order))
            changing = current != before

    def _better(self, current: _Tried, changes: Iterable[_Tried]) -> _Tried:
        """The best of some changes, if it is better than what there is."""
        best = max(changes, key=self._score, default=current)
        if self._score(best) - self._score(current) <= self.independent * self._margin(best.order):
            return current
        self._keep(best)
        return best

    def _without(self, current: _Tried, rule: int | None) -> Iterator[_Tried]:
        """What there is without a rule, and that with another rule, or the same elsewhere."""
        order = tuple(other for other in current.order if other != rule)
        if rule is not None:
            yield self._try(order)
        if len(order) < self.most:
            # With as many rules as now the likelihood must rise, and with one more also by the price.
            price = self.cost * (len(order) + 1 - len(current.order)) / self.independent
            inserted = self._insertion(order, range(len(self.candidates)), current.log_likelihood + price)
            if inserted is not None:
                yield inserted

    def _insertion(self, order: tuple[int, ...], allowed: Sequence[int], floor: float) -> _Tried | None:
        """The best candidate at its best place."""
        welcome = frozenset(allowed).difference(order)
        rules = [rule for rule in self.by_text if rule in welcome]
        n, m = map(_values, self.levels.totals(order))
        taken_n, taken_m = (side.violating(order)[rules] for side in self.levels)
        found = best_insertion(n, m, taken_n, taken_m, floor)
        if found is None:
            return None
        rule = rules[found.candidate]
        return _Tried((*order[: found.level], rule, *order[found.level :]), found.log_likelihood)

    def _swaps(self, order: tuple[int, ...]) -> list[_Tried]:
        """The orderings in which two rules have changed places."""
        swapped = []
        for one, other in combinations(range(len(order)), 2):
            between = order[one + 1 : other]
            swapped.append((*order[:one], order[other], *between, order[one], *order[other + 1 :]))
        if not swapped:
            return []
        n, m = (np.array([_values(side.totals(changed)) for changed in swapped]) for side in self.levels)
        return [_Tried(*pair) for pair in zip(swapped, log_likelihoods(n, m).tolist(), strict=True)]

    def _stops(self) -> bool:
        self.finished = self.finished and not self.stop()
        return not self.finished

    def _try(self, order: tuple[int, ...]) -> _Tried:
        n, m = (_values(counts)[np.newaxis] for counts in self.levels.totals(order))
        return _Tried(order, float(log_likelihoods(n, m)[0]))

    def _margin(self, order: Order) -> float:
        """By how much the log-likelihood per k-subset must rise: by more than rounding and estimates leave open."""
        n, m = self.levels.totals(order)
        if all(count.exact for count in (*n, *m)):
            return TOLERANCE
        total = sum(count.value for count in n)
        share = sum(count.high - count.low for count in n) / total
        worlds = sum(a.value * log(max(b.high, 1) / max(b.low, 1)) for a, b in zip(n, m, strict=True)) / total
        return TOLERANCE + (share * log(max(2, sum(count.high for count in m))) + worlds) / 2

    def _score(self, tried: _Tried) -> float:
        return tried.log_likelihood * self.independent - self.cost * len(tried.order)

    def _keep(self, tried: _Tried) -> None:
        """Remember an ordering if it is the best of its size, and tell of it if it is the best over all."""
        known = self._by_size.get(len(tried.order))
        if known is None or tried.log_likelihood > known.log_likelihood + TOLERANCE:
            self._by_size[len(tried.order)] = tried
        if self._score(tried) > self.best.score + TOLERANCE:
            self.best = self._ordering(tried)
            self.better(self.best)

    def _ordering(self, tried: _Tried) -> Ordering:
        n, m = ([count.value for count in counts] for counts in self.levels.totals(tried.order))
        rules = tuple(self.candidates[rule] for rule in tried.order)
        return Ordering(tried.order, rules, fit(n, m, self.smoothing), self._score(tried))


def _values(counts: Sequence[Count]) -> Floats:
    return np.array([count.value for count in counts], dtype=np.float64)
