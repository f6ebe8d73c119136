"""Where facts break a theory: a report on their quality, rule by rule.

The facts are taken as complete: a rule is violated where its body holds and no atom of its head is among them. An empty
cell of a table is not known, so that no rule about it is violated there, nor does it apply.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import perm
from typing import TYPE_CHECKING, Any

import numpy as np

from possilog.data.cells import filled_cells
from possilog.data.typing import in_step
from possilog.data.writing.frames import frame_of
from possilog.errors import QueryError
from possilog.files import AnyPath
from possilog.inference.taken import Facts, facts_of, theory_of
from possilog.inference.words import PLAIN, Words, enumerated
from possilog.logic import (
    Atom,
    BuiltIn,
    Clause,
    Constant,
    Literal,
    Predicate,
    Query,
    Rule,
    Theory,
    Variable,
    variables_of,
)
from possilog.matching import Matcher
from possilog.notebook import table_in_notebook
from possilog.printing import plural
from possilog.requiring import require_kind, require_whole

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["EXAMPLES", "Check", "RuleCheck", "check", "say_facts", "say_violation"]

EXAMPLES = 3
"""Violations of a rule that are shown unless another number is asked for."""

_MOST_OPEN_HEADS = 12
"""Atoms of a head with variables that the body leaves open are counted by inclusion and exclusion: 2 to the power of
this many counts, at most."""

_LONG = 100
"""Letters of a rule that a message shows."""

_MOST_TRIED = 1_000_000
"""Where there are more of these atoms, constants are tried one by one, this many times at most."""

_MOST_STEPS = 20_000_000
"""Of the search that counts: a hub with 10,000 facts matches a body of four atoms in 10¹⁶ ways."""


@dataclass(frozen=True, slots=True, repr=False)
class RuleCheck:
    """How often a rule applies, how often it is violated, and some examples."""

    rule: Rule
    applications: int
    """In how many ways its body holds. Every application of a constraint violates it."""
    violations: int
    examples: tuple[Clause, ...]
    """Ground rules that are violated."""
    exact: bool = True
    """Were all of them counted? If not, there are more."""

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {
            "rule": str(self.rule),
            "hard": self.rule.is_hard,
            "violations": self.violations,
            "applications": self.applications,
            "exact": self.exact,
            "examples": [str(clause) for clause in self.examples],
        }

    def lines(self, words: Words = PLAIN) -> Iterator[str]:
        """The counts, the rule, and sentences about the examples."""
        yield f"{self.counted}  {self.rule}"
        yield from (f"    {say_violation(clause, words)}" for clause in self.examples)
        if self.violations > len(self.examples) > 0:
            yield f"    and {self._least}{self.violations - len(self.examples):,} more"

    @property
    def counted(self) -> str:
        """How many violations there are, of how many applications."""
        share = f" of {self._least}{self.applications:,}" if self.rule.clause.head else ""
        return f"{self._least}{self.violations:,}{share}"

    @property
    def _least(self) -> str:
        return "" if self.exact else "at least "

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<RuleCheck: {self.counted} violate  {self.rule}>"


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """What the facts break: the rules of a theory in order, hard ones first. It prints as a list, by its words.

    >>> from possilog import check, parse_theory
    >>> found = check(parse_theory(":- bird(X), fish(X)."), ["bird(Tux)", "fish(Tux)"])
    >>> [(str(broken.rule), broken.violations) for broken in found.broken]
    [(':- bird(X), fish(X).', 1)]
    """

    rules: tuple[RuleCheck, ...]
    facts: int
    words: Words = field(default=PLAIN, compare=False)
    """How atoms are said."""

    @property
    def broken(self) -> tuple[RuleCheck, ...]:
        """The rules that are violated."""
        return tuple(checked for checked in self.rules if checked.violations)

    @property
    def hard(self) -> tuple[RuleCheck, ...]:
        """The hard rules that are violated."""
        return tuple(checked for checked in self.broken if checked.rule.is_hard)

    @property
    def soft(self) -> tuple[RuleCheck, ...]:
        """The soft rules that are violated: these are exceptions, not necessarily errors."""
        return tuple(checked for checked in self.broken if not checked.rule.is_hard)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog check --json`` prints."""
        return {
            "facts": self.facts,
            "rules": len(self.rules),
            "hard": {"broken": len(self.hard), "violations": _violated(self.hard)},
            "soft": {"broken": len(self.soft), "violations": _violated(self.soft)},
            "broken": [checked.as_json for checked in self.broken],
        }

    def to_frame(self) -> DataFrame:
        """The rules that are violated as a pandas DataFrame, a row for each, with examples as lists of text."""
        names = ("rule", "hard", "violations", "applications", "examples")
        return frame_of((checked.as_json for checked in self.broken), names)

    def lines(self) -> Iterator[str]:
        """The rules that are violated, hard ones first."""
        yield f"{plural(self.facts, 'fact')}, {plural(len(self.rules), 'rule')}"
        for title, none, broken in (
            ("Hard rules that are violated", "No hard rule is violated", self.hard),
            ("Exceptions to soft rules", "No soft rule has an exception", self.soft),
        ):
            least = "" if all(checked.exact for checked in broken) else "at least "
            counts = f"{title}: {plural(len(broken), 'rule')}, {least}{plural(_violated(broken), 'time')}"
            yield f"\n{counts if broken else none}"
            yield from (f"  {line}" for checked in broken for line in checked.lines(self.words))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """In a notebook: the rules that are violated, with an example of each."""
        rows = (
            (
                "hard" if one.rule.is_hard else "soft",
                one.counted,
                str(one.rule.clause),
                say_violation(one.examples[0], self.words) if one.examples else "",
            )
            for one in self.broken
        )
        header = ("kind", "violated", "rule", "for example")
        return table_in_notebook(repr(self)[1:-1], header, rows, len(self.broken))

    def __repr__(self) -> str:
        broken = f"{len(self.hard):,} hard and {len(self.soft):,} soft ones violated"
        return f"<Check: {plural(self.facts, 'fact')}, {plural(len(self.rules), 'rule')}, {broken}>"


