"""One thin, typed door to the SAT solver, and what rules entail."""

from possilog.sat.relational import Entailment, World, entails, groundings, irredundant
from possilog.sat.solver import Solver

__all__ = ["Entailment", "Solver", "World", "entails", "groundings", "irredundant"]
