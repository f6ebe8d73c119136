"""Formulas for a network: beam search by weighted pseudo-likelihood (Kok and Domingos, ICML 2005).

Alchemy's learner. It begins with a unit clause for every way to write an atom. In every round a beam search walks from
the unit clauses through clauses that differ in one literal (added, removed, or its sign changed), and the best are
tried in the network and kept where its score grows. The score is the weighted pseudo-likelihood less a penalty for each
literal. What makes it quick:

- while searching, a clause is judged by the gain that its own best weight gives, with all other weights as they are;
  only the best few are judged again with all weights searched anew;
- of the false atoms of a predicate a sample counts for all of them;
- the counts of conjunctions are kept, because most clauses that are tried have them in common.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile
from typing import Any

import numpy as np

from possilog.data import Database, Evidence
from possilog.data.schemas import infer_types
from possilog.data.splits import keep_predicates
from possilog.deadline import Deadline, OutOfTime
from possilog.errors import DataError, QueryError, listed
from possilog.files import AnyPath
from possilog.logic import Clause, Predicate, Variable
from possilog.markov.base_rates import base_rates
from possilog.markov.candidates import neighbours, unit_clauses
from possilog.markov.cnf import WeightedClause
from possilog.markov.domain import Domain, Numbers, worlds
from possilog.markov.grounding import TooManyGroundings
from possilog.markov.likelihood import Changes, FlipRows, log_sigmoid
from possilog.markov.network import NAME, QUANTIFIERS, Declaration, Formula, Network
from possilog.markov.problem import Weights
from possilog.markov.sample import Sample
from possilog.markov.weights import (
    LearnedWeights,
    Maximum,
    check_prior,
    learn_weights,
    maximise,
    require_scipy,
)
from possilog.progress import Progress, Step, require_progress, silent
from possilog.requiring import require_kind, require_list, require_whole

__all__ = ["LearnedNetwork", "LearningSettings", "declare", "learn_network"]

_LOOSE = 1e-4
"""How exactly weights are searched while clauses are."""

_NO_GAIN = 1e-6
"""A gain that is none."""

_SEARCHED = 0.8
"""The share of the time in which clauses are searched; the rest is for their weights."""

MOST_WAYS = 100
"""Ways to write an atom with equal and different variables: five arguments of one type have 52, six 203."""

_TOO_WIDE = "there are too many arguments of one type to search clauses"

_NEWTON_STEPS = 20
_SMALL_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """How clauses are searched.

    The beam, the penalty, the smallest weight, the prior and the number of clauses tried again are Alchemy's defaults;
    variables, literals and samples are limited further (Alchemy has 6 variables, and no limit for literals).
    """

    max_vars: int = 4
    max_length: int = 4
    beam: int = 5
    penalty: float = 0.01
    """What each literal of a clause takes off the score."""
    min_weight: float = 0.01
    """A clause with a smaller weight is not kept."""
    prior: float = 100.0
    reevaluated: int = 10
    """So many of the best clauses of a search are tried in the network."""
    samples: int = 5_000
    """False atoms that are looked at for each predicate of each database, at most."""
    most_judged: int | None = None
    """So many clauses are judged at most: unlike a time limit, this gives the same network on any machine."""
    time_limit: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class LearnedNetwork:
    """A network, its weights' quality, and what the search for it was."""

    weights: LearnedWeights
    rounds: int
    judged: int
    """Clauses that were tried."""
    skipped: int
    """Those among them that were left out, as they have too many groundings to be counted."""
    complete: bool
    """Did the search end by itself, before its limits?"""
    seconds: float
    wide: tuple[Predicate, ...] = ()
    """The predicates that have no part in it, as clauses with them are too many."""

    @property
    def network(self) -> Network:
        """The network."""
        return self.weights.network

    def __str__(self) -> str:
        end = "" if self.complete else "; the time was over"
        skipped = f"; {self.skipped:,} of them left out, with too many groundings" if self.skipped else ""
        wide = f"\n{listed(self.wide)} had no part in it: {_TOO_WIDE}" if self.wide else ""
        return f"{self.weights}\n{self.judged:,} clauses judged in {self.rounds} rounds{skipped}{end}{wide}"

    def __repr__(self) -> str:
        return f"<LearnedNetwork: {len(self.network.formulas):,} formulas, {self.judged:,} clauses judged>"

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog markov learn --json`` prints."""
        search = {name: getattr(self, name) for name in ("rounds", "judged", "skipped", "complete", "seconds")}
        return {**self.weights.as_json, **search, "wide": list(map(str, self.wide))}


def learn_network(
    data: Evidence | Database | AnyPath | Iterable[Evidence | Database | AnyPath],
    declarations: Iterable[Declaration] | None = None,
    settings: LearningSettings | None = None,
    *,
    progress: Progress = silent,
) -> LearnedNetwork:
    """Learn a network from one database or several; types are inferred where no declarations are given.

    Without a time limit the result depends on nothing but the data, the declarations and the settings.
    """
    began = time.perf_counter()
    require_kind("the settings", settings, LearningSettings)
    require_progress(progress)
    settings = settings or LearningSettings()
    stop = Deadline(settings.time_limit)
    require_scipy()
    given = worlds(data)
    if settings.max_vars < 1 or settings.max_length < 1 or settings.beam < 1:
        raise QueryError("variables, literals and the beam are at least 1")
    check_prior(settings.prior)
    if settings.most_judged is not None:
        require_whole("most_judged", settings.most_judged, 1)
    if settings.time_limit is not None and not settings.time_limit > 0:
        raise QueryError(f"the time limit is {settings.time_limit} seconds; give it more than 0")
    declared = declare(given) if declarations is None else tuple(declarations)
    require_list("the declarations", declared, Declaration, "those of a network will do")
    if not declared:
        raise DataError("there are no facts to learn from, and no predicate is declared; give some")
    declared, given, wide = _searchable(declared, given)
    search = _Search(declared, given, settings, stop.part(_SEARCHED), progress)
    try:
        search.run()
        learned = _weighed(search, given, stop)
    except OutOfTime:
        learned = base_rates(declared, given, settings.prior)
    complete = not search.is_over() and not stop.passed
    seconds = time.perf_counter() - began
    return LearnedNetwork(learned, search.rounds, search.judged, search.skipped, complete, seconds, wide)


def _searchable(
    declared: tuple[Declaration, ...], given: list[Evidence]
) -> tuple[tuple[Declaration, ...], list[Evidence], tuple[Predicate, ...]]:
    """Declarations and evidence without the predicates that can be written in too many ways, and these."""
    wide = tuple(sorted(one.predicate for one in declared if _is_wide(one)))
    if not wide:
        return declared, given, ()
    narrow = tuple(one for one in declared if one.predicate not in wide)
    if not narrow:
        raise DataError(f"{listed(wide)}: {_TOO_WIDE}; give facts with fewer arguments")
    kept = [
        Evidence(
            keep_predicates(one.facts, set(one.facts.predicates).difference(wide)),
            tuple(atom for atom in one.denied if atom.predicate not in wide),
        )
        for one in given
    ]
    return narrow, kept, wide


def _is_wide(declaration: Declaration) -> bool:
    written = unit_clauses({declaration.predicate: declaration.types})
    return next(islice(written, MOST_WAYS, None), None) is not None


def _weighed(search: _Search, given: Sequence[Evidence], stop: Deadline) -> LearnedWeights:
    """The clauses that a search found, weighed by all atoms; if that takes too long, by those of its sample."""
    learned, settings = search.learned, search.settings
    clauses = list(search.fit.clauses)
    try:
        while True:
            formulas = tuple(Formula.of(clause, None) for clause in clauses)
            network = Network(learned.network.declarations, formulas)
            learned = learn_weights(network, given, prior=settings.prior, weighted=True, stop=stop)
            strong = [abs(formula.weight or 0) >= settings.min_weight for formula in learned.network.formulas]
            kept = [c for c, is_strong in zip(clauses, strong, strict=True) if is_strong or len(c.atoms) == 1]
            if len(kept) == len(clauses):
                return learned
            clauses = kept
    except OutOfTime:
        return learned


def declare(given: Sequence[Evidence]) -> tuple[Declaration, ...]:
    """Declarations for the predicates of some data: arguments that share constants have one type."""
    parts = [*(one.facts for one in given), *(Database.of(one.denied) for one in given if one.denied)]
    facts = Database.union(*parts) if len(parts) > 1 else parts[0]
    names: dict[str, str] = {}
    declarations = []
    for name, types in infer_types(facts).items():
        if not re.fullmatch(NAME, name) or name in ("v", *QUANTIFIERS):
            raise DataError(f"Markov logic cannot spell the predicate {name!r}; rename it to letters and digits")
        for one in types:
            spelled = re.sub(r"\W", "_", one[0].lower() + one[1:])
            while one not in names and spelled in names.values():
                spelled += "_"
            names.setdefault(one, spelled)
        declarations.append(Declaration(Predicate(name, len(types)), tuple(names[one] for one in types)))
    return tuple(declarations)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Clauses with their best weights, and atoms by kind: those that all the clauses treat alike."""

    clauses: tuple[Clause, ...]
    best: Maximum
    score: float
    rows: FlipRows
    kinds: Numbers
    sums: Weights
    """For each kind Σ w d."""


