"""Weights for rules: maximum likelihood for an ordering, search of the ordering, simplification."""

from possilog.weights.closed_form import Fit, as_weights, fit, log_likelihood
from possilog.weights.curve import held_out_curve, knee
from possilog.weights.levels import CutLevels, Levels, ProfileLevels, count_levels
from possilog.weights.ordering import Ordering, Orderings, Penalty, price, search_ordering
from possilog.weights.simplification import Simplified, simplify

__all__ = [
    "CutLevels",
    "Fit",
    "Levels",
    "Ordering",
    "Orderings",
    "Penalty",
    "ProfileLevels",
    "Simplified",
    "as_weights",
    "count_levels",
    "fit",
    "held_out_curve",
    "knee",
    "log_likelihood",
    "price",
    "search_ordering",
    "simplify",
]
