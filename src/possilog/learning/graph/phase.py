"""The one phase of learning from a graph: what is found there, as other phases leave what they find."""

from __future__ import annotations

from dataclasses import replace

from possilog.choices import Aggregate
from possilog.data import Database
from possilog.errors import DataError
from possilog.learning.confidence import Confidence
from possilog.learning.edits import Edits
from possilog.learning.found import Found, Weighed
from possilog.learning.graph.held_out import held_against
from possilog.learning.graph.rules import find_graph_rules
from possilog.learning.hard_part import HardPart
from possilog.learning.ordering import by_confidence
from possilog.learning.run import LearningRun
from possilog.learning.settings import Settings
from possilog.logic import HeldOut
from possilog.structure.paths.graph import Graph
from possilog.workers import Jobs

__all__ = ["graph_of", "learn_graph"]

PAYS = 0.5
"""A rule concludes something only if it is right more often than this; others only put answers in order."""

OVER = "the time was over: not all paths were mined, or rules of some relations were taken by confidence alone"


def graph_of(database: Database) -> Graph:
    """Facts, taken as a graph; they are laid out once for a run."""
    if not any(predicate.arity == 2 for predicate in database.predicates):
        raise DataError("there are no facts with two arguments to make a graph of; learn without the preset 'graph'")
    return Graph(database, distinct=True)


def learn_graph(
    database: Database,
    graph: Graph,
    settings: Settings,
    edits: Edits,
    run: LearningRun,
    jobs: Jobs = 1,
    held_out: Database | None = None,
) -> Found:
    """Rules of every relation within the budget: all rank, and those that are right more often than not conclude.

    Facts that were held out say how far each can be trusted about what is new.
    """
    with run.phase("candidates"):
        found = find_graph_rules(
            graph,
            per_head=settings.rules_per_head if isinstance(settings.rules_per_head, int) else None,
            most=settings.max_rules if isinstance(settings.max_rules, int) else None,
            body=min(settings.search.limits.body, 3),
            constants=not settings.focus.no_constants,
            conjoin=settings.conjunctions,
            min_support=settings.focus.min_support,
            seed=settings.seed,
            jobs=jobs,
            stop=run.clock.until("simulation"),
            progress=run.told,
        )
    if not found.finished:
        run.clock.shorten()
        run.remark(OVER)
    targets = settings.focus.targets
    asked = [rule for rule in found.rules if not targets or rule.clause.head[0].predicate.name in targets]
    rules = tuple(replace(rule, clause=edits.as_written(rule.clause)) for rule in asked if edits.allows(rule.clause))
    candidates = {rule.clause: Confidence(rule.true, rule.false, rule.nontrivial) for rule in rules}
    unlinked = HeldOut()
    if held_out is not None:
        rules, unlinked = held_against(rules, database, held_out, run.clock.until("simulation"))
    soft = tuple(rule.clause for rule in rules if rule.clause.body and rule.confidence > PAYS)
    hard = edits.with_hard(found.functional)
    theory = edits.marked(by_confidence(hard, edits.with_locked(soft), candidates))
    notes = {clause: str(confidence) for clause, confidence in candidates.items()}
    # Few rules were chosen beside each other, so that each adds something; of all of them, many say the same.
    aggregate = Aggregate.NOISY_OR if isinstance(settings.rules_per_head, int) else Aggregate.FADING
    weighed = Weighed(replace(theory, judged=rules, aggregate=aggregate, unlinked=unlinked), None, notes)
    return Found(hard=HardPart(hard, hard), candidates=candidates, weighed=weighed)
