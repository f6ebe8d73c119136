"""MAP: the most probable world given evidence, exactly, by cutting planes (Riedel, UAI 2008).

Objective: the sum of the weights of the satisfied ground clauses, Σ w_i n_i(x). Known are the atoms of the evidence,
and that atoms of closed predicates are false unless given. Of the unknown atoms only *active* ones are put to the
solver; all others are false. Why the answer is exact nevertheless:

- A ground clause of positive weight, or a hard one, is left out until a solution violates it; then it is put to the
  solver and its unknown atoms become active. Without them solutions look better than they are, never worse.
- A ground clause of negative weight pays when all its literals are false, so when all atoms of its body are true. It
  is put to the solver as soon as all of these are given or active; before, it cannot pay.
- An unknown atom is active from the beginning if it might pay that it is true: if the unit clauses about it and all the
  clauses of negative weight that have it in the body and could pay give a positive sum. So atoms that are not active
  cannot make up for what they cost, together or alone, unless a clause left out is violated without them.

If the best solution of such a problem violates no clause that was left out, no world is better.

Small problems are ground at once: their clauses together cost the solver less than many rounds would.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from possilog.data import Database, Evidence
from possilog.data.rows import distinct
from possilog.deadline import Deadline
from possilog.errors import QueryError, shortened
from possilog.files import AnyPath
from possilog.logic import Atom, Literal
from possilog.markov.domain import Domain, Numbers, consistent
from possilog.markov.elimination import solve_narrow
from possilog.markov.grounding import AtomSet, CodedClause, Groundings, match, row_codes
from possilog.markov.highs import load_highs, solve_highs
from possilog.markov.network import Network, require_weights
from possilog.markov.problem import MapAnswer, MapProblem
from possilog.markov.question import Question
from possilog.markov.rc2 import solve_rc2
from possilog.requiring import require_kind, require_single

__all__ = ["MapSolver", "MapState", "map_state"]


class MapSolver(StrEnum):
    """Who solves the ground problems."""

    AUTO = "auto"
    """Elimination where the problem is narrow, and else HiGHS."""
    HIGHS = "highs"
    RC2 = "rc2"


Solve = Callable[[MapProblem, float | None], MapAnswer | None]
"""Decides about a problem in some seconds."""

PART_ATOMS = 2_000
"""Atoms that the solver is given at a time, unless clauses connect more."""

MAX_AT_ONCE = 5_000
"""A problem of this many groundings is given to the solver at once."""


def _solve_auto(problem: MapProblem, seconds: float | None) -> MapAnswer | None:
    answer = solve_narrow(problem) if seconds is None or seconds > 0 else None
    return answer or solve_highs(problem, seconds)


def solve_in_parts(problem: MapProblem, solve: Solve, stop: Deadline) -> MapAnswer | None:
    """Decide about what no clause connects part by part: a large program takes more than its share of the time."""
    true: npt.NDArray[np.bool_] | None = np.zeros(len(problem.gains), dtype=bool)
    cost = bound = problem.constant
    for atoms, part in problem.parts(PART_ATOMS):
        answer = part.trivial_answer() or solve(part, stop.left)
        if answer is None:
            return None
        cost, bound = cost + answer.cost, bound + answer.bound
        if true is None or answer.true is None:
            true = None
        else:
            true[atoms] = answer.true
    return MapAnswer(true, cost, bound)


_SOLVERS: dict[MapSolver, Solve] = {
    MapSolver.AUTO: _solve_auto,
    MapSolver.HIGHS: solve_highs,
    MapSolver.RC2: solve_rc2,
}


@dataclass(frozen=True, slots=True)
class MapState:
    """The most probable world: the evidence, and what is true beyond it. It prints as the command line shows it."""

    evidence: Evidence
    predicted: tuple[Atom, ...]
    """The true atoms that the evidence does not give."""
    objective: float
    """The sum of the weights of the satisfied ground clauses."""
    bound: float
    """No world has a larger objective."""
    optimal: bool
    rounds: int
    active: int
    """How many atoms the solver decided about in the last round."""
    clauses: int
    """How many ground clauses it was given in the last round, equal ones added up."""
    grounding_seconds: float
    solving_seconds: float

    @property
    def seconds(self) -> float:
        """All the time it took."""
        return self.grounding_seconds + self.solving_seconds

    @property
    def gap(self) -> float:
        """How much better another world may be."""
        return 0.0 if self.optimal else self.bound - self.objective

    @property
    def facts(self) -> Database:
        """All true atoms as a database."""
        return self.evidence.facts | Database.of(self.predicted)

    def __str__(self) -> str:
        quality = "the best" if self.optimal else f"at most {self.gap:g} below the best"
        counts = f"{len(self.predicted)} predicted, {len(self.evidence.facts)} given"
        lines = [f"  {atom.as_fact}" for atom in self.predicted]
        return "\n".join([*lines, f"{counts}; objective {self.objective:g}, {quality}"])

    def __repr__(self) -> str:
        quality = "optimal" if self.optimal else f"gap {self.gap:g}"
        return f"<MapState: {len(self.predicted):,} predicted, objective {self.objective:g}, {quality}>"

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog markov map --json`` prints."""
        atoms = [{"atom": atom.as_fact, "given": True} for atom in self.evidence.facts]
        atoms += [{"atom": atom.as_fact, "given": False} for atom in self.predicted]
        return {
            "optimal": self.optimal,
            "objective": self.objective,
            "gap": self.gap if math.isfinite(self.gap) else None,
            "seconds": self.seconds,
            "grounding_seconds": self.grounding_seconds,
            "solving_seconds": self.solving_seconds,
            "rounds": self.rounds,
            "active_atoms": self.active,
            "ground_clauses": self.clauses,
            "predicted": atoms,
        }


