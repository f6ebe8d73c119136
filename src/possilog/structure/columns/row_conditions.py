"""What can be asked of a thing, with the set of things that meet it; and its numbers, which have to be cut first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from possilog.logic import Atom, BuiltIn, Predicate, Term, Threshold, Variable
from possilog.structure.columns.things import Column, Floats, Numbers, Truth

__all__ = ["SUBJECT", "Quantity", "RowCondition", "RowValue", "Values", "differing"]

SUBJECT = Variable("S")

Values = tuple[tuple[Variable, Numbers], ...]
"""What variables stand for: a constant for each thing, or none (-1)."""


@dataclass(frozen=True, slots=True, eq=False)
class RowCondition:
    """Atoms about a thing, and which things meet them."""

    atoms: tuple[Atom, ...]
    holds: Truth
    column: str
    """What it is about: two conditions on one column exclude or imply each other."""
    first: Predicate
    """The predicate by which it begins: a rule about this predicate does not use it."""
    linked: str = ""
    """By which link, where some linked thing meets it."""
    of_number: bool = False
    """Does it name a number?"""
    of_key: bool = False
    """Does it name a thing by its number, such as S12?"""
    led: Numbers | None = None
    """To which thing the first key leads each thing, where one is followed: these things alone are independent."""
    parts: tuple[tuple[Atom, ...], ...] = ()
    """The atoms of the conditions that it joins, where it joins some: it has to say more than each of them."""
    values: Values = ()
    """What its variables stand for, for values and along keys: distinct variables stand for distinct constants."""

    @property
    def names_value(self) -> bool:
        """Does it name a value, or say something plainly, and compare nothing?"""
        return not any(isinstance(atom.predicate, BuiltIn) for atom in self.atoms)

    @property
    def cells(self) -> dict[tuple[Predicate, Term], Term]:
        """The term for each value, by what it is said of."""
        told = (atom for atom in self.atoms if atom.predicate.arity == 2 and not isinstance(atom.predicate, BuiltIn))
        return {(atom.predicate, atom.arguments[0]): atom.arguments[1] for atom in told}

    def agrees(self, other: RowCondition) -> bool:
        """Have both the same term for each value? Two variables for it would have to stand for different things."""
        mine = self.cells
        return all(mine.get(cell, term) == term for cell, term in other.cells.items())

    @property
    def rank(self) -> tuple[int, bool, str]:
        """The order in which conditions are preferred that hold for the same things: the shortest first."""
        return len(self.atoms), not self.names_value, str(self.atoms)


def differing(conditions: Sequence[RowCondition]) -> Truth:
    """Of which things do the variables of conditions stand for different constants?"""
    values = list({variable: each for one in conditions for variable, each in one.values}.values())
    differ = np.ones(len(conditions[0].holds), dtype=bool)
    for first, second in combinations(values, 2):
        differ &= first != second
    return differ


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number of a thing, or of what its keys lead to: it becomes a condition where it is cut."""

    atoms: tuple[Atom, ...]
    variable: Variable
    numbers: Floats
    is_date: bool
    column: str
    values: Numbers
    led: Numbers | None = None
    keys: Values = ()

    @property
    def first(self) -> Predicate:
        """The predicate by which it begins."""
        return self.atoms[0].predicate

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """The places of all that are numbers, the smallest first."""
        order = np.argsort(self.numbers, kind="stable")
        return order[: int(np.isfinite(self.numbers).sum())]

    @cached_property
    def is_whole(self) -> bool:
        """Are all of them whole numbers?"""
        known = self.numbers[self.order]
        return bool((known == np.floor(known)).all())

    @cached_property
    def ranks(self) -> npt.NDArray[np.float32]:
        """The place of each number in the order, between -1 and 1; 0 where there is none."""
        found = np.zeros(len(self.numbers), dtype=np.float32)
        _, places = np.unique(self.numbers[self.order], return_inverse=True)
        found[self.order] = np.linspace(-1, 1, int(places.max()) + 1 if len(places) else 0, dtype=np.float32)[places]
        return found

    def threshold(self, operator: str, cut: float) -> RowCondition:
        """The condition that the number is on one side of a cut."""
        comparison = Threshold.of(operator, _spelled(cut, self.is_date))
        holds = np.asarray(comparison.admitted(self.numbers))
        atoms, values = (*self.atoms, comparison(self.variable)), (*self.keys, (self.variable, self.values))
        return RowCondition(atoms, holds, self.column, self.first, led=self.led, values=values)


@dataclass(frozen=True, eq=False)
class RowValue:
    """A value of a thing, or of what its keys lead to."""

    name: str
    """Of its column, and of the keys."""
    atoms: tuple[Atom, ...]
    variable: Variable
    column: Column
    led: Numbers | None = None
    keys: Values = ()
    """What the variables along its keys stand for."""

    @property
    def first(self) -> Predicate:
        """The predicate by which it begins."""
        return self.atoms[0].predicate

    @property
    def quantity(self) -> Quantity:
        """The same as a number."""
        one = self.column
        return Quantity(self.atoms, self.variable, one.numbers, one.is_date, self.name, one.values, self.led, self.keys)

    def naming(self, term: Variable) -> tuple[Atom, ...]:
        """The atoms with another variable for the value."""
        return tuple(atom.substitute({self.variable: term}) for atom in self.atoms)


def _spelled(cut: float, is_date: bool) -> str:
    if not is_date:
        return repr(cut)
    from datetime import datetime, timedelta

    when = datetime(1, 1, 1) + timedelta(seconds=cut)
    return when.isoformat(timespec="minutes") if when.hour or when.minute else when.date().isoformat()