def check(theory: Theory | AnyPath, facts: Facts, limit: int | None = EXAMPLES, *, words: Words = PLAIN) -> Check:
    """All violations of a theory in facts, counted rule by rule, with examples.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        The rules, hard and soft.
    facts : Database, path of a file, or atoms
        They are taken as complete: what is not among them is false, but for empty cells of tables.
    limit : int or None
        At most this many examples of each rule; None for all.
    words : Words
        How the report says atoms when it is printed.

    Returns
    -------
    Check
        Every rule with the number of its applications and violations.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    QueryError
        If a rule has too many atoms in its head with variables that its body leaves open.

    Examples
    --------
    >>> from possilog import parse_theory
    >>> theory = parse_theory("adult(X) :- married(X, Y). 0.9 :: married(X, Y) :- married(Y, X).")
    >>> report = check(theory, ["married(Tom, Clara)"])
    >>> print(report)
    1 fact, 2 rules
    <BLANKLINE>
    Hard rules that are violated: 1 rule, 1 time
      1 of 1  adult(X) :- married(X, Y).
          Tom is married to Clara, but not: Tom is an adult
    <BLANKLINE>
    Exceptions to soft rules: 1 rule, 1 time
      1 of 1  0.9 :: married(X, Y) :- married(Y, X).
          Tom is married to Clara, but not: Clara is married to Tom
    >>> report
    <Check: 1 fact, 2 rules, 1 hard and 1 soft ones violated>
    """
    require_whole("limit", 0 if limit is None else limit, 0, ", or None")
    require_kind("words", words, Words)
    rules = theory_of(theory)
    rules, given = in_step(rules, facts_of(facts, rules.mapping))
    columns = filled_cells(given)
    told = {_told(predicate): things[np.newaxis] for predicate, things in columns.items()}
    matcher = Matcher(given.having_examples(told, {}) if told else given)
    for rule in rules:
        _require_countable(rule.clause, matcher)
    return Check(
        tuple(_checked(rule, matcher, limit, columns) for rule in rules),
        len(given),
        (words or PLAIN).of_theory(rules),
    )


def _told(predicate: Predicate) -> Predicate:
    """The predicate of things whose cell in a column is not empty; its name can be nobody else's."""
    return Predicate(f"{predicate.name}\0", 1)


