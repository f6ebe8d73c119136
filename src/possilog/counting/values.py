"""Rules that name constants or compare numbers, as rules about predicates that say the same of variables.

``carrier(F, "EV")`` says something of F, as ``late(F)`` does, and so does ``D >= 15`` of D. For counting, each such
condition is a predicate of its own, a *value predicate*: its facts follow from the data, and worlds are about it as
about any other. So fragments, worlds, their numbers and the weights are what the paper defines, for the data with these
facts (docs/marginals.md). What is known about constants beforehand is hard: the laws of comparisons, and every instance
of a hard rule that the value predicates can say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import factorial

import numpy as np

from possilog.counting.limits import TooLarge
from possilog.data import Database
from possilog.logic import (
    NOTHING_DECLARED,
    Atom,
    BuiltIn,
    Clause,
    Constant,
    Declared,
    Literal,
    Nearness,
    Precedence,
    Predicate,
    Term,
    Variable,
)
from possilog.logic.laws import BEFORE, UP_TO, laws
from possilog.logic.spelling import TYPE_MARK
from possilog.logic.thresholds import Threshold, compared

__all__ = ["INSTANCES", "Values"]

INSTANCES = 100_000
"""Hard rules are taken at this many combinations of named constants at most."""

Pattern = tuple[Predicate, tuple[str | None, ...]]
"""A condition: a predicate and the constants at its places; None where a variable stands."""


class Values:
    """The value predicates of some rules. Without constants and comparisons there are none, and nothing changes.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> rule = parse_clause('late(F) :- carrier(F, "EV"), delay(F, D), D >= 15.')
    >>> values = Values([rule])
    >>> len(values.predicates), [len(atom.arguments) for atom in values.clause(rule).atoms]
    (2, [1, 1, 2, 1])
    >>> facts = Database.of(map(parse_atom, ["carrier(ua1, EV)", "delay(ua1, 20)", "delay(ua1, 3)"]))
    >>> [values.database(facts).count(predicate) for predicate in values.predicates]
    [1, 1]
    """

    def __init__(self, rules: Iterable[Clause] = (), declared: Declared = NOTHING_DECLARED) -> None:
        """Take all rules that are going to be counted, and the declared types of the data."""
        self._declared = declared
        patterns = {self._pattern(atom) for rule in rules for atom in rule.atoms if _is_special(atom)}
        if far := next((p for p, _ in patterns if isinstance(p, Nearness) and p.number), None):
            raise TooLarge(
                f"worlds are not counted by differences, as in {far.spelled('X', 'Y')}; take such rules away"
            )
        if any(isinstance(predicate, Precedence | Nearness) for predicate, _ in patterns):
            patterns |= {(BEFORE, (None, None)), (UP_TO, (None, None))}  # the order of things is in both
        self._predicates = {pattern: _named(pattern) for pattern in sorted(patterns, key=_named)}
        self._named_at: dict[tuple[Predicate, int], set[Constant]] = defaultdict(set)
        for predicate, constants in self._predicates:
            for place, name in enumerate(constants):
                if name is not None:
                    self._named_at[predicate, place].add(Constant(name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Values) and self._predicates == other._predicates

    def __hash__(self) -> int:
        return hash(self.predicates)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The value predicates, in order."""
        return tuple(self._predicates.values())

    def clause(self, rule: Clause) -> Clause:
        """The rule in terms of the value predicates."""
        if not any(map(_is_special, rule.atoms)):
            return rule
        return Clause(tuple(map(self._atom, rule.head)), tuple(map(self._atom, rule.body)))

    def database(self, facts: Database) -> Database:
        """The data with the facts that the value predicates stand for."""
        if not self._predicates:
            return facts
        relations = {predicate: facts.rows(predicate) for predicate in facts.predicates}
        for (predicate, constants), value in self._predicates.items():
            rows = facts.rows(predicate)
            keep, open_places = np.ones(rows.shape[1], dtype=bool), []
            for place, name in enumerate(constants):
                if name is None:
                    open_places.append(place)
                else:
                    number = facts.number(name)
                    keep &= rows[place] == (-1 if number is None else number)
            if not open_places and isinstance(predicate, BuiltIn):  # the data need not know a number to compare it
                keep = np.array([predicate.holds(*map(str, constants))])
            relations[value] = rows[open_places][:, keep] if open_places else np.empty((0, int(keep.any())), np.int32)
        return facts.having_facts(relations)

    def hard(self, rules: Iterable[Clause]) -> tuple[Clause, ...]:
        """Hard rules for worlds: with what they say about the named constants, and the laws of the comparisons."""
        listed = tuple(rules)
        if not self._predicates:
            return listed
        instances = chain.from_iterable(map(self._instances, listed))
        found = dict.fromkeys(chain(map(self.clause, listed), instances, map(self.clause, self._laws())))
        return tuple(clause for clause in found if not set(clause.head) & set(clause.body))

    def worlds_of_numbers(self, rules: Iterable[Clause], width: int) -> int:
        """How many worlds over so many constants there are at least, up to renaming all constants but the last.

        In these every constant is but a number, or a date, between bounds that rules name: n bounds part n + 1 of them.
        They satisfy all hard rules whose bodies speak of more than that; where one does not, none is promised.
        """
        if not all(any(not isinstance(atom.predicate, BuiltIn) for atom in rule.body) for rule in rules):
            return 0
        bounds = {comparison.bound for comparison, _ in self._predicates if isinstance(comparison, Threshold)}
        return int((len(bounds) + 1) ** width) // factorial(max(width - 1, 0))

    def _laws(self) -> Iterator[Clause]:
        yield from laws(p for p, names in self._predicates if isinstance(p, BuiltIn) and set(names) == {None})
        for comparison, constants in self._predicates:
            names = [name for name in constants if name is not None]
            if names and isinstance(comparison, BuiltIn):
                yield Clause.of([Literal(comparison(*map(Constant, names)), comparison.holds(*names))])

    # Instances of hard rules

    def _instances(self, rule: Clause) -> Iterator[Clause]:
        """What a hard rule says where some of its variables stand for named constants, as far as it can be said."""
        typed = self._declared.clause(rule)
        allowed = [sorted(self._allowed(typed, variable)) for variable in typed.variables]
        if not any(allowed):
            return
        tried = 0
        waiting: list[dict[Variable, Term]] = [{}]
        while waiting:
            bindings = waiting.pop()
            tried += 1
            if tried > INSTANCES:
                raise TooLarge(
                    f"a hard rule has more than {INSTANCES:,} instances for the constants that rules name; name fewer "
                    "constants, or take the rule away"
                )
            if len(bindings) == len(typed.variables):
                instance = _evaluated(typed.substitute(bindings))
                if instance is not None and instance != typed and self._is_said(instance):
                    yield self.clause(Clause(tuple(sorted(instance.head)), tuple(sorted(instance.body))))
                continue
            variable, names = typed.variables[len(bindings)], allowed[len(bindings)]
            choices: list[Term] = [variable, *(name for name in names if name not in bindings.values())]
            tries = [{**bindings, variable: choice} for choice in choices]
            waiting += [bound for bound in tries if self._can_be_said(typed, bound)]

    def _can_be_said(self, rule: Clause, bindings: Mapping[Variable, Term]) -> bool:
        """Are there predicates for the atoms of a rule that are known by now?"""
        known = (atom for atom in rule.atoms if bindings.keys() >= set(atom.variables) and not _compares(atom))
        return self._is_said(Clause((), tuple(atom.substitute(bindings) for atom in known)))

    def _is_said(self, clause: Clause) -> bool:
        return all(self._pattern(atom) in self._predicates for atom in clause.atoms if _is_special(atom))

    def _allowed(self, rule: Clause, variable: Variable) -> set[Constant]:
        """The constants that value predicates have at all places of a variable; all, where it is only compared."""
        sets: list[set[Constant]] = []
        for atom in rule.atoms:
            for place, term in enumerate(atom.arguments):
                if term == variable and not _compares(atom):
                    sets.append(self._named_at.get((atom.predicate, place), set()))
        return set.intersection(*sets) if sets else set().union(*self._named_at.values())

    # Conditions

    def _pattern(self, atom: Atom) -> Pattern:
        terms = self._declared.atom(atom).arguments
        return atom.predicate, tuple(term.name if isinstance(term, Constant) else None for term in terms)

    def _atom(self, atom: Atom) -> Atom:
        """The atom in terms of the value predicates; what is none of them stays, and is refused where it is counted."""
        value = self._predicates.get(self._pattern(atom)) if _is_special(atom) else None
        return atom if value is None else value(*(term for term in atom.arguments if isinstance(term, Variable)))


