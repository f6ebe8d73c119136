"""What generators of facts share: facts in the making, planted rules, and how well such a rule holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import nan

from possilog.data.builder import Builder
from possilog.data.database import Database
from possilog.logic import Atom, Clause, Term

__all__ = ["GrowingFacts", "PlantedRule", "Row", "Tally"]

Row = tuple[str, ...]
"""The constants of one fact."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many distinct heads the matches of a rule's body call for, by whether they hold."""

    true: int
    false: int

    @property
    def heads(self) -> int:
        """How many there are."""
        return self.true + self.false

    @property
    def confidence(self) -> float:
        """The share of the heads that hold; not a number where there are none."""
        return self.true / self.heads if self.heads else nan


@dataclass(frozen=True, slots=True)
class PlantedRule:
    """A soft rule that was put into generated facts."""

    name: str
    clause: Clause
    reliability: float
    """The probability with which each head that the body calls for was made true."""
    before: Tally
    """What came of it."""
    after: Tally
    """What noise left of that; the same as before where there is none."""


class GrowingFacts:
    """Facts in the making: a database that can still change, and finds the heads of a rule by itself.

    It is small and plain, because generators sit left of the matcher and cannot use it.
    """

    def __init__(self, arguments: Mapping[str, Sequence[str]]) -> None:
        """Take each predicate's name with the names of its arguments."""
        self._arguments = arguments
        # Keys of dictionaries keep the order in which they came; sets would bring the order of hashes into the facts.
        self._rows: dict[str, dict[Row, None]] = {name: {} for name in arguments}

    def add(self, name: str, *row: str) -> None:
        """Make a fact true."""
        self._rows[name][row] = None

    def remove(self, name: str, *row: str) -> None:
        """Make it false again."""
        del self._rows[name][row]

    def rows(self, name: str) -> list[Row]:
        """The facts of a predicate, in the order in which they came."""
        return list(self._rows[name])

    def has(self, name: str, *row: str) -> bool:
        """Is it true?"""
        return row in self._rows[name]

    def heads(self, rule: Clause) -> list[Row]:
        """The distinct heads of a definite rule that the matches of its body call for, true or not, in order."""
        index = _Index(self._rows)
        matches = _matches(rule.body, {}, index)
        return sorted({tuple(match[term] for term in rule.head[0].arguments) for match in matches})

    def tally(self, rule: Clause) -> Tally:
        """How many of these heads hold, and how many do not."""
        heads = self.heads(rule)
        true = sum(self.has(rule.head[0].predicate.name, *head) for head in heads)
        return Tally(true, len(heads) - true)

    def database(self) -> Database:
        """The facts as they are now. Predicates without facts are known to it as well."""
        builder = Builder()
        for name, arguments in self._arguments.items():
            rows = self._rows[name]
            builder.name_arguments(name, arguments)
            builder.add_flat(name, len(arguments), chain.from_iterable(rows), range(1, len(rows) + 1))
        return builder.build()


class _Index:
    """The facts of a predicate that have a constant in a place, sorted out when first asked for."""

    def __init__(self, rows: Mapping[str, Mapping[Row, None]]) -> None:
        self._rows = rows
        self._found: dict[tuple[str, int], dict[str, list[Row]]] = {}

    def rows(self, atom: Atom, match: Mapping[Term, str]) -> Sequence[Row]:
        """The facts that could be the atom's image: those that agree with its first bound argument."""
        name = atom.predicate.name
        place = next((place for place, term in enumerate(atom.arguments) if term in match), None)
        if place is None:
            return list(self._rows[name])
        if (name, place) not in self._found:
            found: dict[str, list[Row]] = defaultdict(list)
            for row in self._rows[name]:
                found[row[place]].append(row)
            self._found[name, place] = found
        return self._found[name, place].get(match[atom.arguments[place]], ())


def _matches(body: Sequence[Atom], match: dict[Term, str], index: _Index) -> Iterator[dict[Term, str]]:
    """The ways to extend a match so that all atoms of the body are facts."""
    if not body:
        yield match
        return
    for row in index.rows(body[0], match):
        longer = match | dict(zip(body[0].arguments, row, strict=True))
        agrees = tuple(longer[term] for term in body[0].arguments) == row
        kept = all(longer[term] == constant for term, constant in match.items())
        # Distinct variables stand for distinct constants.
        if agrees and kept and len(set(longer.values())) == len(longer):
            yield from _matches(body[1:], longer, index)
