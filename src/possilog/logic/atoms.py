"""Terms, predicates, atoms and literals: the paper's function-free language (section Preliminaries)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import total_ordering

from possilog.errors import LogicError
from possilog.logic.spelling import is_variable, spell_constant, spell_given, spell_predicate
from possilog.printing import Printed, plural

__all__ = ["Atom", "Constant", "Literal", "Predicate", "Term", "Variable", "variables_of"]


@total_ordering
@dataclass(frozen=True, slots=True)
class Term:
    """A variable or a constant. Variables come before constants, then names decide."""

    name: str

    def __hash__(self) -> int:  # without the tuple that a dataclass would make: terms are looked up all the time
        return hash(self.name)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Term):
            return NotImplemented
        return (isinstance(self, Constant), self.name) < (isinstance(other, Constant), other.name)


@dataclass(frozen=True, slots=True, eq=False)
class Variable(Term):
    """Stands for a constant; distinct variables of a rule stand for distinct constants."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not is_variable(self.name) or self.name == "_":
            raise LogicError.taking("a variable is a name that begins with a capital or an underscore", self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Term):
    """A name of one thing of the domain."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise LogicError.taking("a constant is a name, as text", self.name)

    def __str__(self) -> str:
        return spell_constant(self.name)


_TERMS = {Variable, Constant}


@total_ordering
@dataclass(frozen=True, slots=True)
class Predicate:
    """A relation's name and number of arguments; names decide the order, those of comparisons come last."""

    name: str
    arity: int

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise LogicError.taking("a predicate has a name, as text", self.name)
        if not isinstance(self.arity, int) or isinstance(self.arity, bool) or self.arity < 0:
            raise LogicError.taking("a predicate has a whole number of arguments, 0 or more", self.arity)

    def __hash__(self) -> int:
        return hash(self.name)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Predicate):
            return NotImplemented
        mine, its = type(self), type(other)
        if mine is not its:
            return mine is Predicate or (its is not Predicate and mine.__name__ < its.__name__)
        return (self.name, self.arity) < (other.name, other.arity)

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"

    def spelled(self, *arguments: str) -> str:
        """The atom about terms that are spelled like this, as the text language has it."""
        name = spell_predicate(self.name)
        return f"{name}({', '.join(arguments)})" if arguments else name

    def __call__(self, *arguments: Term) -> Atom:
        """The atom of this predicate and some arguments."""
        return Atom(self, arguments)


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Atom(Printed):
    """A predicate applied to terms.

    >>> advised = Predicate("advisedBy", 2)
    >>> print(advised(Variable("S"), Constant("Person27")))
    advisedBy(S, "Person27")
    >>> Atom.ground("bird", ["tweety"])
    <Atom: bird(tweety)>
    """

    predicate: Predicate
    arguments: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.predicate, Predicate):
            raise LogicError.taking('an atom has a Predicate first; parse_atom("p(a)") reads one', self.predicate)
        if not isinstance(self.arguments, tuple) or not _TERMS.issuperset(map(type, self.arguments)):
            raise LogicError.taking("the arguments of an atom are a tuple of terms", self.arguments)
        if len(self.arguments) != self.predicate.arity:
            takes = plural(self.predicate.arity, "argument")
            raise LogicError(f"{self.predicate} takes {takes}, not {len(self.arguments)}")

    @classmethod
    def ground(cls, name: str, constants: Iterable[str] = ()) -> Atom:
        """The ground atom of a predicate's name and its constants' names."""
        if isinstance(constants, str) or not isinstance(constants, Iterable):  # a text is letters, and none is meant
            raise LogicError.taking('the constants of an atom are names in a list, as ["ann"]', constants)
        arguments = tuple(Constant(constant) for constant in constants)
        return cls(Predicate(name, len(arguments)), arguments)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The atom's variables, each once, in the order of their first occurrence."""
        return variables_of([self])

    @property
    def is_ground(self) -> bool:
        """Has it no variable?"""
        return Variable not in map(type, self.arguments)  # asked of every fact that is given

    @property
    def as_fact(self) -> str:
        """The atom as files of facts and answers write it, where a capital means nothing.

        >>> Atom.ground("advisedBy", ["Person27", "Old Carl"]).as_fact
        'advisedBy(Person27, "Old Carl")'
        """
        return self.predicate.spelled(*(spell_given(term.name) for term in self.arguments))

    def substitute(self, bindings: Mapping[Variable, Term]) -> Atom:
        """The atom with every variable that is bound replaced."""
        if not isinstance(bindings, Mapping):
            raise LogicError.taking("terms by variable are bound, as {Variable('X'): Constant('a')}", bindings)
        return Atom(
            self.predicate,
            tuple(bindings.get(term, term) if isinstance(term, Variable) else term for term in self.arguments),
        )

    def __str__(self) -> str:
        return self.predicate.spelled(*map(str, self.arguments))


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Literal(Printed):
    """An atom, or its negation."""

    atom: Atom
    positive: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.atom, Atom):
            raise LogicError.taking('a literal has an Atom; parse_atom("p(a)") reads one', self.atom)
        if not isinstance(self.positive, bool):
            raise LogicError.taking("a literal is positive, True or False", self.positive)

    @property
    def negated(self) -> Literal:
        """The literal that says the opposite."""
        return Literal(self.atom, not self.positive)

    @property
    def as_fact(self) -> str:
        """The literal as files of facts and answers write it."""
        return self.atom.as_fact if self.positive else f"not {self.atom.as_fact}"

    def substitute(self, bindings: Mapping[Variable, Term]) -> Literal:
        """The literal with every variable that is bound replaced."""
        return Literal(self.atom.substitute(bindings), self.positive)

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"not {self.atom}"


def variables_of(atoms: Iterable[Atom]) -> tuple[Variable, ...]:
    """All variables of some atoms, each once, in the order of their first occurrence."""
    terms = [term for atom in atoms for term in atom.arguments if isinstance(term, Variable)]
    return tuple(dict.fromkeys(terms))
