"""Comparisons of numbers and dates: conditions of a body such as ``D >= 15``, ``X < Y`` and ``|X - Y| =< 1``.

A comparison is a predicate whose facts nobody has to give. With a bound (``Threshold``) it is true of every constant
that is spelled as a number (or a date) on its side; of two constants it is true by their order (``Precedence``), or
because they are equal or not far from each other (``Nearness``). So
``delay(F, D), D >= 15`` is a conjunction of two atoms like any other, and matching, chaining and subsumption know what
it means without knowing about numbers.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import isfinite, nan
from operator import ge, gt, le, lt
from typing import Any

from possilog.logic.atoms import Atom, Constant, Predicate, Term
from possilog.logic.spelling import plain, quoted

__all__ = [
    "DAY",
    "OPERATORS",
    "BuiltIn",
    "Nearness",
    "Precedence",
    "Threshold",
    "compared",
    "comparisons_in",
    "is_ordered",
    "number_of",
]

OPERATORS = {">=": ">=", "<": "<", ">": ">", "=<": "=<", "<=": "=<"}
"""The signs that compare, and how each is written."""

_IN_WORDS = {">=": ("at least", "on or after"), "<": ("below", "before")}
_IN_WORDS |= {">": ("above", "after"), "=<": ("at most", "on or before")}

_TURNED = {">=": "=<", "=<": ">=", "<": ">", ">": "<"}
_OPPOSITE = {">=": "<", "<": ">=", ">": "=<", "=<": ">"}

_SIDES: Mapping[str, Callable[[Any, float], Any]] = {">=": ge, "<": lt, ">": gt, "=<": le}

_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{1,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{3}(?:\d{3})?)?)?)?", re.ASCII)
_BARE = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class BuiltIn(Predicate, ABC):
    """A predicate that is true of numbers, or of dates, by what they are."""

    @abstractmethod
    def holds(self, *names: str) -> bool:
        """Is it true of some constants?"""

    @abstractmethod
    def implies(self, other: BuiltIn) -> bool:
        """Is the other true of all constants of which this one is?"""

    @property
    @abstractmethod
    def in_words(self) -> str:
        """What is said of the first constant."""


@dataclass(frozen=True, slots=True)
class Threshold(BuiltIn):
    """All constants on one side of a bound; numbers are compared as numbers, dates as dates, and nothing else is true.

    >>> late = Threshold.of(">=", "15.0")
    >>> print(late.operator, late.bound, late.holds("20"), late.holds("3"), late.holds("ann"))
    >= 15 True False False
    """

    @classmethod
    def of(cls, operator: str, bound: str | float) -> Threshold:
        """The comparison with a bound that is spelled as a number or a date; ValueError where it is neither."""
        text = plain(str(bound))
        if operator not in OPERATORS or not is_ordered(text):
            raise ValueError(f"{operator} {text} compares with no number and no date")
        return cls(f"{OPERATORS[operator]} {text if _DATE.fullmatch(text) else _shortest(float(text))}", 1)

    @property
    def operator(self) -> str:
        """One of >=, <, > and =<."""
        return self.name.partition(" ")[0]

    @property
    def bound(self) -> str:
        """The number or date that constants are compared with, as it is spelled."""
        return self.name.partition(" ")[2]

    @property
    def number(self) -> float:
        """The bound as a number; a date in seconds."""
        return _number(self.bound)

    @property
    def is_date(self) -> bool:
        """Does it compare dates?"""
        return _DATE.fullmatch(self.bound) is not None

    @property
    def is_upward(self) -> bool:
        """Is it true of what is large, or late?"""
        return self.operator.startswith(">")

    def holds(self, *names: str) -> bool:
        """Is it true of a constant?"""
        (name,) = names
        return self.admits(number_of(name, dates=self.is_date))

    def admits(self, number: float) -> bool:
        """Is it true of a constant that ``number_of`` gives this number? Of what is no number it is not."""
        return bool(_SIDES[self.operator](number, _number(self.bound)))

    def admitted(self, numbers: Any) -> Any:
        """The same for an array of numbers."""
        return _SIDES[self.operator](numbers, _number(self.bound))

    def implies(self, other: BuiltIn) -> bool:
        """Is the other true of all constants of which this one is?

        >>> Threshold.of(">=", "30").implies(Threshold.of(">=", "15"))
        True
        """
        if not isinstance(other, Threshold) or self.is_date != other.is_date or self.is_upward != other.is_upward:
            return False
        mine, its = _number(self.bound), _number(other.bound)
        if mine == its:
            return self.operator == other.operator or self.operator in ("<", ">")
        return (mine > its) == self.is_upward

    def excludes(self, other: Threshold) -> bool:
        """Is there no constant of which both are true?

        >>> Threshold.of(">=", "30").excludes(Threshold.of("<", "15"))
        True
        """
        if self.is_date != other.is_date:
            return True
        if self.is_upward == other.is_upward:
            return False
        upward, downward = (self, other) if self.is_upward else (other, self)
        low, high = _number(upward.bound), _number(downward.bound)
        return low > high or (low == high and (upward.operator, downward.operator) != (">=", "=<"))

    def covers(self, other: Threshold) -> bool:
        """Is every number on one of the two sides, or every date?

        >>> Threshold.of(">=", "15").covers(Threshold.of("<", "15"))
        True
        """
        return self.is_date == other.is_date and self._opposite.excludes(other._opposite)

    @property
    def _opposite(self) -> Threshold:
        """What is true of the numbers, or dates, of which this is not."""
        return Threshold(f"{_OPPOSITE[self.operator]} {self.bound}", 1)

    @property
    def in_words(self) -> str:
        """What is said of a constant: at least 15, before 2013-01-05."""
        return f"{_IN_WORDS[self.operator][self.is_date]} {self.bound}"

    def spelled(self, *arguments: str) -> str:
        """The atom about a term that is spelled like this, as rules have it."""
        return f"{arguments[0]} {self.operator} {self.bound if _BARE.fullmatch(self.bound) else quoted(self.bound)}"


@dataclass(frozen=True, slots=True)
class Precedence(BuiltIn):
    """Two distinct constants in their order: ``X < Y``, or ``X =< Y``, where two spellings may be one number.

    Numbers are compared with numbers, dates with dates, and nothing else is true.

    >>> before = Precedence.of("<")
    >>> before.holds("9", "10"), before.holds("9", "9.0"), Precedence.of("=<").holds("9", "9.0"), before.holds("a", "b")
    (True, False, True, False)
    """

    @classmethod
    def of(cls, operator: str) -> Precedence:
        """The comparison of two constants; ValueError where there is no such sign."""
        if operator not in ("<", "=<"):
            raise ValueError(f"{operator} is not how two constants are compared")
        return cls(operator, 2)

    def holds(self, *names: str) -> bool:
        """Is it true of two constants?"""
        one, other = names
        pairs = ((number_of(one, dates=dates), number_of(other, dates=dates)) for dates in (False, True))
        return one != other and any(bool(_SIDES[self.name](*pair)) for pair in pairs)

    def implies(self, other: BuiltIn) -> bool:
        """Is the other true of all pairs of which this one is?"""
        return isinstance(other, Precedence) and other.name in (self.name, "=<")

    @property
    def in_words(self) -> str:
        """What is said of the first of the two."""
        return "less than" if self.name == "<" else "at most"

    def spelled(self, *arguments: str) -> str:
        """The atom about two terms that are spelled like this, as rules have it."""
        return f"{arguments[0]} {self.name} {arguments[1]}"


@dataclass(frozen=True, slots=True)
class Nearness(BuiltIn):
    """Two distinct constants that are equal but for type or spelling, or numbers that differ by at most a bound.

    Dates differ by days. Words can be equal only: the file e of the rook is that of the king, though each is of its own
    column. Of one constant it is not true: where two conditions speak of the same thing, one variable stands for it.

    >>> equal, near = Nearness.of(0), Nearness.of("1.0")
    >>> print(equal.spelled("X", "Y"), near.spelled("X", "Y"), sep=", ")
    X = Y, |X - Y| =< 1
    >>> equal.holds("3", "3.0"), equal.holds("3", "4"), near.holds("3", "4"), near.holds("2026-01-31", "2026-02-01")
    (True, False, True, True)
    """

    @classmethod
    def of(cls, bound: str | float) -> Nearness:
        """The comparison with the largest difference; ValueError where that is no number, or below 0."""
        number = number_of(str(bound))
        if not number >= 0:
            raise ValueError(f"{bound} is no difference of two numbers")
        return cls(f"|-| =< {_shortest(number)}" if number else "=", 2)

    @property
    def number(self) -> float:
        """The largest difference."""
        return _number(self.name.rpartition(" ")[2]) if self.name != "=" else 0.0

    def holds(self, *names: str) -> bool:
        """Is it true of two constants?"""
        one, other = names
        if one == other:
            return False
        apart = (
            abs(number_of(one, dates=dates) - number_of(other, dates=dates)) / (DAY if dates else 1)
            for dates in (False, True)
        )
        return (not self.number and plain(one) == plain(other)) or any(map(self.admitted, apart))

    def admitted(self, difference: Any) -> Any:
        """Is a difference small enough, or each one of an array? That 0.8 - 0.7 is a bit above 0.1 does not matter."""
        return difference <= self.number * (1 + 1e-9)

    def implies(self, other: BuiltIn) -> bool:
        """Is the other true of all pairs of which this one is? Words may be equal, and are not near."""
        return self == other or (isinstance(other, Nearness) and 0 < self.number <= other.number)

    @property
    def in_words(self) -> str:
        """What is said of the first of the two."""
        return f"within {_shortest(self.number)} of" if self.number else "equal to"

    def spelled(self, *arguments: str) -> str:
        """The atom about two terms that are spelled like this, as rules have it."""
        one, other = arguments
        return f"|{one} - {other}| =< {_shortest(self.number)}" if self.number else f"{one} = {other}"


def compared(left: Term, operator: str, right: Term) -> Atom:
    """The condition that two terms are in some order, or equal; ValueError where a constant is no number and no date.

    >>> from possilog.logic.atoms import Variable
    >>> print(compared(Variable("X"), ">", Variable("Y")), compared(Constant("15"), "<=", Variable("D")), sep=", ")
    Y < X, D >= 15
    """
    if operator == "=":
        if isinstance(left, Constant) or isinstance(right, Constant):
            raise ValueError("a value stands where the variable is, and is not compared with it")
        return Nearness.of(0)(left, right)
    sign = OPERATORS[operator]
    if isinstance(right, Constant):
        return Threshold.of(sign, right.name)(left)
    if isinstance(left, Constant):
        return Threshold.of(_TURNED[sign], left.name)(right)
    return Precedence.of(sign)(left, right) if sign in ("<", "=<") else Precedence.of(_TURNED[sign])(right, left)


def comparisons_in(atoms: Iterable[Atom]) -> list[BuiltIn]:
    """The comparisons of some atoms, each once."""
    return list(dict.fromkeys(atom.predicate for atom in atoms if isinstance(atom.predicate, BuiltIn)))


def is_ordered(name: str) -> bool:
    """Is a constant spelled as a number or a date?

    >>> [is_ordered(name) for name in ("15", "-2.5e3", "2013-01-05", "2013-01-05T05:30", "nan", "v2")]
    [True, True, True, True, False, False]
    """
    return isfinite(number_of(name)) or isfinite(number_of(name, dates=True))


def number_of(name: str, *, dates: bool = False) -> float:
    """A constant as a number, or a date in seconds; not a number (nan) where it is none."""
    text = plain(name)
    try:
        if dates:
            return (datetime.fromisoformat(text) - _FIRST).total_seconds() if _DATE.fullmatch(text) else nan
        number = float(text) if _NUMBER.fullmatch(text) else nan
    except ValueError:  # a month 13, a day 32
        return nan
    return number if isfinite(number) else nan


_FIRST = datetime(1, 1, 1)
DAY = 86_400.0
"""The seconds of a day."""


@lru_cache(maxsize=4096)
def _number(bound: str) -> float:
    return number_of(bound, dates=_DATE.fullmatch(bound) is not None)


def _shortest(number: float) -> str:
    """As short as it can be read back exactly."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)