def map_state(
    network: Network,
    evidence: Evidence | Database | AnyPath | Iterable[Atom | Literal | str] | None = None,
    *,
    domain: Domain | None = None,
    closed: Iterable[str] = (),
    solver: MapSolver | str = MapSolver.AUTO,
    time_limit: float | None = None,
) -> MapState:
    """Find the most probable world given evidence.

    ``closed`` names predicates of which everything is known: what the evidence does not state is false. The domain is
    made of the constants of the network and of the evidence, unless it is given. Where several worlds are best, it is
    one in which no predicted atom could as well be false; between such the solver chooses, always in the same way.

    >>> from possilog.logic import parse_atom
    >>> from possilog.markov import parse_mln
    >>> network = parse_mln('''
    ...     Smokes(person)
    ...     Friends(person, person)
    ...     -1 Smokes(x)
    ...     1.5 Smokes(x) ^ Friends(x, y) => Smokes(y)
    ... ''')
    >>> facts = Database.of(map(parse_atom, ["Smokes(Anna)", "Friends(Anna, Bob)", "Friends(Bob, Anna)"]))
    >>> state = map_state(network, facts)
    >>> state.optimal, [str(atom) for atom in state.predicted], state.objective
    (True, ['Smokes("Bob")'], 4.0)
    """
    began = time.perf_counter()
    require_weights(network)
    known = consistent(evidence)
    stop = Deadline(time_limit)
    if time_limit is not None and not time_limit > 0:
        raise QueryError(f"the time limit is {time_limit} seconds; give it more than 0")
    require_kind("the constants by type", domain, Domain)
    require_kind("the closed predicates", closed, Iterable)
    require_single(solver=solver)
    if solver not in list(MapSolver):
        raise QueryError(f"there is no solver {solver!r}; take {', '.join(list(MapSolver)[:-1])} or {MapSolver.RC2}")
    if solver != MapSolver.RC2:
        load_highs()  # if it is not there, this is said now, and not only where a question needs it
    question = Question(network, known, domain or Domain.of(network, known), closed)
    return _CuttingPlanes(question).run(_SOLVERS[MapSolver(solver)], began, stop)


