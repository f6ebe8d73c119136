"""Rules with weights, and theories: stratified sets of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from enum import StrEnum
from itertools import groupby
from types import MappingProxyType

from possilog.errors import TheoryError
from possilog.logic.atoms import Predicate
from possilog.logic.canonical_forms import isomorphic
from possilog.logic.clauses import Clause
from possilog.logic.weights import CERTAIN, Weight, shortest
from possilog.printing import Printed

__all__ = ["Keep", "Rule", "Stratum", "Theory"]

UNWEIGHED = Weight(Decimal(1))
"""λ = 0: the weight of ⊥ in a theory that has not been weighed."""

# What the sections say of a probability is rounded up, so that "at most" stays true.
_ROUGHLY = Context(prec=3, rounding=ROUND_CEILING)


class Keep(StrEnum):
    """What a person said about a rule: what may not change when the theory is weighed or learned again."""

    FREE = "free"
    """Nothing was said."""
    LOCKED = "lock"
    """The rule stays as it is written, above and below the same locked rules; its weight may change."""
    PINNED = "pin"
    """The rule and its weight stay."""


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Rule(Printed):
    """A clause and its weight. With weight 1 it is a hard rule.

    It can be read alone: a world that breaks it has probability at most 1 - λ.
    """

    clause: Clause
    weight: Weight = CERTAIN
    keep: Keep = Keep.FREE

    @property
    def is_hard(self) -> bool:
        """Has it weight 1?"""
        return self.weight.is_certain

    def __str__(self) -> str:
        keep = "" if self.keep is Keep.FREE else f"#{self.keep} "
        weight = "" if self.is_hard else f"{self.weight} :: "
        return f"{keep}{weight}{self.clause}"


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Stratum(Printed):
    """The rules of one weight: they stand or fall together."""

    weight: Weight
    rules: tuple[Rule, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.rules))


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Theory:
    """A possibilistic theory: rules by descending weight, and the weight of ⊥.

    Rules of equal weight keep the order in which they were given. ⊥ is always in the theory; where no weight was
    given to it, its weight is 0.
    """

    rules: tuple[Rule, ...] = ()
    falsity: Weight = UNWEIGHED
    unplaced: tuple[Clause, ...] = ()
    """Clauses that wait for ``weigh`` to find their place and weight, in the order in which it takes them."""
    banned: tuple[Clause, ...] = ()
    """Clauses that are never to be learned."""
    locked: tuple[Clause, ...] = ()
    """Those of the unplaced clauses that are locked as soon as they have their place."""
    falsity_pinned: bool = False
    """Does the weight of ⊥ stay when the theory is weighed again?"""

    def __post_init__(self) -> None:
        if any(clause.is_empty for clause in (*self.unplaced, *self.banned)):
            raise TheoryError("⊥ is in every theory and has its place; take away the line that bans or places it")
        contradicted = next((c for c in (*(rule.clause for rule in self.rules), *self.unplaced) if self.bans(c)), None)
        if contradicted is not None:
            raise TheoryError(f"the rule {contradicted} is banned and yet in the theory; take one of the two away")
        if any(rule.clause.is_empty and not rule.is_hard for rule in self.rules):
            raise TheoryError("⊥ stands among the rules; give its weight as the theory's falsity instead")
        if self.falsity.is_certain:
            raise TheoryError("⊥ has weight 1, so that every world is impossible; give it a weight below 1")
        outweighed = next((rule for rule in self.rules if rule.weight < self.falsity), None)
        if outweighed is not None:
            raise TheoryError(
                f"⊥ weighs {self.falsity}, more than this rule, which can never matter then; lower ⊥ or give the rule "
                f"a higher weight: {outweighed}"
            )
        if any(before.weight < after.weight for before, after in zip(self.rules, self.rules[1:], strict=False)):
            ordered = sorted(self.rules, key=lambda rule: rule.weight.doubt)
            object.__setattr__(self, "rules", tuple(ordered))

    @property
    def hard(self) -> tuple[Rule, ...]:
        """The rules of weight 1."""
        return tuple(rule for rule in self.rules if rule.is_hard)

    @property
    def soft(self) -> tuple[Rule, ...]:
        """The rules of a weight below 1, highest first."""
        return tuple(rule for rule in self.rules if not rule.is_hard)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The soft rules by weight, highest stratum first."""
        groups = groupby(self.soft, key=lambda rule: rule.weight)
        return tuple(Stratum(weight, tuple(rules)) for weight, rules in groups)

    def cut(self, weight: Weight) -> tuple[Rule, ...]:
        """Θ_μ: the rules whose weight is at least μ (section Preliminaries)."""
        return tuple(rule for rule in self.rules if rule.weight >= weight)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The predicates that occur in the rules, in order."""
        clauses = (*(rule.clause for rule in self.rules), *self.unplaced)
        return tuple(sorted({atom.predicate for clause in clauses for atom in clause.atoms}))

    def bans(self, clause: Clause) -> bool:
        """Is this clause banned, whatever its variables are called?"""
        return any(isomorphic(clause, banned) for banned in self.banned)

    def require_weights(self) -> None:
        """Refuse a theory whose weights are not all there: what follows from it cannot be said yet."""
        if self.unplaced:
            raise TheoryError(f"the rule ? :: {self.unplaced[0]} has no weight yet; run possilog weigh first")

    def text(self, notes: Mapping[Clause, str] = MappingProxyType({})) -> str:
        """The theory in our language, a section for each stratum, with comments after the clauses that have notes."""

        def line(statement: str, clause: Clause) -> str:
            note = notes.get(clause)
            return statement + (f"  {comment(note)}" if note else "")

        def lines(rules: tuple[Rule, ...]) -> Iterator[str]:
            return (line(str(rule), rule.clause) for rule in rules)

        sections = []
        if self.hard:
            sections.append(["% hard rules", *lines(self.hard)])
        for stratum in self.strata:
            these = "this rule" if len(stratum.rules) == 1 else "one of these rules"
            meaning = f"% a world that breaks {these} has probability at most {_roughly(stratum.weight)}"
            sections.append([meaning, *lines(stratum.rules)])
        if self.falsity != UNWEIGHED or self.falsity_pinned:
            meaning = f"% ⊥: no world has a probability above {_roughly(self.falsity)}"
            sections.append([meaning, f"{'#pin ' * self.falsity_pinned}{self.falsity} :: false."])
        if self.unplaced:
            waiting = (line(f"{'#lock ' * (clause in self.locked)}? :: {clause}", clause) for clause in self.unplaced)
            sections.append(["% these wait for a weight", *waiting])
        if self.banned:
            sections.append(["% never to be learned", *(line(f"#ban {clause}", clause) for clause in self.banned)])
        return "\n\n".join("\n".join(section) for section in sections) + "\n" if sections else ""

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Theory: {len(self.hard):,} hard rules, {len(self.soft):,} soft rules in {len(self.strata):,} strata>"


@contextmanager
def read_from(source: str) -> Iterator[None]:
    """What is wrong with a theory as a whole is said of where it was read."""
    try:
        yield
    except TheoryError as error:
        raise TheoryError(f"{source}: {error}") from None


def comment(text: str) -> str:
    """A comment of one line, whatever the text."""
    return f"% {' '.join(text.split())}"


def _roughly(weight: Weight) -> str:
    return shortest(_ROUGHLY.plus(weight.doubt))
