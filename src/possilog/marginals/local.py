"""Local examples, and when two examples are isomorphic (Definitions 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import perm, prod

from possilog.data import Database
from possilog.errors import DataError
from possilog.logic import Atom, Clause, Constant, Predicate, Query, Variable
from possilog.logic.atoms import Literal
from possilog.logic.canonical_forms import order_variables, variable_name
from possilog.matching import Matcher

__all__ = [
    "LocalExample",
    "Statement",
    "holds",
    "isomorphic_facts",
    "lifted",
    "local_atom",
    "local_examples",
    "numbers_of",
]

Statement = Query | Clause
"""A closed formula: a query's variables are existential, a clause's universal, and distinct ones stay distinct."""


@dataclass(frozen=True, slots=True)
class LocalExample:
    """A set of ground atoms over the constants 1, …, k (Definition 3).

    >>> from possilog.logic import parse_atom
    >>> example = LocalExample.of(map(parse_atom, ["fr(2, 3)", "sm(3)"]), width=3)
    >>> print(example.canonical, example.size)
    {fr(1, 2), sm(2)} 6
    """

    atoms: frozenset[Atom]
    width: int

    def __post_init__(self) -> None:
        allowed = {str(number) for number in range(1, self.width + 1)}
        for atom in self.atoms:
            if not (atom.is_ground and allowed.issuperset(term.name for term in atom.arguments)):
                raise DataError(f"{atom} is not about the constants 1 to {self.width} of a local example; renumber it")

    @classmethod
    def of(cls, atoms: Iterable[Atom], width: int) -> LocalExample:
        """The local example of some atoms."""
        return cls(frozenset(atoms), width)

    @classmethod
    def numbered(cls, database: Database) -> LocalExample:
        """A database with its constants numbered in their order."""
        atoms = (
            local_atom(predicate, row)
            for predicate in database.predicates
            for row in (database.rows(predicate).T + 1).tolist()
        )
        return cls.of(atoms, len(database.constants))

    @property
    def named(self) -> tuple[int, ...]:
        """The constants that occur in atoms. The others do not differ from each other."""
        return tuple(sorted({number for atom in self.atoms for number in numbers_of(atom)}))

    @property
    def canonical(self) -> LocalExample:
        """The one local example that stands for all that are isomorphic to this one."""
        symbols = {predicate: number for number, predicate in enumerate(sorted({a.predicate for a in self.atoms}))}
        codes = [(symbols[atom.predicate], *(number - 1 for number in numbers_of(atom))) for atom in self.atoms]
        return self.renumbered({old + 1: new for new, old in enumerate(order_variables(codes), start=1)})

    @property
    def isomorphic_ones(self) -> frozenset[LocalExample]:
        """All local examples of this width that are isomorphic to this one, itself included."""
        # Swaps of neighbours make all numberings, and each step from something new keeps the work to what is found.
        found, waiting = {self}, [self]
        while waiting:
            example = waiting.pop()
            swapped = {example.renumbered({n: n + 1, n + 1: n}) for n in range(1, self.width)} - found
            found |= swapped
            waiting.extend(swapped)
        return frozenset(found)

    @property
    def size(self) -> int:
        """How many local examples are isomorphic to this one: the paper's c(α) of Definition 5.

        The n named constants can be placed in k!/(k - n)! ways, and as many give the same as there are automorphisms.
        """
        return perm(self.width, len(self.named)) // self._automorphisms()

    @property
    def database(self) -> Database:
        """The same as a global example."""
        return Database.of(self.atoms, constants=map(str, range(1, self.width + 1)))

    def renumbered(self, numbers: Mapping[int, int]) -> LocalExample:
        """The example with other numbers for some of its constants."""
        moved = (local_atom(atom.predicate, [numbers.get(n, n) for n in numbers_of(atom)]) for atom in self.atoms)
        return LocalExample.of(moved, self.width)

    def _automorphisms(self) -> int:
        """In how many ways can the named constants be renumbered so that the atoms stay the same?

        A match of the atoms in themselves is such a way. They are not counted one by one, as there may be n!, but as
        the product of the numbers of places to which each constant can go when those before it stay.
        """
        query = Query(tuple(Literal(lifted(atom)) for atom in self.atoms))
        matcher = Matcher(Database.of(self.atoms))
        names = {_variable(number): str(number) for number in self.named}
        fixed = [dict(list(names.items())[:count]) for count in range(len(names))]
        goes = (matcher.projections(query, [v], stay) for v, stay in zip(names, fixed, strict=True))
        return prod(sum(1 for _ in places) for places in goes)

    def satisfies(self, formula: Statement) -> bool:
        """Does a closed formula hold here?"""
        return holds(formula, Matcher(self.database))

    def __str__(self) -> str:
        listed = sorted(self.atoms, key=lambda atom: (atom.predicate, numbers_of(atom)))
        return "{" + ", ".join(map(str, listed)) + "}"


def isomorphic_facts(one: Database, other: Database) -> bool:
    """Is there a one-to-one renaming of the constants that makes one example the other (Definition 2)?

    >>> from possilog.logic import parse_atom
    >>> path, fork = [["r(a, b)", "r(b, c)"], ["r(a, b)", "r(a, c)"]]
    >>> isomorphic_facts(Database.of(map(parse_atom, path)), Database.of(map(parse_atom, ["r(y, x)", "r(z, y)"])))
    True
    >>> isomorphic_facts(Database.of(map(parse_atom, path)), Database.of(map(parse_atom, fork)))
    False
    """
    if len(one.constants) != len(other.constants) or len(one) != len(other):
        return False
    return LocalExample.numbered(one).canonical == LocalExample.numbered(other).canonical


def local_examples(database: Database, constants: Iterable[str]) -> frozenset[LocalExample]:
    """Υ[S]: all local examples of width |S| that are isomorphic to the fragment Υ⟨S⟩ (Definition 3).

    Example 1 of the paper:

    >>> from possilog.logic import parse_atom
    >>> facts = ["fr(alice, bob)", "fr(bob, alice)", "fr(bob, eve)", "fr(eve, bob)", "sm(alice)"]
    >>> example = Database.of(map(parse_atom, facts))
    >>> print(*example.fragment(["alice", "bob"]), sep=", ")
    fr(alice, bob), fr(bob, alice), sm(alice)
    >>> for local in sorted(local_examples(example, ["alice", "bob"]), key=str):
    ...     print(local)
    {fr(1, 2), fr(2, 1), sm(1)}
    {fr(1, 2), fr(2, 1), sm(2)}
    """
    return LocalExample.numbered(database.fragment(constants)).isomorphic_ones


def holds(formula: Statement, matcher: Matcher) -> bool:
    """Does a closed formula hold in the matcher's database?"""
    if isinstance(formula, Clause):
        return not matcher.exists(formula.violation)
    return matcher.exists(formula)


def local_atom(predicate: Predicate, numbers: Iterable[int]) -> Atom:
    """The atom of a predicate and some of the constants 1, …, k."""
    return Atom(predicate, tuple(Constant(str(number)) for number in numbers))


def numbers_of(atom: Atom) -> tuple[int, ...]:
    """The arguments of an atom of a local example, as numbers."""
    return tuple(int(term.name) for term in atom.arguments)


def lifted(atom: Atom) -> Atom:
    """An atom of a local example with the variables A, B, … for the constants 1, 2, …"""
    return Atom(atom.predicate, tuple(map(_variable, numbers_of(atom))))


def _variable(number: int) -> Variable:
    return Variable(variable_name(number - 1))
