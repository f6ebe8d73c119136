"""MAP as weighted MaxSAT, solved by RC2."""

from __future__ import annotations

import math

import numpy as np

from possilog.markov.problem import MapAnswer, MapProblem
from possilog.sat.maxsat import solve_maxsat

__all__ = ["solve_rc2"]

_SCALE = 10**9
"""Weights become integers, in billionths."""


def solve_rc2(problem: MapProblem, seconds: float | None) -> MapAnswer | None:
    """Decide about the atoms; None where hard clauses contradict each other.

    A clause of negative weight becomes a variable that implies the falsity of each literal, and a wish that it be true.
    """
    atoms = len(problem.gains)
    hard: list[list[int]] = []
    soft: list[tuple[list[int], int]] = []
    for atom, gain in enumerate(problem.gains.tolist(), start=1):
        if units := round(abs(gain) * _SCALE):
            soft.append(([int(math.copysign(atom, gain))], units))
    top = atoms
    for rows, weights in problem.clauses():
        signed = ((rows >> 1) + 1) * (1 - 2 * (rows & 1))
        for literals, weight in zip(signed.tolist(), weights.tolist(), strict=True):
            if math.isinf(weight):
                hard.append(literals)
            elif not (units := round(abs(weight) * _SCALE)):
                continue
            elif weight > 0:
                soft.append((literals, units))
            else:
                top += 1
                hard += [[-top, -literal] for literal in literals]
                soft.append(([top], units))
    found = solve_maxsat(hard, soft, seconds)
    if found.true is None and not found.interrupted:
        return None
    # A wish that is granted costs nothing, where the problem counts a payment: hence the shift.
    shift = problem.constant - float(np.maximum(problem.gains, 0).sum())
    shift += sum(float(np.minimum(weights, 0).sum()) for _, weights in problem.clauses())
    if found.true is None:
        return MapAnswer(None, math.inf, shift + found.cost / _SCALE)
    true = np.array([atom + 1 in found.true for atom in range(atoms)], dtype=bool)
    return problem.answer(true)
