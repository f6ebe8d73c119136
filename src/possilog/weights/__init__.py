"""Weights for rules: maximum likelihood for an ordering, search of the ordering, simplification."""

from possilog.weights.closed_form import Fit, as_weights, fit, log_likelihood
from possilog.weights.curve import held_out_curve, knee
from possilog.weights.ordering import Ordering, Orderings, Penalty, price, search_ordering
from possilog.weights.simplification import Simplified, simplify

__all__ = [
    "Fit",
    "Ordering",
    "Orderings",
    "Penalty",
    "Simplified",
    "as_weights",
    "fit",
    "held_out_curve",
    "knee",
    "log_likelihood",
    "price",
    "search_ordering",
    "simplify",
]
