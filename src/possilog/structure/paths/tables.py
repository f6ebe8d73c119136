"""The kinds of mined rules, each in columns of its own, with one face: their counts, and how one of them is spelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

import numpy as np
import numpy.typing as npt

from possilog.deadline import NEVER, Deadline
from possilog.logic import Clause, Predicate, Variable
from possilog.structure.paths.acyclic import AcyclicRules
from possilog.structure.paths.closed import PathRules
from possilog.structure.paths.conjunctions import ConjunctionRules
from possilog.structure.paths.graph import Graph, Ints, Longs
from possilog.structure.paths.spelling import Speller
from possilog.structure.surprise import LEVEL, Surprise

__all__ = [
    "RuleCounts",
    "RuleTable",
    "acyclic_part",
    "closed_part",
    "conjunction_part",
    "functional_clauses",
    "functional_ways",
]


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """The counts of rules, in columns, as ``MinedRule`` has them."""

    support: Longs
    size: Longs
    head_size: Longs
    pca_size: Longs
    guarded_size: Longs


class RuleTable(Protocol):
    """Rules of one kind."""

    @property
    def counts(self) -> RuleCounts:
        """Their counts."""

    def spell(self, number: int, speller: Speller) -> tuple[str, tuple[str, ...]]:
        """The text of a rule, and a few facts that it gives."""


def functional_ways(graph: Graph, stop: Deadline = NEVER) -> npt.NDArray[np.bool_]:
    """For each code: is there but one way on from every constant, and would chance not make it so?"""
    database = graph.database
    surprise = Surprise(database, stop)
    bound = log(LEVEL / max(graph.codes, 1))
    found = np.zeros(graph.codes, dtype=bool)
    for number, predicate in enumerate(graph.predicates):
        for way, column in enumerate(database.rows(predicate)):
            if np.bincount(column, minlength=1).max() == 1:
                found[2 * number + way] = surprise.test(_one_way(predicate, way)).log_p <= bound
    return found


def functional_clauses(graph: Graph, stop: Deadline = NEVER) -> tuple[Clause, ...]:
    """The functional dependencies that chance would not make hold, as constraints."""
    codes = np.flatnonzero(functional_ways(graph, stop)).tolist()
    return tuple(_one_way(graph.predicates[code // 2], code % 2) for code in codes)


def _one_way(predicate: Predicate, way: int) -> Clause:
    one, other, another = Variable("A"), Variable("B"), Variable("C")
    pairs = [(one, other), (one, another)] if way == 0 else [(other, one), (another, one)]
    return Clause((), tuple(predicate(*pair) for pair in pairs))


@dataclass(frozen=True, slots=True)
class _Closed:
    rules: PathRules
    counts: RuleCounts

    def spell(self, number: int, speller: Speller) -> tuple[str, tuple[str, ...]]:
        head = int(self.rules.head[number])
        path = [code for code in self.rules.path[number].tolist() if code >= 0]
        return speller.closed(head, path), _facts(speller, 2 * head, self.rules.examples[number])


def closed_part(graph: Graph, rules: PathRules, functional: npt.NDArray[np.bool_]) -> RuleTable:
    """Closed path rules. Where a relation is functional both ways, its rules' pairs are gone through once more."""
    known = np.column_stack([np.where(functional[2 * rules.head + way], rules.known[:, way], 0) for way in (0, 1)])
    refuting = known.max(axis=1, initial=0)
    for number in np.flatnonzero(functional[2 * rules.head] & functional[2 * rules.head + 1]).tolist():
        refuting[number] = _known_at_either_end(graph, rules, number)
    # A fact is known at its ends, and not refuted.
    guarded = rules.size - refuting + np.where(refuting > 0, rules.support, 0)
    head_size = np.array(graph.facts, dtype=np.int64)[rules.head]
    return _Closed(rules, RuleCounts(rules.support, rules.size, head_size, rules.known[:, 0], guarded))


