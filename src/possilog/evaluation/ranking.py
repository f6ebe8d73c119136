"""Area under the precision-recall curve: one predicate is asked for, and everything else is given.

So papers on Markov logic report. A theory ranks atoms by their certainty, and those that it does not predict are
together at the end; a network ranks them by their log-odds, given the most probable world.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from math import log, prod

import numpy as np

from possilog.data import Database, Evidence, infer_types
from possilog.evaluation.models import MarkovModel, Model
from possilog.logic import Predicate
from possilog.markov import Domain, weighted_clauses
from possilog.markov.flips import flip_tables
from possilog.markov.grounding import AtomSet

__all__ = ["area_under_curve", "predicate_area"]

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


def predicate_area(model: Model, test: Database, predicate: Predicate) -> float:
    """The area for one predicate of a test set, over all atoms whose arguments have the types that occur there."""
    rest = {other: test.rows(other) for other in test.predicates if other != predicate}
    facts = Database(test.constants, rest)
    if isinstance(model, MarkovModel):
        return area_under_curve(_network_groups(model, facts, test, predicate))
    ranked = [
        (weight.doubt, atom in test) for atom, weight in model.added(facts).items() if atom.predicate == predicate
    ]
    groups = _groups(ranked)
    true, false = (sum(counts) for counts in zip(*groups, strict=True)) if groups else (0, 0)
    left = test.count(predicate) - true
    return area_under_curve([*groups, (left, max(_atoms(test, predicate) - true - false - left, 0))])


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
    types = infer_types(test)
    constants: dict[str, set[int]] = {}
    for other in test.predicates:
        for kind, column in zip(types[other.name], test.rows(other), strict=True):
            constants.setdefault(kind, set()).update(column.tolist())
    return prod(len(constants[kind]) for kind in types[predicate.name])
