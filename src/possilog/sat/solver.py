"""The only place that knows which SAT solver we use: Glucose 4, by way of python-sat."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

__all__ = ["Solver"]


class Solver:
    """Clauses over variables 1, 2, …; a negative number is a negated variable. Clauses can be added between questions.

    >>> with Solver([[1, 2], [-1, 3]]) as solver:
    ...     solver.solve([-2]), sorted(solver.model()), solver.solve([-3, -2, -4]), sorted(solver.core())
    ...     sorted(solver.implied([-2]))
    (True, [1, 3], False, [-3, -2])
    [-2, 1, 3]
    """

    def __init__(self, clauses: Iterable[Iterable[int]] = ()) -> None:
        """Take some clauses to begin with."""
        from pysat.solvers import Glucose4

        self._solver = Glucose4()
        self.extend(clauses)

    def add(self, clause: Iterable[int]) -> None:
        """One more clause. An empty one makes every question unsatisfiable."""
        self._solver.add_clause(list(clause))

    def extend(self, clauses: Iterable[Iterable[int]]) -> None:
        """More clauses."""
        for clause in clauses:
            self.add(clause)

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Is there a model in which the assumptions are true? They are forgotten after this question."""
        return bool(self._solver.solve(assumptions=list(assumptions)))

    def model(self) -> frozenset[int]:
        """The variables that are true in the model just found; those that it leaves open are not among them."""
        return frozenset(number for number in self._solver.get_model() or () if number > 0)

    def implied(self, assumptions: Iterable[int] = ()) -> frozenset[int]:
        """The literals that follow from the assumptions step by step, without search; not always all that follow."""
        _, literals = self._solver.propagate(assumptions=list(assumptions))
        return frozenset(literals)

    def core(self) -> frozenset[int]:
        """Assumptions that cannot be true together, after an answer of no; not always as few as could be."""
        return frozenset(self._solver.get_core() or ())

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()

    def __enter__(self) -> Solver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
