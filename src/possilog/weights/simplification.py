"""The same theory with less: what the rest entails goes, and every cut entails what it did (section Weight Learning).

Strata are looked at from the highest to the lowest. What a rule adds is judged in worlds of as many constants as it has
variables (``possilog.entailment.relational``), so nothing depends on the width or on how many constants there are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from possilog.deadline import NEVER, Deadline
from possilog.entailment import Entailment, entails
from possilog.logic import Clause, Keep, Rule, Theory

__all__ = ["Simplified", "simplify"]


@dataclass(frozen=True, slots=True)
class Simplified:
    """A simpler theory, and what was done to it."""

    theory: Theory
    removed: tuple[Rule, ...]
    """Rules that hard rules and others of the same or a higher weight entail, and rules that weigh no more than ⊥."""
    shortened: tuple[tuple[Rule, Rule], ...]
    """Rules before and after literals went that make no difference."""


def simplify(theory: Theory, keep: Collection[Clause] = (), stop: Deadline = NEVER) -> Simplified:
    """Take away soft rules, and literals of soft rules, that make no difference at any cut.

    Hard rules stay as they are, and so do rules whose clauses are in ``keep`` or that are locked or pinned. As soon as
    ``stop`` says so, what has not been looked at stays.

    >>> from possilog.logic import parse_theory
    >>> simplified = simplify(parse_theory('''
    ...     person(X) :- old(X).
    ...     0.9 :: old(X) :- parent(X, Y), person(Y).
    ...     0.8 :: person(X) :- parent(X, Y), person(Y).
    ...     0.7 :: grey(X) :- old(X), person(X).
    ...     0.1 :: false.
    ... '''))
    >>> print(*simplified.theory)
    person(X) :- old(X). 0.9 :: old(X) :- parent(X, Y), person(Y). 0.7 :: grey(X) :- old(X).
    """
    fixed = frozenset(keep)
    above = [rule.clause for rule in theory.hard]
    rules = list(theory.hard)
    shortened: dict[Rule, Rule] = {}
    for stratum in theory.strata:
        locked = [rule for rule in stratum.rules if rule.clause in fixed or rule.keep is not Keep.FREE]
        free = [rule for rule in stratum.rules if rule not in locked]
        # What weighs no more than ⊥ never decides: every world breaks ⊥.
        if stratum.weight <= theory.falsity:
            free = []
        elif not stop():
            kept = [*above, *(rule.clause for rule in locked)]
            free = _needed(free, kept, stop)
            shorter = _shortened(free, kept, theory, stop)
            left = _needed(list(shorter.values()), kept, stop)
            shortened |= {rule: short for rule, short in shorter.items() if short in left and short != rule}
            free = left
        remaining = {*locked, *free}
        there = [shortened.get(rule, rule) for rule in stratum.rules]
        there = list(dict.fromkeys(rule for rule in there if rule in remaining))
        rules += there
        above += (rule.clause for rule in there)
    there_still = frozenset(rules)
    removed = tuple(rule for rule in theory if shortened.get(rule, rule) not in there_still)
    return Simplified(replace(theory, rules=tuple(rules)), removed, tuple(shortened.items()))


def _needed(rules: Sequence[Rule], kept: Sequence[Clause], stop: Deadline) -> list[Rule]:
    """The rules that are left when, one after the other, those that what is kept and the rest entail are gone.

    Those with the most variables and literals may go first, so that what is short tends to stay.
    """
    left = list(dict.fromkeys(rules))
    for rule in sorted(left, key=_length, reverse=True):
        rest = [other for other in left if other is not rule]
        if not stop() and entails([*kept, *(other.clause for other in rest)], rule.clause):
            left = rest
    return left


def _shortened(rules: Sequence[Rule], kept: Sequence[Clause], theory: Theory, stop: Deadline) -> dict[Rule, Rule]:
    """Each rule without literals that may go: what is left of it must still follow from the cut."""
    with Entailment([*kept, *(rule.clause for rule in rules)]) as cut:
        return {rule: replace(rule, clause=_shorter(rule.clause, cut, theory, stop)) for rule in rules}


def _shorter(clause: Clause, cut: Entailment, theory: Theory, stop: Deadline) -> Clause:
    clause = Clause.of(dict.fromkeys(clause.literals))
    for literal in reversed(clause.literals):
        # A rule that concludes something goes on to: the cuts would entail the same, but a constraint explains nothing.
        if literal.positive and clause.is_definite:
            continue
        rest = Clause.of(other for other in clause.literals if other != literal)
        if not stop() and not rest.is_empty and not theory.bans(rest) and cut.entails(rest):
            clause = rest
    return clause


def _length(rule: Rule) -> tuple[int, int, str]:
    return len(rule.clause.variables), len(rule.clause.literals), str(rule.clause)
