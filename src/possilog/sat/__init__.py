"""One thin, typed door to the SAT solver and the model counters."""

from possilog.sat.solver import Solver

__all__ = ["Solver"]
