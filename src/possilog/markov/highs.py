"""MAP as an integer program, solved by HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np

from possilog.errors import MissingPart
from possilog.markov.domain import Numbers
from possilog.markov.problem import MapAnswer, MapProblem, Weights

__all__ = ["load_highs", "solve_highs"]

_TOLERANCE = 1e-9


def solve_highs(problem: MapProblem, seconds: float | None) -> MapAnswer | None:
    """Decide about the atoms; None where hard clauses contradict each other.

    Atoms are columns that are 0 or 1. A clause of positive weight has a column for being violated, which pays for the
    missing literal; one of negative weight has a column that may be 1 only if every literal is false. These columns
    need not be integers: whatever the atoms are, their best values are 0 or 1.
    """
    model = _Model(problem)
    highs = load_highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", _TOLERANCE)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance"):
        highs.setOptionValue(name, _TOLERANCE)
    if seconds is not None:
        highs.setOptionValue("time_limit", max(seconds, 0.0))
    model.pass_to(highs)
    highs.run()
    status = highs.modelStatusToString(highs.getModelStatus())
    if status == "Infeasible":
        return None
    info = highs.getInfo()
    bound = problem.constant + max(float(info.mip_dual_bound), model.least)
    values = np.array(highs.getSolution().col_value[: len(problem.gains)])
    if info.primal_solution_status != 2 or len(values) < len(problem.gains):
        return MapAnswer(None, np.inf, bound)
    return problem.answer(values > 0.5, np.inf if status == "Optimal" else bound)


def load_highs() -> Any:
    """A fresh solver."""
    try:
        import highspy
    except ImportError:
        raise MissingPart(
            "highspy is not installed, and MAP by an integer program needs it; pip install 'possilog[markov]', "
            "or take the solver rc2"
        ) from None
    return highspy.Highs()  # type: ignore[no-untyped-call]


class _Model:
    """The rows and columns of the program, row by row."""

    def __init__(self, problem: MapProblem) -> None:
        self.costs = [-problem.gains]
        self.columns = len(problem.gains)
        self.atoms = len(problem.gains)
        self.starts: list[Numbers] = [np.zeros(1, dtype=np.int64)]
        self.indices: list[Numbers] = []
        self.values: list[Weights] = []
        self.lower: list[Weights] = []
        self.entries = 0
        for rows, weights in problem.clauses():
            hard, soft, paying = np.isinf(weights), np.isfinite(weights) & (weights > 0), weights < 0
            self._add_hard(rows[hard])
            self._add_soft(rows[soft], weights[soft])
            self._add_paying(rows[paying], weights[paying])
        self.least = float(sum(np.minimum(costs, 0).sum() for costs in self.costs))

    def _add_hard(self, rows: Numbers) -> None:
        """Some literal is true: Σ x + Σ (1 - x) >= 1."""
        signs = _signs(rows)
        self._add(rows >> 1, signs, (1 - (rows & 1).sum(axis=1)).astype(np.float64))

    def _add_soft(self, rows: Numbers, weights: Weights) -> None:
        """Some literal is true, or the clause's column pays."""
        own = self.columns + np.arange(len(rows))[:, None]
        signs = np.hstack([_signs(rows), np.ones((len(rows), 1))])
        self._add(np.hstack([rows >> 1, own]), signs, (1 - (rows & 1).sum(axis=1)).astype(np.float64))
        self._add_columns(weights)

    def _add_paying(self, rows: Numbers, weights: Weights) -> None:
        """The clause's column is at most the falsity of each literal: 1 - x or x."""
        count, length = rows.shape
        own = np.repeat(self.columns + np.arange(count), length)
        flat = rows.reshape(-1)
        # literal x: own <= 1 - x, so -own - x >= -1; literal not x: own <= x, so x - own >= 0.
        signs = np.stack([-_signs(flat), -np.ones(len(flat))], axis=1)
        self._add(np.stack([flat >> 1, own], axis=1), signs, ((flat & 1) - 1).astype(np.float64))
        self._add_columns(weights)

    def _add_columns(self, costs: Weights) -> None:
        self.costs.append(costs)
        self.columns += len(costs)

    def _add(self, indices: Numbers, values: Weights, lower: Weights) -> None:
        count, length = indices.shape
        self.starts.append(self.entries + length * np.arange(1, count + 1))
        self.indices.append(indices.reshape(-1))
        self.values.append(values.reshape(-1))
        self.lower.append(lower)
        self.entries += count * length

    def pass_to(self, highs: Any) -> None:
        """Hand the program over."""
        lower = np.concatenate([np.zeros(0), *self.lower])
        integers = np.zeros(self.columns, dtype=np.int32)
        integers[: self.atoms] = 1
        highs.passModel(
            self.columns,
            len(lower),
            self.entries,
            0,
            2,  # row by row
            0,
            1,  # minimise
            0.0,
            np.concatenate(self.costs),
            np.zeros(self.columns),
            np.ones(self.columns),
            lower,
            np.full(len(lower), np.inf),
            np.concatenate(self.starts)[:-1].astype(np.int32) if len(lower) else np.zeros(0, dtype=np.int32),
            np.concatenate([np.zeros(0, dtype=np.int64), *self.indices]).astype(np.int32),
            np.concatenate([np.zeros(0), *self.values]),
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0),
            integers,
        )


def _signs(literals: Numbers) -> Weights:
    """1 for a positive literal, -1 for a negated one."""
    return (1 - 2 * (literals & 1)).astype(np.float64)
