"""MAP by elimination (Bertelè and Brioschi, 1972; Dechter, 1999): quick and exact where a problem is narrow.

Atoms of which hard clauses say that exactly one is true are the values of one variable; any other atom is a variable
with two. Clauses add what they cost to tables over their variables. A variable is eliminated by adding up the tables
that it is in, and keeping the best for each choice of the others; the one that makes the smallest table goes first.
Networks of Bayes and chains in time stay narrow, where a program of integers has weak bounds and a solver of clauses
many cores. Where a table would be too large, it is given up at once, before any is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from possilog.markov.problem import MapAnswer, MapProblem, Weights

__all__ = ["MOST_ATOMS", "MOST_ENTRIES", "solve_narrow"]

MOST_ENTRIES = 2**22
"""Numbers of all tables together."""

MOST_ATOMS = 1_000
"""Atoms of a problem; above it an order is not looked for."""


@dataclass(frozen=True, slots=True)
class _Clause:
    literals: list[int]
    """2 i for atom i, 2 i + 1 for its negation."""
    weight: float


@dataclass(frozen=True, slots=True)
class _Table:
    """What choices of some variables cost, an axis for each."""

    variables: tuple[int, ...]
    costs: Weights

    def over(self, variables: tuple[int, ...]) -> Weights:
        """The same for more variables, which come in order in both."""
        places = [variable in self.variables for variable in variables]
        sizes = iter(self.costs.shape)
        return self.costs.reshape([next(sizes) if is_own else 1 for is_own in places])


class _Variables:
    """The variables of a problem, and which values stand for which atoms."""

    def __init__(self, atoms: int, clauses: Iterable[_Clause]) -> None:
        hard = [one.literals for one in clauses if math.isinf(one.weight)]
        apart = {(a, b) for a, b in (sorted(one) for one in hard if len(one) == 2) if a & b & 1}
        self.of_atom = [(-1, 0)] * atoms
        self.sizes: list[int] = []
        for one in sorted(hard):
            group = sorted(one)
            values = [literal >> 1 for literal in group]
            if len(group) < 2:  # a variable of one value has no size, and numpy's tables have not that many axes
                continue
            if any(literal & 1 for literal in group) or any(self.of_atom[atom][0] >= 0 for atom in values):
                continue
            if all((2 * a + 1, 2 * b + 1) in apart for i, b in enumerate(values) for a in values[:i]):
                self._add(values, len(values))
        for atom in range(atoms):
            if self.of_atom[atom][0] < 0:
                self._add([atom], 2)

    def _add(self, atoms: list[int], size: int) -> None:
        for value, atom in enumerate(atoms):
            self.of_atom[atom] = len(self.sizes), value + size - len(atoms)
        self.sizes.append(size)

    def violating(self, literals: Iterable[int]) -> dict[int, list[bool]]:
        """For each variable of a clause the values that violate all its literals about it."""
        found: dict[int, list[bool]] = {}
        for literal in literals:
            variable, value = self.of_atom[literal >> 1]
            violates = found.setdefault(variable, [True] * self.sizes[variable])
            for other in range(len(violates)):
                violates[other] &= (other == value) == bool(literal & 1)
        return found


def solve_narrow(problem: MapProblem) -> MapAnswer | None:
    """The best answer, or None where the problem is not narrow, or hard clauses contradict each other."""
    if len(problem.gains) > MOST_ATOMS:
        return None
    clauses = [
        _Clause(literals, weight)
        for rows, weights in problem.clauses()
        for literals, weight in zip(rows.tolist(), weights.tolist(), strict=True)
    ]
    variables = _Variables(len(problem.gains), clauses)
    order = _order(variables, ({variables.of_atom[literal >> 1][0] for literal in one.literals} for one in clauses))
    if order is None:
        return None
    values = _best(order, _tables(problem, variables, clauses), variables.sizes)
    if values is None:
        return None
    return problem.answer(np.array([values[variable] == value for variable, value in variables.of_atom], dtype=bool))


def _order(variables: _Variables, scopes: Iterable[set[int]]) -> list[int] | None:
    """An order in which tables stay small, or None: the smallest first."""
    beside: dict[int, set[int]] = {variable: {variable} for variable in range(len(variables.sizes))}
    for scope in scopes:
        for variable in scope:
            beside[variable] |= scope
    size = {variable: _size(variables, others) for variable, others in beside.items()}
    order, left = [], MOST_ENTRIES
    while beside:
        chosen = min(size, key=lambda variable: (size[variable], variable))
        left -= size.pop(chosen)
        if left < 0:
            return None
        order.append(chosen)
        others = beside.pop(chosen) - {chosen}
        for variable in others:
            beside[variable] = (beside[variable] | others) - {chosen}
            size[variable] = _size(variables, beside[variable])
    return order


def _size(variables: _Variables, some: Iterable[int]) -> int:
    return math.prod(variables.sizes[variable] for variable in some)


def _tables(problem: MapProblem, variables: _Variables, clauses: Iterable[_Clause]) -> list[_Table]:
    """What gains and clauses cost, a table for each set of variables."""
    tables: dict[tuple[int, ...], Weights] = {}
    for atom, gain in enumerate(problem.gains.tolist()):
        variable, value = variables.of_atom[atom]
        tables.setdefault((variable,), np.zeros(variables.sizes[variable]))[value] -= gain
    for one in clauses:
        violating = dict(sorted(variables.violating(one.literals).items()))
        costs = tables.setdefault(tuple(violating), np.zeros([variables.sizes[variable] for variable in violating]))
        costs[np.ix_(*violating.values())] += one.weight
    return [_Table(scope, costs) for scope, costs in tables.items()]


def _best(order: list[int], tables: list[_Table], sizes: list[int]) -> dict[int, int] | None:
    """The best value of every variable; None where any costs too much."""
    kept: list[tuple[int, tuple[int, ...], Weights]] = []
    turn = {variable: place for place, variable in enumerate(order)}
    waiting: dict[int, list[_Table]] = {variable: [] for variable in order}
    for table in tables:
        waiting[min(table.variables, key=turn.__getitem__)].append(table)
    for variable in order:
        own = waiting.pop(variable)
        scope = tuple(sorted({other for table in own for other in table.variables} | {variable}))
        total: Weights = np.zeros([sizes[other] for other in scope])
        for table in own:
            total += table.over(scope)
        place = scope.index(variable)
        others = scope[:place] + scope[place + 1 :]
        kept.append((variable, others, np.moveaxis(total, place, -1)))
        best = _Table(others, total.min(axis=place))
        if others:
            waiting[min(others, key=turn.__getitem__)].append(best)
        elif np.isinf(best.costs):
            return None
    values: dict[int, int] = {}
    for variable, others, costs in reversed(kept):
        values[variable] = int(costs[tuple(values[other] for other in others)].argmin())
    return values
