"""What do rules entail? Relational SAT over as many constants as a clause has variables.

Rules are universal, so what is left of a model when all but some constants are taken away is a model too. A clause with
n variables that fails somewhere therefore fails in a world of n constants, and rules with more variables than that say
nothing about it. So it is enough to ground over n constants (section Structure Learning, for minimal hard rules, and
section Weight Learning, for simpler theories).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from math import isqrt
from types import TracebackType

from possilog.deadline import NEVER, Deadline
from possilog.logic import Clause, Constant, Literal, Predicate, Term, Variable
from possilog.logic.laws import laws
from possilog.logic.thresholds import comparisons_in
from possilog.sat.solver import Solver

__all__ = ["Entailment", "World", "entails", "groundings", "irredundant"]

BLOCK = 64
"""So few rules need not share a switch."""


def groundings(clause: Clause, things: Sequence[Term]) -> Iterator[dict[Variable, Term]]:
    """The ways to give each variable of a clause a thing, distinct variables distinct ones."""
    variables = clause.variables
    for chosen in permutations(things, len(variables)):
        yield dict(zip(variables, chosen, strict=True))


class World:
    """A few things, and rules grounded over them. Has it a model?"""

    def __init__(self, things: Iterable[Term], rules: Iterable[Clause] = ()) -> None:
        """Take the things, and rules that hold for good."""
        self._places = {thing: place for place, thing in enumerate(things)}
        self._first: dict[Predicate, int] = {}
        self._codes: dict[tuple[Predicate, tuple[int | Term, ...]], tuple[int, list[tuple[int, int]]]] = {}
        self._next = 1
        self._solver = Solver()
        for rule in rules:
            self.add(rule)

    def add(self, rule: Clause, switch: int | None = None) -> None:
        """A rule that holds; if it has a switch (see ``new_switch``), only where that is assumed."""
        self.add_ground(self.ground(rule), switch)

    def add_ground(self, ground: Iterable[Sequence[int]], switch: int | None = None) -> None:
        """The same for what ``ground`` made of a rule, so that it may be added more than once."""
        unless = [] if switch is None else [-switch]
        for literals in ground:
            self._solver.add([*unless, *literals])

    def ground(self, rule: Clause) -> list[list[int]]:
        """A rule on the things, as the solver has it; first where its variables stand for the first things in order."""
        variables = {variable: index for index, variable in enumerate(rule.variables)}
        literals = [self._coded(literal, variables) for literal in rule.literals]
        return [
            [sign * (start + sum([places[i] * step for i, step in steps])) for sign, start, steps in literals]
            for places in permutations(range(len(self._places)), len(variables))
        ]

    def new_switch(self) -> int:
        """A number that can be assumed, or given to ``settle``."""
        self._next += 1
        return self._next - 1

    def settle(self, switch: int, on: bool) -> None:
        """Switch a rule on or off for good."""
        self._solver.add([switch if on else -switch])

    def has_model(self, literals: Iterable[Literal] = (), switches: Iterable[int] = ()) -> bool:
        """Can some ground literals be true together with the rules, and with those whose switches are given?"""
        return self.is_possible([*switches, *map(self._number, literals)])

    def is_possible(self, assumed: Iterable[int]) -> bool:
        """The same for switches, and literals as ``ground`` has them."""
        return self._solver.solve(assumed)

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.close()

    # A ground atom's number is its predicate's first number plus its arguments, read in base |things|.

    def _coded(self, literal: Literal, variables: dict[Variable, int]) -> tuple[int, int, list[tuple[int, int]]]:
        """A literal's sign, its atom's number if all variables stood for thing 0, and how much each of them adds."""
        atom = literal.atom
        key = atom.predicate, tuple([variables.get(term, term) for term in atom.arguments])  # type: ignore[call-overload]
        if key not in self._codes:
            self._codes[key] = self._code(*key)
        return 1 if literal.positive else -1, *self._codes[key]

    def _code(self, predicate: Predicate, arguments: tuple[int | Term, ...]) -> tuple[int, list[tuple[int, int]]]:
        start, weight = self._first_of(predicate), 1
        steps: dict[int, int] = {}
        for term in arguments:
            if isinstance(term, int):
                steps[term] = steps.get(term, 0) + weight
            else:
                start += weight * self._places[term]
            weight *= len(self._places)
        return start, list(steps.items())

    def _number(self, literal: Literal) -> int:
        sign, number, _ = self._coded(literal, {})
        return sign * number

    def _first_of(self, predicate: Predicate) -> int:
        first = self._first.get(predicate)
        if first is None:
            first = self._first[predicate] = self._next
            self._next += len(self._places) ** predicate.arity
        return first


class Entailment:
    """Rules, ready for many questions about what they entail: they are grounded once for each size of world.

    Constants in the rules or in a clause are things of every world, and a variable may stand for one of them.
    """

    def __init__(self, rules: Iterable[Clause]) -> None:
        """Take the rules."""
        self._rules = tuple(rules)
        self._constants = {term for rule in self._rules for term in _constants(rule)}
        self._worlds: dict[tuple[Term, ...], World] = {}

    def entails(self, clause: Clause) -> bool:
        """Does the clause hold in every world in which all rules hold, however many constants it has?

        Comparisons mean what they mean: whoever is late by 30 is late by 15.
        """
        if comparisons_in(clause.body):
            with Entailment((*self._rules, *_order((*self._rules, clause)))) as ordered:
                return ordered._holds(clause)
        return self._holds(clause)

    def _holds(self, clause: Clause) -> bool:
        return not any(
            self._world(things).has_model(literals) for things, literals in _failures(clause, self._constants)
        )

    def consistent(self, literals: Iterable[Literal]) -> bool:
        """Can some literals hold together, for some distinct things that their variables stand for?"""
        return not self.entails(Clause.of(literal.negated for literal in literals))

    def _world(self, things: tuple[Term, ...]) -> World:
        if things not in self._worlds:
            self._worlds[things] = World(things, self._rules)
        return self._worlds[things]

    def close(self) -> None:
        """Free the solvers' memory."""
        for world in self._worlds.values():
            world.close()
        self._worlds.clear()

    def __enter__(self) -> Entailment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def entails(rules: Iterable[Clause], clause: Clause) -> bool:
    """Does the clause hold in every world in which all rules hold? See ``Entailment``, which is for many questions.

    >>> from possilog.logic import parse_clause
    >>> rules = [parse_clause("p(X) :- r(X, Y)."), parse_clause(":- p(X), q(X).")]
    >>> entails(rules, parse_clause(":- r(A, B), q(A).")), entails(rules, parse_clause(":- r(A, A), q(A)."))
    (True, False)
    """
    with Entailment(rules) as entailment:
        return entailment.entails(clause)


