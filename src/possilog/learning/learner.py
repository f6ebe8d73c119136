"""From facts to a theory: the rooms in their order (the paper's sections Structure Learning and Weight Learning)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version

from possilog.data import Database
from possilog.data.splits import keep_predicates, require_known
from possilog.errors import DataError, QueryError
from possilog.files import AnyPath
from possilog.learning.clock import Clock
from possilog.learning.columns import find_in_columns, is_of_tables
from possilog.learning.edits import Edits
from possilog.learning.examples import find_by_examples
from possilog.learning.files import Work, fingerprint
from possilog.learning.finishing import finished
from possilog.learning.found import Found
from possilog.learning.graph.phase import graph_of, learn_graph
from possilog.learning.graph.plan import GraphPlan, make_plan
from possilog.learning.measurement import Measurement
from possilog.learning.phases import Task, find_hard, find_soft, order, predict_held_out, weigh_order
from possilog.learning.plan import EXAMPLES, TABLES, SearchPlan, make_search_plan
from possilog.learning.result import Learned
from possilog.learning.run import LearningRun
from possilog.learning.settings import Settings, learnable
from possilog.logic import Provenance, Theory
from possilog.progress import Progress, silent
from possilog.structure.paths.graph import Graph
from possilog.weights import Ordering
from possilog.workers import Jobs

__all__ = ["Learner"]


@dataclass
class Learner:
    """One run. ``best`` is at any moment the best theory so far, also when the run was interrupted.

    ``groups`` names the group of constants, for the parts that are held out one after the other. ``start`` is a theory
    that a person has edited: what is locked or pinned in it stays, what is banned stays out. The ``clock`` says how
    long it may take. ``work`` is a folder in which finished phases are kept, so that the same run goes on where it was
    killed. ``valid`` are further facts, held out, by which the rules of a graph are weighed.
    """

    database: Database
    settings: Settings
    groups: Mapping[str, str] | None = None
    start: Theory | None = None
    jobs: Jobs = 1
    clock: Clock = field(default_factory=Clock)
    work: AnyPath | None = None
    sources: Sequence[str] = ()
    progress: Progress = silent
    valid: Database | None = None

    def __post_init__(self) -> None:
        if not len(self.database):
            raise DataError("there are no facts to learn from; give data with facts")
        if self.valid is not None and self.settings.rules_per_head is None:
            raise QueryError("validation facts are for the rules of graphs; leave them out, or take the preset 'graph'")
        require_known(self.database, self.groups or {})
        given = {"groups": dict(self.groups or {}), "start": "" if self.start is None else str(self.start)}
        work = Work(self.work, lambda: fingerprint(self.database, self.settings.as_json | given, version("possilog")))
        self._run = LearningRun(self.clock, work, self.progress)
        self._edits = Edits(Theory() if self.start is None else self.start)
        database = self.settings.focus.narrowed(self.database)
        narrow = learnable(database.predicates, self.settings.search.limits.width)
        if is_of_tables(database, self.settings.objective):
            narrow = database.predicates
        self._wide = sorted(set(database.predicates).difference(narrow))
        if not narrow:
            wide = ", ".join(map(str, self._wide))
            raise DataError(f"{wide}: there are too many arguments to search rules; give facts with fewer arguments")
        database = keep_predicates(database, narrow) if self._wide else database
        self._require_room(database)
        self._task = Task(database, self.settings, self._edits, self._run, self.groups or {}, self.jobs)
        self._found = Found()

    def _require_room(self, database: Database) -> None:
        """Refuse targets that have more arguments than rules have variables: what would be searched for minutes."""
        width, targets = self.settings.search.limits.width, self.settings.focus.predicates(database)
        if is_of_tables(database, self.settings.objective) or any(target.arity <= width for target in targets):
            return
        if targets:
            some = ", ".join(map(str, targets))
            raise DataError(
                f"rules have {width} variables, so that there are none about {some}; give its facts as a table, with a "
                "column for each argument and one that says whether it is true, or raise the width"
            )

    @cached_property
    def plan(self) -> GraphPlan | SearchPlan:
        """What will be done: what is exact, what sampled, and about how much time and memory it takes."""
        per_head = self.settings.rules_per_head
        if per_head is None:
            return make_search_plan(self._task.database, self.settings, self.clock.limit)
        return make_plan(self._graph, not isinstance(per_head, int))

    @cached_property
    def _graph(self) -> Graph:
        return graph_of(self._task.database)

    def run(self) -> Learned:
        """All phases, one after the other; of a graph there is but one."""
        task = self._task
        if isinstance(self.plan, GraphPlan):
            self._found = learn_graph(
                task.database, self._graph, self.settings, self._edits, self._run, self.jobs, self.valid
            )
            return self.best
        if self.plan.kind == TABLES:
            self._found = find_in_columns(task)
        elif self.plan.kind == EXAMPLES:
            self._found = find_by_examples(task)
        else:
            self._search(task)
        self._found = replace(self._found, measurement=_as_asked(self._found.measurement, self.settings))
        self._found = replace(self._found, ordered=order(task, self._found, self._note))
        self._found = replace(self._found, weighed=weigh_order(task, self._found))
        return self.best

    def _search(self, task: Task) -> None:
        """Hard rules, candidates, and what these are worth, of facts that declare no types."""
        self._found = replace(self._found, hard=find_hard(task))
        self._found = replace(self._found, candidates=find_soft(task, self._found.hard))
        if self.settings.objective == "prediction":
            found = predict_held_out(task, self._found)
            self._found = replace(self._found, hard=self._found.hard.without(found.doubted), measurement=found)

    def _note(self, ordering: Ordering) -> None:
        """Take the best ordering so far, for the case that the search is interrupted."""
        self._found = replace(self._found, ordering=ordering)

    @property
    def best(self) -> Learned:
        """What has been learned so far."""
        found, weighed = self._found, self._found.weighed
        notes = {clause: str(confidence) for clause, confidence in found.candidates.items()}
        theory = found.theory(self._edits)
        if weighed is None and self.settings.objective == "prediction":
            theory = finished(theory, found, self._task.database)
        return Learned(
            theory,
            self._provenance,
            self.settings,
            found.hard,
            dict(found.candidates),
            found.measurement,
            found.ordered,
            None if weighed is None else weighed.weighing,
            notes if weighed is None else {**notes, **weighed.notes},
            dict(self._run.seconds),
            weighed is not None and not self.clock.shortened,
            self.plan.as_json,
        )

    @property
    def _provenance(self) -> Provenance:
        weighing = None if self._found.weighed is None else self._found.weighed.weighing
        return Provenance(
            tuple(self.sources),
            len(self.database),
            len(self.database.constants),
            self.settings.parameters,
            self.settings.seed,
            version("possilog"),
            None if weighing is None else weighing.fit.log_likelihood,
            tuple(self._what_to_know()),
        )

    def _what_to_know(self) -> Iterator[str]:
        """What a reader of the theory has to know about the run."""
        found = self._found
        if found.weighed is None:
            yield f"not finished: the run ended in the phase {self._run.phase_now!r}"
        elif self.clock.shortened:
            limit = self.clock.limit
            why = "there are too many clauses" if limit is None else f"the run had {limit:g} seconds"
            yield f"not all was searched: {why}"
        yield from self._run.remarks
        width = self.settings.search.limits.width
        known = self._task.database.predicates
        if high := [str(predicate) for predicate in known if predicate.arity > width]:
            some = ", ".join(high)
            yield f"rules have {width} variables, so that there are none about {some}: raise the width, or give tables"
        if self._wide:
            yield f"{', '.join(map(str, self._wide))} had no part in it: there are too many arguments to search rules"
        if found.measurement is not None and (doubts := len(found.measurement.doubted)):
            yield f"hard rules that were learned without a part broke there; {doubts} with few cases are tried as soft"
        if found.ordered.unlikely is not None:
            yield f"ordered without likelihood: {found.ordered.unlikely}"
        unweighed = found.weighed is None or found.weighed.weighing is None
        is_measured = found.measurement is not None or self.settings.rules_per_head is not None
        if unweighed and (is_measured or self._edits.locked):
            yield found.meaning


def _as_asked(measured: Measurement | None, settings: Settings) -> Measurement | None:
    """What was measured; where no soft rule was wanted, it is not for want of one that pays that there is none."""
    if measured is None or measured.rules or settings.max_rules != 0:
        return measured
    return replace(measured, reason="no soft rule was asked for, so the hard rules stand alone")
