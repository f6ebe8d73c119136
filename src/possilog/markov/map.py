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
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Atom, Predicate
from possilog.markov.cnf import weighted_clauses
from possilog.markov.domain import Domain, Evidence, Numbers
from possilog.markov.grounding import (
    MAX_ROWS,
    AtomSet,
    CodedClause,
    Groundings,
    Pattern,
    code,
    free_groundings,
    match,
    row_codes,
)
from possilog.markov.highs import load_highs, solve_highs
from possilog.markov.network import Network, require_weights
from possilog.markov.problem import Answer, Problem, Weights
from possilog.markov.rc2 import solve_rc2

__all__ = ["MapState", "Solver", "map_state"]


class Solver(StrEnum):
    """Who solves the ground problems."""

    HIGHS = "highs"
    RC2 = "rc2"


_SOLVERS: dict[Solver, Callable[[Problem, float | None], Answer | None]] = {
    Solver.HIGHS: solve_highs,
    Solver.RC2: solve_rc2,
}


@dataclass(frozen=True, slots=True)
class MapState:
    """The most probable world: the evidence, and what is true beyond it."""

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


def map_state(
    network: Network,
    evidence: Evidence | Database | None = None,
    *,
    domain: Domain | None = None,
    closed: Iterable[str] = (),
    solver: Solver | str = Solver.HIGHS,
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
    known = evidence if isinstance(evidence, Evidence) else Evidence() if evidence is None else Evidence(evidence)
    if time_limit is not None and not time_limit > 0:
        raise QueryError(f"the time limit is {time_limit} seconds; give it more than 0")
    if Solver(solver) is Solver.HIGHS:
        load_highs()  # if it is not there, this is said now, and not only where a question needs it
    require_weights(network)
    planes = _CuttingPlanes(network, known, domain or Domain.of(network, known), closed)
    return planes.run(_SOLVERS[Solver(solver)], began, time_limit)


class _CuttingPlanes:
    """One question: what is known, the clauses by kind, and which atoms and groundings the solver has been given."""

    def __init__(self, network: Network, evidence: Evidence, domain: Domain, closed: Iterable[str]) -> None:
        self.domain = domain
        self.evidence = evidence
        self.true = AtomSet(domain, domain.facts(evidence.facts))
        self.false = AtomSet(domain, domain.listed(evidence.negated))
        self.closed = self._closed(closed)
        clauses = [(clause, code(clause, domain)) for clause in weighted_clauses(network, domain) if clause.weight != 0]
        coded = [one for _, one in clauses if one is not None]
        always = (clause for clause, one in clauses if one is None and not clause.is_hard)
        self.certain = sum(clause.weight * clause.groundings(domain) for clause in always)
        # A clause of one literal is a gain or a loss of each instance, and is never grounded.
        self.units = [clause for clause in coded if _is_unit(clause)]
        self.penalties = [clause for clause in coded if clause.weight > 0 and not _is_unit(clause)]
        self.rewards = [clause for clause in coded if clause.weight < 0 and not _is_unit(clause)]
        self.grounded = [np.zeros((0, len(clause.sizes)), dtype=np.int64) for clause in self.penalties]
        self.active = AtomSet(domain, self._paying())

    def _closed(self, names: Iterable[str]) -> frozenset[Predicate]:
        declared = {predicate.name: predicate for predicate in self.domain.declarations}
        wanted = list(names)
        for name in wanted:
            if name not in declared:
                raise QueryError(f"the network declares no predicate {name!r} that could be closed; check its spelling")
        return frozenset(declared[name] for name in wanted)

    # Which atoms may pay

    def _paying(self) -> Numbers:
        """The unknown atoms that might pay that they are true, for what unit clauses and rewards say.

        A predicate none of whose atoms may pay, and which no clause can demand, is shut: only its given atoms are true.
        That makes fewer rewards possible, so that more predicates may be shut.
        """
        demanded = {pattern.predicate for clause in self.penalties for pattern in clause.head}
        shut = set(self.closed)
        while True:
            found = {p: self._paying_of(p, shut) for p in self.domain.declarations if p not in self.closed}
            more = {p for p, numbers in found.items() if not len(numbers) and p not in demanded}
            if more <= shut:
                return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found.values()]))
            shut |= more

    def _paying_of(self, predicate: Predicate, shut: set[Predicate]) -> Numbers:
        """The unknown atoms of a predicate that might pay."""
        general, special = self._rewards_of(predicate, shut)
        base = general
        for clause in self.units:
            pattern, gain = clause.literals[0][0], _gain(clause)
            if pattern.predicate != predicate:
                continue
            if pattern.is_general:
                base += gain
            elif gain > 0:
                instances = match(self.domain, clause).atoms(pattern)
                special.append((instances, np.zeros(len(instances))))
        if base > 0:
            low, high = self.domain.span(predicate)
            if high - low > MAX_ROWS:
                raise QueryError(
                    f"any of the {high - low:,} atoms of {predicate} may pay, and {MAX_ROWS:,} can be decided about; "
                    "take fewer constants, or declare the predicate as closed"
                )
            numbers = np.arange(low, high)
        else:
            numbers = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(some for some, _ in special)]))
        numbers = self._unknown(predicate, numbers)
        bounds = self._gains_of(predicate, numbers) + general
        for some, amounts in special:
            places = np.searchsorted(numbers, some)
            inside = places < len(numbers)
            inside[inside] = numbers[places[inside]] == some[inside]
            np.add.at(bounds, places[inside], amounts[inside])
        return numbers[bounds > 0]

    def _rewards_of(self, predicate: Predicate, shut: set[Predicate]) -> tuple[float, list[tuple[Numbers, Weights]]]:
        """What clauses of negative weight may pay for an atom: for any of the predicate, and for some besides."""
        general, special = 0.0, []
        for clause in self.rewards:
            for place, pattern in enumerate(clause.body):
                if pattern.predicate != predicate:
                    continue
                others = [p for i, p in enumerate(clause.body) if i != place and p.predicate in shut]
                if pattern.is_general and not others:
                    general -= clause.weight * free_groundings(clause, pattern.variables)
                    continue
                found = match(self.domain, clause, [(p, self.true) for p in others], needed=pattern.variables)
                amount = -clause.weight * free_groundings(clause, found.columns)
                special.append((found.atoms(pattern), np.full(found.count, amount)))
        return general, special

    def _unknown(self, predicate: Predicate, numbers: Numbers) -> Numbers:
        if predicate in self.closed:
            return numbers[:0]
        return numbers[~(self.true.has(numbers) | self.false.has(numbers))]

    def _gains_of(self, predicate: Predicate, numbers: Numbers) -> Weights:
        """What unit clauses say for the truth of some atoms of a predicate."""
        gains = np.zeros(len(numbers))
        columns = self.domain.columns(predicate, numbers)
        for clause in self.units:
            pattern = clause.literals[0][0]
            if pattern.predicate == predicate:
                fits = pattern.instances(columns)
                gains[slice(None) if fits is None else fits] += _gain(clause)
        return gains

    # Rounds

    def run(
        self, solve: Callable[[Problem, float | None], Answer | None], began: float, time_limit: float | None
    ) -> MapState:
        """Solve, add what the solution violates, and again, until it violates nothing new or time is up."""
        best: tuple[float, Numbers] | None = None
        ceiling, solving, rounds, settled, late = math.inf, 0.0, 0, False, False
        while not settled and not late:
            rounds += 1
            problem = self._problem()
            asked = time.perf_counter()
            left = None if time_limit is None else began + time_limit - asked
            answer = problem.trivial_answer() or solve(problem, left)
            solving += time.perf_counter() - asked
            if answer is None or problem.is_contradictory:
                raise QueryError(self._contradiction(problem))
            late = not answer.is_optimal or (time_limit is not None and time.perf_counter() - began >= time_limit)
            if answer.true is not None:
                chosen = self.active.numbers[answer.true]
                state = self.true.union(chosen)
                violated = self._violated(state)
                objective = self._objective(state)
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
            evidence=self.evidence,
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

    def _problem(self) -> Problem:
        """The problem of the active atoms, with the groundings found so far and all rewards that they make possible."""
        active = self.active
        parts = [self._gains_of(predicate, active.of(predicate)) for predicate in self.domain.declarations]
        problem = Problem(np.concatenate([np.zeros(0), *parts]))
        for clause, rows in zip(self.penalties, self.grounded, strict=True):
            problem.add(self._literals(Groundings.of(self.domain, clause, rows)), clause.weight)
        possible = self.true.union(active.numbers)
        for clause in self.rewards:
            for place, (anchor, _) in enumerate(clause.literals):
                if not len(active.of(anchor.predicate)):
                    continue
                # Each grounding with an active atom once: by its first literal that has one.
                earlier = [(pattern, active) for pattern, _ in clause.literals[:place]]
                others = [pair for i, pair in enumerate(clause.literals) if i != place]
                body = [(pattern, possible) for pattern, positive in others if not positive]
                head = [(pattern, self.true) for pattern, positive in others if positive]
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
        fresh = []
        for clause, old in zip(self.penalties, self.grounded, strict=True):
            body, head = [(p, state) for p in clause.body], [(p, state) for p in clause.head]
            rows = match(self.domain, clause, body, head).rows()
            codes = row_codes(np.concatenate([old, rows]), clause.sizes)
            fresh.append(rows[~np.isin(codes[len(old) :], codes[: len(old)])])
        return fresh

    def _soft_weight(self, violated: list[Numbers]) -> float:
        pairs = zip(self.penalties, violated, strict=True)
        return sum(clause.weight * len(rows) for clause, rows in pairs if not clause.source.is_hard)

    def _is_hard(self, violated: list[Numbers]) -> bool:
        return any(len(rows) and c.source.is_hard for c, rows in zip(self.penalties, violated, strict=True))

    def _add(self, violated: list[Numbers]) -> None:
        """Give the solver these groundings from now on, and let their unknown atoms be active."""
        atoms = [np.zeros(0, dtype=np.int64)]
        for place, (clause, rows) in enumerate(zip(self.penalties, violated, strict=True)):
            if len(rows):
                self.grounded[place] = np.concatenate([self.grounded[place], rows])
                found = Groundings.of(self.domain, clause, rows)
                atoms += [self._unknown(pattern.predicate, found.atoms(pattern)) for pattern, _ in clause.literals]
        self.active = self.active.union(np.unique(np.concatenate(atoms)))

    def _contradiction(self, problem: Problem) -> str:
        """What to say when no world keeps the hard formulas."""
        if problem.is_contradictory:
            for clause, rows in zip(self.penalties, self.grounded, strict=True):
                found = Groundings.of(self.domain, clause, rows)
                if clause.source.is_hard and (self._literals(found) < 0).all(axis=1).any():
                    return f"the evidence contradicts the hard formula {clause.source}; change one of them"
        return "no world keeps all hard formulas with this evidence; change the evidence or the formulas"

    # What a state is worth

    def _objective(self, state: AtomSet) -> float:
        """The sum of the weights of the ground clauses that a state satisfies; hard ones do not count."""
        total = float(self.certain)
        for clause in self.units:
            pattern, positive = clause.literals[0]
            fits = pattern.instances(state.columns(pattern.predicate))
            true = len(state.of(pattern.predicate)) if fits is None else int(np.count_nonzero(fits))
            total += clause.weight * (true if positive else clause.source.groundings(self.domain) - true)
        for clause in (*self.penalties, *self.rewards):
            if not clause.source.is_hard:
                total += clause.weight * (clause.source.groundings(self.domain) - self._violations(clause, state))
        return total

    def _violations(self, clause: CodedClause, state: AtomSet) -> int:
        """How many groundings of a clause a state violates."""
        head = [(pattern, state) for pattern in clause.head]
        if clause.body:
            return self._count(clause, [(pattern, state) for pattern in clause.body], head)
        # Without a body nearly all groundings may be violated: count the others, by their first true atom.
        satisfied = (self._count(clause, [head[place]], head[:place]) for place in range(len(head)))
        return self._count(clause, [], []) - sum(satisfied)

    def _count(
        self, clause: CodedClause, present: list[tuple[Pattern, AtomSet]], absent: list[tuple[Pattern, AtomSet]]
    ) -> int:
        found = match(self.domain, clause, present, absent, needed=())
        return found.count * free_groundings(clause, found.columns)


def _is_unit(clause: CodedClause) -> bool:
    """Is it soft and about one atom, with no variable but the atom's?"""
    return (
        not clause.source.is_hard
        and len(clause.literals) == 1
        and not clause.distinct
        and len(clause.literals[0][0].variables) == len(clause.source.types)
    )


def _gain(clause: CodedClause) -> float:
    """What an instance of a unit clause's atom gains by being true."""
    return clause.weight if clause.literals[0][1] else -clause.weight