def _known_at_either_end(graph: Graph, rules: PathRules, number: int) -> int:
    path = [code for code in rules.path[number].tolist() if code >= 0]
    first, second, _ = graph.pairs_of(path)
    subjects, objects = graph.database.rows(graph.predicates[int(rules.head[number])])
    return int(np.count_nonzero(np.isin(first, subjects) | np.isin(second, objects)))


@dataclass(frozen=True, slots=True)
class _Acyclic:
    bodies: Sequence[AcyclicRules]
    begins: Longs
    head: Ints
    counts: RuleCounts

    def spell(self, number: int, speller: Speller) -> tuple[str, tuple[str, ...]]:
        of_body = int(np.searchsorted(self.begins, number, side="right")) - 1
        body, place = self.bodies[of_body], number - int(self.begins[of_body])
        code, constant = int(body.head[place]), int(body.constant[place])
        pairs = [(example, constant) for example in body.examples[place].tolist() if example >= 0]
        return speller.acyclic(code, constant, body.path, body.end), _facts(speller, code, np.array(pairs))


def acyclic_part(graph: Graph, bodies: Sequence[AcyclicRules], functional: npt.NDArray[np.bool_]) -> RuleTable:
    """Rules about one variable."""
    lengths = np.array([len(body.head) for body in bodies], dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    head = np.concatenate([nothing, *(body.head for body in bodies)]).astype(np.int32)
    support = np.concatenate([nothing, *(body.support for body in bodies)])
    known = np.concatenate([nothing, *(body.known for body in bodies)])
    size = np.repeat(np.array([body.size for body in bodies], dtype=np.int64), lengths)
    # The constant has facts, since the rule has support: so the other way refutes all other heads.
    refuting = np.where(functional[head ^ 1], size, np.where(functional[head], known, 0))
    guarded = size - refuting + np.where(refuting > 0, support, 0)
    sizes = np.concatenate([nothing, *(body.head_size for body in bodies)])
    counts = RuleCounts(support, size, sizes, np.where(head % 2 == 0, known, size), guarded)
    return _Acyclic(bodies, np.cumsum(lengths) - lengths, head, counts)


@dataclass(frozen=True, slots=True)
class _Conjunctions:
    nodes: int
    heads: Sequence[ConjunctionRules]
    begins: Longs
    counts: RuleCounts

    def spell(self, number: int, speller: Speller) -> tuple[str, tuple[str, ...]]:
        of_head = int(np.searchsorted(self.begins, number, side="right")) - 1
        rules, place = self.heads[of_head], number - int(self.begins[of_head])
        return speller.closed(rules.head, *rules.paths(place)), _facts(
            speller, 2 * rules.head, rules.examples(place, self.nodes)
        )


def conjunction_part(graph: Graph, heads: Sequence[ConjunctionRules], functional: npt.NDArray[np.bool_]) -> RuleTable:
    """Rules with two paths."""
    lengths = np.array([len(rules) for rules in heads], dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    head = np.repeat(np.array([rules.head for rules in heads], dtype=np.int64), lengths)
    support = np.concatenate([nothing, *(rules.support for rules in heads)])
    size = np.concatenate([nothing, *(rules.size for rules in heads)])
    known = np.concatenate([np.empty((0, 3), dtype=np.int64), *(rules.known for rules in heads)])
    ways = functional[2 * head].astype(int) + 2 * functional[2 * head + 1]
    refuting = np.where(ways > 0, np.take_along_axis(known, np.maximum(ways - 1, 0)[:, None], axis=1)[:, 0], 0)
    guarded = size - refuting + np.where(refuting > 0, support, 0)
    counts = RuleCounts(support, size, np.array(graph.facts, dtype=np.int64)[head], known[:, 0], guarded)
    return _Conjunctions(graph.nodes, heads, np.cumsum(lengths) - lengths, counts)


def _facts(speller: Speller, code: int, pairs: npt.NDArray[np.integer]) -> tuple[str, ...]:
    return tuple(speller.fact(code, first, second) for first, second in pairs.tolist() if first >= 0)
