"""From facts to a theory: the rooms in their order (the paper's sections Structure Learning and Weight Learning)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from math import comb
from typing import Any, TypeVar

from possilog.counting import CutCounter, TooLarge
from possilog.data import Database
from possilog.data.splits import require_known
from possilog.deadline import Deadline
from possilog.errors import DataError
from possilog.files import AnyPath
from possilog.learning.candidates import find_candidates
from possilog.learning.clock import Clock
from possilog.learning.confidence import Confidence, Judge
from possilog.learning.files import Work, fingerprint
from possilog.learning.groups import Part, cut, find_parts
from possilog.learning.notes import rule_notes
from possilog.learning.ordering import Likelihood, by_confidence, complete_order
from possilog.learning.result import Curve, Learned, Ordered
from possilog.learning.settings import Settings
from possilog.learning.simulation import Holdout, Simulation, ranked, simulate
from possilog.learning.weigh import Weighing, weigh_by
from possilog.logic import Clause, Keep, Provenance, Rule, Theory, canonical, parse_clause
from possilog.logic.theory import UNWEIGHED
from possilog.structure import find_hard_rules
from possilog.weights import Ordering, knee, simplify

__all__ = ["Learner", "Progress"]

Progress = Callable[[str, int, int | None, str], None]
"""Is told the phase, how many of its steps are done, how many it has (None: unknown), and what is happening."""

_T = TypeVar("_T")


@dataclass
class Learner:
    """One run. ``best`` is at any moment the best theory so far, also when the run was interrupted.

    ``groups`` names the group of constants, for the parts that are held out one after the other. ``start`` is a theory
    that a person has edited: what is locked or pinned in it stays, what is banned stays out. ``work`` is a folder in
    which finished phases are kept, so that the same run goes on where it was killed.
    """

    database: Database
    settings: Settings
    groups: Mapping[str, str] | None = None
    start: Theory | None = None
    jobs: int = 1
    time_limit: float | None = None
    work: AnyPath | None = None
    sources: Sequence[str] = ()
    progress: Progress = lambda phase, done, steps, doing: None
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each phase took."""
    _hard: tuple[Clause, ...] = ()
    _judged: dict[Clause, Confidence] = field(default_factory=dict)
    _simulation: Simulation | None = None
    _ordering: Ordering | None = None
    _counter: CutCounter | None = None
    _ordered: Ordered = field(default_factory=Ordered)
    _weighing: Weighing | None = None
    _theory: Theory | None = None
    _notes: dict[Clause, str] = field(default_factory=dict)
    _remarks: tuple[str, ...] = ()
    _phase_now: str = "hard rules"
    _part: tuple[int, int, str] | None = None

    def __post_init__(self) -> None:
        if not len(self.database):
            raise DataError("there are no facts to learn from; give data with facts")
        require_known(self.database, self.groups or {})
        self._clock = Clock(self.time_limit)
        given = {"groups": dict(self.groups or {}), "start": "" if self.start is None else str(self.start)}
        self._work = Work(self.work, fingerprint(self.database, self.settings.as_json | given, version("possilog")))

    def run(self) -> Learned:
        """All phases, one after the other."""
        with self._phase("hard rules"):
            self._hard = self._kept_rules("hard-rules", self.database, "hard rules")
        with self._phase("candidates"):
            self._judged = self._kept_candidates("candidates", self.database, self._hard)
        if self.settings.objective == "prediction":
            self._simulation = self._kept("simulation", self._simulate, lambda made: made.as_json, Simulation.of)
        with self._phase("ordering"):
            self._ordered = self._kept("ordering", self._search_order, lambda made: made.as_json, Ordered.of)
        with self._phase("weights"):
            self._weigh()
        return self.best

    @property
    def best(self) -> Learned:
        """What has been learned so far."""
        finished = self._theory is not None and not self._clock.shortened
        return Learned(
            self._best_theory,
            self._provenance,
            self.settings,
            self._hard,
            dict(self._judged),
            self._simulation,
            self._ordered,
            self._weighing,
            {clause: str(confidence) for clause, confidence in self._judged.items()} | self._notes,
            dict(self.seconds),
            finished,
        )

    @property
    def _best_theory(self) -> Theory:
        if self._theory is not None:
            return self._theory
        if self._simulation is None and self._ordering is not None and not self._locked:
            return self._as_kept(self._ordering.theory(self._hard))
        soft = self._ordered.rules or self._with_locked(self._pool)
        return self._as_kept(by_confidence(self._hard, soft, self._judged))

    @property
    def _pool(self) -> tuple[Clause, ...]:
        """The rules that pay, as far as that is known."""
        return () if self._simulation is None else self._simulation.pool(self._judged)

    @property
    def _provenance(self) -> Provenance:
        likelihood = None if self._weighing is None else self._weighing.fit.log_likelihood
        return Provenance(
            tuple(self.sources),
            len(self.database),
            len(self.database.constants),
            self.settings.parameters,
            self.settings.seed,
            version("possilog"),
            likelihood,
            tuple(self._what_to_know()),
        )

    def _what_to_know(self) -> Iterator[str]:
        """What a reader of the theory has to know about the run."""
        if self._theory is None:
            yield f"not finished: the run ended in the phase {self._phase_now!r}"
        elif self._clock.shortened:
            yield f"not all was searched: the run had {self.time_limit:g} seconds"
        yield from self._remarks
        width = self.settings.search.limits.width
        if wide := [str(predicate) for predicate in self.database.predicates if predicate.arity > width]:
            yield f"rules have {width} variables, so that there are none about {', '.join(wide)}: raise the width"
        if self._ordered.unlikely is not None:
            yield f"ordered without likelihood: {self._ordered.unlikely}"
        if self._weighing is None and (self._simulation is not None or self._locked):
            yield "the weights are the confidences of the rules, not probabilities of worlds"

    # Phases, their time, and what is kept of them

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        self._phase_now = name
        self.progress(name, 0, None, "")
        began = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - began, 3)

    def _tell(self, phase: str, done: int, steps: int | None, doing: str) -> None:
        """Tell of a step; while a part is held out, only the part is worth telling."""
        if phase == "held-out parts" and self._part is not None:
            done, steps, doing = self._part
        self.progress(phase, done, steps, doing)

    def _kept(self, name: str, make: Callable[[], _T], encode: Callable[[_T], Any], decode: Callable[[Any], _T]) -> _T:
        """What a part of the run left in the work folder, or what it makes now; kept if nothing was cut short."""
        kept = self._work.get(name, decode)
        if kept is None:
            kept = make()
            if not self._clock.shortened:
                self._work.put(name, encode(kept))
        return kept

    # Hard rules and candidates, of all the data or of what is left without a part

    def _kept_rules(self, name: str, database: Database, phase: str, parts: int = 1) -> tuple[Clause, ...]:
        return self._kept(
            name,
            lambda: self._find_hard_rules(database, phase, parts),
            lambda clauses: list(map(str, clauses)),
            lambda texts: tuple(map(parse_clause, texts)),
        )

    def _find_hard_rules(self, database: Database, phase: str, parts: int) -> tuple[Clause, ...]:
        """The hard rules, and those that a person added; one of several parts has its share of the time."""
        left = self._clock.left(phase)
        found = find_hard_rules(
            database,
            literals=self.settings.hard_literals,
            unary_literals=self.settings.hard_unary_literals,
            variables=self.settings.hard_variables,
            # After the search, comparing what was found may take as long again.
            time_limit=None if left is None else left / (2 * parts),
            seed=self.settings.seed,
            progress=lambda level: self._tell(phase, 0, None, f"{level.share:.0%} of {level.literals} literals"),
        )
        self._clock.shortened |= not (found.complete and found.minimal)
        locked = (rule.clause for rule in self._said.hard if rule.keep is not Keep.FREE)
        clauses = dict.fromkeys((*map(self._as_said, found.clauses), *locked))
        return tuple(clause for clause in clauses if not self._said.bans(clause) and clause not in self._locked)

    def _kept_candidates(
        self, name: str, database: Database, hard: tuple[Clause, ...], phase: str = "candidates"
    ) -> dict[Clause, Confidence]:
        judged = self._kept(
            name, lambda: self._find_candidates(database, hard, phase), _encoded_candidates, _decoded_candidates
        )
        return {self._as_said(clause): found for clause, found in judged.items() if not self._said.bans(clause)}

    def _find_candidates(self, database: Database, hard: tuple[Clause, ...], phase: str) -> dict[Clause, Confidence]:
        steps = 2 * len(database.predicates)
        done = iter(range(1, steps + 1))
        return find_candidates(
            database,
            hard,
            self.settings.search,
            jobs=self.jobs,
            progress=lambda target: self._tell(phase, next(done), steps, target),
            stop=self._clock.over(phase),
            # Without confidences the candidates would be lost, so this may take of the time for the simulation.
            stop_judging=self._clock.over("simulation", 0.5),
        )

    # Simulation

    def _simulate(self) -> Simulation:
        with self._phase("held-out parts"):
            holdouts = self._holdouts()
        with self._phase("simulation"):
            return simulate(
                holdouts,
                self._judged,
                self.settings.search.limits.body,
                repeats=self.settings.repeats,
                seed=self.settings.seed,
                progress=lambda done, steps, doing: self.progress("simulation", done, steps, doing),
                stop=self._clock.over("simulation"),
            )

    def _holdouts(self) -> list[Holdout]:
        """Every part of every split, and what is learned without it."""
        left = self._clock.left("held-out parts")
        parts = [part for parts in self._splits for part in parts]
        if left is not None and left < len(parts) * (self.seconds["hard rules"] + self.seconds["candidates"]):
            return self._judged_again(parts)
        found: list[Holdout] = []
        for done, part in enumerate(parts):
            self._part = (done, len(parts), f"learning without {part.name}")
            self._tell("held-out parts", 0, None, "")
            hard = self._kept_rules(f"{part.name}-hard-rules", part.rest, "held-out parts", len(parts) - done)
            judged = self._kept_candidates(f"{part.name}-candidates", part.rest, hard, "held-out parts")
            if self._clock.left("held-out parts") == 0:
                return found + self._judged_again(parts[done:])
            found.append(Holdout(part.name, part.facts, hard, judged))
        return found

    def _judged_again(self, parts: Sequence[Part]) -> list[Holdout]:
        """Where there is no time to learn without a part: the rules of all the data, judged without the part."""
        self._clock.shortened = True
        self._remarks = ("no time to learn without each held-out part: rules of all the data were judged without it",)
        found = []
        for done, part in enumerate(parts):
            self.progress("held-out parts", done, len(parts), f"judging without {part.name}")
            judged = Judge(part.rest, self._hard).all(self._judged, self._clock.over("simulation", 0.5))
            found.append(Holdout(part.name, part.facts, self._hard, judged))
        return found

    @cached_property
    def _splits(self) -> list[tuple[Part, ...]]:
        """The parts of the data: the given groups, or several ways to find some."""
        if self.groups:
            splits = [cut(self.database, self.groups, "group")]
        else:
            splits = [
                find_parts(self.database, self.settings.parts, self.settings.seed + number, f"part-{number + 1}")
                for number in range(self.settings.splits)
            ]
        return [split for split in splits if len(split) > 1]

    # Ordering and weights

    def _search_order(self) -> Ordered:
        """Likelihood orders the rules that pay; without simulation it also chooses them."""
        candidates = self._with_locked(tuple(self._judged) if self._simulation is None else self._pool)
        stop = Deadline(self._clock.left("ordering"))
        likelihood = Likelihood.of(
            self.database,
            self._hard,
            candidates,
            self.settings,
            only_profiles=self._simulation is not None,
            stop=stop,
        )
        self._counter = likelihood.counter
        try:
            return self._order_by(likelihood)
        except TooLarge as error:
            return Ordered(self._order_without(candidates), unlikely=str(error))
        finally:
            self._clock.shortened |= stop.passed

    def _order_by(self, likelihood: Likelihood) -> Ordered:
        self.progress("ordering", 0, None, "counting without a held-out part")
        held_out = self._held_out(likelihood)
        most = self.settings.max_rules
        if isinstance(most, str):
            # Where no part can be held out, there is no curve to go by.
            most = knee(held_out) if held_out else None
        self.progress("ordering", 0, None, "counting fragments and worlds")
        found = likelihood.order(
            max_rules=most,
            penalty="bic" if self._simulation is None else "none",
            better=self._note_ordering,
        )
        subsets = comb(len(self.database.constants), min(self.settings.width, len(self.database.constants)))
        curve = Curve(tuple(ordering.log_likelihood / subsets for ordering in found.path), held_out)
        # What pays stays, even if likelihood has no use for it, and so does what a person locked.
        wanted = self._locked if self._simulation is None else likelihood.candidates
        return Ordered(complete_order(found.best, wanted)[:most], curve)

    def _held_out(self, likelihood: Likelihood) -> tuple[float, ...]:
        """The curve of a part of the data, under orderings that were found without it."""
        if not self._splits or not likelihood.candidates:
            return ()
        part = self._splits[0][0]
        return likelihood.held_out(part.rest, part.facts)

    def _note_ordering(self, ordering: Ordering) -> None:
        self._ordering = ordering
        self.progress("ordering", len(ordering.rules), None, f"{len(ordering.rules)} rules")

    def _order_without(self, candidates: tuple[Clause, ...]) -> tuple[Clause, ...]:
        """The order where likelihood cannot be had: of the rules that pay by confidence, else as far as it came."""
        if self._simulation is None:
            return () if self._ordering is None else tuple(reversed(self._ordering.rules))
        most = self.settings.max_rules if isinstance(self.settings.max_rules, int) else None
        return tuple(rule.clause for rule in by_confidence((), candidates, self._judged).soft)[:most]

    def _weigh(self) -> None:
        """The most likely weights for the order, then what makes no difference goes."""
        weighing = None
        if self._ordered.unlikely is None:
            width = min(self.settings.width, len(self.database.constants))
            smoothing, seed = self.settings.smoothing, self.settings.seed
            stop = Deadline(self._clock.left("weights"))
            try:
                weighing = weigh_by(
                    self._counter, self._to_weigh(), self.database, width, smoothing=smoothing, seed=seed, stop=stop
                )
            except TooLarge:
                self._clock.shortened = True
        weighed = self._best_theory if weighing is None else self._as_kept(weighing.theory)
        theory = simplify(weighed, stop=Deadline(cancelled=self._clock.over("weights"))).theory
        self._notes = rule_notes([rule.clause for rule in theory], self.database, self._hard)
        self._weighing, self._theory = weighing, theory

    def _to_weigh(self) -> Theory:
        """The theory to weigh. What a person locked has its place, and the others find theirs around it."""
        locked = [rule for rule in self._said.soft if rule.clause in self._locked]
        if not (locked or self._said.falsity_pinned):
            return ranked(self._hard, self._ordered.rules)
        placed = {rule.clause for rule in locked}
        others = tuple(clause for clause in self._ordered.rules if clause not in placed)
        pinned = self._said.falsity_pinned
        falsity = self._said.falsity if pinned else UNWEIGHED
        return Theory((*map(Rule, self._hard), *locked), falsity, unplaced=others, falsity_pinned=pinned)

    # What a person said

    @property
    def _said(self) -> Theory:
        """The theory that a person has edited; an empty one where there is none."""
        return Theory() if self.start is None else self.start

    @cached_property
    def _locked(self) -> tuple[Clause, ...]:
        """The soft rules that a person wants to stay."""
        locked = (rule.clause for rule in self._said.soft if rule.keep is not Keep.FREE)
        return (*locked, *self._said.unplaced)

    @cached_property
    def _written(self) -> dict[Clause, Clause]:
        """What a person locked, whatever its variables may be called."""
        rules = (rule.clause for rule in self._said if rule.keep is not Keep.FREE)
        return {canonical(clause): clause for clause in (*rules, *self._said.unplaced)}

    def _as_said(self, clause: Clause) -> Clause:
        """A clause as a person has written it, where one has."""
        return self._written.get(canonical(clause), clause) if self._written else clause

    def _with_locked(self, clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
        return clauses + tuple(clause for clause in self._locked if clause not in clauses)

    def _as_kept(self, theory: Theory) -> Theory:
        """The theory with what a person locked, pinned and banned in the one that the run started from."""
        said = {clause: Rule(clause, keep=Keep.LOCKED) for clause in self._said.locked}
        said |= {rule.clause: rule for rule in self._said}
        rules = []
        for rule in theory:
            kept = said.get(rule.clause, rule)
            rules.append(kept if kept.keep is Keep.PINNED else replace(rule, keep=kept.keep))
        return replace(theory, rules=tuple(rules), banned=self._said.banned)


def _encoded_candidates(judged: Mapping[Clause, Confidence]) -> list[list[Any]]:
    return [[str(clause), *astuple(confidence)] for clause, confidence in judged.items()]


def _decoded_candidates(kept: list[list[Any]]) -> dict[Clause, Confidence]:
    return {parse_clause(text): Confidence(*map(int, numbers)) for text, *numbers in kept}