class _CuttingPlanes:
    """One question, and which atoms and groundings the solver has been given."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.domain = question.domain
        self.grounded = [np.zeros((0, len(clause.sizes)), dtype=np.int64) for clause in question.penalties]
        self.active = AtomSet(question.domain, question.paying())
        clauses = (*question.penalties, *question.rewards)
        self.whole = sum(math.prod(clause.sizes) for clause in clauses) <= MAX_AT_ONCE
        """Has the solver all groundings that can be violated?"""
        if self.whole:
            self._add([self._undecided(clause) for clause in question.penalties])

    def run(self, solve: Solve, began: float, stop: Deadline) -> MapState:
        """Solve, add what the solution violates, and again, until it violates nothing new or time is up."""
        best: tuple[float, Numbers] | None = None
        ceiling, solving, rounds, settled, late = math.inf, 0.0, 0, False, False
        while not settled and not late:
            rounds += 1
            problem = self._problem()
            asked = time.perf_counter()
            answer = solve_in_parts(problem, solve, stop)
            solving += time.perf_counter() - asked
            if answer is None or problem.is_contradictory:
                raise QueryError(self._contradiction(problem))
            late = not answer.is_optimal or stop()
            if answer.true is not None:
                chosen = self.active.numbers[answer.true]
                state = self.question.true.union(chosen)
                violated = self._violated(state)
                objective = self.question.objective(state)
                ceiling = min(ceiling, objective + answer.cost - answer.bound + self._soft_weight(violated))
                settled = answer.is_optimal and not any(map(len, violated))
                if settled or (not self._is_hard(violated) and (best is None or objective > best[0])):
                    best = objective, chosen
                decided, given = len(self.active.numbers), sum(len(rows) for rows, _ in problem.clauses())
                self._add(violated)
        if best is None:
            raise QueryError("no world that keeps the hard formulas was found in time; give it more")
        objective, chosen = best
        return MapState(
            evidence=self.question.evidence,
            predicted=tuple(self.domain.atoms_numbered(chosen)),
            objective=objective,
            bound=objective if settled else max(ceiling, objective),
            optimal=settled,
            rounds=rounds,
            active=decided,
            clauses=given,
            grounding_seconds=time.perf_counter() - began - solving,
            solving_seconds=solving,
        )

    def _problem(self) -> MapProblem:
        """The problem of the active atoms, with the groundings found so far and all rewards that they make possible."""
        active = self.active
        parts = [
            self.question.gains_of(predicate, active.numbers_of(predicate)) for predicate in self.domain.declarations
        ]
        problem = MapProblem(np.concatenate([np.zeros(0), *parts]))
        for clause, rows in zip(self.question.penalties, self.grounded, strict=True):
            problem.add(self._literals(Groundings.of(self.domain, clause, rows)), clause.weight)
        possible = self.question.true.union(active.numbers)
        for clause in self.question.rewards:
            for place, (anchor, _) in enumerate(clause.literals):
                if not len(active.numbers_of(anchor.predicate)):
                    continue
                # Each grounding with an active atom once: by its first literal that has one.
                earlier = [(pattern, active) for pattern, _ in clause.literals[:place]]
                others = [pair for i, pair in enumerate(clause.literals) if i != place]
                body = [(pattern, possible) for pattern, positive in others if not positive]
                head = [(pattern, self.question.true) for pattern, positive in others if positive]
                found = match(self.domain, clause, [(anchor, active), *body], [*head, *earlier])
                problem.add(self._literals(found), clause.weight)
        problem.settle()
        return problem

    def _literals(self, found: Groundings) -> Numbers:
        """The literals of groundings as the problem writes them; those without an active atom are known to be false."""
        numbers = self.active.numbers
        columns = [np.zeros((found.count, 0), dtype=np.int64)]
        for pattern, positive in found.clause.literals:
            atoms = found.atoms(pattern)
            literals = 2 * np.searchsorted(numbers, atoms) + (not positive)
            columns.append(np.where(self.active.has(atoms), literals, -1)[:, None])
        return np.hstack(columns)

    def _violated(self, state: AtomSet) -> list[Numbers]:
        """For each penalty the groundings that a state violates and the solver has not been given."""
        if self.whole:
            return [rows[:0] for rows in self.grounded]
        fresh = []
        for clause, old in zip(self.question.penalties, self.grounded, strict=True):
            body, head = [(p, state) for p in clause.body], [(p, state) for p in clause.head]
            rows = match(self.domain, clause, body, head).rows()
            codes = row_codes(np.concatenate([old, rows]), clause.sizes)
            fresh.append(rows[~np.isin(codes[len(old) :], codes[: len(old)])])
        return fresh

    def _undecided(self, clause: CodedClause) -> Numbers:
        """The groundings of a clause that what is known does not satisfy."""
        found = match(self.domain, clause, absent=[(pattern, self.question.true) for pattern in clause.head])
        for pattern in clause.body:
            possible = self.question.possible(pattern.predicate, found.atoms(pattern))
            found.keep(possible, int(np.count_nonzero(possible)))
        return found.rows()

    def _soft_weight(self, violated: list[Numbers]) -> float:
        pairs = zip(self.question.penalties, violated, strict=True)
        return sum(clause.weight * len(rows) for clause, rows in pairs if not clause.source.is_hard)

    def _is_hard(self, violated: list[Numbers]) -> bool:
        return any(len(rows) and c.source.is_hard for c, rows in zip(self.question.penalties, violated, strict=True))

    def _add(self, violated: list[Numbers]) -> None:
        """Give the solver these groundings from now on, and let their unknown atoms be active."""
        atoms = [np.zeros(0, dtype=np.int64)]
        for place, (clause, rows) in enumerate(zip(self.question.penalties, violated, strict=True)):
            if len(rows):
                self.grounded[place] = np.concatenate([self.grounded[place], rows])
                found = Groundings.of(self.domain, clause, rows)
                atoms += [
                    self.question.unknown(pattern.predicate, found.atoms(pattern)) for pattern, _ in clause.literals
                ]
        self.active = self.active.union(distinct(np.concatenate(atoms)))

    def _contradiction(self, problem: MapProblem) -> str:
        """What to say when no world keeps the hard formulas."""
        if problem.is_contradictory:
            for clause, rows in zip(self.question.penalties, self.grounded, strict=True):
                found = Groundings.of(self.domain, clause, rows)
                if clause.source.is_hard and (self._literals(found) < 0).all(axis=1).any():
                    return f"the evidence contradicts the hard formula '{shortened(clause.source)}'; change one of them"
        return "no world keeps all hard formulas with this evidence; change the evidence or the formulas"
