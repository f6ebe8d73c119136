"""The network that says how often each predicate is true, and no more: what there is always time for."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from possilog.data import Evidence
from possilog.logic import Atom, Clause, Variable, canonical
from possilog.markov.domain import Domain
from possilog.markov.likelihood import log_sigmoid
from possilog.markov.network import Declaration, Formula, Network
from possilog.markov.weights import LearnedWeights

__all__ = ["base_rates"]

_STEPS = 100
"""Each brings a weight nearer by one, at least, and in the end doubles its digits."""


def base_rates(declarations: tuple[Declaration, ...], given: Sequence[Evidence], prior: float) -> LearnedWeights:
    """The weights of unit clauses by weighted pseudo-likelihood, without looking at atoms one by one.

    A weight w is the log of the odds, but for the prior: f - σ(w) = w / s², where f is how often the predicate is true.
    Newton's method does not overshoot, since σ bends less and less on its way from 0.
    """
    began = time.perf_counter()
    domains = [Domain.of(Network(declarations), one) for one in given]
    predicates = [declaration.predicate for declaration in declarations]
    spans = [[domain.span(predicate) for domain in domains] for predicate in predicates]
    atoms = np.array([sum(high - low for low, high in several) for several in spans], dtype=np.float64)
    facts = np.array([sum(one.facts.rows(predicate).shape[1] for one in given) for predicate in predicates])
    true = facts / np.maximum(atoms, 1)
    false = (atoms - facts) / np.maximum(atoms, 1)
    weights, slopes = np.zeros(len(atoms)), np.zeros(len(atoms))
    for _ in range(_STEPS):
        chance = np.exp(log_sigmoid(weights))
        slopes = true - (true + false) * chance - weights / prior**2
        weights += slopes / (chance * (1 - chance) + 1 / prior**2)
    units = [Atom(one, tuple(Variable(f"X{place}") for place in range(one.arity))) for one in predicates]
    formulas = [
        Formula.of(canonical(Clause((unit,))), weight) for unit, weight in zip(units, weights.tolist(), strict=True)
    ]
    value = float(true @ log_sigmoid(weights) + false @ log_sigmoid(-weights))
    return LearnedWeights(
        Network(declarations, tuple(formulas)),
        objective=value - float(weights @ weights) / (2 * prior**2),
        log_likelihood=value,
        iterations=_STEPS,
        gradient_norm=float(np.abs(slopes).max(initial=0)),
        converged=True,
        rows=2 * len(atoms),
        seconds=time.perf_counter() - began,
    )