def _is_special(atom: Atom) -> bool:
    """Does it name a constant, or compare?"""
    return _compares(atom) or any(isinstance(term, Constant) for term in atom.arguments)


def _compares(atom: Atom) -> bool:
    return isinstance(atom.predicate, BuiltIn)


def _evaluated(clause: Clause) -> Clause | None:
    """The clause without comparisons of constants that are true; None where one is not, so that it says nothing.

    What is compared with a constant is compared with a bound.
    """
    body = []
    for atom in clause.body:
        if isinstance(atom.predicate, BuiltIn) and atom.is_ground:
            if not atom.predicate.holds(*(term.name for term in atom.arguments)):
                return None
        elif isinstance(atom.predicate, Precedence) and len(atom.variables) < 2:
            try:
                body.append(compared(atom.arguments[0], atom.predicate.name, atom.arguments[1]))
            except ValueError:  # it is no number
                return None
        else:
            body.append(atom)
    return Clause(clause.head, tuple(body))


def _named(pattern: Pattern) -> Predicate:
    """The predicate of a condition, under a name that no file can have."""
    predicate, constants = pattern
    listed = (f"{place}{name}" for place, name in enumerate(constants) if name is not None)
    return Predicate(TYPE_MARK.join([predicate.name, type(predicate).__name__, *listed]), constants.count(None))
