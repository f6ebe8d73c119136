"""Hard rules: what holds without exception in the data (section Structure Learning, Constructing Training Examples)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import exp, log
from typing import Any

from possilog.chance import generator
from possilog.data.database import Database
from possilog.data.taking import Facts, facts_of
from possilog.deadline import NEVER, Deadline
from possilog.entailment import irredundant
from possilog.logic import Clause, Predicate, Types, canonical
from possilog.matching import Matcher
from possilog.printing import Printed, plural
from possilog.progress import Progress, require_progress, silent
from possilog.requiring import require_whole
from possilog.structure.attribute_levels import AttributeLevels
from possilog.structure.clause_space import ClauseSpace, fits
from possilog.structure.kinds import KINDS, kind_of
from possilog.structure.levels import ClauseLevel, ClauseLevels
from possilog.structure.support import Support
from possilog.structure.surprise import CHANCE, LEVEL, Surprise, Tested
from possilog.structure.typing import types_of

__all__ = ["HardRule", "HardRules", "find_hard_rules"]

SEARCHING, COMPARING = 0.6, 0.5
"""The share of a time limit for the search, and that of what is left then for comparing what was found. The rest is for
supports and for putting all in order."""


@dataclass(frozen=True, slots=True, repr=False)
class HardRule(Printed):
    """A clause without a counterexample, what kind of rule it is, and how often it could have failed."""

    clause: Clause
    kind: str
    support: int
    log_p: float
    """The logarithm of the probability that it would hold if its predicates had nothing to do with each other."""
    units: int
    """On how many distinct constants, or tuples that share none, it rests."""
    is_earned: bool
    """Is that improbable enough, among as many clauses as were tried, to call it hard?"""
    by_types: str = ""
    """What the types make of a constraint that they stand for in a learned theory: hard or demoted; else nothing."""

    @property
    def p(self) -> float:
        """The probability itself."""
        return exp(self.log_p)

    def __str__(self) -> str:
        return f"{self.clause}  % {self.kind}, support {self.support:,}, {self.chance}"

    @property
    def chance(self) -> str:
        """What chance would do, in words, and what the types say."""
        by_types = f", {self.by_types} by types" if self.by_types else ""
        return f"p {self.p:.1e}, {plural(self.units, 'unit')}{', earned' * self.is_earned}{by_types}"

    @property
    def as_json(self) -> dict[str, Any]:
        """One of the rules that ``possilog hard-rules --json`` prints."""
        return {
            "rule": str(self.clause),
            "kind": self.kind,
            "support": self.support,
            "p_value": self.p,
            "units": self.units,
            "earned": self.is_earned,
            "by_types": self.by_types or None,
        }


@dataclass(frozen=True, slots=True, repr=False)
class HardRules:
    """The hard rules of some data, and what was searched for them. They print as the command line shows them."""

    rules: tuple[HardRule, ...]
    """By kind, number of literals and text."""
    earned: tuple[Clause, ...]
    """The clauses that chance would not make hold, without those that the others of them entail."""
    levels: tuple[ClauseLevel, ...]
    """What was searched, by number of literals: first all clauses, then longer ones of unary literals."""
    variables: int | None
    """How many variables a clause could have; None for any number."""
    minimal: bool
    """Is it sure that no rule is entailed by the others? Not where time ran out."""
    seconds: float
    types: Types | None = None
    """What most constraints say between them; None where there are no types."""
    units: Mapping[Clause, int] = field(default_factory=dict)
    """On how many units each of the earned ones rests."""

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The rules as clauses."""
        return tuple(rule.clause for rule in self.rules)

    @property
    def complete(self) -> bool:
        """Was everything searched that was asked for?"""
        return all(level.share == 1 for level in self.levels)

    @property
    def coverage(self) -> str:
        """What was searched, and what was not, in words."""
        done = _in_words([level for level in self.levels if level.share == 1])
        begun = [f"{level.share:.1%} of {_in_words([level])}" for level in self.levels if 0 < level.share < 1]
        left = _in_words([level for level in self.levels if level.share == 0])
        parts = [("searched", done), ("in part", ", ".join(begun)), ("not searched", left)]
        variables = "any number of variables" if self.variables is None else f"at most {self.variables} variables"
        minimal = [] if self.minimal else ["no time to take away all rules that the others entail"]
        return "; ".join([*(f"{title}: {text}" for title, text in parts if text), variables, *minimal])

    def __str__(self) -> str:
        earned = sum(rule.is_earned for rule in self.rules)
        told = f"{plural(len(self.rules), 'hard rule')}, of which chance would not make {earned:,} hold"
        lines = [f"{told}; {self.coverage}"]
        if self.types is not None:
            lines += ["", *self.types.lines]
        for kind, group in groupby(self._besides_types, key=lambda rule: rule.kind):
            lines += _section(f"{kind} ", list(group))
        if said := [rule for rule in self.rules if rule.by_types]:
            lines += _section("said by the types above ", said)
        return "\n".join(lines)

    @property
    def _besides_types(self) -> list[HardRule]:
        return [rule for rule in self.rules if not rule.by_types]

    def __repr__(self) -> str:
        return f"<HardRules: {plural(len(self.rules), 'rule')}, {'complete' if self.complete else 'not complete'}>"

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog hard-rules --json`` prints."""
        rules = [rule.as_json for rule in self.rules]
        coverage = {"complete": self.complete, "minimal": self.minimal, "description": self.coverage}
        types = [] if self.types is None else list(self.types.lines)
        return {"count": len(rules), "types": types, "rules": rules, "seconds": self.seconds, "coverage": coverage}


def _section(title: str, rules: Sequence[HardRule]) -> list[str]:
    """Some rules of a listing."""
    width = max(len(f"{rule.support:,}") for rule in rules)
    listed = [f"  {rule.support:>{width},}  {rule.clause}  % {rule.chance}" for rule in rules]
    return ["", f"{title}({len(rules):,})", *listed]


def find_hard_rules(
    database: Facts,
    *,
    literals: int = 2,
    unary_literals: int = 5,
    variables: int | None = None,
    min_support: int = 0,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> HardRules:
    """The minimal clauses without a counterexample, up to isomorphism.

    Minimal means that no other one subsumes it, and that the others do not entail it. Shorter clauses are searched
    first.

    Parameters
    ----------
    database : Database, path of a file, dict of frames, or atoms
        The facts.
    literals : int
        The most literals of a clause.
    unary_literals : int
        The most literals of a clause of unary literals over one variable.
    variables : int or None
        The most variables of a clause; None for any number.
    min_support : int
        Rules with less support are left out. They hold all the same, so what they subsume is not searched; no other
        rule is left out for being entailed by them.
    time_limit : float or None
        Seconds. The result says what was not searched.
    seed : int
        Decides how fast it is, not what is found.
    progress : function
        Is called with each step that is done.

    Returns
    -------
    HardRules
        The rules by kind, with their support, and what was searched.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    QueryError
        If clauses without literals or variables are asked for, or something is no number that should be one.

    Examples
    --------
    >>> from possilog import load
    >>> found = find_hard_rules(load("village"), variables=2)
    >>> print(*(rule.clause for rule in found.rules if rule.kind == "symmetry"))
    married(A, B) :- married(B, A).
    """
    require_whole("literals", literals, 1)
    require_whole("unary_literals", unary_literals)
    require_whole("variables", 1 if variables is None else variables, 1, ", or None")
    require_whole("min_support", min_support)
    require_progress(progress)
    began = time.perf_counter()
    stop = Deadline(time_limit)
    database = facts_of(database)
    searching = stop.part(SEARCHING)
    searches = _searches(database, literals, unary_literals, variables, seed, searching)
    levels = [
        search.search(size, searching, progress)
        for size in range(1, max(search.literals for search in searches) + 1)
        for search in searches
        if size <= search.literals
    ]
    support = Support(Matcher(database))
    clauses = _longest_first({clause for search in searches for clause in search.holding})
    if min_support > 0:
        clauses = [clause for clause in clauses if support.count(clause) >= min_support]
    reported = _reported(levels, literals, _too_long(database, literals, unary_literals))
    tested = Surprise(database, stop).all(clauses)
    earned = _earned(tested, reported)
    comparing = stop.part(COMPARING)
    kept = irredundant(clauses, comparing)
    types = None if stop() else types_of(database)
    by_types = {} if types is None else _said(types, earned)
    rules = [_judged(clause, support, tested.get(clause, CHANCE), clause in earned, by_types) for clause in kept]
    rules.sort(key=lambda rule: (KINDS.index(rule.kind), len(rule.clause.literals), str(rule.clause)))
    without_chance = tuple(irredundant((clause for clause in clauses if clause in earned), comparing))
    units = {clause: tested[clause].units for clause in without_chance}
    found = tuple(rules), without_chance, tuple(reported), variables, not comparing.passed
    return HardRules(*found, time.perf_counter() - began, types, units)


def _judged(
    clause: Clause, support: Support, test: Tested, is_earned: bool, by_types: Mapping[Clause, str]
) -> HardRule:
    said = by_types.get(canonical(clause), "")
    return HardRule(clause, kind_of(clause), support.count(clause), test.log_p, test.units, is_earned, said)


def _said(types: Types, earned: Iterable[Clause]) -> dict[Clause, str]:
    """The constraints that types stand for, and what becomes of them; what is hard by itself is not demoted by any."""
    own = set(map(canonical, earned))
    demoted = {form: "demoted" for clause in types.demoted if (form := canonical(clause)) not in own}
    return demoted | {canonical(clause): "hard" for clause in types.hard}


def _longest_first(clauses: Iterable[Clause]) -> list[Clause]:
    return sorted(clauses, key=lambda clause: (-len(clause.literals), str(clause)))


def _reported(levels: Iterable[ClauseLevel], literals: int, too_long: Iterable[int]) -> list[ClauseLevel]:
    """The levels in order, with those that are too long to be searched."""
    # Short clauses of unary literals were searched with all the others, too.
    searched = [level for level in levels if not (level.only_unary and level.literals <= literals)]
    every = [*searched, *(ClauseLevel(size, True) for size in too_long)]
    return sorted(every, key=lambda level: (level.only_unary, level.literals))


def _earned(tested: Mapping[Clause, Tested], levels: Sequence[ClauseLevel]) -> set[Clause]:
    """The clauses that chance would not make hold."""
    bounds = _bounds(levels)
    return {clause for clause, test in tested.items() if test.log_p <= bounds[len(clause.literals)]}


def _bounds(levels: Sequence[ClauseLevel]) -> dict[int, float]:
    """How improbable clauses have to be, by number of literals: Bonferroni's correction, for levels and within them."""
    searched = [level for level in levels if level.candidates]
    first = {level.literals: level for level in reversed(searched)}
    return {literals: log(LEVEL / (len(searched) * level.candidates)) for literals, level in first.items()}


