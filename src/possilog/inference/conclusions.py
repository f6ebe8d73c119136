"""Conclusions: atoms with certainties, read where the chainer left them, and made into atoms only when asked for."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice, pairwise
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from possilog.chaining.chaining import Chaining
from possilog.data import Database
from possilog.data.rows import Rows
from possilog.data.writing.columns import STATED, UNSAID, Block, Columns, Said
from possilog.inference.gate import Stated
from possilog.inference.taken import atom_of
from possilog.logic import Atom, Constant, Predicate, Rule, Weight

__all__ = ["Chained", "Conclusion", "Conclusions", "Listed"]


@dataclass(frozen=True, slots=True, repr=False)
class Conclusion:
    """An atom that is predicted to hold, and how certain that is: the weight of the highest cut that yields it.

    >>> from possilog import Reasoner, parse_theory
    >>> added = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X).")).predict(["bird(Tweety)"]).added
    >>> print(added[0])
    0.9  flies(Tweety)
    >>> added[0]
    <Conclusion flies(Tweety), certainty 0.9>
    """

    atom: Atom
    certainty: Weight
    given: bool = False
    """Is it evidence?"""
    fragment: tuple[str, ...] = field(default=(), compare=False)
    """In inference by fragments: the constants of one that yields it with this certainty."""
    stated: Stated | None = field(default=None, compare=False)
    """How probable it is, as far as that was measured on held-out facts."""

    @property
    def as_json(self) -> dict[str, Any]:
        """The atom as files of facts write it, and its certainty as a text that reads back exactly."""
        said = {"atom": self.atom.as_fact, "certainty": _spelled(self.certainty), "given": self.given}
        return said | dict(zip(STATED, _said(self.stated), strict=True))

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """How probable it is, the held-out cases behind that, how certain it is, and the atom."""
        stated = self.stated
        known = ("", "") if stated is None else (f"{stated.probability:.2f}", stated.cases.in_words)
        return (*known, _spelled(self.certainty), self.atom.as_fact)

    def row(self, width: int = 0, sign: str = "", stated_width: int = 0) -> str:
        """A line of a table with columns of these widths; first, how probable it is, if that was measured."""
        stated = f"{'' if self.stated is None else self.stated!s:<{stated_width}}  " if stated_width else ""
        return f"{stated}{_spelled(self.certainty):<{width}}  {sign}{self.atom.as_fact}"

    def __str__(self) -> str:
        return self.row(stated_width=0 if self.stated is None else len(str(self.stated)))

    def __repr__(self) -> str:
        given = "given" if self.given else f"certainty {self.certainty}"
        return f"<Conclusion {self.atom.as_fact}, {given}>"


@cache
def _spelled(weight: Weight) -> str:
    """As text; there are few weights, and may be millions of conclusions."""
    return str(weight)


def _said(stated: Stated | None) -> Said:
    """The probability, the held-out cases, and how many of these were right; none where nothing was measured."""
    return (
        UNSAID if stated is None else (round(stated.probability, 4), stated.cases.cases, round(stated.cases.right, 2))
    )


Statement = Callable[[Weight, Predicate, Rule | None], Stated | None]
"""What is said of conclusions of a certainty about a predicate, by the soft rule behind them, if that is known."""


class Conclusions(Sequence[Conclusion]):
    """Conclusions, most certain first."""

    _state: Statement | None = None

    def saying(self, state: Statement) -> Self:
        """The same, each with how probable it is."""
        found = copy(self)
        found._state = state
        return found

    def certainty(self, atom: Atom | str) -> Weight | None:
        """How certain an atom is; None where it is not among them."""
        return self._certainty(atom_of(atom))

    def stated(self, atom: Atom | str) -> Stated | None:
        """What is said of how probable an atom is; None where it is not among them, or nothing was measured."""
        asked = atom_of(atom)
        certainty = self._certainty(asked)
        if certainty is None or self._state is None:
            return None
        return self._state(certainty, asked.predicate, self._origin(asked))

    def changed_from(self, other: Conclusions) -> Iterator[tuple[Conclusion, Weight | None]]:
        """Those that the others do not have, or with another certainty: each with that, or None; in their order."""
        for conclusion in self:
            before = other.certainty(conclusion.atom)
            if before != conclusion.certainty:
                yield conclusion, before

    @abstractmethod
    def _certainty(self, atom: Atom) -> Weight | None:
        """How certain an atom is; None where it is not among them."""

    def _origin(self, atom: Atom) -> Rule | None:
        """The soft rule behind one of them; None where there is none, or nobody noted it."""
        return None

    def number(self, weight: Weight) -> int:
        """How many of them have this certainty."""
        return sum(conclusion.certainty == weight for conclusion in self)

    def database(self) -> Database:
        """The atoms as facts."""
        return Database.of(conclusion.atom for conclusion in self)

    def columns(self) -> Columns:
        """All of them as columns of numbers and the constants' names, for who has no use for an object for each."""
        numbers: dict[str, int] = {}
        grouped: dict[tuple[Predicate, Weight, Said], list[list[int]]] = defaultdict(list)
        for one in self:
            row = [numbers.setdefault(term.name, len(numbers)) for term in one.atom.arguments]
            grouped[one.atom.predicate, one.certainty, _said(one.stated)].append(row)
        blocks = tuple(
            Block(predicate, np.array(rows, dtype=np.int32).reshape(len(rows), -1).T, _spelled(weight), said)
            for (predicate, weight, said), rows in grouped.items()
        )
        return Columns(tuple(numbers), blocks)

    @abstractmethod
    def _conclusions(self) -> Iterator[Conclusion]:
        """Make the conclusions, one after the other."""

    @cached_property
    def _all(self) -> tuple[Conclusion, ...]:
        return tuple(self._conclusions())

    @overload
    def __getitem__(self, place: int) -> Conclusion: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Conclusion, ...]: ...
    def __getitem__(self, place: int | slice) -> Conclusion | tuple[Conclusion, ...]:
        return self._all[place]

    def __iter__(self) -> Iterator[Conclusion]:
        return self._conclusions()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # never needed as a key

    def __str__(self) -> str:
        width = max((len(_spelled(weight)) for weight in {conclusion.certainty for conclusion in self}), default=0)
        return "\n".join(conclusion.row(width) for conclusion in self)

    def __repr__(self) -> str:
        shown = [f"{conclusion.certainty} :: {conclusion.atom}." for conclusion in islice(self, 5)]
        more = [f"and {len(self) - 5:,} more"] if len(self) > 5 else []
        return f"<{', '.join([*shown, *more]) or 'no conclusions'}>"


