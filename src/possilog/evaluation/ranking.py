"""Areas under the curves of precision and recall, and of rates: one predicate is asked for, everything else is given.

So papers on Markov logic report. A theory ranks all well-typed atoms by the lists of the rules that conclude them
(``rank_predicates``), or, as a model beside others, by their certainty (``predicate_area``): those that it does not
conclude are together at the end. A network ranks them by their log-odds, given the most probable world.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from math import log, prod
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from possilog.choices import Aggregate
from possilog.data import Database, Evidence, infer_types
from possilog.evaluation.models import MarkovModel, Model
from possilog.inference.ranking import Ranking
from possilog.logic import Predicate, Theory
from possilog.markov import Domain, weighted_clauses
from possilog.markov.flips import flip_tables
from possilog.markov.grounding import AtomSet
from possilog.workers import Jobs, in_order

__all__ = ["AtomRanks", "PredicateRanks", "area_under_curve", "predicate_area", "rank_predicates", "roc_area"]

_HARD = 1e3
"""What a hard formula counts, where log-odds are summed."""


def area_under_curve(groups: Iterable[tuple[int, int]]) -> float:
    """The area for groups of atoms (true ones, false ones) that are equally certain, the most certain group first.

    Inside a group true atoms come at an even rate, which is what the points between two of a curve mean (Davis and
    Goadrich, ICML 2006): with a true and b atoms before, precision after t more of T true and F false ones is
    (a + t) / (b + t (T + F) / T), whose integral over t is in closed form.

    >>> area_under_curve([(2, 0), (0, 5)]), area_under_curve([(1, 1)]), round(area_under_curve([(0, 1), (1, 0)]), 4)
    (1.0, 0.5, 0.3069)
    """
    found = list(groups)
    positives = sum(true for true, _ in found)
    area, before, ahead = 0.0, 0, 0
    for true, false in found:
        if true:
            rate = (true + false) / true
            area += true / rate
            if ahead:
                area += (before - ahead / rate) / rate * log((ahead + true + false) / ahead)
        before, ahead = before + true, ahead + true + false
    return area / positives if positives else 0.0


def roc_area(groups: Iterable[tuple[int, int]]) -> float:
    """The share of pairs of a true and a false atom where the true one comes first; one half for those of one group.

    >>> roc_area([(1, 0), (1, 1), (0, 2)])
    0.9166666666666666
    """
    found = list(groups)
    true, false = (sum(counts[side] for counts in found) for side in (0, 1))
    behind, right = false, 0.0
    for ahead, others in found:
        behind -= others
        right += ahead * (behind + others / 2)
    return right / (true * false) if true and false else 0.0


@dataclass(frozen=True, slots=True)
class AtomRanks:
    """How far up the true atoms of one predicate come: groups of true and false atoms, equally good, best first."""

    groups: tuple[tuple[int, int], ...]
    rules: int

    @property
    def as_json(self) -> dict[str, Any]:
        """The areas, and what they are made of."""
        true, false = (sum(counts[side] for counts in self.groups) for side in (0, 1))
        return {
            "auc_pr": area_under_curve(self.groups),
            "auc_roc": roc_area(self.groups),
            "true": true,
            "atoms": true + false,
            "rules": self.rules,
        }


@dataclass(frozen=True, slots=True, repr=False)
class PredicateRanks:
    """How far up true atoms come, by predicate. It prints as the command line shows it."""

    predicates: Mapping[Predicate, AtomRanks]
    aggregate: Aggregate

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog rank --json`` prints of predicates."""
        each = {predicate.name: ranked.as_json for predicate, ranked in self.predicates.items()}
        means = {name: fmean(one[name] for one in each.values()) for name in ("auc_pr", "auc_roc")}
        rules = sum(one["rules"] for one in each.values())
        return {**means, "rules": rules, "aggregate": str(self.aggregate), "predicates": each}

    def __str__(self) -> str:
        found = self.as_json
        width = max(len("predicate"), *(len(name) for name in found["predicates"]))
        lines = [f"{'predicate':<{width}}   true     atoms  rules  AUC-PR  AUC-ROC"]
        for name, one in found["predicates"].items():
            counts = f"{one['true']:>5,}  {one['atoms']:>8,}  {one['rules']:>5,}"
            lines.append(f"{name:<{width}}  {counts}  {one['auc_pr']:>6.3f}  {one['auc_roc']:>7.3f}")
        mean = f"{found['auc_pr']:>6.3f}  {found['auc_roc']:>7.3f}"
        return "\n".join([*lines, f"{'mean':<{width}}  {'':>5}  {'':>8}  {found['rules']:>5,}  {mean}"])

    def __repr__(self) -> str:
        return f"<PredicateRanks: {len(self.predicates)} predicates, AUC-PR {self.as_json['auc_pr']:.3f}>"


def rank_predicates(
    theory: Theory,
    test: Database,
    predicates: Sequence[Predicate],
    train: Database | None = None,
    aggregate: Aggregate | None = None,
    jobs: Jobs = 1,
    valid: Database | None = None,
) -> PredicateRanks:
    """Rank all well-typed atoms of each predicate by what all other test facts say, and training facts if there are.

    Training and validation facts are not asked for; rules do not see the latter.
    """
    aggregate = aggregate or theory.aggregate or Aggregate.MAXIMUM
    found = in_order(partial(partial, _ranked, theory, test, train, valid, aggregate), predicates, jobs)
    return PredicateRanks(dict(zip(predicates, found, strict=True)), aggregate)


