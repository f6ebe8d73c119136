"""Where an exploration stands: the theory as people have corrected it, and what they said of single conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from possilog.data import Database, Evidence
from possilog.logic import Atom, Clause, Theory, canonical

__all__ = ["Mark", "Position", "Signed"]


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