def _searches(
    database: Database, literals: int, unary_literals: int, variables: int | None, seed: int, stop: Deadline = NEVER
) -> list[ClauseLevels | AttributeLevels]:
    """The search of all clauses, and that of long unary ones."""
    most = literals * max((predicate.arity for predicate in database.predicates), default=0)
    space = ClauseSpace(database.predicates, most if variables is None else min(most, variables), literals)
    rng = generator(seed, "clauses")
    searches: list[ClauseLevels | AttributeLevels] = [ClauseLevels(database, space, rng, stop)]
    unary_literals -= len(_too_long(database, literals, unary_literals))
    unary = _unary(database)
    if unary and unary_literals > literals:
        space = ClauseSpace(unary, 1, unary_literals)
        searches.append(AttributeLevels(database, space))
    return searches


def _unary(database: Database) -> list[Predicate]:
    return [predicate for predicate in database.predicates if predicate.arity == 1]


def _too_long(database: Database, literals: int, unary_literals: int) -> list[int]:
    """Numbers of literals of which there are too many clauses of unary literals, with thousands of predicates."""
    unary = _unary(database)
    return [size for size in range(literals + 1, unary_literals + 1) if unary and not fits(unary, 1, size)]


def _in_words(levels: Sequence[ClauseLevel]) -> str:
    """Levels by their numbers of literals."""
    texts = []
    for only_unary, what in ((False, "clauses"), (True, "clauses of unary literals over one variable")):
        numbers = [str(level.literals) for level in levels if level.only_unary == only_unary]
        if numbers:
            listed = " and ".join(filter(None, [", ".join(numbers[:-1]), numbers[-1]]))
            texts.append(f"{what} with {listed} literal{'s' * (listed != '1')}")
    return ", ".join(texts)