def _ranked(
    theory: Theory,
    test: Database,
    train: Database | None,
    valid: Database | None,
    aggregate: Aggregate,
    predicate: Predicate,
) -> AtomRanks:
    facts = _without(test, predicate)
    if train is not None:
        facts = facts | train
    known = facts if valid is None else facts | valid  # these are not asked for
    test, facts = test.declare(known.constants), facts.declare(known.constants)
    ranking = Ranking(theory, facts, aggregate)
    ranked = ranking.ranked(predicate)
    allowed = np.ones(len(ranked), dtype=bool)
    typed = _typed(test, predicate)
    for column, constants in zip(ranked.rows, typed, strict=True):
        allowed &= np.isin(column, list(constants))
    size, told = len(known.constants), known.rows(predicate)
    allowed[allowed] = ~_among(ranked.rows[:, allowed], told, size)
    is_true = _among(ranked.rows[:, allowed], test.rows(predicate), size)
    groups = _groups(zip(ranked.codes[allowed].tolist(), is_true.tolist(), strict=True))
    told = told[:, np.all([np.isin(column, list(ones)) for column, ones in zip(told, typed, strict=True)], axis=0)]
    true = test.count(predicate) - int(_among(told, test.rows(predicate), size).sum())
    atoms = prod(map(len, typed)) - told.shape[1]
    return AtomRanks(tuple(_with_rest(groups, true, atoms)), len(ranking.rules.get(predicate, ())))


def _without(test: Database, predicate: Predicate) -> Database:
    """The test facts of all other predicates, over the same constants."""
    return Database(test.constants, {other: test.rows(other) for other in test.predicates if other != predicate})


def _among(rows: npt.NDArray[np.int32], facts: npt.NDArray[np.int32], constants: int) -> npt.NDArray[np.bool_]:
    powers = constants ** np.arange(len(rows), dtype=np.int64)
    return np.isin(powers @ rows, powers @ facts)


def _with_rest(groups: list[tuple[int, int]], true: int, atoms: int) -> list[tuple[int, int]]:
    """All that nothing is said of is one more group, the last."""
    said_true, said_false = (sum(counts[side] for counts in groups) for side in (0, 1))
    left = true - said_true
    return [*groups, (left, max(atoms - said_true - said_false - left, 0))]


def predicate_area(model: Model, test: Database, predicate: Predicate) -> float:
    """The area for one predicate of a test set, over all atoms whose arguments have the types that occur there."""
    facts = _without(test, predicate)
    if isinstance(model, MarkovModel):
        return area_under_curve(_network_groups(model, facts, test, predicate))
    ranked = [
        (weight.doubt, atom in test) for atom, weight in model.added(facts).items() if atom.predicate == predicate
    ]
    return area_under_curve(_with_rest(_groups(ranked), test.count(predicate), _atoms(test, predicate)))


def _groups(ranked: Iterable[tuple[float | Decimal, bool]]) -> list[tuple[int, int]]:
    """How many true and false atoms there are of each rank, the smallest first."""
    counts: dict[float | Decimal, list[int]] = {}
    for rank, is_true in ranked:
        counts.setdefault(rank, [0, 0])[not is_true] += 1
    return [(counts[rank][0], counts[rank][1]) for rank in sorted(counts)]


def _network_groups(model: MarkovModel, facts: Database, test: Database, predicate: Predicate) -> list[tuple[int, int]]:
    """The atoms of the predicate by their log-odds, if all others are as in the most probable world."""
    truth = Evidence(model.respelt(test))
    declared = {
        model.spelling.get(declaration.predicate, declaration.predicate): declaration.predicate
        for declaration in model.network.declarations
    }
    if predicate not in declared:
        return [(test.count(predicate), _atoms(test, predicate) - test.count(predicate))]
    target = declared[predicate]
    domain = Domain.of(model.network, truth)
    world = AtomSet(domain, domain.facts(model.world(facts, domain).facts))
    low, high = domain.span(target)
    columns = domain.columns(target, np.arange(low, high))
    odds = np.zeros(high - low)
    for clause in weighted_clauses(model.network, domain):
        for table in flip_tables(domain, clause, world):
            if table.predicate == target:
                odds += min(clause.weight, _HARD) * table.at(columns, domain.shapes[target], high - low)
    is_true = AtomSet(domain, domain.facts(truth.facts)).has(np.arange(low, high))
    return _groups(zip((-odds.round(9)).tolist(), is_true.tolist(), strict=True))


def _atoms(test: Database, predicate: Predicate) -> int:
    """How many atoms of a predicate there may be: as many as its arguments' types have constants, multiplied."""
    return prod(map(len, _typed(test, predicate)))


def _typed(test: Database, predicate: Predicate) -> list[set[int]]:
    """The constants that may stand at each place of a predicate: those of its type."""
    types = infer_types(test)
    constants: dict[str, set[int]] = {}
    for other in test.predicates:
        for kind, column in zip(types[other.name], test.rows(other), strict=True):
            constants.setdefault(kind, set()).update(column.tolist())
    return [constants[kind] for kind in types[predicate.name]]