def irredundant(rules: Iterable[Clause], stop: Deadline = NEVER) -> list[Clause]:
    """Constant-free rules without those that the others entail.

    Those with the most variables may go first; among equals, in the order given. So what is short tends to stay. As
    soon as ``stop`` says so, all rules that are left stay.

    >>> from possilog.logic import parse_clause
    >>> rules = map(parse_clause, [":- p(X), q(X).", ":- r(X, Y), q(X).", "p(X) :- r(X, Y)."])
    >>> print(*irredundant(rules))
    :- p(X), q(X). p(X) :- r(X, Y).
    """
    listed = list(dict.fromkeys(rules))
    kept: set[Clause] = set()
    for size in sorted({_size(rule) for rule in listed}, reverse=True):
        fewer = [rule for rule in listed if _size(rule) < size]
        kept |= _needed([rule for rule in listed if _size(rule) == size], fewer, _fresh(size), stop)
    return [rule for rule in listed if rule in kept]


def _needed(
    rules: Sequence[Clause], fewer: Sequence[Clause], things: tuple[Variable, ...], stop: Deadline
) -> set[Clause]:
    """The rules that are left when, one after the other, those that the rest or ``fewer`` entail are gone."""
    world = World(things)
    for rule in fewer:
        if stop():
            return set(rules)
        world.add(rule)
    # What those with fewer variables entail goes at any rate; then there are not many to be switched on and off.
    waiting: dict[Clause, list[list[int]]] = {}
    for place, rule in enumerate(rules):
        if stop():
            return {*waiting, *rules[place:]}
        ground = world.ground(rule)
        if world.is_possible(_denied(ground)):
            waiting[rule] = ground
    needed = _needed_in(world, waiting, stop)
    world.close()
    return needed


