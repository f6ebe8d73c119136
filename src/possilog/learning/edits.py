"""What a person said in the theory that a run starts from: what is locked or pinned stays, what is banned stays out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from possilog.learning.trials import ranked
from possilog.logic import Clause, Keep, Rule, Theory, canonical
from possilog.logic.theory import UNWEIGHED

__all__ = ["Edits"]


@dataclass(frozen=True)
class Edits:
    """The edits of a theory; an empty theory has none.

    >>> from possilog.logic import parse_clause, parse_theory
    >>> edits = Edits(parse_theory("#lock 0.9 :: flies(X) :- bird(X). #ban swims(X) :- bird(X)."))
    >>> print(edits.as_written(parse_clause("flies(A) :- bird(A).")))
    flies(X) :- bird(X).
    >>> edits.allows(parse_clause("swims(A) :- bird(A)."))
    False
    """

    theory: Theory

    @cached_property
    def locked(self) -> tuple[Clause, ...]:
        """The soft rules that are to stay, and those that wait for a place."""
        return (*(rule.clause for rule in self.theory.soft if rule.keep is not Keep.FREE), *self.theory.unplaced)

    @cached_property
    def hard(self) -> tuple[Clause, ...]:
        """The hard rules that are to stay."""
        return tuple(rule.clause for rule in self.theory.hard if rule.keep is not Keep.FREE)

    @cached_property
    def _written(self) -> Mapping[Clause, Clause]:
        """What is to stay, whatever its variables may be called."""
        rules = (rule.clause for rule in self.theory if rule.keep is not Keep.FREE)
        return {canonical(clause): clause for clause in (*rules, *self.theory.unplaced)}

    def as_written(self, clause: Clause) -> Clause:
        """A clause as the person has written it, where one has."""
        return self._written.get(canonical(clause), clause) if self._written else clause

    def allows(self, clause: Clause) -> bool:
        """Is a clause not banned?"""
        return not self.theory.bans(clause)

    def with_hard(self, found: Iterable[Clause]) -> tuple[Clause, ...]:
        """The hard rules that were found and those that are to stay, without what is banned or said to be soft."""
        clauses = dict.fromkeys((*map(self.as_written, found), *self.hard))
        return tuple(clause for clause in clauses if self.allows(clause) and clause not in self.locked)

    def with_locked(self, clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
        """Soft rules, and after them those that are to stay."""
        return clauses + tuple(clause for clause in self.locked if clause not in clauses)

    def to_weigh(self, hard: Sequence[Clause], ordered: Sequence[Clause]) -> Theory:
        """The theory to weigh. What is locked has its place, and the others find theirs around it."""
        locked = [rule for rule in self.theory.soft if rule.clause in self.locked]
        pinned = self.theory.falsity_pinned
        if not (locked or pinned):
            return ranked(hard, ordered)
        placed = {rule.clause for rule in locked}
        others = tuple(clause for clause in ordered if clause not in placed)
        falsity = self.theory.falsity if pinned else UNWEIGHED
        return Theory((*map(Rule, hard), *locked), falsity, unplaced=others, falsity_pinned=pinned)

    def marked(self, theory: Theory) -> Theory:
        """A theory that was learned, with what is locked, pinned and banned marked as such."""
        said = {clause: Rule(clause, keep=Keep.LOCKED) for clause in self.theory.locked}
        said |= {rule.clause: rule for rule in self.theory}
        rules = []
        for rule in theory:
            kept = said.get(rule.clause, rule)
            rules.append(kept if kept.keep is Keep.PINNED else replace(rule, keep=kept.keep))
        return replace(theory, rules=tuple(rules), banned=self.theory.banned)
