"""What will be done with facts that are not taken as a graph, said before it is done, as ``graph.plan`` has it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import comb, floor, log10
from typing import Any

from possilog.data import Database
from possilog.learning.base_rate import COPIES
from possilog.learning.candidates import MINED
from possilog.learning.columns import is_of_tables
from possilog.learning.examples import has_examples
from possilog.learning.hiding import SIMULATED
from possilog.learning.lists import HELD_OUT
from possilog.learning.measurement import PARTED, SETS
from possilog.learning.settings import Settings
from possilog.printing import plural
from possilog.structure.columns.mining import MOST_ROWS

__all__ = ["EXAMPLES", "SEARCH", "TABLES", "SearchPlan", "make_search_plan"]

TABLES, EXAMPLES, SEARCH = "tables", "examples", "search"
"""How rules are found: among conditions on rows, by what tells examples apart, or by searches for every predicate."""

_WAYS = {TABLES: "conditions on rows", EXAMPLES: "what tells examples apart", SEARCH: "search"}

_SECONDS, _SECONDS_PER_FACT = {SEARCH: 2.0, EXAMPLES: 2.0, TABLES: 1.0}, {SEARCH: 3e-5, EXAMPLES: 3e-5, TABLES: 2e-7}
"""CPU seconds to start, and for each fact, predicate, and predicate that rules are about."""

_SECONDS_PER_ATTRIBUTE, _SECONDS_PER_CLAUSE = 1e-5, 2e-5
"""Where rules are searched, for each fact about what a thing is, instead of that; and for each clause of so many unary
literals as hard rules may have: there are the more that hold by chance."""

_MEGABYTES, _MEGABYTES_PER_FACT = 90.0, {SEARCH: 2e-3, EXAMPLES: 2e-3, TABLES: 1e-4}
"""To start, and for each fact and predicate that rules are about: all as measured, which docs/learning.md has."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How rules are searched, and about how long that takes."""

    kind: str
    facts: int
    predicates: int
    constants: int
    exact: str
    """What is counted exactly."""
    sampled: str
    """What is not."""
    seconds: float
    """About how much CPU time it takes where no limit is set: the order of magnitude, from a few data sets."""
    megabytes: float
    """About how much memory it takes."""
    time_limit: float | None = None
    """The seconds that it may take."""

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)

    def __str__(self) -> str:
        about = f"{plural(self.predicates, 'predicate')} about {plural(self.constants, 'constant')}"
        return (
            f"plan: {plural(self.facts, 'fact')} of {about}, by {_WAYS[self.kind]}\n"
            f"  exact: {self.exact}\n  sampled: {self.sampled}\n"
            f"  about {self.seconds:,.0f} s and {self.megabytes:,.0f} MB{self._limited}"
        )

    @property
    def _limited(self) -> str:
        """What a time limit does to that."""
        if self.time_limit is None:
            return ""
        found = "cut short" if self.time_limit < self.seconds else "done"
        return f"; {found} after {self.time_limit:g} s at the latest"


def _kind(database: Database, settings: Settings) -> str:
    """How the rules of some facts are found."""
    if is_of_tables(database, settings.objective):
        return TABLES
    examples = has_examples(database, settings.focus.predicates(database), settings.objective)
    return EXAMPLES if examples else SEARCH


def make_search_plan(database: Database, settings: Settings, time_limit: float | None = None) -> SearchPlan:
    """The plan for facts that are not taken as a graph."""
    kind = _kind(database, settings)
    seconds, megabytes = _cost(database, settings, kind)
    return SearchPlan(
        kind,
        len(database),
        len(database.predicates),
        len(database.constants),
        "; ".join(_exact(settings, kind)),
        "; ".join(_sampled(settings, kind)),
        rounded(seconds),
        rounded(megabytes),
        time_limit,
    )


def rounded(number: float) -> float:
    """To one digit, as no estimate knows more.

    >>> rounded(4.4), rounded(151.0), rounded(97.0)
    (4.0, 200.0, 100.0)
    """
    return round(number, -floor(log10(number)))


def _exact(settings: Settings, kind: str) -> list[str]:
    """What is counted exactly."""
    if kind == TABLES:
        return ["columns with one value for each row", "the rows that every candidate is right and wrong about"]
    variables = "" if settings.hard_variables is None else f" and {plural(settings.hard_variables, 'variable')}"
    hard = f"hard rules of up to {settings.hard_literals} literals ({settings.hard_unary_literals} if unary){variables}"
    if kind == EXAMPLES:
        return [hard, "the examples that every candidate is right and wrong about"]
    limits = settings.search.limits
    paths = [f"all path rules of up to {plural(min(limits.body, limits.width - 1), 'atom')}"] if settings.mined else []
    return [hard, *paths, "the true and false heads of every candidate"]


def _sampled(settings: Settings, kind: str) -> list[str]:
    """What is not."""
    if kind == TABLES:
        return [f"at most {MOST_ROWS:,} rows of a table", f"one row in {HELD_OUT} is held out"]
    if settings.mined:
        searched = f"the best {MINED} path rules are candidates"
    else:
        search = settings.search
        atoms = f"{search.positives:,} true and {search.negatives:,} false atoms of a predicate"
        searched = f"rules are searched by at most {atoms}"
    if kind == EXAMPLES:
        return [searched, f"one example in {HELD_OUT} is held out"]
    if settings.objective != "prediction":
        return [searched]
    sets = f"{SETS} evidence sets at each of {len(SIMULATED)} shares, and {PARTED} of each held-out part"
    return [searched, f"they are chosen by {COPIES} relabelled copies, {sets}"]


def _cost(database: Database, settings: Settings, kind: str) -> tuple[float, float]:
    """About how many seconds and megabytes it takes."""
    facts, predicates = len(database), len(database.predicates)
    about = len(settings.focus.predicates(database)) or predicates
    links = facts
    seconds = _SECONDS[kind]
    if kind != TABLES:
        unary = [predicate for predicate in database.predicates if predicate.arity == 1]
        links -= sum(database.count(predicate) for predicate in unary)
        clauses = comb(len(unary), settings.hard_unary_literals) << settings.hard_unary_literals
        seconds += clauses * _SECONDS_PER_CLAUSE + (facts - links) * predicates * about * _SECONDS_PER_ATTRIBUTE
    seconds += links * predicates * about * _SECONDS_PER_FACT[kind]
    return seconds, _MEGABYTES + facts * about * _MEGABYTES_PER_FACT[kind]
