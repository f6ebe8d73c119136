"""Rules that lead from a link to a link, h(X, c) if b(X, d), applied all at once.

A graph has such rules by the hundred thousand, each about few constants. One after the other they would take longer to
look at than to apply. So those of a predicate stand in columns, and are joined with the facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.data.rows import Column, ranges
from possilog.logic import Predicate

__all__ = ["CodedRule", "Codes", "LinkRules"]

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CodedRule:
    """A rule in numbers, as joins take them: variables count from 0, the constant n is -1 - n."""

    head: tuple[int, ...]
    body: Sequence[tuple[Predicate, tuple[int, ...]]]
    bound: frozenset[int]
    """The variables of the body."""

    @property
    def link(self) -> tuple[int, int, Predicate, int, int] | None:
        """Of a link in the head and one in the body: where the variable is, and the constant; None of other rules."""
        if len(self.body) != 1 or len(self.head) != 2 or len(self.body[0][1]) != 2:
            return None
        predicate, arguments = self.body[0]
        if not (min(self.head) < 0 <= max(self.head) == max(arguments) and min(arguments) < 0):
            return None
        place, at = self.head.index(max(self.head)), arguments.index(max(arguments))
        return place, -1 - self.head[1 - place], predicate, at, -1 - arguments[1 - at]


@dataclass(frozen=True, slots=True)
class _Columns:
    """Rules whose variable is at one place of the head, and at one place of one predicate in the body."""

    number: Codes
    constant: Codes
    """That of the head."""
    end: Codes
    """That of the body; they rise."""


class LinkRules:
    """The rules of a predicate that lead from a link to a link, and the facts that they are applied to."""

    def __init__(self, rules: Mapping[int, CodedRule], facts: Database) -> None:
        """Take rules by their numbers; those of other kinds are left out."""
        self._facts = facts
        found: dict[tuple[int, Predicate, int], list[tuple[int, int, int]]] = defaultdict(list)
        for number, rule in rules.items():
            if (link := rule.link) is not None:
                place, constant, predicate, at, end = link
                found[place, predicate, at].append((end, number, constant))
        self._columns: dict[tuple[int, Predicate, int], _Columns] = {}
        for key, listed in found.items():
            end, number, constant = np.array(sorted(listed), dtype=np.int64).T
            self._columns[key] = _Columns(number, constant, end)
        self.numbers = np.concatenate([np.empty(0, np.int64), *(rules.number for rules in self._columns.values())])

    def concluded(self, place: int, anchors: Column) -> tuple[Codes, Codes, Codes]:
        """What they conclude of distinct constants at a place of the head: the constants' numbers, answers, rules."""
        row = np.full(len(self._facts.constants), -1, dtype=np.int64)
        row[anchors] = np.arange(len(anchors))
        nothing = np.empty(0, dtype=np.int64)
        parts = [(nothing, nothing, nothing), *self._joined(place, row)]
        origin, answers, numbers = (np.concatenate(column) for column in zip(*parts, strict=True))
        return origin, answers, numbers

    def _joined(self, place: int, row: Codes) -> Iterator[tuple[Codes, Codes, Codes]]:
        for (variable, predicate, at), rules in self._columns.items():
            first, second = self._facts.index(predicate, (1 - at, at)).columns
            if variable == place:
                asked = np.flatnonzero(row[second] >= 0)
                begin, end = (np.searchsorted(rules.end, first[asked], side) for side in ("left", "right"))
                origin = np.repeat(row[second[asked]], end - begin)
                rule = ranges(begin, end - begin)
                yield origin, rules.constant[rule], rules.number[rule]
            else:
                named = np.flatnonzero(row[rules.constant] >= 0)
                begin, end = (np.searchsorted(first, rules.end[named], side) for side in ("left", "right"))
                rule = np.repeat(named, end - begin)
                yield row[rules.constant[rule]], second[ranges(begin, end - begin)].astype(np.int64), rules.number[rule]
