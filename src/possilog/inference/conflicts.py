"""Conflicts and cores: ground rules that are broken, and the few facts that cannot be true together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from possilog.chaining.chaining import GroundRule
from possilog.inference.words import PLAIN, Words, enumerated
from possilog.logic import Atom, Clause, Literal, Weight

__all__ = ["INDENT", "Conflict", "Conflicts", "Core", "say_weight"]

INDENT = "    "


@dataclass(frozen=True, slots=True, repr=False)
class Conflict:
    """A stratum's conclusions, or the evidence itself (weight 1), break a ground rule. It prints as one line.

    >>> from possilog import Reasoner, parse_theory
    >>> prediction = Reasoner(parse_theory(":- bird(X), bat(X).")).predict(["bird(Bruce)", "bat(Bruce)"])
    >>> print(prediction.conflicts[0])
    bird(Bruce), bat(Bruce), against the rule  :- bird(X), bat(X).
    """

    weight: Weight
    broken: GroundRule
    barred: tuple[Atom, ...] = ()
    """The conclusions that were barred for it."""
    core: tuple[Clause, ...] = ()
    """Where a solver found it: ground rules that the evidence does not allow together, as few as can be."""

    @property
    def as_json(self) -> dict[str, Any]:
        """The rule, and the atoms that break it."""
        found: dict[str, Any] = {
            "weight": str(self.weight),
            "rule": None if self.broken.rule is None else str(self.broken.rule),
            "atoms": [atom.as_fact for atom in self.broken.body],
        }
        if self.barred:
            found["barred"] = [atom.as_fact for atom in self.barred]
        if self.core:
            found["core"] = [str(clause) for clause in self.core]
        return found

    def told(self, words: Words = PLAIN) -> str:
        """The conflict as a sentence."""
        atoms = enumerated(map(words.atom, self.broken.body))
        broken = f"it is denied that {atoms}" if self.broken.rule is None else f"never: {atoms}"
        barred = f"; given up: {enumerated(map(words.atom, self.barred))}" if self.barred else ""
        return f"{broken} (at {say_weight(self.weight)}){barred}"

    def __str__(self) -> str:
        atoms = ", ".join(atom.as_fact for atom in self.broken.body)
        if self.broken.rule is None:
            return f"{atoms} follows, and the evidence denies it"
        return f"{atoms}, against the rule  {self.broken.rule}"

    def __repr__(self) -> str:
        return f"<Conflict at {self.weight}: {self}>"


class Conflicts(Sequence[Conflict]):
    """Conflicts that are put into words only when somebody looks at them."""

    def __init__(self, found: Callable[[], Iterable[Conflict]]) -> None:
        """Take what finds the words."""
        self._found = found

    @cached_property
    def _all(self) -> tuple[Conflict, ...]:
        return tuple(self._found())

    @overload
    def __getitem__(self, place: int) -> Conflict: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Conflict, ...]: ...
    def __getitem__(self, place: int | slice) -> Conflict | tuple[Conflict, ...]:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)


@dataclass(frozen=True, slots=True, repr=False)
class Core:
    """Some literals of the evidence, and the ground rules that make a contradiction, or a conclusion, of them.

    It prints as sentences, one in a line.

    >>> from possilog import Reasoner, parse_theory
    >>> reasoner = Reasoner(parse_theory("bird(X) :- nests(X). :- bird(X), bat(X)."))
    >>> (core,) = reasoner.conflicts(["nests(bruce)", "bat(bruce)", "bird(carl)"])
    >>> print(core)
    bruce is a bat
    bruce nests
    hence bruce is a bird, since bruce nests
    never: bruce is a bat and bruce is a bird
    """

    literals: tuple[Literal, ...]
    rules: tuple[Clause, ...]
    """In an order in which they can be read: what a rule asks for comes before it."""

    @property
    def as_json(self) -> dict[str, Any]:
        """The facts as files of facts write them, and the ground rules."""
        return {
            "facts": [literal.as_fact for literal in self.literals],
            "rules": [str(rule) for rule in self.rules],
        }

    def told(self, title: str, words: Words = PLAIN) -> Iterator[str]:
        """The facts, and what ground rules make of them, as lines under a title."""
        yield title
        yield from (f"{INDENT}{line}" for line in self.lines(words))

    def lines(self, words: Words = PLAIN) -> Iterator[str]:
        """The facts, and what ground rules make of them."""
        yield from map(words.literal, self.literals)
        yield from (_say_ground(rule, words) for rule in self.rules)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Core: {', '.join(literal.as_fact for literal in self.literals) or 'no facts'}>"


def _say_ground(clause: Clause, words: Words) -> str:
    """A ground rule: what follows, from what."""
    body = enumerated(map(words.atom, clause.body))
    if not clause.head:
        return f"never: {body}"
    head = enumerated(map(words.atom, clause.head), "or")
    return f"hence {head}, since {body}" if clause.body else f"always: {head}"


def say_weight(weight: Weight) -> str:
    """A weight in a sentence."""
    return "always" if weight.is_certain else str(weight)
