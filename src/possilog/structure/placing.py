"""What follows from one atom by the hard rules, in variables: for all atoms of a shape at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from possilog.deadline import NEVER, Deadline
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Query, Term, Variable, subsumes, variables_of

__all__ = ["Residue", "closure_of", "constants_of", "holds_for_equals", "numbered", "parts_of"]

Substitution = dict[Variable, Term]


@dataclass(frozen=True, slots=True)
class Residue:
    """A rule, some atoms of whose body are in the closure of a shape, while the rest is left to the facts.

    Its variables are the shape's, where the closure's atoms have them, and the rule's own. They are distinct from each
    other, and from no others: a variable of the shape that does not occur may stand for the same as one of the rule.
    """

    placed: tuple[Atom, ...]
    rest: tuple[Atom, ...]
    head: tuple[Atom, ...]

    def query(self, known: Collection[Variable]) -> Query:
        """Does the rest hold, and no atom of the head, for these variables of the shape?"""
        literals = (*map(Literal, self.rest), *(Literal(atom, False) for atom in self.head))
        present = variables_of((*self.rest, *self.head))
        missing = set(variables_of(self.placed)).difference(present)
        if missing and not known_only(present, known):
            # So that own variables are distinct from the missing ones too. That atoms of the closure are false here is
            # no loss: where one is a fact, another part of the rule leaves it to the facts.
            literals += tuple(Literal(atom, False) for atom in self.placed)
        return Query(literals)

    @property
    def clause(self) -> Clause:
        """The rule that it is a part of."""
        return Clause(self.head, self.placed + self.rest)


def known_only(variables: Iterable[Variable], known: Collection[Variable]) -> bool:
    """Are there only variables of the shape?"""
    return all(variable in known for variable in variables)


def numbered(clause: Clause, letter: str) -> Clause:
    """The clause with its variables renamed to a letter and a number."""
    return clause.substitute({v: Variable(f"{letter}{number}") for number, v in enumerate(clause.variables, start=1)})


def constants_of(rule: Clause) -> list[Constant]:
    """The constants of a rule, as often as they occur."""
    return [term for atom in rule.atoms for term in atom.arguments if isinstance(term, Constant)]


def closure_of(shape: Atom, rules: Iterable[Clause], stop: Deadline = NEVER) -> list[Atom]:
    """The shape and what follows from it alone, whatever the facts are; OutOfTime as soon as ``stop`` says so."""
    definite = [rule for rule in rules if rule.is_definite]
    closure = {shape: None}
    known = set(shape.variables)
    grown = True
    while grown:
        derived = [
            part.head[0] for rule in stop.each(definite) for part in parts_of(rule, list(closure)) if not part.rest
        ]
        before = len(closure)
        closure |= {atom: None for atom in derived if known_only(atom.variables, known)}
        grown = len(closure) > before
    return list(closure)


def parts_of(rule: Clause, closure: Sequence[Atom]) -> Iterator[Residue]:
    """The ways in which one or more atoms of a rule's body are in the closure, and no atom of its head is."""
    predicates = {atom.predicate for atom in closure}
    if any(atom.predicate in predicates for atom in rule.body):
        for bindings, placed, rest in _place(rule.body, closure, {}):
            head = tuple(atom.substitute(bindings) for atom in rule.head)
            if placed and not any(atom in closure for atom in head):
                left = dict.fromkeys(atom.substitute(bindings) for atom in rest)
                yield Residue(tuple(sorted(set(placed))), tuple(sorted(left)), head)


def _place(
    body: Sequence[Atom], closure: Sequence[Atom], bindings: Substitution
) -> Iterator[tuple[Substitution, tuple[Atom, ...], tuple[Atom, ...]]]:
    """The ways to take atoms of the body for atoms of the closure: the bindings, those taken, and those left."""
    if not body:
        yield bindings, (), ()
        return
    first, others = body[0], body[1:]
    for found, placed, rest in _place(others, closure, bindings):
        yield found, placed, (first, *rest)
    for target in closure:
        extended = _unify(first, target, bindings)
        if extended is not None:
            for found, placed, rest in _place(others, closure, extended):
                yield found, (target, *placed), rest


def _unify(atom: Atom, target: Atom, bindings: Substitution) -> Substitution | None:
    """Bind an atom's variables so that it becomes the target, distinct variables to distinct ones."""
    if atom.predicate != target.predicate:
        return None
    extended = dict(bindings)
    for term, image in zip(atom.arguments, target.arguments, strict=True):
        if isinstance(term, Variable) and extended.setdefault(term, image) != image:
            return None
    return extended if len(set(extended.values())) == len(extended) else None


def holds_for_equals(
    part: Residue,
    known: Collection[Variable],
    closure: Sequence[Atom],
    constraints: Sequence[tuple[Clause, set[Predicate]]],
) -> bool:
    """Does a constraint also hold where its own variables stand for the same as variables of the shape?

    The rest of it then excludes an atom whatever the variables of the shape that it has not got stand for. It is so if
    each clause that comes out when they are made equal is subsumed by one of the constraints, which come with their
    predicates.
    """
    present, shared = variables_of(part.rest), variables_of(part.placed)
    own = [variable for variable in present if variable not in known]
    missing = [variable for variable in shared if variable not in present]
    # Atoms with other variables of the shape are no help: those may stand for the same as an own variable.
    given = [atom for atom in closure if known_only(atom.variables, shared)]
    for size in range(1, min(len(own), len(missing)) + 1):
        for some in combinations(own, size):
            for images in permutations(missing, size):
                made_equal = dict(zip(some, images, strict=True))
                special = Clause(body=(*given, *(atom.substitute(made_equal) for atom in part.rest)))
                predicates = {atom.predicate for atom in special.body}
                if not any(used <= predicates and subsumes(clause, special) for clause, used in constraints):
                    return False
    return True
