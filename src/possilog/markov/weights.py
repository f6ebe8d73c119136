"""Weights that make data likely: pseudo-likelihood, maximised by L-BFGS with Gaussian priors.

Plain, every atom counts alike. Weighted (Kok and Domingos, ICML 2005), every predicate does: an atom counts 1 / n,
where n is the number of its predicate's atoms, so that predicates of many arguments do not drown the others.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from possilog.data import Database, Evidence
from possilog.deadline import NEVER, Deadline
from possilog.errors import DataError, MissingPart, QueryError, TheoryError, shortened
from possilog.files import AnyPath
from possilog.markov.cnf import plus_choices
from possilog.markov.domain import Domain, worlds
from possilog.markov.likelihood import FlipRows, flip_rows
from possilog.markov.network import Formula, Network, require_network, substitute
from possilog.markov.problem import Weights
from possilog.requiring import require_number, require_whole

__all__ = [
    "LearnedWeights",
    "Maximum",
    "check_prior",
    "learn_weights",
    "maximise",
    "require_scipy",
    "total_rows",
]

_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """A network with learned weights, and how far the search for them got."""

    network: Network
    objective: float
    """The log-pseudo-likelihood and the log of the prior; with ``weighted`` each predicate's mean, added up."""
    log_likelihood: float
    """The same without the prior."""
    iterations: int
    gradient_norm: float
    """The largest derivative of the objective, per atom, each weight in the units in which it is searched."""
    converged: bool
    rows: int
    """How many kinds of atoms there are."""
    seconds: float

    def __str__(self) -> str:
        lines = []
        for formula in self.network.formulas:
            weight = "hard" if formula.weight is None or formula.is_hard else f"{formula.weight:.4f}"
            lines.append(f"{weight:>10}  {replace(formula, weight=None)}")
        end = "converged" if self.converged else "not converged"
        lines.append(
            f"log-pseudo-likelihood {self.log_likelihood:.4f}; {end} after {self.iterations} iterations, "
            f"gradient {self.gradient_norm:.1e}"
        )
        return "\n".join(lines)

    def __repr__(self) -> str:
        formulas = f"{len(self.network.formulas):,} formulas"
        return f"<LearnedWeights: {formulas}, log-pseudo-likelihood {self.log_likelihood:.4f}>"

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog markov weights --json`` prints."""
        return {
            "formulas": [
                {"formula": str(replace(formula, weight=None)), "weight": None if formula.is_hard else formula.weight}
                for formula in self.network.formulas
            ],
            "log_likelihood": self.log_likelihood,
            "objective": self.objective,
            "iterations": self.iterations,
            "gradient_norm": self.gradient_norm,
            "converged": self.converged,
            "seconds": self.seconds,
        }


def learn_weights(
    network: Network,
    data: Evidence | Database | AnyPath | Iterable[Evidence | Database | AnyPath],
    *,
    prior: float | None = 100.0,
    weighted: bool = False,
    tolerance: float = 1e-6,
    iterations: int = _MOST_STEPS,
    stop: Deadline = NEVER,
) -> LearnedWeights:
    """Learn the weights of all formulas that are not hard from one database or several.

    In each database exactly the facts are true, and its constants are those of its facts and of the network. ``prior``
    is the standard deviation of a Gaussian around 0 for each weight; None stands for no prior. A formula with ``+``
    becomes a formula for each choice of constants, with a weight of its own. Past a deadline it is OutOfTime.

    >>> from possilog.logic import parse_atom
    >>> from possilog.markov import parse_mln
    >>> facts = Database.of(map(parse_atom, ["P(A)", "P(B)", "P(C)", "Q(D)"]))
    >>> learned = learn_weights(parse_mln("P(a)\\nQ(a)\\nP(x)\\nQ(x)"), [facts], prior=None)
    >>> [round(formula.weight, 3) for formula in learned.network.formulas]  # log 3 and -log 3
    [1.099, -1.099]
    """
    began = time.perf_counter()
    require_network(network)
    given = worlds(data)
    check_prior(prior)
    require_number("the tolerance", tolerance)
    require_whole("iterations", iterations)
    require_scipy()
    if any(formula.plus for formula in network.formulas):
        network = _without_plus(network, Domain.of(network, *given))
    free = [number for number, formula in enumerate(network.formulas) if not formula.is_hard]
    rows = total_rows(network, given, weighted, stop)
    if len(free) < len(network.formulas):
        rows = FlipRows(rows.changes[:, free], rows.true, rows.false)
    found = maximise(rows, prior, tolerance=tolerance, iterations=iterations, stop=stop)
    weights: list[float | None] = [formula.weight for formula in network.formulas]
    for number, weight in zip(free, found.weights.tolist(), strict=True):
        weights[number] = weight
    return LearnedWeights(
        network.weighed(weights),
        found.objective,
        rows.value(found.weights),
        found.iterations,
        found.gradient_norm,
        found.converged,
        len(rows.true),
        time.perf_counter() - began,
    )


def check_prior(prior: float | None) -> None:
    """Refuse a standard deviation that is none."""
    require_number("the prior's standard deviation", 1 if prior is None else prior)
    if prior is not None and not prior > 0:
        raise QueryError(f"the prior's standard deviation is {prior}; give it more than 0")


def total_rows(network: Network, given: Sequence[Evidence], weighted: bool, stop: Deadline = NEVER) -> FlipRows:
    """The rows of all predicates and databases; weighted, each predicate counts 1 in all."""
    domains = [Domain.of(network, one) for one in given]
    parts = [flip_rows(network, domain, one, stop) for domain, one in zip(domains, given, strict=True)]
    joined = []
    for declaration in network.declarations:
        predicate = declaration.predicate
        atoms = sum(high - low for low, high in (domain.span(predicate) for domain in domains))
        scale = 1 / max(atoms, 1) if weighted else 1.0
        rows = (
            FlipRows.joined([part[predicate] for part in parts]).compressed() if len(parts) > 1 else parts[0][predicate]
        )
        joined.append(rows.scaled(scale))
    if not joined:
        raise TheoryError("the network declares no predicate; add a line like Smokes(person)")
    return FlipRows.joined(joined)


def _without_plus(network: Network, domain: Domain) -> Network:
    formulas: list[Formula] = []
    for formula in network.formulas:
        types = network.variable_types(formula.sentence)
        for bindings in plus_choices(formula, types, domain):
            formulas.append(Formula(substitute(formula.sentence, bindings), formula.weight))
        if formula.plus and not all(map(domain.size, (types[variable] for variable in formula.plus))):
            raise DataError(
                f"{shortened(formula)} has '+' before a variable whose type has no constants; list some, or give data"
            )
    return replace(network, formulas=tuple(formulas))


@dataclass(frozen=True, slots=True)
class Maximum:
    """Where the search for the best weights ended."""

    weights: Weights
    objective: float
    iterations: int
    gradient_norm: float
    converged: bool


def maximise(
    rows: FlipRows,
    prior: float | None,
    *,
    start: Weights | None = None,
    tolerance: float = 1e-6,
    iterations: int = _MOST_STEPS,
    stop: Deadline = NEVER,
) -> Maximum:
    """The weights of the largest pseudo-likelihood times prior.

    Each weight is searched in units in which it bends the objective alike, so that few steps suffice.
    """
    from scipy.optimize import minimize  # it takes most of a second, so not before it is needed

    precision = 0.0 if prior is None else 1 / prior**2
    all_atoms = max(float(rows.true.sum() + rows.false.sum()), 1e-300)
    bends = (rows.curvature() + precision) / all_atoms
    units = 1 / np.sqrt(np.where(bends > 0, bends, 1.0))

    def objective(weights: Weights) -> tuple[float, Weights]:
        value, gradient = rows.value_and_gradient(weights)
        return value - precision * float(weights @ weights) / 2, gradient - precision * weights

    def loss(scaled: Weights) -> tuple[float, Weights]:
        stop.check()
        value, gradient = objective(scaled * units)
        return -value / all_atoms, -gradient * units / all_atoms

    first = np.zeros(rows.changes.shape[1]) if start is None else start
    if not len(first):
        return Maximum(first, rows.value(first), 0, 0.0, True)
    options: Any = {"maxiter": iterations, "maxfun": 10 * iterations, "gtol": tolerance, "ftol": 0.0, "maxcor": 10}
    result = minimize(loss, first / units, jac=True, method="L-BFGS-B", options=options)
    weights = np.asarray(result.x) * units
    value, gradient = objective(weights)
    norm = float(np.abs(gradient * units).max() / all_atoms)
    return Maximum(weights, value, int(result.nit), norm, norm <= tolerance)


def require_scipy() -> None:
    """Say at once that there is no optimiser: importing it takes a while, and happens where it is needed."""
    if find_spec("scipy") is None:
        raise MissingPart(
            "scipy is not installed, and learning weights of Markov logic needs it; pip install 'possilog[markov]'"
        )
