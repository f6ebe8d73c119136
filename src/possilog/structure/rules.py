"""Horn rules for every predicate: examples, then beam search, one predicate after the other or side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from possilog.data import Database
from possilog.data.taking import Facts, facts_of
from possilog.data.writing.frames import frame_of
from possilog.deadline import Deadline, OutOfTime
from possilog.entailment import Saturation
from possilog.errors import QueryError, listed
from possilog.logic import Clause, Predicate, parse_clause
from possilog.logic.atom_space import AtomSpace
from possilog.matching.cover import Cover
from possilog.printing import Printed
from possilog.progress import Progress, Step, require_progress, silent
from possilog.requiring import require_kind, require_list
from possilog.structure.consistency import Consistency
from possilog.structure.examples import Examples, distinct_heads, make_examples
from possilog.structure.horn import BeamRule, BeamSearch, Limits, SearchCounts
from possilog.structure.negatives import Negatives
from possilog.workers import Jobs, in_order

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "PRESETS",
    "FoundRule",
    "FoundRules",
    "SearchSettings",
    "Skipped",
    "find_rules",
    "preset_settings",
    "targets_of",
]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How Horn rules are searched."""

    limits: Limits = field(default_factory=Limits)
    negatives: int = 1000
    """The most negative examples for a predicate."""
    positives: int = 10_000
    """The most positive examples for a predicate."""
    random_negatives: bool = False
    """Take any false atoms as negatives, not only those that the hard rules do not explain."""
    seed: int = 0


PRESETS = {
    "uwcse": SearchSettings(Limits(width=3, body=3, beam=100, repeats=5, min_support=2), negatives=1_000),
    "yeast": SearchSettings(Limits(width=4, body=4, beam=100, repeats=1, min_support=2), negatives=10_000),
}
"""The authors' own settings, for their two data sets."""

OVER = "the time was over"
"""Why a predicate was skipped, where time ran out."""


def preset_settings(name: str | None) -> SearchSettings:
    """The authors' settings of a preset; the default ones without a name."""
    if name is None:
        return SearchSettings()
    if not isinstance(name, str) or name not in PRESETS:
        raise QueryError(f"there is no preset {name!r}; take one of: {', '.join(sorted(PRESETS))}")
    return PRESETS[name]