def _where_told(clause: Clause, columns: Container[Predicate]) -> Clause:
    """The rule where all that it concludes is known to be true or false."""
    told = (_told(atom.predicate)(atom.arguments[0]) for atom in clause.head if atom.predicate in columns)
    return Clause(clause.head, (*clause.body, *dict.fromkeys(told)))


def _checked(rule: Rule, matcher: Matcher, limit: int | None, columns: Container[Predicate]) -> RuleCheck:
    clause = _where_told(rule.clause, columns)
    applications, all_counted = _ways(clause.body, clause.variables, matcher)
    violations, exact = _violations(clause, matcher)
    found = matcher.matches(clause.violation, limit=limit) if violations and limit != 0 else ()
    return RuleCheck(
        rule, applications, violations, tuple(_instance(rule.clause, match) for match in found), all_counted and exact
    )


def _violations(clause: Clause, matcher: Matcher) -> tuple[int, bool]:
    heads = _open_heads(clause)
    if not heads or len(heads) > _MOST_OPEN_HEADS:
        return matcher.count_within(clause.violation, _MOST_STEPS)
    # The body leaves variables open, and the constants that they may stand for are not tried one by one: from all
    # applications those are taken away of which some atom of the head holds (inclusion and exclusion).
    closed = [Literal(atom, False) for atom in clause.head if atom not in heads]
    violations = 0
    for size in range(len(heads) + 1):
        for some in combinations(heads, size):
            ways, exact = _ways(clause.body + some, clause.variables, matcher, closed)
            if not exact:
                return matcher.count_within(clause.violation, _MOST_STEPS)
            violations += (-1) ** size * ways
    return violations, True


def _open_heads(clause: Clause) -> tuple[Atom, ...]:
    """The atoms of the head with variables that the body does not have."""
    bound = set(variables_of(clause.body))
    return tuple(atom for atom in dict.fromkeys(clause.head) if not bound.issuperset(atom.variables))


def _require_countable(clause: Clause, matcher: Matcher) -> None:
    """Refuse what would take for ever."""
    heads = len(_open_heads(clause))
    if heads > _MOST_OPEN_HEADS and _ways(clause.body, clause.variables, matcher)[0] > _MOST_TRIED:
        text = str(clause) if len(str(clause)) <= _LONG else f"{str(clause)[:_LONG]}…"
        raise QueryError(
            f"the violations of {text} cannot be counted: {heads} atoms of its head have variables that its body "
            f"leaves open, and at most {_MOST_OPEN_HEADS} may, unless there are few constants; have the body bind them"
        )


def _ways(
    atoms: Sequence[Atom], variables: Sequence[Variable], matcher: Matcher, without: Sequence[Literal] = ()
) -> tuple[int, bool]:
    """In how many ways can some variables stand for distinct constants so that some atoms hold, and others do not?

    Also says whether these are all, or more than could be counted.
    """
    bound = len(variables_of(atoms))
    left_open = len(variables) - bound
    constants = len(matcher.database.constants)
    ways = perm(constants - bound, left_open) if bound <= constants else 0
    if not ways:
        return 0, True
    found, exact = matcher.count_within(Query((*map(Literal, atoms), *without)), _MOST_STEPS)
    return ways * found, exact


def _instance(clause: Clause, match: dict[str, str]) -> Clause:
    return clause.substitute({Variable(name): Constant(constant) for name, constant in match.items()})


def _violated(some: Sequence[RuleCheck]) -> int:
    return sum(checked.violations for checked in some)


def say_violation(clause: Clause, words: Words) -> str:
    """What is the case, and what is not but should be."""
    body = say_facts(clause.body, words)
    head = enumerated(map(words.atom, clause.head), "or")
    if clause.body and clause.head:
        return f"{body}, but not: {head}"
    return f"not: {head}" if clause.head else body


def say_facts(atoms: Sequence[Atom], words: Words) -> str:
    """Ground atoms as one phrase; that one number is less than another goes without saying."""
    told = [atom for atom in atoms if not isinstance(atom.predicate, BuiltIn)]
    return enumerated(map(words.atom, told or atoms))
