"""A rule of columns, and which rules say what others say already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from possilog.logic import Atom, BuiltIn, Clause, Variable
from possilog.logic.canonical_forms import canonical, variable_name
from possilog.structure.columns.row_conditions import RowCondition
from possilog.structure.columns.search import CLEARLY, NEARLY_ALWAYS, OFTEN
from possilog.structure.columns.things import Things, Truth

__all__ = ["ColumnRule", "rule_of", "with_named_variables", "without_needless"]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRule:
    """A rule, and where it is right and wrong about what is known."""

    clause: Clause
    right: Truth
    """Of the things that were looked at, which it is right about; and wrong about."""
    wrong: Truth
    outside: tuple[int, int] = (0, 0)
    """How often it is right and wrong about the others."""
    tried: tuple[Truth, Truth] | None = None
    """Of the others, which it is right and wrong about; where rules are wanted for a list."""
    is_whole: bool = False
    """Is it about a whole column? Then cases are counted, and it is not said which they are."""
    is_otherwise: bool = False
    """Does it say a value of whatever has a row, where no other rule says one?"""

    @property
    def true(self) -> int:
        """How often it is right."""
        return int(self.right.sum())

    @property
    def false(self) -> int:
        """How often it is wrong."""
        return int(self.wrong.sum())

    @property
    def cases(self) -> tuple[tuple[Atom, ...], bytes, bytes]:
        """What it says of which things: equal for rules that conclude the same in all cases."""
        return self.clause.head, self.right.tobytes(), self.wrong.tobytes()

    @property
    def confidence(self) -> float:
        """How often it is right, by the rule of succession."""
        return (self.true + 1) / (self.true + self.false + 2)


def without_needless(
    found: Sequence[ColumnRule], whole: Sequence[ColumnRule], things: Things
) -> tuple[list[ColumnRule], list[ColumnRule]]:
    """Rules about values without those that say what a rule about a whole column says, and these likewise."""
    told = {rule.cases for rule in found if any(_is_instance(rule, other, things) for other in whole)}
    kept = [rule for rule in found if rule.cases not in told]
    return kept, [rule for rule in whole if not _is_compared(rule, kept, things)]


def _is_instance(rule: ColumnRule, whole: ColumnRule, things: Things) -> bool:
    """Does a rule say of one value what another says of all, and is not right clearly more often?

    What names a number, or a thing by its number, is an instance of what things that share it have in common.
    """
    if rule.confidence > whole.confidence + CLEARLY:
        return False
    (head,), (first, *_) = whole.clause.head, whole.clause.body
    named = whole.clause.substitute({head.variables[-1]: rule.clause.head[0].arguments[-1]})
    if canonical(named) == canonical(rule.clause):
        return True
    (said, *others), type = rule.clause.body, things.types[first.predicate][1]
    by_number = type in things.numbers or things.is_numbered(type)
    alone = not others and said.predicate == first.predicate and rule.true < OFTEN
    return alone and by_number and _is_shared(whole)


def _is_compared(whole: ColumnRule, found: Sequence[ColumnRule], things: Things) -> bool:
    """Is a value shared by things with the same number, where it depends on which side of some cuts that is?"""
    first = whole.clause.body[0].predicate
    if things.types[first][1] not in things.numbers or not _is_shared(whole):
        return False
    bodies = ((rule, rule.clause.body) for rule in found if rule.clause.body[0].predicate == first)
    right = [rule.right for rule, body in bodies if any(isinstance(atom.predicate, BuiltIn) for atom in body)]
    return bool(right) and int(np.logical_or.reduce(right).sum()) >= NEARLY_ALWAYS * whole.true


def _is_shared(whole: ColumnRule) -> bool:
    """Is a value that of other things with the same first value?"""
    first, *further = whole.clause.body
    return any(atom.predicate == first.predicate for atom in further)


def rule_of(head: Atom, conditions: Sequence[RowCondition]) -> Clause:
    """A rule as people would write it: the shortest condition first, and variables A, B, … as they come."""
    ordered = sorted(conditions, key=lambda one: one.rank)
    return with_named_variables(Clause((head,), tuple(dict.fromkeys(atom for one in ordered for atom in one.atoms))))


def with_named_variables(clause: Clause) -> Clause:
    """The rule with variables A, B, … as they come."""
    return clause.substitute({v: Variable(variable_name(number)) for number, v in enumerate(clause.variables)})
