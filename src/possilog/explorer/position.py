"""Where an exploration stands: the theory as people have corrected it, and what they said of single conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from possilog.data import Database, Evidence
from possilog.logic import Atom, Clause, Theory, canonical

__all__ = ["Mark", "Position", "Sees", "Signed"]


class Sees(Enum):
    """What an answer depends on, beside the data: the less, the longer it is true."""

    THEORY = "theory"
    MARKS = "theory and marks"
    REVISION = "every edit"


@dataclass(frozen=True, slots=True)
class Signed:
    """Who said something, and when."""

    who: str
    when: str

    def __str__(self) -> str:
        return f"{self.who}, {self.when[:10]}"

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"who": self.who, "when": self.when}


@dataclass(frozen=True, slots=True)
class Mark:
    """A conclusion that a person found right or wrong: evidence from now on."""

    atom: Atom
    right: bool
    signed: Signed

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        verdict = "right" if self.right else "wrong"
        return {"atom": self.atom.as_fact, "verdict": verdict, **self.signed.as_json}


@dataclass(frozen=True, slots=True)
class Position:
    """The theory at one moment, with the marks, and who wrote which rule."""

    revision: int
    theory: Theory
    marks: tuple[Mark, ...] = ()
    written: Mapping[Clause, Signed] = field(default_factory=dict)
    """The rules that people wrote, in canonical form."""
    begun: Theory | None = None
    """The theory as it was begun with, where it is another one."""
    theory_since: int = 0
    """The revision that brought the theory as it is, and who wrote its rules."""
    marks_since: int = 0
    """The revision that brought the marks."""

    def followed_by(self, after: Position, revision: int) -> Position:
        """What an edit made of this position, with what it has changed."""
        theory = after.theory is self.theory and after.written == self.written
        return replace(
            after,
            revision=revision,
            theory_since=self.theory_since if theory else revision,
            marks_since=self.marks_since if after.marks == self.marks else revision,
        )

    def seen_by(self, sees: Sees) -> tuple[int, ...]:
        """What stays the same as long as an answer that depends on this is true."""
        if sees is Sees.REVISION:
            return (self.revision,)
        return (self.theory_since,) if sees is Sees.THEORY else (self.theory_since, self.marks_since)

    def author(self, clause: Clause) -> Signed | None:
        """Who wrote a rule; None where nobody did."""
        return self.written.get(canonical(clause)) if self.written else None

    def says_the_same(self, other: Position) -> bool:
        """Would both theories conclude the same? What is locked does not matter for that."""
        return _unkept(self.theory) == _unkept(other.theory)

    def facts_with(self, data: Database) -> Database:
        """The data with all that was marked: what is right is a fact, what is wrong is denied."""
        if not self.marks:
            return data
        wrong = {mark.atom for mark in self.marks if not mark.right}
        kept = [atom for atom in data if atom not in wrong]
        right = [mark.atom for mark in self.marks if mark.right]
        return Database.of(
            [*kept, *right], data.constants, denied=sorted({*wrong, *data.denied}), declared=data.declared
        )

    def evidence_with(self, data: Database) -> Evidence:
        """The same as evidence."""
        return Evidence(self.facts_with(data))


def _unkept(theory: Theory) -> tuple[Any, ...]:
    rules = tuple((rule.clause, rule.weight) for rule in theory.rules)
    return rules, theory.falsity, theory.measures, theory.judged
