"""Markov logic, the rival: Alchemy's language read, and MAP found exactly."""

from possilog.markov.cnf import WeightedClause, weighted_clauses
from possilog.markov.domain import Domain, Evidence
from possilog.markov.files import read_evidence, read_mln, write_mln
from possilog.markov.map import MapState, Solver, map_state
from possilog.markov.network import Declaration, Formula, Network
from possilog.markov.parsing import parse_mln

__all__ = [
    "Declaration",
    "Domain",
    "Evidence",
    "Formula",
    "MapState",
    "Network",
    "Solver",
    "WeightedClause",
    "map_state",
    "parse_mln",
    "read_evidence",
    "read_mln",
    "weighted_clauses",
    "write_mln",
]
