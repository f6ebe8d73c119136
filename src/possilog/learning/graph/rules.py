"""The rules of a graph: mined, then chosen relation by relation, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from possilog.chance import generator
from possilog.data import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.inference.ranking import evidence_of_rule
from possilog.learning.graph.candidates import LEAST, USUAL, Candidates, PathCandidate, Wanted
from possilog.learning.graph.choosing import Choosing
from possilog.learning.graph.plan import MANY_FACTS, GraphPlan, make_plan
from possilog.learning.graph.questions import questions
from possilog.logic import Clause, Judged, parse_clause
from possilog.progress import Progress, Step, silent
from possilog.structure.paths.graph import Graph
from possilog.structure.paths.tables import functional_clauses
from possilog.workers import Jobs, in_order

__all__ = ["GraphRules", "find_graph_rules"]

SLOW = 2
"""So many rules of a relation, by confidence, where there is no time to choose."""


LISTING = 0.6
"""The share of the time that is left in which all rules are listed: weighing and writing them takes the rest."""


@dataclass(frozen=True, slots=True)
class GraphRules:
    """What was found in a graph."""

    rules: tuple[Judged, ...]
    functional: tuple[Clause, ...]
    mined: int
    plan: GraphPlan
    finished: bool


def find_graph_rules(
    facts: Database | Graph,
    *,
    per_head: int | None = 10,
    most: int | None = None,
    body: int = 2,
    constants: bool = True,
    conjoin: bool = False,
    min_support: int | None = None,
    seed: int = 0,
    jobs: Jobs = 1,
    stop: Deadline = NEVER,
    progress: Progress = silent,
) -> GraphRules:
    """At most so many rules of each relation, chosen together, and in all; without a number, all that were mined.

    >>> from possilog.data.bundled import load
    >>> found = find_graph_rules(load("village"), per_head=1)
    >>> print(*(rule.clause for rule in found.rules[:2]))
    parent(A, B) :- married(A, C), parent(C, B). married(A, B) :- married(B, A).
    """
    graph = facts if isinstance(facts, Graph) else Graph(facts, distinct=True)
    plan = make_plan(graph, per_head is None)
    support, confidence = LEAST if per_head is None and plan.facts > MANY_FACTS else USUAL
    candidates_of = None if per_head is None else plan.candidates
    wanted = Wanted(body, constants, conjoin, min_support or support, confidence, candidates_of)
    try:
        candidates = Candidates(graph, wanted, stop, jobs)
    except OutOfTime:
        return GraphRules((), (), 0, plan, False)
    found: list[tuple[float, Judged]] = []
    until = stop.part(LISTING) if per_head is None else stop
    choose = partial(partial, _chosen, candidates, per_head, plan.asked, seed, until)
    chosen = in_order(choose, range(len(graph.predicates)), jobs)
    for relation, predicate in enumerate(graph.predicates):
        progress(Step("candidates", relation, len(graph.predicates), predicate.name))
        found += next(chosen)
    until()  # which remembers what a worker saw
    if most is not None:
        found = sorted(found, key=lambda pair: (-pair[0], str(pair[1].clause)))[:most]
    rules = sorted((rule for _, rule in found), key=lambda rule: (-rule.confidence, -rule.true, str(rule.clause)))
    return GraphRules(
        tuple(rules), functional_clauses(graph), candidates.mined, plan, candidates.finished and not stop.passed
    )


def _chosen(
    candidates: Candidates, per_head: int | None, asked: int, seed: int, stop: Deadline, relation: int
) -> list[tuple[float, Judged]]:
    """The rules of a relation, and how much each adds to the likelihood."""
    if stop():
        return _first(candidates.of_relation(relation, SLOW), per_head)
    rules = candidates.of_relation(relation)
    if per_head is None or not rules:
        return [(float(rule.true), _judged(rule)) for rule in rules]
    nodes = candidates.graph.nodes
    facts, _ = candidates.keys.pairs((2 * relation,))
    shuffled = generator(seed, "graph", str(relation)).permutation(facts)[:asked]
    try:
        pairs = [rule.pairs() for rule in stop.each(rules)]
    except OutOfTime:
        return _first(rules, per_head)
    evidence = [evidence_of_rule(rule.confidence) for rule in rules]
    both = [questions(facts, shuffled, pairs, nodes, backwards=way, evidence=evidence) for way in (False, True)]
    choosing = Choosing(both, evidence, [rule.atoms for rule in rules], stop)
    chosen = choosing.choose(per_head)
    scale = len(facts) / len(shuffled)
    return [(scale * gain, _judged(rules[number])) for number, gain in zip(chosen, choosing.gains(), strict=True)]


def _first(rules: Sequence[PathCandidate], per_head: int | None) -> list[tuple[float, Judged]]:
    """The most confident rules, where there is no time to choose."""
    return [(float(rule.true), _judged(rule)) for rule in rules[: min(SLOW, per_head or SLOW)]]


def _judged(rule: PathCandidate) -> Judged:
    false = rule.size - rule.true
    return Judged(parse_clause(rule.text), rule.true, false, false)
