"""The relational marginal distribution P_{Υ,k} (Definition 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Atom, Clause, Constant, Predicate
from possilog.marginals.fragments import FragmentTable
from possilog.marginals.local import LocalExample, Statement

__all__ = ["MOST_SUBSETS", "IsomorphismClass", "RelationalMarginal", "check_width", "relational_marginal"]

MOST_SUBSETS = 2_000_000
"""The most k-subsets that are gone through without being told to: some seconds."""


@dataclass(frozen=True, slots=True)
class IsomorphismClass:
    """The local examples that differ in the numbering of their constants only, and how often the data has them."""

    example: LocalExample
    """The canonical one."""

    size: int
    """How many local examples are in it: c(α) of Definition 5."""

    subsets: int
    """How many k-subsets of the data have such a fragment."""


@dataclass(frozen=True)
class RelationalMarginal:
    """P_{Υ,k}: the distribution of the local example that a random k-subset, numbered at random, gives (Definition 4).

    ``classes`` are the isomorphism classes that occur, the most frequent and smallest first.

    >>> from possilog.logic import parse_atom, parse_clause, parse_query
    >>> facts = ["fr(alice, bob)", "fr(bob, alice)", "fr(bob, eve)", "fr(eve, bob)", "sm(alice)"]
    >>> marginal = relational_marginal(Database.of(map(parse_atom, facts)), width=2)
    >>> for found in marginal.classes:
    ...     print(found.example, found.size, found.subsets)
    {sm(1)} 2 1
    {fr(1, 2), fr(2, 1)} 1 1
    {fr(1, 2), fr(2, 1), sm(2)} 2 1
    >>> marginal.probability(LocalExample.of([parse_atom("sm(2)")], width=2))
    Fraction(1, 6)
    >>> marginal.probability(parse_query("sm(X), fr(X, Y)")), marginal.probability(parse_clause("fr(X, Y) :- sm(X)."))
    (Fraction(1, 3), Fraction(2, 3))
    """

    width: int
    predicates: tuple[Predicate, ...]
    classes: tuple[IsomorphismClass, ...]

    @cached_property
    def subsets(self) -> int:
        """How many k-subsets the data has."""
        return sum(found.subsets for found in self.classes)

    @cached_property
    def _class_of(self) -> Mapping[LocalExample, IsomorphismClass]:
        return {found.example: found for found in self.classes}

    def probability(self, event: LocalExample | Statement) -> Fraction:
        """P(ω) of a local example, or P(α) of a closed formula: the sum over the local examples in which it holds."""
        if isinstance(event, LocalExample):
            return self._of_example(event)
        check_constants(event, self.width)
        return sum((self._share(found, event) for found in self.classes), Fraction(0)) / self.subsets

    def _of_example(self, example: LocalExample) -> Fraction:
        check_width(example, self.width)
        found = self._class_of.get(example.canonical)
        return Fraction(found.subsets, self.subsets * found.size) if found else Fraction(0)

    def _share(self, found: IsomorphismClass, formula: Statement) -> Fraction:
        """Of how many of a class's k-subsets does the formula hold? A part of one counts as that part."""
        # Without constants a formula cannot tell isomorphic examples apart, so one of them answers for all.
        if not _constants(formula):
            return Fraction(found.subsets * found.example.satisfies(formula))
        satisfied = sum(example.satisfies(formula) for example in found.example.isomorphic_ones)
        return Fraction(found.subsets * satisfied, found.size)


def relational_marginal(database: Database, width: int, *, limit: int = MOST_SUBSETS) -> RelationalMarginal:
    """The relational marginal distribution of some data, exactly, from all its k-subsets.

    Where they are more than the limit, a QueryError says so; ``sample`` draws from the distribution at any size.
    """
    subsets = number_of_subsets(database, width)
    if subsets > limit:
        raise QueryError(
            f"there are {subsets:,} sets of {width} out of {len(database.constants):,} constants, more than the limit "
            f"of {limit:,}; raise the limit, take a smaller width, or sample"
        )
    counted = FragmentTable(database).count(width)
    classes = [IsomorphismClass(example, example.size, number) for example, number in counted.items()]
    classes.sort(key=lambda found: (-found.subsets, len(found.example.atoms), str(found.example)))
    return RelationalMarginal(width, database.predicates, tuple(classes))


def number_of_subsets(database: Database, width: int) -> int:
    """How many k-subsets the data has; a QueryError where there is none."""
    if not 1 <= width <= len(database.constants):
        raise QueryError(
            f"the width is {width} and the data has {len(database.constants):,} constants; "
            "take a width from 1 to the number of constants"
        )
    return comb(len(database.constants), width)


def check_width(example: LocalExample, width: int) -> None:
    """A QueryError where a local example has another width."""
    if example.width != width:
        raise QueryError(f"the local example {example} has width {example.width}; one of width {width} is wanted")


def check_constants(formula: Statement, width: int) -> None:
    """A QueryError where a formula names a constant that local examples have not."""
    strange = _constants(formula) - {str(number) for number in range(1, width + 1)}
    if strange:
        raise QueryError(
            f"the formula names {min(strange)!r}, and local examples have the constants 1 to {width} only; "
            "use variables, or ask the data"
        )


def _constants(formula: Statement) -> set[str]:
    return {term.name for atom in _atoms(formula) for term in atom.arguments if isinstance(term, Constant)}


def _atoms(formula: Statement) -> tuple[Atom, ...]:
    return formula.atoms if isinstance(formula, Clause) else tuple(literal.atom for literal in formula.literals)
