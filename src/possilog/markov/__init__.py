"""Markov logic, the rival: Alchemy's language read, weights and formulas learned, and MAP found exactly."""

from possilog.markov.cnf import WeightedClause, weighted_clauses
from possilog.markov.domain import Domain
from possilog.markov.encoding import encode_network
from possilog.markov.files import read_mln, write_mln
from possilog.markov.map import MapSolver, MapState, map_state
from possilog.markov.network import Declaration, Formula, FormulaWeights, Network
from possilog.markov.parsing import parse_mln
from possilog.markov.structure import LearnedNetwork, LearningSettings, learn_network
from possilog.markov.weights import LearnedWeights, learn_weights

__all__ = [
    "Declaration",
    "Domain",
    "Formula",
    "FormulaWeights",
    "LearnedNetwork",
    "LearnedWeights",
    "LearningSettings",
    "MapSolver",
    "MapState",
    "Network",
    "WeightedClause",
    "encode_network",
    "learn_network",
    "learn_weights",
    "map_state",
    "parse_mln",
    "read_mln",
    "weighted_clauses",
    "write_mln",
]
