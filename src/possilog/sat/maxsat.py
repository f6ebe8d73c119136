"""The only place that knows which MaxSAT solver we use: RC2 with stratification, by way of python-sat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Event, Timer

from possilog.sat.solver import Solver

__all__ = ["MaxSat", "solve_maxsat"]


@dataclass(frozen=True, slots=True)
class MaxSat:
    """The variables that are true in a best model, and the weight of the soft clauses that it violates.

    Without a model there is none, or, where it was interrupted, no time; then the cost is a lower bound.
    """

    true: frozenset[int] | None
    cost: int
    interrupted: bool = False


def solve_maxsat(
    hard: Iterable[Sequence[int]], soft: Iterable[tuple[Sequence[int], int]], seconds: float | None = None
) -> MaxSat:
    """Find a model of the hard clauses that violates as little weight of the soft ones as possible.

    Variables are 1, 2, …; a negative number is a negated variable. Weights are positive integers.

    >>> found = solve_maxsat([[-1, -2]], [([1], 2), ([2], 3)])
    >>> sorted(found.true), found.cost
    ([2], 2)
    """
    from pysat.examples.rc2 import RC2Stratified
    from pysat.formula import WCNF

    wishes = list(soft)
    if not wishes:  # RC2 finds no model where there is nothing to add up
        with Solver(hard) as plain:
            return MaxSat(plain.model() if plain.solve() else None, 0)
    formula = WCNF()
    for clause in hard:
        formula.append(list(clause))
    for clause, weight in wishes:
        formula.append(list(clause), weight=weight)
    with RC2Stratified(formula) as solver:
        fired = Event()

        def stop() -> None:
            fired.set()
            solver.interrupt()

        timer = None if seconds is None else Timer(max(seconds, 0.0), stop)
        if timer:
            timer.daemon = True
            timer.start()
        model = solver.compute(expect_interrupt=timer is not None)
        if timer:
            timer.cancel()
            timer.join()
        if model is None:
            return MaxSat(None, int(solver.cost), fired.is_set())
        return MaxSat(frozenset(number for number in model if number > 0), int(solver.cost))
