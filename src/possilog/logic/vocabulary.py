"""One vocabulary for rules and facts: predicates that the facts spell otherwise."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from operator import eq

from possilog.errors import DataWarning, listed
from possilog.logic.atoms import Atom, Predicate
from possilog.logic.clauses import Clause
from possilog.logic.measures import Measures, Precision
from possilog.logic.spelling import folded
from possilog.logic.theory import Theory
from possilog.logic.types import Types

__all__ = ["in_vocabulary", "misspelt", "read_as"]

_SHORT, _LONG, _MOST_SLIPS = 4, 8, 2
"""Names with fewer letters than the first look alike by chance, often; from the second on, two slips are allowed."""

_MOST_PAIRS = 10_000
"""Of names that are compared; nobody wrote more of them by hand."""


def in_vocabulary(theory: Theory, predicates: Iterable[Predicate]) -> Theory:
    """The theory in the spelling of the facts: ``protein_class`` where they say ``ProteinClass``, with a DataWarning.

    A predicate that has no facts is read as one that has, if they have the same arity, the same name but for case,
    underscores, hyphens and blanks, and there is no other choice. Two predicates of a theory never become one.

    >>> from possilog.logic import parse_theory
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     print(in_vocabulary(parse_theory(":- is_old(X), young(X)."), [Predicate("IsOld", 1)]).rules[0])
    :- IsOld(X), young(X).
    """
    others = (*theory.banned, *(rule.clause for rule in theory.judged))
    spoken = {atom.predicate for clause in others for atom in clause.atoms}
    typed = set() if theory.types is None else {predicate for predicate, _ in theory.types.signatures}
    names = read_as({*theory.predicates, *spoken, *typed}, predicates)
    if not names:
        return theory
    said = listed((f"{read} as {meant}" for read, meant in names.items()), 10)
    warnings.warn(f"predicates of the theory are read as the facts spell them: {said}", DataWarning, stacklevel=2)
    return replace(
        theory,
        rules=tuple(replace(rule, clause=_renamed(rule.clause, names)) for rule in theory.rules),
        unplaced=tuple(_renamed(clause, names) for clause in theory.unplaced),
        banned=tuple(_renamed(clause, names) for clause in theory.banned),
        locked=tuple(_renamed(clause, names) for clause in theory.locked),
        judged=tuple(replace(rule, clause=_renamed(rule.clause, names)) for rule in theory.judged),
        types=None if theory.types is None else _renamed_types(theory.types, names),
        measures=None if theory.measures is None else _renamed_measures(theory.measures, names),
    )


def read_as(spoken: Iterable[Predicate], predicates: Iterable[Predicate]) -> dict[Predicate, Predicate]:
    """The predicates that facts spell otherwise, and how they spell them."""
    known = set(predicates)
    alike: dict[tuple[str, int], list[Predicate]] = defaultdict(list)
    for predicate in known:
        alike[_kind(predicate)].append(predicate)
    listed = sorted(spoken)
    found = {p: alike[_kind(p)][0] for p in listed if p not in known and len(alike[_kind(p)]) == 1}
    claims = Counter([*found.values(), *listed])
    return {read: meant for read, meant in found.items() if claims[meant] == 1}


def misspelt(spoken: Iterable[Predicate], known: Iterable[Predicate]) -> dict[Predicate, Predicate]:
    """Predicates that are not known and look like one that is, of the same arity: a slip of the pen or two.

    Names that differ in a digit are meant to differ. Short names look alike by chance, unless they begin alike and the
    one that is known was not used.

    >>> found = misspelt([Predicate("brid", 1), Predicate("cat", 1), Predicate("level_1", 1)],
    ...                  [Predicate("bird", 1), Predicate("flies", 1), Predicate("level_2", 1)])
    >>> [f"{its} for {meant}" for its, meant in found.items()]
    ['brid/1 for bird/1']
    """
    names, used = sorted(set(known)), set(spoken)
    unknown = sorted(used.difference(names))
    if len(unknown) * len(names) > _MOST_PAIRS:
        return {}
    found = {}
    for predicate in unknown:
        alike = [
            (_slips(predicate.name, other.name), other)
            for other in names
            if other.arity == predicate.arity and _may_be_meant(predicate.name, other.name, other in used)
        ]
        slips, meant = min(alike, default=(None, predicate))
        if slips is not None and slips <= (1 if len(meant.name) < _LONG else _MOST_SLIPS):
            found[predicate] = meant
    return found


def _may_be_meant(written: str, known: str, used: bool) -> bool:
    return len(known) >= _SHORT or (min(len(written), len(known)) > 1 and not used and written[:1] == known[:1])


def _slips(one: str, other: str) -> int:
    """How many letters are left out, put in, replaced or swapped with the next; far is far."""
    if abs(len(one) - len(other)) > _MOST_SLIPS or _digits(one) != _digits(other):
        return _LONG
    one, other = one.casefold(), other.casefold()
    same = sum(takewhile(bool, map(eq, one, other)))
    one, other = one[same:], other[same:]
    last: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, row = row, [place]
        for at, its in enumerate(other, 1):
            ways = [row[-1] + 1, before[at] + 1, before[at - 1] + (letter != its)]
            if last and at > 1 and letter == other[at - 2] and its == one[place - 2]:
                ways.append(last[at - 2] + 1)
            row.append(min(ways))
        if min(row) > _MOST_SLIPS:
            return _LONG
        last = before
    return row[-1]


def _digits(name: str) -> list[str]:
    return [letter for letter in name if letter.isdigit()]


def _kind(predicate: Predicate) -> tuple[str, int]:
    return folded(predicate.name), predicate.arity


def _renamed_types(types: Types, names: Mapping[Predicate, Predicate]) -> Types:
    return replace(
        types, signatures=tuple((names.get(predicate, predicate), its) for predicate, its in types.signatures)
    )


def _renamed_measures(measures: Measures, names: Mapping[Predicate, Predicate]) -> Measures:
    return replace(
        measures,
        rules=tuple(replace(rule, clause=_renamed(rule.clause, names)) for rule in measures.rules),
        certain=_renamed_precisions(measures.certain, names),
        lists=_renamed_precisions(measures.lists, names),
    )


def _renamed_precisions(found: Iterable[Precision], names: Mapping[Predicate, Predicate]) -> tuple[Precision, ...]:
    return tuple(replace(each, predicate=names.get(each.predicate, each.predicate)) for each in found)


def _renamed(clause: Clause, names: Mapping[Predicate, Predicate]) -> Clause:
    head, body = (
        tuple(Atom(names.get(a.predicate, a.predicate), a.arguments) for a in atoms)
        for atoms in (clause.head, clause.body)
    )
    return Clause(head, body)
