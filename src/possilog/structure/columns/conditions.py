"""What can be asked of the things of one type: values, comparisons, and the same of what their keys lead to.

A condition is a conjunction of atoms about one thing, the variable ``S``, and the set of things that meet it. What a
key leads to is one thing, so conditions of one way have one variable for it. What facts link to a thing in another way
may be several: then the condition is that one of them meets something, and has a variable of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations, product

import numpy as np

from possilog.logic import Atom, Constant, Predicate, Variable
from possilog.structure.columns.between import Between, Compared
from possilog.structure.columns.cuts import best_cuts
from possilog.structure.columns.row_conditions import (
    SUBJECT,
    Quantity,
    RowCondition,
    RowValue,
    Values,
    differing,
)
from possilog.structure.columns.things import Column, Links, Numbers, Things, Truth

__all__ = ["Views", "thresholds"]

DEEP = 2
"""Keys that are followed one after the other: conditions may be about things of three tables."""

MOST_LINKED = 20
"""Where a thing has more links than this on average, that one of them meets something says little."""

FEW_TELLING = 3
"""Conditions on linked things among which numbers are cut again."""

MOST_PAIRED = 24
"""Conditions on linked things of which pairs are made."""


@dataclass(frozen=True, eq=False)
class _Way:
    """Keys that are followed, and where each thing is led: to a place among the things of a type, or to none (-1)."""

    type: str
    places: Numbers
    atoms: tuple[Atom, ...] = ()
    thing: Variable = SUBJECT
    seen: tuple[str, ...] = ()
    led: Numbers | None = None
    """Where the first key leads."""
    keys: Values = ()
    """The things themselves, and the constants that each key leads them to."""

    @property
    def name(self) -> str:
        """The keys."""
        return "".join(f"{atom.predicate.name} > " for atom in self.atoms)

    def along(self, column: Column, places: Numbers) -> _Way:
        """One key further; a thing that refers to itself is led nowhere, since it would be two variables."""
        thing = Variable(f"K_{_safe(self.name + column.predicate.name)}")
        led = np.where(self.places >= 0, places[self.places], -1)
        if column.type == self.type:
            led = np.where(led == self.places, -1, led)
        keys = (*self.keys, (thing, np.where(led >= 0, self.followed(column.values), -1)))
        atoms, first = (*self.atoms, column.predicate(self.thing, thing)), led if self.led is None else self.led
        return _Way(column.type, led, atoms, thing, (*self.seen, self.type), first, keys)

    def followed(self, values: Numbers) -> Numbers:
        """The values of what each thing is led to."""
        return np.where(self.places >= 0, values[self.places], -1)

    def condition(self, predicate: Predicate, holds: Truth, named: Constant | None = None) -> RowCondition:
        """What is said of what each thing is led to; of a value, which things have it is known already."""
        atom = predicate(self.thing) if named is None else predicate(self.thing, named)
        if named is None:
            holds = np.where(self.places >= 0, holds[self.places], False)
        said = (*self.atoms, atom)
        first = said[0].predicate
        return RowCondition(said, holds, self.name + predicate.name, first, led=self.led, values=self.keys)

    def cell(self, column: Column) -> RowValue:
        """A value of what each thing is led to."""
        name = self.name + column.predicate.name
        variable = Variable(f"V_{_safe(name)}")
        atoms = (*self.atoms, column.predicate(self.thing, variable))
        return RowValue(name, atoms, variable, column, self.led, self.keys)


class Views:
    """The conditions on things of each type."""

    def __init__(
        self, things: Things, least: int, may_name: Callable[[Column], bool], uses: Callable[[Predicate], bool]
    ) -> None:
        """Take the things, the fewest that a condition holds for, which columns' values may be named, and which
        predicates are used at all."""
        self.things, self._least, self._may_name, self._uses = things, least, may_name, uses
        self._own: dict[tuple[str, int], tuple[list[RowCondition], list[Quantity]]] = {}
        self._ranked: dict[str, list[RowCondition]] = {}
        self._between: dict[tuple[str, frozenset[Predicate]], Between] = {}
        self._cells: dict[str, list[RowValue]] = {}
        self._compared: dict[str, dict[tuple[str, str], Compared]] = {}
        self._links: dict[str, list[tuple[Links, list[RowCondition], list[Quantity]]]] = {}
        self._paired: dict[tuple[str, Predicate, bool], list[RowCondition]] = {}

    def of_type(self, type: str) -> tuple[list[RowCondition], list[Quantity]]:
        """All conditions and numbers of things of a type, without those of linked things; preferred ones first."""
        conditions, numbers = self._along_keys(type, DEEP)
        if type not in self._ranked:
            self._ranked[type] = sorted(conditions, key=lambda one: one.rank)
        return self._ranked[type], numbers

    def _along_keys(self, type: str, depth: int) -> tuple[list[RowCondition], list[Quantity]]:
        if (type, depth) not in self._own:
            conditions: list[RowCondition] = []
            numbers: list[Quantity] = []
            for way in self._ways(type, depth):
                for predicate in self.things.unary(way.type):
                    if self._uses(predicate):
                        conditions.append(way.condition(predicate, self.things.said(predicate)))
                for column in self.things.columns(way.type):
                    if self._uses(column.predicate):
                        followed = replace(column, values=way.followed(column.values))
                        conditions += self._values(way, followed)
                        numbers += [way.cell(followed).quantity] if column.is_number else []
            kept = [one for one in conditions if int(one.holds.sum()) >= self._least and not one.holds.all()]
            self._own[type, depth] = kept, numbers
        return self._own[type, depth]

    def _ways(self, type: str, depth: int) -> Iterator[_Way]:
        """The ways along keys: none, and those of one key and more."""
        members = self.things.members(type)
        ways = [_Way(type, np.arange(len(members)), keys=((SUBJECT, members),))]
        for _ in range(depth + 1):
            yield from ways
            ways = [further for way in ways for further in self._further(way)]

    def _further(self, way: _Way) -> Iterator[_Way]:
        for column in self.things.columns(way.type):
            leads = column.type in self.things.subjects and column.type not in way.seen
            if leads and not column.is_number and self._uses(column.predicate):
                yield way.along(column, self.things.place(column.type)[column.values])

    def _values(self, way: _Way, column: Column) -> Iterator[RowCondition]:
        if self._may_name(column):
            of_key = self.things.is_numbered(column.type)
            for value, count in column.counted.items():
                if count >= self._least:
                    named = Constant(column.names[value])
                    found = way.condition(column.predicate, column.values == value, named)
                    yield replace(found, of_number=column.is_number, of_key=of_key)

    def between(self, type: str, without: frozenset[Predicate]) -> Between:
        """The conditions on two values of things of a type, of which none begins by some predicates."""
        if (type, without) not in self._between:
            if type not in self._cells:
                self._cells[type] = [
                    way.cell(replace(column, values=way.followed(column.values)))
                    for way in self._ways(type, 1)
                    for column in self.things.columns(way.type)
                    if self._uses(column.predicate)
                ]
            allowed = [p for p in self.things.types if p.arity == 2 and p not in without and self._uses(p)]
            kept = [cell for cell in self._cells[type] if not without & {atom.predicate for atom in cell.atoms}]
            compared = self._compared.setdefault(type, {})
            self._between[type, without] = Between(self.things, kept, allowed, self._least, compared)
        return self._between[type, without]

    # Linked things

    def linked(self, type: str, positive: Truth, known: Truth) -> Iterator[RowCondition]:
        """Conditions on things that facts link to those of a type: numbers are cut by what they say about a target."""
        for links, plain, numbers in self._linked_plainly(type):
            yield from self._plain(links, type, plain)
            cut = partial(self._cut_linked, links, numbers, positive)
            asked = known[links.here]
            every = cut(asked)
            yield from self._exist(links, type, [(one,) for one in every])
            pairs = [*product(plain[: MOST_PAIRED // 2], every), *combinations(every[:MOST_PAIRED], 2)]
            # What says little of all linked things may say much of some.
            telling = self._telling(links, plain[:MOST_PAIRED], positive, asked) if numbers else []
            pairs += [(one, two) for one in telling for two in cut(asked & one.holds[links.there])]
            yield from self._exist(links, type, [pair for pair in pairs if _differ(*pair)])

    def _telling(
        self, links: Links, conditions: Sequence[RowCondition], positive: Truth, asked: Truth
    ) -> list[RowCondition]:
        """Of some conditions on linked things, the few that go with the target most."""
        share = float(positive[links.here][asked].sum()) / max(int(asked.sum()), 1)
        wanted = np.where(asked, positive[links.here] - share, 0.0)
        goes_with = [abs(float(wanted @ one.holds[links.there])) for one in conditions]
        best = np.argsort([-each for each in goes_with], kind="stable")[:FEW_TELLING]
        return [conditions[place] for place in best.tolist()]

    def _cut_linked(
        self, links: Links, numbers: Sequence[Quantity], positive: Truth, asked: Truth
    ) -> list[RowCondition]:
        """Numbers of linked things, cut among some of the links."""
        found: list[RowCondition] = []
        for number in numbers:
            here = replace(number, numbers=number.numbers[links.there])
            for bound in _cuts(here, asked, positive[links.here], self._least):
                found += [number.threshold(sign, bound) for sign in (">=", "<")]
        return found

    def _linked_plainly(self, type: str) -> list[tuple[Links, list[RowCondition], list[Quantity]]]:
        """The links of a type, and what can be asked of the linked things; what most of them meet comes first."""
        if type not in self._links:
            self._links[type] = []
            size = len(self.things.members(type))
            for links in self.things.links(type):
                if self._uses(links.predicate) and 0 < len(links.here) <= MOST_LINKED * size:
                    conditions, numbers = self._along_keys(links.type, 1 if links.type != type else 0)
                    # Not back by the way that leads here.
                    found = [one for one in conditions if one.first != links.predicate]
                    found.sort(key=lambda one: -int(one.holds[links.there].sum()))
                    kept = [one for one in numbers if one.first != links.predicate]
                    self._links[type].append((links, found, kept))
        return self._links[type]

    def _plain(self, links: Links, type: str, conditions: Sequence[RowCondition]) -> list[RowCondition]:
        """That one linked thing meets a condition, or two of them; the same for all targets."""
        key = type, links.predicate, links.forward
        if key not in self._paired:
            pairs = [pair for pair in combinations(conditions[:MOST_PAIRED], 2) if _differ(*pair)]
            self._paired[key] = list(self._exist(links, type, [*((one,) for one in conditions), *pairs]))
        return self._paired[key]

    def _exist(self, links: Links, type: str, wanted: Sequence[tuple[RowCondition, ...]]) -> Iterator[RowCondition]:
        """That a linked thing meets some conditions."""
        name = f"{links.predicate.name} {'>' if links.forward else '<'}"
        other, size = Variable(f"L_{_safe(name)}"), len(self.things.members(type))
        ends = (SUBJECT, other) if links.forward else (other, SUBJECT)
        subjects = self.things.members(type)[links.here]
        for some in wanted:
            met = (np.logical_and.reduce([one.holds for one in some]) & differing(some))[links.there]
            for _, values in (each for one in some for each in one.values):
                met &= values[links.there] != subjects  # distinct variables stand for distinct things
            holds = np.zeros(size, dtype=bool)
            holds[links.here[met]] = True
            if self._least <= int(holds.sum()) < size:
                each = [[_renamed(atom, other, f"{other.name}_") for atom in one.atoms] for one in some]
                columns = " & ".join(one.column for one in some)
                atoms = (links.predicate(*ends), *dict.fromkeys(atom for one in each for atom in one))
                parts = tuple((atoms[0], *one) for one in each) if len(each) > 1 else ()
                yield RowCondition(atoms, holds, f"{name} {columns}", links.predicate, name, parts=parts)


def thresholds(numbers: Sequence[Quantity], asked: Truth, positive: Truth, least: int) -> Iterator[RowCondition]:
    """Numbers cut by what they say about a target, among the things that are asked about."""
    for number in numbers:
        for cut in _cuts(number, asked, positive, least):
            yield number.threshold(">=", cut)
            yield number.threshold("<", cut)


def _cuts(number: Quantity, asked: Truth, positive: Truth, least: int) -> list[float]:
    chosen = number.order[asked[number.order]]
    values = number.numbers[chosen]
    found = best_cuts(values, positive[chosen], least=least)
    # A date is cut where it is seen: rounding seconds would make no round date.
    return [float(values[np.searchsorted(values, cut)]) for cut in found] if number.is_date else found


def _renamed(atom: Atom, subject: Variable, prefix: str) -> Atom:
    """The atom about another thing, with other names for its own variables."""
    return atom.substitute({v: subject if v == SUBJECT else Variable(prefix + v.name) for v in atom.variables})


def _differ(one: RowCondition, other: RowCondition) -> bool:
    """Are two conditions about two columns?"""
    return one.column != other.column


@lru_cache(maxsize=4096)
def _safe(name: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else f"u{ord(letter)}" for letter in name)