def _needed_in(world: World, waiting: Mapping[Clause, list[list[int]]], stop: Deadline) -> set[Clause]:
    """Of ground rules those that are left when, one after the other, those that the rest entail in a world are gone.

    A question assumes every switch, so blocks of rules have one switch together, until their turn has come.
    """
    blocks = list(_in_blocks(list(waiting), max(BLOCK, isqrt(len(waiting)))))
    later = {number: world.new_switch() for number in range(1, len(blocks))}
    for number, switch in later.items():
        for rule in blocks[number]:
            if stop():
                return set(waiting)
            world.add_ground(waiting[rule], switch)
    needed: set[Clause] = set()
    for number, block in enumerate(blocks):
        if number:
            world.settle(later.pop(number), on=False)
        beside = {rule: world.new_switch() for rule in block}
        for rule, switch in beside.items():
            world.add_ground(waiting[rule], switch)
        for rule in block:
            switch = beside.pop(rule)
            if stop() or world.is_possible([*later.values(), *beside.values(), *_denied(waiting[rule])]):
                needed.add(rule)
            world.settle(switch, rule in needed)
    return needed


def _denied(ground: Sequence[Sequence[int]]) -> list[int]:
    """What is true where the first of some ground rules fails."""
    return [-literal for literal in ground[0]]


def _in_blocks(rules: Sequence[Clause], size: int) -> Iterator[Sequence[Clause]]:
    """Rules in blocks of this size, in order."""
    for start in range(0, len(rules), size):
        yield rules[start : start + size]


def _failures(clause: Clause, constants: set[Constant]) -> Iterator[tuple[tuple[Term, ...], list[Literal]]]:
    """The smallest worlds in which a clause could fail, each with the ground literals that would be true there."""
    named = sorted(constants.union(_constants(clause)))
    for count in range(0 if named else len(clause.variables), len(clause.variables) + 1):
        fresh = _fresh(count)
        for bindings in groundings(clause, [*fresh, *named]):
            # The fresh things are alike: each of them occurs, in order, or it is a world that comes by itself.
            if tuple(term for term in bindings.values() if isinstance(term, Variable)) == fresh:
                things = (*fresh, *named) or _fresh(1)  # no world is empty
                yield things, [literal.substitute(bindings).negated for literal in clause.literals]


def _order(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """What the comparisons of some clauses have to do with each other, and with the constants there."""
    used = comparisons_in(atom for clause in clauses for atom in clause.body)
    yield from laws(used)
    constants = sorted({constant for clause in clauses for constant in _constants(clause)})
    for comparison in used:
        for chosen in product(constants, repeat=comparison.arity):
            yield Clause.of([Literal(comparison(*chosen), comparison.holds(*(one.name for one in chosen)))])


def _constants(clause: Clause) -> Iterator[Constant]:
    return (term for atom in clause.atoms for term in atom.arguments if isinstance(term, Constant))


def _fresh(count: int) -> tuple[Variable, ...]:
    return tuple(Variable(f"V{number}") for number in range(count))


def _size(rule: Clause) -> int:
    """In how many constants could the rule fail?"""
    return max(1, len(rule.variables))
