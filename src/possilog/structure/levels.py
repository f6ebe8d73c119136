"""Level by level, the clauses that have no counterexample: those with one literal, with two, and so on.

A clause that holds is never extended, since it subsumes every extension. So the candidates of the next level are the
clauses all of whose parts with one literal less fail (section Structure Learning, Constructing Training Examples).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from possilog.data.database import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.logic import Clause, Variable
from possilog.logic.canonical_forms import readable, variable_name
from possilog.matching import Matcher
from possilog.progress import Progress, Step
from possilog.structure.candidates import candidates
from possilog.structure.clause_space import ClauseSpace, Keys, Numbers
from possilog.structure.pool import Pool

__all__ = ["ClauseLevel", "ClauseLevels"]

_BATCH = 64
"""Candidates that are checked exactly before the pool, with their counterexamples, looks at the others again."""


@dataclass(frozen=True, slots=True)
class ClauseLevel:
    """What became of the clauses of one number of literals, up to isomorphism.

    The candidates are those that no rule with fewer literals subsumes. The pool refuted most, the others were checked
    exactly; of these some hold.
    """

    literals: int
    only_unary: bool
    """Clauses of unary literals over one variable, or all clauses?"""
    candidates: int = 0
    checked: int = 0
    holding: int = 0
    share: float = 0.0
    """How much of the level was searched: 1 if all of it."""

    @property
    def refuted(self) -> int:
        """How many candidates the pool refuted."""
        return self.candidates - self.checked


class ClauseLevels:
    """The search through one space of clauses. ``holding`` has the clauses without a counterexample."""

    def __init__(
        self,
        database: Database,
        space: ClauseSpace,
        rng: np.random.Generator,
        stop: Deadline = NEVER,
    ) -> None:
        """Begin with the empty clause, which always fails; ``stop`` says how much may be prepared."""
        self.holding: list[Clause] = []
        self._matcher = Matcher(database)
        self.literals = space.literals
        """How many levels there are."""
        self._space = space
        self._pool = Pool(database, space, rng, stop)
        self._variables = [Variable(variable_name(number)) for number in range(space.variables)]
        self._failing: Keys = np.zeros(1, dtype=np.int64)

    def search(self, literals: int, stop: Deadline, progress: Progress) -> ClauseLevel:
        """Search one level, when those before it have been searched, or as much of it as there is time for."""
        level = ClauseLevel(literals, only_unary=False)
        if stop():
            return level
        last = literals == self._space.literals  # nobody asks for its failures
        failing = [np.empty(0, dtype=np.int64)]
        for keys, share in candidates(self._space, self._failing, literals):
            clauses = self._space.clauses(keys, literals)
            checked, holding, left = self._sift(clauses, stop)
            if not last:
                failing.append(np.delete(keys, holding))
            level = replace(
                level,
                candidates=level.candidates + len(keys) - left,
                checked=level.checked + checked,
                holding=level.holding + len(holding),
                share=level.share + (share - level.share) * (1 - left / max(1, len(keys))),
            )
            progress(Step("hard rules", doing=f"{level.share:.0%} of {level.literals} literals"))
            if stop():
                break
        else:
            level = replace(level, share=1.0)
        self._failing = np.sort(np.concatenate(failing))
        return level

    def _sift(self, clauses: Numbers, stop: Deadline) -> tuple[int, list[int], int]:
        """How many clauses were checked exactly, which of them hold, and for how many there was no time."""
        suspects = np.flatnonzero(~self._pool.refutes(clauses))
        checked = 0
        holding: list[int] = []
        while len(suspects) and not stop():
            rows = []
            for suspect in suspects[:_BATCH].tolist():
                if stop():
                    return checked, holding, len(suspects)
                try:
                    row = self._counterexample(clauses[suspect], stop)
                except OutOfTime:
                    return checked, holding, len(suspects)
                checked += 1
                suspects = suspects[1:]
                if row is None:
                    holding.append(suspect)
                    self.holding.append(readable(self._space.clause(clauses[suspect])))
                else:
                    rows.append(row + [-1] * (len(self._variables) - len(row)))
            if rows:
                self._pool.add(np.array(rows, dtype=np.int32))
                suspects = suspects[~self._pool.refutes(clauses[suspects], newest=True)]
        return checked, holding, len(suspects)

    def _counterexample(self, numbers: Numbers, stop: Deadline) -> list[int] | None:
        """Constants for the clause's variables under which it fails; OutOfTime if that is not found out in time."""
        query = self._space.clause(numbers).violation
        variables = self._variables[: len(query.variables)]
        for rows in self._matcher.projection_rows(query, variables, limit=1):
            for row in rows.tolist():
                return list(row)
            stop.check()
        return None