_Keys = npt.NDArray[np.int64]
_NOWHERE: tuple[_Keys, _Keys] = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def _rank(weights: Sequence[Weight], weight: Weight) -> int:
    """The place of a weight; -1 where it is not there."""
    return weights.index(weight) if weight in weights else -1


class _Common:
    """Numbers that two lists of names share."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        self.second = np.arange(len(second), dtype=np.int64)
        self.first = self.second
        self._base = len(second)
        if tuple(first) != tuple(second):
            known = {name: number for number, name in enumerate(second)}
            self.first = np.array([known.setdefault(name, len(known)) for name in first], dtype=np.int64)
            self._base = len(known)

    def reaches(self, arity: int) -> bool:
        """Has every atom of so many arguments a number of its own?"""
        return bool(self._base**arity < 2**62)

    def keys(self, rows: Rows, numbers: _Keys) -> _Keys:
        """A number for each column of arguments."""
        found = np.zeros(rows.shape[1], dtype=np.int64)
        for row in rows:
            found = found * self._base + numbers[row]
        return found


class Listed(Conclusions):
    """Conclusions in a list."""

    def __init__(self, conclusions: Sequence[Conclusion] = ()) -> None:
        """Take them in order."""
        self._listed = tuple(conclusions)

    def __len__(self) -> int:
        return len(self._listed)

    def _conclusions(self) -> Iterator[Conclusion]:
        if self._state is None:
            return iter(self._listed)
        return (replace(one, stated=self._state(one.certainty, one.atom.predicate, None)) for one in self._listed)

    def _certainty(self, atom: Atom) -> Weight | None:
        return self._certainties.get(atom)

    @cached_property
    def _certainties(self) -> dict[Atom, Weight]:
        return {conclusion.atom: conclusion.certainty for conclusion in self._listed}


class Chained(Conclusions):
    """The atoms that the chainer concluded: those of each stage stand together in its queue."""

    def __init__(self, chaining: Chaining, rules: Sequence[Rule], stages: Sequence[tuple[Weight, int]]) -> None:
        """Take a chaining that is done and its rules, the weights of its stages, and how many atoms held after each."""
        self._chaining, self._rules = chaining, rules
        self._weights = [weight for weight, _ in stages]
        self._ends = [end for _, end in stages]

    def __len__(self) -> int:
        return self._ends[-1] - self._chaining.given

    def _conclusions(self) -> Iterator[Conclusion]:
        constants: dict[int, Constant] = {}
        for weight, predicate, rows, found in self._blocks:
            origins = found.tolist()
            stated = self._stated_by(weight, predicate, origins)
            for arguments, origin in zip(rows.T.tolist(), origins, strict=True):
                for number in arguments:
                    if number not in constants:
                        constants[number] = Constant(self._chaining.names[number])
                atom = Atom(predicate, tuple([constants[number] for number in arguments]))
                yield Conclusion(atom, weight, stated=stated[origin])

    def _stated_by(self, weight: Weight, predicate: Predicate, origins: Iterable[int]) -> dict[int, Stated | None]:
        """What is said of conclusions of a stage about a predicate, by the numbers of the soft rules behind them."""
        state = self._state
        if state is None:
            return dict.fromkeys(origins)
        rules = {origin: self._rules[origin] if origin >= 0 else None for origin in set(origins)}
        return {origin: state(weight, predicate, rule) for origin, rule in rules.items()}

    def changed_from(self, other: Conclusions) -> Iterator[tuple[Conclusion, Weight | None]]:
        """Those that the others do not have, or with another certainty; atoms are made of these alone."""
        names = self._chaining.names
        widest = max((predicate.arity for predicate in self._chaining.program.predicates), default=0)
        if not (isinstance(other, Chained) and (common := _Common(names, other._chaining.names)).reaches(widest)):
            yield from super().changed_from(other)
            return
        known = other._places(common)
        for weight, predicate, rows, origins in self._blocks:
            keys, ranks = known.get(predicate, _NOWHERE)
            mine = common.keys(rows, common.first)
            at = np.minimum(np.searchsorted(keys, mine), max(len(keys) - 1, 0))
            there = keys[at] == mine if len(keys) else np.zeros(len(mine), dtype=bool)
            for place in np.flatnonzero(~there | (ranks[at] != _rank(other._weights, weight)) if len(keys) else ~there):
                arguments = tuple(Constant(names[number]) for number in rows[:, place].tolist())
                (stated,) = self._stated_by(weight, predicate, [int(origins[place])]).values()
                before = other._weights[ranks[at[place]]] if there[place] else None
                yield Conclusion(Atom(predicate, arguments), weight, stated=stated), before

    @cached_property
    def _blocks(self) -> list[tuple[Weight, Predicate, Rows, npt.NDArray[np.int32]]]:
        """All of them in numbers, stage by stage and predicate by predicate, with the rules behind them."""
        found = self._chaining.blocks(self._ends)
        return [(self._weights[stage], predicate, rows, origins) for stage, predicate, rows, origins in found]

    def _places(self, common: _Common) -> dict[Predicate, tuple[_Keys, _Keys]]:
        """For each predicate, a number for each atom, in order, and the stage that concluded it."""
        found: dict[Predicate, list[tuple[_Keys, _Keys]]] = defaultdict(list)
        for weight, predicate, rows, _ in self._blocks:
            keys = common.keys(rows, common.second)
            found[predicate].append((keys, np.full(len(keys), self._weights.index(weight), dtype=np.int64)))
        joined = {}
        for predicate, some in found.items():
            keys, ranks = (np.concatenate(part) for part in zip(*some, strict=True))
            order = np.argsort(keys)
            joined[predicate] = keys[order], ranks[order]
        return joined

    def number(self, weight: Weight) -> int:
        """How many of them have this certainty."""
        return self._numbers.get(weight, 0)

    @cached_property
    def _numbers(self) -> dict[Weight, int]:
        sizes = [end - start for start, end in pairwise([self._chaining.given, *self._ends])]
        return dict(zip(self._weights, sizes, strict=True))

    def database(self) -> Database:
        """The atoms as facts, over all constants; no atom is made for it."""
        names = self._chaining.names
        order = sorted(range(len(names)), key=names.__getitem__)
        number = np.argsort(np.array(order, dtype=np.int32)).astype(np.int32)
        relations = {}
        for _, predicate, rows, _ in self._chaining.blocks(self._ends[-1:]):
            columns = number[rows]
            relations[predicate] = columns[:, np.lexsort(columns[::-1])] if len(columns) else columns
        return Database([names[place] for place in order], relations)

    def columns(self) -> Columns:
        """All of them as columns of numbers, stratum by stratum."""
        return Columns(self._chaining.names, tuple(self._said_alike()))

    def _said_alike(self) -> Iterator[Block]:
        """All of them, those together of which the same is said."""
        for weight, predicate, rows, origins in self._blocks:
            if self._state is None:
                yield Block(predicate, rows, _spelled(weight))
                continue
            places: dict[Said, list[int]] = defaultdict(list)
            for origin, stated in self._stated_by(weight, predicate, np.unique(origins).tolist()).items():
                places[_said(stated)] += np.flatnonzero(origins == origin).tolist()
            for said, some in places.items():
                yield Block(predicate, rows[:, sorted(some)], _spelled(weight), said)

    def _origin(self, atom: Atom) -> Rule | None:
        number = self._chaining.origin(atom)
        return self._rules[number] if number >= 0 else None

    def _certainty(self, atom: Atom) -> Weight | None:
        rank = self._chaining.rank(atom)
        if rank is None or not self._chaining.given <= rank < self._ends[-1]:
            return None
        return self._weights[bisect_right(self._ends, rank)]
