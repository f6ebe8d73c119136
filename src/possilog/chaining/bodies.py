"""Ground rules met lazily: where does the body of a rule hold, whatever its heads?

Atoms are let hold as somebody finds them true, and each ground rule is met once, when the last atom of its body comes.
So a rule is ground only where its body may be true, and what the evidence satisfies is not met at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from possilog.chaining.chaining import Chaining
from possilog.chaining.program import DOMAIN, Program
from possilog.data.evidence import Evidence
from possilog.logic import Atom, Clause, Theory, Variable, variables_of

__all__ = ["Bodies", "GroundClause", "Grounder"]

_Recipe = tuple[int, tuple[tuple[int, int], ...]]
"""How to make an atom of a head: its predicate, and for each argument an atom of the body and a place in it, or -1 and
the number of a constant in the program."""


class GroundClause(NamedTuple):
    """A ground rule in numbers; without a rule (-1), it says that the evidence denies the one atom of its body."""

    rule: int
    heads: tuple[int, ...]
    body: tuple[int, ...]
    constants: frozenset[int] = frozenset()
    """What its variables stand for, and the constants of the rule's body."""


class Grounder:
    """Rules of any shape, laid out so that the chainer finds where their bodies hold."""

    def __init__(self, rules: Iterable[tuple[Clause, int]]) -> None:
        """Lay out rules; each comes with its level: 0 for a hard one, then one level for each stratum."""
        listed = tuple(rules)
        self.clauses = tuple(clause for clause, _ in listed)
        self.levels = tuple(level for _, level in listed)
        mentioned = [atom for clause in self.clauses for atom in clause.head]
        # To the chainer every rule is a constraint: it says where the body holds, and concludes nothing.
        self.program = Program(((_without_head(clause), 0) for clause in self.clauses), mentioned)
        self.recipes = [
            [self._recipe(atom, body.body) for atom in clause.head]
            for clause, body in zip(self.clauses, self.program.clauses, strict=True)
        ]

    @classmethod
    def of_theory(cls, theory: Theory) -> Grounder:
        """The rules of a theory."""
        soft = [(rule.clause, n) for n, stratum in enumerate(theory.strata, 1) for rule in stratum.rules]
        return cls([*((rule.clause, 0) for rule in theory.hard), *soft])

    def _recipe(self, atom: Atom, body: Sequence[Atom]) -> _Recipe:
        places = {term: (n, place) for n, other in enumerate(body) for place, term in enumerate(other.arguments)}
        arguments = (
            places[term] if isinstance(term, Variable) else (-1, self.program.constants.index(term.name))
            for term in atom.arguments
        )
        return self.program.number[atom.predicate], tuple(arguments)


class Bodies:
    """Where do the bodies of rules hold? Every ground rule is met once, when the last atom of its body comes."""

    def __init__(self, grounder: Grounder, evidence: Evidence) -> None:
        """Load the evidence."""
        self._grounder = grounder
        self.chaining = Chaining(grounder.program, evidence)
        self._chainer = self.chaining.chainer
        self._given = self.chaining.given
        self._values = [self.chaining.constant(name) for name in grounder.program.constants]
        self._domain = grounder.program.number.get(DOMAIN, -1)

    def given(self, atom: int) -> bool:
        """Is it evidence, or settled?"""
        return self._chainer.rank_of(atom) < self._given

    def begin(self) -> list[GroundClause]:
        """The ground rules whose bodies the evidence makes true, without those that it satisfies."""
        self.chaining.stage(0)
        return list(self._met())

    def hold(self, atoms: Iterable[int]) -> list[GroundClause]:
        """The ground rules that some more atoms complete."""
        self._chainer.begin(0, False, False, 0, 0)
        for atom in sorted(atoms):
            self._chainer.hold(atom)
        self._chainer.run()
        return list(self._met())

    def settle(self) -> None:
        """Let what holds be as good as evidence, so that what comes after it can be let go."""
        self._chainer.settle()
        self._given = self._chainer.size

    def let_go(self) -> None:
        """Let go what holds since it was settled, as if it had never come."""
        self._chainer.withdraw()

    def _met(self) -> Iterator[GroundClause]:
        atom_of, recipes = self._chainer.atom, self._grounder.recipes
        for rule, atoms in self._chainer.broken():
            if rule >= 0:  # the others are what the evidence denies
                met = [atom_of(atom) for atom in atoms]
                heads = tuple([self._made(recipe, met) for recipe in recipes[rule]])
                if not any(head in atoms or self.given(head) for head in heads):
                    body = tuple([a for a, (p, _) in zip(atoms, met, strict=True) if p != self._domain])
                    constants = frozenset(chain.from_iterable([arguments for _, arguments in met]))
                    yield GroundClause(rule, heads, body, constants)

    def _made(self, recipe: _Recipe, met: Sequence[tuple[int, tuple[int, ...]]]) -> int:
        predicate, sources = recipe
        arguments = [self._values[place] if n < 0 else met[n][1][place] for n, place in sources]
        return self._chainer.number(predicate, arguments)


def _without_head(clause: Clause) -> Clause:
    """The body, with all variables of the clause in it."""
    free = set(clause.variables) - set(variables_of(clause.body))
    return Clause((), clause.body + tuple(DOMAIN(variable) for variable in clause.variables if variable in free))
