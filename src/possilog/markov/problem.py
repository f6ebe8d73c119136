"""The ground problem of MAP: atoms to be decided, what each gains by being true, and weighted clauses over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct
from possilog.markov.domain import Numbers

__all__ = ["MapAnswer", "MapProblem", "Weights"]

Weights = npt.NDArray[np.float64]
"""A weight, gain or cost for each of many things."""

_NOTHING = 1e-10
"""A difference in cost that is taken for none: sums of weights are not exact."""


@dataclass(frozen=True, slots=True)
class MapAnswer:
    """Which atoms are true, what that costs, and a bound: no choice costs less. None where there was no time."""

    true: npt.NDArray[np.bool_] | None
    cost: float
    bound: float

    @property
    def is_optimal(self) -> bool:
        """Is it proved to be the best?"""
        return self.true is not None and self.bound >= self.cost


@dataclass(slots=True)
class MapProblem:
    """Decide about atoms 0, 1, ...: the cost is minus the gains of the true ones, plus what the clauses say.

    A violated clause costs its weight: a negative weight pays, and an infinite one forbids. Literals are 2 i for atom i
    and 2 i + 1 for its negation; -1 stands for one that is known to be false. Equal clauses are added up.
    """

    gains: Weights
    constant: float = 0.0
    """The cost of clauses without a literal."""
    is_contradictory: bool = False
    """Is a hard clause without a literal among them?"""
    _parts: dict[int, list[tuple[Numbers, Weights]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, literals: Numbers, weight: float) -> None:
        """Add clauses of one weight, a row each."""
        rows = np.sort(literals, axis=1)
        # A literal twice is a literal; an atom and its negation, which are neighbours now, make the clause true.
        again = (rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] >= 0)
        rows[:, 1:][again] = -1
        rows.sort(axis=1)
        opposite = (rows[:, 1:] == (rows[:, :-1] ^ 1)) & (rows[:, :-1] >= 0)
        rows = rows[~opposite.any(axis=1)]
        lengths = np.count_nonzero(rows >= 0, axis=1)
        for length in distinct(lengths).tolist():
            some = rows[lengths == length][:, rows.shape[1] - length :]
            self._parts[length].append((some, np.full(len(some), weight)))

    def settle(self) -> None:
        """Add up what has no literal or one; hard clauses of one literal stay clauses."""
        for _, weights in self._parts.pop(0, []):
            self.is_contradictory |= bool(np.isinf(weights).any())
            self.constant += float(weights[np.isfinite(weights)].sum())
        for literals, weights in self._parts.pop(1, []):
            hard = np.isinf(weights)
            atoms, signs = literals[:, 0] >> 1, literals[:, 0] & 1
            amounts = np.where(hard, 0.0, weights)
            np.add.at(self.gains, atoms, np.where(signs == 0, amounts, -amounts))
            # A violated positive literal costs its weight, a true one nothing: the gain counts from "false costs".
            self.constant += float(amounts[signs == 0].sum())
            if hard.any():
                self._parts[-1].append((literals[hard], weights[hard]))
        if -1 in self._parts:
            self._parts[1] = self._parts.pop(-1)

    def clauses(self) -> Iterator[tuple[Numbers, Weights]]:
        """The clauses by length, equal ones added up; those that add up to nothing are left out."""
        for _, parts in sorted(self._parts.items()):
            rows, back = np.unique(np.concatenate([rows for rows, _ in parts]), axis=0, return_inverse=True)
            weights = np.zeros(len(rows))
            np.add.at(weights, back.ravel(), np.concatenate([weights for _, weights in parts]))
            yield rows[weights != 0], weights[weights != 0]

    def parts(self, atoms: int) -> Iterator[tuple[Numbers, MapProblem]]:
        """Problems without a common clause that are this one together, and the atoms of each: about so many, or more.

        Atoms that clauses connect stay together. The constant belongs to no part.
        """
        clauses = list(self.clauses())
        group = _groups(len(self.gains), [rows >> 1 for rows, _ in clauses], atoms)
        place = np.empty(len(group), dtype=np.int64)
        for number in distinct(group).tolist():
            own = np.flatnonzero(group == number)
            place[own] = np.arange(len(own))
            part = MapProblem(self.gains[own])
            for rows, weights in clauses:
                inside = group[rows[:, 0] >> 1] == number
                if inside.any():
                    some = rows[inside]
                    part._parts[rows.shape[1]].append((2 * place[some >> 1] + (some & 1), weights[inside]))
            yield own, part

    def trivial_answer(self) -> MapAnswer | None:
        """The answer where there is no clause of several literals, nor a hard one: an atom that gains is true."""
        if self._parts:
            return None
        return self.answer(self.gains > 0)

    def answer(self, true: npt.NDArray[np.bool_], bound: float = np.inf) -> MapAnswer:
        """The answer that makes some atoms true; without a bound it is the best.

        As long as one of them could as well be false, it is: where several choices are best, little is true.
        """
        true = true.copy()
        clauses = list(self.clauses())
        while len(idle := np.flatnonzero(true & (self._losses(true, clauses) <= _NOTHING))):
            true[idle[-1]] = False
        cost = self.cost(true)
        return MapAnswer(true, cost, min(bound, cost))

    def _losses(self, true: npt.NDArray[np.bool_], clauses: list[tuple[Numbers, Weights]]) -> Weights:
        """What it would cost for each true atom if it alone were false."""
        losses = self.gains.copy()
        for rows, weights in clauses:
            holds = true[rows >> 1] != (rows & 1).astype(bool)
            held = np.count_nonzero(holds, axis=1)
            # Clauses that only this atom satisfies would be violated, and violated ones that deny it would not be.
            lone = held == 1
            np.add.at(losses, rows[lone][holds[lone]] >> 1, weights[lone])
            broken = held == 0
            places, denied = np.nonzero(rows[broken] & 1)
            np.add.at(losses, rows[broken][places, denied] >> 1, -weights[broken][places])
        return losses

    def cost(self, true: npt.NDArray[np.bool_]) -> float:
        """What a choice costs; infinite where it violates a hard clause."""
        total = self.constant - float(self.gains[true].sum())
        for rows, weights in self.clauses():
            violated = (true[rows >> 1] == (rows & 1).astype(bool)).all(axis=1)
            total += float(weights[violated].sum())
        return total


def _groups(atoms: int, clauses: list[Numbers], least: int) -> Numbers:
    """A number for each atom, the same for those that clauses connect, and for at least so many where there are."""
    first = np.arange(atoms)
    one = np.concatenate([first[:0], *(rows[:, :1].repeat(rows.shape[1], axis=1).ravel() for rows in clauses)])
    other = np.concatenate([first[:0], *(rows.ravel() for rows in clauses)])
    while len(apart := np.flatnonzero(first[one] != first[other])):
        one, other = first[one[apart]], first[other[apart]]
        np.minimum.at(first, np.maximum(one, other), np.minimum(one, other))
        while (first != first[first]).any():
            first = first[first]
    sizes = np.bincount(first, minlength=atoms)
    return ((np.cumsum(sizes) - sizes) // least)[first]
