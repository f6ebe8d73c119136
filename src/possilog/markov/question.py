"""A question of MAP: what is known, the clauses by kind, which atoms may pay, and what a state is worth."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from possilog.data import Evidence
from possilog.data.rows import distinct
from possilog.errors import QueryError
from possilog.logic import Predicate
from possilog.markov.cnf import weighted_clauses
from possilog.markov.domain import Domain, Numbers
from possilog.markov.grounding import MAX_ROWS, AtomPattern, AtomSet, CodedClause, code, free_groundings, match
from possilog.markov.network import Network
from possilog.markov.problem import Weights

__all__ = ["Question"]


class Question:
    """What is known, and the clauses: single literals, penalties for being violated, and rewards for it."""

    def __init__(self, network: Network, evidence: Evidence, domain: Domain, closed: Iterable[str]) -> None:
        """Take what is asked; ``closed`` names predicates of which everything is known."""
        self.domain = domain
        self.evidence = evidence
        self.true = AtomSet(domain, domain.facts(evidence.facts))
        self.false = AtomSet(domain, domain.listed(evidence.denied))
        self.closed = self._named(closed)
        clauses = [(clause, code(clause, domain)) for clause in weighted_clauses(network, domain) if clause.weight != 0]
        coded = [one for _, one in clauses if one is not None]
        always = (clause for clause, one in clauses if one is None and not clause.is_hard)
        self.certain = sum(clause.weight * clause.groundings(domain) for clause in always)
        # A clause of one literal is a gain or a loss of each instance, and is never grounded.
        self.units = [clause for clause in coded if _is_unit(clause)]
        self.penalties = [clause for clause in coded if clause.weight > 0 and not _is_unit(clause)]
        self.rewards = [clause for clause in coded if clause.weight < 0 and not _is_unit(clause)]

    def _named(self, names: Iterable[str]) -> frozenset[Predicate]:
        declared = {predicate.name: predicate for predicate in self.domain.declarations}
        wanted = [names] if isinstance(names, str) else list(() if names is None else names)
        for name in wanted:
            if not isinstance(name, str) or name not in declared:
                raise QueryError(f"the network declares no predicate {name!r} that could be closed; check its spelling")
        always = (predicate for predicate, declaration in self.domain.declarations.items() if declaration.closed)
        return frozenset([*always, *(declared[name] for name in wanted)])

    # Which atoms may pay

    def paying(self) -> Numbers:
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
                return distinct(np.concatenate([np.zeros(0, dtype=np.int64), *found.values()]))
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
            numbers = distinct(np.concatenate([np.zeros(0, dtype=np.int64), *(some for some, _ in special)]))
        numbers = self.unknown(predicate, numbers)
        bounds = self.gains_of(predicate, numbers) + general
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

    def unknown(self, predicate: Predicate, numbers: Numbers) -> Numbers:
        """Those of some atoms of a predicate of which nothing is known."""
        if predicate in self.closed:
            return numbers[:0]
        return numbers[~(self.true.has(numbers) | self.false.has(numbers))]

    def possible(self, predicate: Predicate, numbers: Numbers) -> npt.NDArray[np.bool_]:
        """Which atoms of a predicate may be true?"""
        true = self.true.has(numbers)
        return true if predicate in self.closed else ~self.false.has(numbers)

    def gains_of(self, predicate: Predicate, numbers: Numbers) -> Weights:
        """What unit clauses say for the truth of some atoms of a predicate."""
        gains = np.zeros(len(numbers))
        columns = self.domain.columns(predicate, numbers)
        for clause in self.units:
            pattern = clause.literals[0][0]
            if pattern.predicate == predicate:
                fits = pattern.instances(columns)
                gains[slice(None) if fits is None else fits] += _gain(clause)
        return gains

    # What a state is worth

    def objective(self, state: AtomSet) -> float:
        """The sum of the weights of the ground clauses that a state satisfies; hard ones do not count."""
        total = float(self.certain)
        for clause in self.units:
            pattern, positive = clause.literals[0]
            fits = pattern.instances(state.columns(pattern.predicate))
            true = len(state.numbers_of(pattern.predicate)) if fits is None else int(np.count_nonzero(fits))
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
        self, clause: CodedClause, present: list[tuple[AtomPattern, AtomSet]], absent: list[tuple[AtomPattern, AtomSet]]
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