@dataclass(frozen=True, slots=True, repr=False)
class FoundRule(Printed):
    """A rule, its weighted accuracy, how many examples of either kind it covers, and how many facts it covers."""

    clause: Clause
    accuracy: float
    positives: int
    negatives: int
    support: int
    gain: float
    """The facts that the rule gives right, less those that it gives wrong, both estimated from the examples."""

    @property
    def target(self) -> Predicate:
        """The predicate that the rule is about."""
        return self.clause.head[0].predicate

    @property
    def figures(self) -> str:
        """How good it is, in the columns accuracy, positives and negatives."""
        return f"{self.accuracy:8.4f}  {self.positives:9,}  {self.negatives:9,}"

    @property
    def as_json(self) -> dict[str, Any]:
        """One of the rules that ``possilog rules --json`` prints, but for its confidence."""
        return {
            "target": self.target.name,
            "rule": str(self.clause),
            "accuracy": self.accuracy,
            "positives": self.positives,
            "negatives": self.negatives,
            "support": self.support,
            "gain": self.gain,
        }

    def __str__(self) -> str:
        return f"{self.clause}  % accuracy {self.accuracy:.4f}, support {self.support:,}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A predicate for which no rule, or not all that was asked for, was found, and why."""

    target: Predicate
    reason: str

    @property
    def as_json(self) -> dict[str, str]:
        """One of those that ``possilog rules --json`` prints as skipped."""
        return {"target": self.target.name, "reason": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class FoundRules:
    """The rules of all predicates, predicate by predicate in the order in which they were found.

    They print as the command line shows them, but for the confidence, which the search does not know.
    """

    rules: tuple[FoundRule, ...]
    skipped: tuple[Skipped, ...]
    counts: SearchCounts
    seconds: float
    more: tuple[Predicate, ...] = ()
    """The predicates whose search ended because of the number of repeats: there may be more rules."""

    def table(self, title: str, more: str, of_rules: Iterable[str]) -> str:
        """A title, the rules by predicate with one more column, and what was skipped."""
        lines = [title]
        for target, rules in groupby(zip(self.rules, of_rules, strict=True), key=lambda pair: pair[0].target):
            lines += ["", str(target), f"  accuracy  positives  negatives  {more}"]
            lines += [f"  {rule.figures}  {shown}  {rule.clause}" for rule, shown in rules]
        if self.skipped:
            lines += ["", "skipped", *(f"  {skipped.target}: {skipped.reason}" for skipped in self.skipped)]
        return "\n".join(lines)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog rules --json`` prints, but for what the search does not know: confidences and hard rules."""
        return {
            "count": len(self.rules),
            "rules": [rule.as_json for rule in self.rules],
            "skipped": [skipped.as_json for skipped in self.skipped],
        }

    def to_frame(self) -> DataFrame:
        """The rules as a pandas DataFrame, a row for each."""
        names = ("concludes", "rule", "accuracy", "positives", "negatives", "support")
        rows = (
            (rule.target.name, str(rule.clause), rule.accuracy, rule.positives, rule.negatives, rule.support)
            for rule in self.rules
        )
        return frame_of((dict(zip(names, row, strict=True)) for row in rows), names)

    def __str__(self) -> str:
        return self.table(f"{len(self.rules):,} rules", "support", (f"{rule.support:>7,}" for rule in self.rules))

    def __repr__(self) -> str:
        return f"<FoundRules: {len(self.rules):,} rules, {len(self.skipped):,} predicates skipped>"


def find_rules(
    database: Facts,
    hard_rules: Sequence[Clause | str],
    targets: Sequence[Predicate | str] | None = None,
    settings: SearchSettings | None = None,
    *,
    jobs: Jobs = 1,
    time_limit: float | None = None,
    progress: Progress = silent,
) -> FoundRules:
    """Search the Horn rules of some predicates, or of all: the candidates from which theories are made.

    Parameters
    ----------
    database : Database, path of a file, dict of frames, or atoms
        The facts.
    hard_rules : list of Clause, or of text such as ":- parent(X, X)."
        What holds without exception; negative examples are atoms that these rules do not refute.
    targets : list of Predicate or of names, or None
        The predicates that rules are searched for; None for all.
    settings : SearchSettings or None
        How rules are searched; None for the default ones.
    jobs : int, or Cluster
        The number of processes, or a Dask cluster. The result is the same everywhere.
    time_limit : float or None
        Seconds. What was found by then is the result, and the predicates that are left are skipped.
    progress : function
        Is called with each step that is done.

    Returns
    -------
    FoundRules
        The rules by predicate, with their accuracy and support, and what was skipped.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    QueryError
        If there are no facts of a predicate that is asked for.

    Examples
    --------
    >>> from possilog import Predicate, find_hard_rules, load
    >>> village = load("village")
    >>> hard = find_hard_rules(village, variables=2).clauses
    >>> find_rules(village, hard, ["livesIn"])
    <FoundRules: 15 rules, 0 predicates skipped>
    """
    began = time.perf_counter()
    database = facts_of(database)
    hard = _clauses_of(hard_rules)
    wanted = database.predicates if targets is None else targets_of(database, targets)
    require_kind("the settings", settings, SearchSettings)
    require_progress(progress)
    rules: list[FoundRule] = []
    skipped: list[Skipped] = []
    more: list[Predicate] = []
    counts = SearchCounts()
    stop = Deadline(time_limit)
    given = _Given(database, hard, settings or SearchSettings(), stop)
    searches = in_order(partial(_search_of, given), wanted, jobs)
    for done, target in enumerate(wanted, start=1):
        if stop():
            skipped.append(Skipped(target, OVER))
            continue
        found = next(searches)
        rules += found.rules
        skipped += found.skipped
        more += found.more
        counts.add(found.counts)
        progress(Step("rules", done, len(wanted), target.name))
    searches.close()
    return FoundRules(tuple(rules), tuple(skipped), counts, time.perf_counter() - began, tuple(more))


def _clauses_of(given: Sequence[Clause | str]) -> list[Clause]:
    """Clauses, some of them as text."""
    remedy = "find_hard_rules gives them, and parse_clause reads one"
    require_list("the hard rules", given, Clause | str, remedy)
    return [parse_clause(one) if isinstance(one, str) else one for one in given]


def targets_of(database: Database, given: Sequence[Predicate | str]) -> list[Predicate]:
    """Predicates of the data, some of them by name; each once."""
    require_list("the targets", given, Predicate | str, "give the names of predicates")
    first = reversed(database.predicates)  # of two that have one name
    named = {name: predicate for predicate in first for name in (predicate.name, str(predicate))}
    for one in given:
        if str(one) not in named:
            known = listed((predicate.name for predicate in database.predicates), 20)
            raise QueryError(f"there are no facts of {one} to learn from; the predicates are {known}")
    return list(dict.fromkeys(named[str(one)] for one in given))


def _search_of(given: _Given) -> Callable[[Predicate], FoundRules]:
    """Sent to a worker with what is the same for all predicates, which is so prepared once."""
    return given.search


class _Given:
    """What is the same for all predicates."""

    def __init__(
        self, database: Database, hard_rules: Sequence[Clause], settings: SearchSettings, stop: Deadline
    ) -> None:
        self.database, self.hard_rules, self.settings, self.stop = database, hard_rules, settings, stop

    @cached_property
    def saturation(self) -> Saturation:
        limits = self.settings.limits
        arity = max(predicate.arity for predicate in self.database.predicates)
        # Every atom shares a variable with what is there, so more variables than these cannot occur.
        width = min(limits.width, arity + limits.body * max(arity - 1, 0))
        return Saturation(AtomSpace(self.database.predicates, width), self.hard_rules, self.stop)

    @cached_property
    def consistency(self) -> Consistency:
        return Consistency(self.database, () if self.settings.random_negatives else self.hard_rules, self.stop)

    def search(self, target: Predicate) -> FoundRules:
        """The rules of one predicate, or the reason why there are none."""
        database, settings = self.database, self.settings
        reason = _reason_to_skip(database, target, settings.limits)
        if reason is not None:
            return FoundRules((), (Skipped(target, reason),), SearchCounts(), 0.0)
        try:
            return self._search(target)
        except OutOfTime:
            return FoundRules((), (Skipped(target, OVER),), SearchCounts(), 0.0)

    def _search(self, target: Predicate) -> FoundRules:
        database, settings = self.database, self.settings
        examples = make_examples(
            self.consistency,
            target,
            negatives=settings.negatives,
            positives=settings.positives,
            seed=settings.seed,
        )
        if not len(examples.negatives.rows):
            return FoundRules((), (Skipped(target, self._why_no_negatives(examples.negatives)),), SearchCounts(), 0.0)
        search = BeamSearch(database, self.saturation, target, examples, settings.limits, self.stop)
        rules = tuple(_found_rule(database, search, candidate, examples) for candidate in search.rules())
        late = (Skipped(target, OVER),) if search.cut_short else ()
        more = (target,) if search.more else ()
        return FoundRules(rules, late or _remarks(database, target, len(rules)), search.counts, 0.0, more)

    def _why_no_negatives(self, negatives: Negatives) -> str:
        if not negatives.explained:
            return f"no negative was found among {negatives.drawn:,} atoms drawn at random"
        if self.settings.random_negatives:
            return "there are no false atoms"
        return "fully explained by the hard rules: every other atom contradicts them"


def _found_rule(database: Database, search: BeamSearch, candidate: BeamRule, examples: Examples) -> FoundRule:
    clause = search.clause(candidate)
    support = candidate.positives
    if examples.positive_weight > 1:  # the examples are not all facts
        heads = distinct_heads(database, clause.head[0].predicate)
        support = int(Cover(database, heads).covered(search.body(candidate), np.arange(len(heads))).sum())
    gain = examples.positive_weight * candidate.positives - examples.negative_weight * candidate.negatives
    return FoundRule(clause, candidate.accuracy, candidate.positives, candidate.negatives, support, gain)


def _reason_to_skip(database: Database, target: Predicate, limits: Limits) -> str | None:
    facts = len(distinct_heads(database, target)) if target.arity else 0
    if target.arity == 0:
        return "it has no arguments, so that there is nothing to generalise"
    if target.arity > limits.width:
        return f"it has {target.arity} arguments, and a rule may have {limits.width} variables; raise the width"
    if facts < limits.min_support:
        return f"{facts} of its facts have distinct arguments, and the minimum support is {limits.min_support}"
    return None


def _remarks(database: Database, target: Predicate, rules: int) -> tuple[Skipped, ...]:
    remarks = []
    repeated = database.count(target) - len(distinct_heads(database, target))
    if repeated:
        remarks.append(f"{repeated} of its facts have repeated arguments, which no rule with distinct variables covers")
    if not rules:
        remarks.append("no rule within the limits covers enough facts")
    return tuple(Skipped(target, remark) for remark in remarks)