class _Search:
    """The search; ``fit`` is the network so far."""

    fit: _Fit

    def __init__(
        self,
        declarations: tuple[Declaration, ...],
        given: Sequence[Evidence],
        settings: LearningSettings,
        stop: Deadline,
        progress: Progress,
    ) -> None:
        self.declarations, self.given = declarations, given
        self.settings, self.stop, self.progress = settings, stop, progress
        self.types = {declaration.predicate: declaration.types for declaration in declarations}
        self.rounds = self.judged = self.skipped = 0
        self.columns: dict[Clause, Changes] = {}

    def _begin(self) -> None:
        """Draw the samples, and fit the unit clauses."""
        self.stop.check()
        settings, stop = self.settings, self.stop
        domains = [Domain.of(Network(self.declarations), one) for one in self.given]
        pairs = zip(domains, self.given, strict=True)
        self.samples = [Sample(domain, one, settings.samples, settings.seed, stop) for domain, one in pairs]
        truth = np.concatenate([sample.truth for sample in self.samples])
        counts = np.concatenate([sample.counts * self._shares(sample, domains) for sample in self.samples])
        self.true, self.false = counts * truth, counts * ~truth
        self.fit = self._fitted(tuple(filter(self._is_countable, stop.each(unit_clauses(self.types)))), {})

    def _is_countable(self, clause: Clause) -> bool:
        try:
            self.columns[clause] = self._changes(clause)
        except TooManyGroundings:
            self.skipped += 1
            return False
        return True

    def _shares(self, sample: Sample, domains: Sequence[Domain]) -> Weights:
        """1 / n for each atom, where n is the number of atoms of its predicate."""
        shares = np.zeros(len(sample.truth))
        for predicate, (low, high) in sample.spans.items():
            spans = [domain.span(predicate) for domain in domains]
            shares[low:high] = 1 / max(sum(after - first for first, after in spans), 1)
        return shares

    def _tell(self, text: str) -> None:
        self.progress(Step("clauses", doing=f"{len(self.fit.clauses)} clauses, {text}"))

    def run(self) -> None:
        """Add clauses in rounds, until no clause is worth its penalty or the time is over.

        OutOfTime where there is none even for the unit clauses.
        """
        self._begin()
        grown = True
        while grown and not self.is_over():
            self.rounds += 1
            before = self.fit.score
            for clause in self._beam_search():
                self._keep_if_better((*self.fit.clauses, clause))
            for clause in self.fit.clauses:
                if len(clause.atoms) > 1:
                    self._keep_if_better(tuple(other for other in self.fit.clauses if other != clause))
            grown = self.fit.score > before
            self._tell(f"score {self.fit.score:.4f}")

    @property
    def learned(self) -> LearnedWeights:
        """The network so far, with the weights that make the sample likely."""
        fit, began = self.fit, time.perf_counter()
        formulas = tuple(map(Formula.of, fit.clauses, fit.best.weights.tolist()))
        return LearnedWeights(
            Network(self.declarations, formulas),
            fit.best.objective,
            fit.rows.value(fit.best.weights),
            fit.best.iterations,
            fit.best.gradient_norm,
            False,
            len(fit.rows.true),
            time.perf_counter() - began,
        )

    def is_over(self) -> bool:
        """Are there enough clauses, or is there no time for more? What was judged may still be tried in the network."""
        return self.stop() or (self.settings.most_judged is not None and self.judged >= self.settings.most_judged)

    def _keep_if_better(self, clauses: tuple[Clause, ...]) -> None:
        old = dict(zip(self.fit.clauses, self.fit.best.weights.tolist(), strict=True))
        try:
            tried = self._fitted(clauses, old)
        except OutOfTime:
            return
        if tried.score > self.fit.score + _NO_GAIN:
            self.fit = tried

    def _fitted(self, clauses: tuple[Clause, ...], start: Mapping[Clause, float]) -> _Fit:
        for clause in self.stop.each(clauses):
            if clause not in self.columns:
                self.columns[clause] = self._changes(clause)
        rows, kinds = FlipRows.of([self.columns[clause] for clause in clauses], self.true, self.false)
        first = np.array([start.get(clause, 0.0) for clause in clauses])
        best = maximise(rows, self.settings.prior, start=first, tolerance=_LOOSE, stop=self.stop)
        score = best.objective - sum(map(self._penalty, clauses))
        return _Fit(clauses, best, score, rows, kinds, rows.changes @ best.weights)

    def _penalty(self, clause: Clause) -> float:
        return self.settings.penalty * len(clause.atoms)

    def _changes(self, clause: Clause) -> Changes:
        """What turning each sampled atom true changes in the true groundings of a clause."""
        places = (zip(atom.arguments, self.types[atom.predicate], strict=True) for atom in clause.atoms)
        types = {term: name for place in places for term, name in place if isinstance(term, Variable)}
        weighted = WeightedClause(clause, 1.0, tuple(types.items()))
        firsts = accumulate((len(sample.truth) for sample in self.samples), initial=0)
        return Changes.joined(
            (first, sample.changes(weighted)) for first, sample in zip(firsts, self.samples, strict=False)
        )

    def _beam_search(self) -> list[Clause]:
        """The best clauses that can be reached, by what they add to the score, the best first."""
        seen = set(self.fit.clauses)
        beam = list(self.fit.clauses)
        best: list[tuple[float, Clause]] = []
        while beam and not self.is_over():
            found: list[tuple[float, Clause]] = []
            for other in takewhile(lambda _: not self.is_over(), self._neighbours(beam)):
                if other not in seen:
                    seen.add(other)
                    self.judged += 1
                    try:
                        found.append((self._gain(other) - self._penalty(other), other))
                    except TooManyGroundings:
                        self.skipped += 1
            found.sort(key=lambda pair: (-pair[0], pair[1]))
            before = best
            best = sorted([*best, *found], key=lambda pair: (-pair[0], pair[1]))[: self.settings.reevaluated]
            if best == before:
                break
            beam = [clause for _, clause in found[: self.settings.beam]]
            self._tell(f"{self.judged} judged")
        return [clause for gain, clause in best if gain > 0]

    def _neighbours(self, clauses: Iterable[Clause]) -> Iterator[Clause]:
        """The clauses that differ from one of some in a literal."""
        for clause in clauses:
            yield from neighbours(clause, self.types, self.settings.max_vars, self.settings.max_length)

    def _gain(self, clause: Clause) -> float:
        """What a clause adds to the pseudo-likelihood with its best weight, all others as they are."""
        column = self._changes(clause)
        touched = column.atoms
        if not len(touched):
            return 0.0
        values, value = np.unique(column.values, return_inverse=True)
        codes = self.fit.kinds[touched] * len(values) + value
        kept, code = np.unique(codes, return_inverse=True)
        true, false = (
            np.bincount(code, counts[touched], len(kept)).astype(np.float64) for counts in (self.true, self.false)
        )
        return best_gain(
            self.fit.sums[kept // len(values)], values[kept % len(values)], true, false, self.settings.prior
        )


def best_gain(sums: Weights, changes: Weights, true: Weights, false: Weights, prior: float) -> float:
    """How much one more weight can gain: Newton's method, with steps halved where they go too far."""

    def value(weight: float) -> float:
        moved = sums + weight * changes
        return float(true @ log_sigmoid(moved) + false @ log_sigmoid(-moved)) - weight**2 / (2 * prior**2)

    weight, first = 0.0, value(0.0)
    reached = first
    for _ in range(_NEWTON_STEPS):
        chance = np.exp(log_sigmoid(sums + weight * changes))
        slope = float((true - (true + false) * chance) @ changes) - weight / prior**2
        bend = float(((true + false) * chance * (1 - chance)) @ changes**2) + 1 / prior**2
        step = slope / bend
        while (there := value(weight + step)) < reached and abs(step) > _SMALL_STEP:
            step /= 2
        if there - reached <= _NO_GAIN:
            break
        weight, reached = weight + step, there
    return reached - first
