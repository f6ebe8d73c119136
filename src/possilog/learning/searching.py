"""What the rules of some facts are: hard ones, and candidates for soft ones, of all the data or of what is left of it.

These need nothing but what they are given, so that they may be done anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

from possilog.choices import Hard
from possilog.data import Database
from possilog.deadline import Deadline
from possilog.learning.candidates import find_candidates, mined_candidates
from possilog.learning.confidence import Confidence, judge_all
from possilog.learning.decoding import listed, mapped, text, whole
from possilog.learning.edits import Edits
from possilog.learning.hard_part import HardPart, hard_part
from possilog.learning.settings import Settings
from possilog.logic import Clause, canonical, parse_clause
from possilog.progress import Progress, silent
from possilog.structure import find_hard_rules
from possilog.structure.columns import mine_columns
from possilog.workers import Jobs

__all__ = ["Rest", "Searching", "Without", "decoded", "encoded"]


@dataclass(frozen=True)
class Searching:
    """How rules are searched, and what a person said of them."""

    settings: Settings
    edits: Edits

    def hard(self, database: Database, stop: Deadline, progress: Progress = silent) -> tuple[HardPart, bool]:
        """All short clauses without a counterexample, and which of them are hard; and was all of it searched?"""
        settings = self.settings
        found = find_hard_rules(
            database,
            literals=settings.hard_literals,
            unary_literals=settings.hard_unary_literals,
            variables=settings.hard_variables,
            time_limit=stop.left,
            seed=settings.seed,
            progress=progress,
        )
        every = self.edits.with_hard(found.clauses)
        part = hard_part(found, every, self.edits.hard, earn=settings.hard == Hard.EARNED)
        return part, found.complete and found.minimal

    def candidates(
        self,
        database: Database,
        hard: HardPart,
        stop: Deadline,
        stop_judging: Deadline,
        jobs: Jobs = 1,
        progress: Progress = silent,
    ) -> dict[Clause, Confidence]:
        """Horn rules for every predicate, each with its confidences.

        They are searched where all clauses that hold are hard, and judged by those that the theory will have.
        """
        targets = [p for p in self.settings.focus.predicates(database) if p in database.predicates]
        find = mined_candidates if self.settings.mined else find_candidates
        found = find(
            database,
            hard.all,
            self.settings.search,
            kept=hard.kept,
            targets=targets or None,
            jobs=jobs,
            progress=progress,
            stop=stop,
            stop_judging=stop_judging,
        )
        return found | self._named(database, hard.kept, found, stop, jobs)

    def _named(
        self,
        database: Database,
        hard: tuple[Clause, ...],
        known: Mapping[Clause, Confidence],
        stop: Deadline,
        jobs: Jobs,
    ) -> dict[Clause, Confidence]:
        """Rules that name values, share or compare them: where they are asked for, or where examples are given."""
        focus, limits = self.settings.focus, self.settings.search.limits
        width = None if focus.auto_width else limits.width
        mining = focus.mining(database, width, limits.body, self.settings.seed)
        if not (focus.constants or focus.auto_width):
            told = tuple(p for p in database.denied_predicates if p.arity == 1)
            mining = replace(mining, targets=tuple(p for p in mining.targets or told if p in told))
            if not mining.targets:
                return {}
        elif focus.constants is None:
            mining = replace(mining, constants=())
        named = (rule.clause for rule in mine_columns(database, mining, stop=stop, jobs=jobs))
        forms = {canonical(clause) for clause in known}
        new = [clause for clause in named if canonical(clause) not in forms]
        return judge_all(database, hard, new, stop, jobs)


@dataclass(frozen=True)
class Rest:
    """What is left without a part, and how many of the parts come after it."""

    database: Database
    after: int


@dataclass(frozen=True)
class Without:
    """What was learned without a part."""

    hard: HardPart
    judged: Mapping[Clause, Confidence]
    whole: bool = True
    """Was there time for all of it?"""

    @classmethod
    def fit(cls, searching: Searching, stop: Deadline, stop_judging: Deadline, rest: Rest) -> Without:
        """Learn from what is left."""
        hard, is_whole = searching.hard(rest.database, stop.part(1 / (2 * (rest.after + 1))))
        judged = searching.candidates(rest.database, hard, stop, stop_judging)
        return cls(hard, judged, is_whole and not (stop.passed or stop_judging.passed))

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it in JSON's terms, where it is whole; ``from_json`` reads it again."""
        return {"hard": self.hard.as_json, "candidates": encoded(self.judged)}

    @classmethod
    def from_json(cls, kept: Any) -> Without:
        """What ``as_json`` wrote; ValueError where it did not."""
        kept = mapped(kept, "hard", "candidates")
        return cls(HardPart.from_json(kept["hard"]), decoded(kept["candidates"]))


def encoded(judged: Mapping[Clause, Confidence]) -> list[list[Any]]:
    """Candidates in JSON's terms."""
    return [[str(clause), *astuple(confidence)] for clause, confidence in judged.items()]


def decoded(kept: Any) -> dict[Clause, Confidence]:
    """Candidates that were encoded; ValueError for anything else."""
    rows = map(listed, listed(kept))
    return {parse_clause(text(clause)): Confidence(*map(whole, numbers)) for clause, *numbers in rows}
