"""Clauses (disjunctions, read as rules) and queries (conjunctions)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from possilog.errors import LogicError
from possilog.logic.atoms import Atom, Literal, Term, Variable, variables_of
from possilog.printing import Printed

__all__ = ["Clause", "Query"]


class _Kept:
    """Room for what is computed once. It is no field, and never sent: other processes hash otherwise."""

    __slots__ = ("_hash", "_variables")
    _hash: int
    _variables: tuple[Variable, ...]

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Its atoms, in order."""
        raise NotImplementedError

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables, each once, in the order of their first occurrence."""
        try:
            return self._variables
        except AttributeError:
            object.__setattr__(self, "_variables", variables_of(self.atoms))
            return self._variables


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Clause(Printed, _Kept):
    """A disjunction of literals, written as a rule: some atom of the head holds if all atoms of the body do.

    Any shape is a clause: several atoms in the head, none (a constraint), an empty body, and no literal at all (⊥).
    Literals stay as they were written; ``canonical`` tells whether two clauses say the same.

    >>> from possilog.logic import parse_clause
    >>> rule = parse_clause("flies(X) :- bird(X), small(X).")
    >>> [str(atom) for atom in rule.body], [str(variable) for variable in rule.variables]
    (['bird(X)', 'small(X)'], ['X'])
    """

    head: tuple[Atom, ...] = ()
    body: tuple[Atom, ...] = ()

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((self.head, self.body)))
            return self._hash

    def __post_init__(self) -> None:
        for atoms in (self.head, self.body):
            if not isinstance(atoms, tuple) or not _ATOMS.issuperset(map(type, atoms)):
                what = 'the head and the body of a clause are tuples of atoms; parse_clause("p(X) :- q(X).") reads one'
                raise LogicError.taking(what, atoms)

    @classmethod
    def of(cls, literals: Iterable[Literal]) -> Clause:
        """The clause of a disjunction: positive literals make the head, negative ones the body."""
        listed = _literals(literals)
        return cls(
            tuple(literal.atom for literal in listed if literal.positive),
            tuple(literal.atom for literal in listed if not literal.positive),
        )

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The disjuncts: the head's atoms, and the body's negated."""
        return tuple(Literal(atom) for atom in self.head) + tuple(Literal(atom, False) for atom in self.body)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The head's and the body's atoms."""
        return self.head + self.body

    @property
    def is_empty(self) -> bool:
        """Is it ⊥, which no world satisfies?"""
        return not self.head and not self.body

    @property
    def is_horn(self) -> bool:
        """At most one atom in the head."""
        return len(self.head) <= 1

    @property
    def is_definite(self) -> bool:
        """Exactly one atom in the head: it can derive a fact."""
        return len(self.head) == 1

    @property
    def violation(self) -> Query:
        """The query whose matches are the clause's counterexamples: the body holds and no atom of the head does."""
        return Query(tuple(Literal(atom) for atom in self.body) + tuple(Literal(atom, False) for atom in self.head))

    def substitute(self, bindings: Mapping[Variable, Term]) -> Clause:
        """The clause with every variable that is bound replaced."""
        return Clause(
            tuple(atom.substitute(bindings) for atom in self.head),
            tuple(atom.substitute(bindings) for atom in self.body),
        )

    def __str__(self) -> str:
        if self.is_empty:
            return "false."
        head = " ; ".join(map(str, self.head))
        body = ":- " + ", ".join(map(str, self.body)) if self.body else ""
        return f"{head} {body}".strip() + "."


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Query(Printed, _Kept):
    """A conjunction of literals. Its variables are existential, and distinct ones stand for distinct constants.

    >>> from possilog.logic import parse_query
    >>> parse_query("bird(X), not penguin(X)")
    <Query: bird(X), not penguin(X)>
    """

    literals: tuple[Literal, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.literals, tuple):
            raise LogicError.taking(_CONJUNCTION, self.literals)
        _literals(self.literals)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The literals' atoms."""
        return tuple(literal.atom for literal in self.literals)

    def __str__(self) -> str:
        return ", ".join(map(str, self.literals))


_ATOMS, _LITERALS = {Atom}, {Literal}
_CONJUNCTION = 'a query is a tuple of literals; parse_query("p(X), not q(X)") reads one'


def _literals(given: Iterable[Literal]) -> tuple[Literal, ...]:
    listed = tuple(given) if isinstance(given, Iterable) else None
    if listed is None or not _LITERALS.issuperset(map(type, listed)):
        raise LogicError.taking("literals are needed, such as Literal(parse_atom('p(a)'))", given)
    return listed
