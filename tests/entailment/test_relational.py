"""Entailment against its definition: all worlds of a few constants, looked at one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.deadline import Deadline
from possilog.entailment import Entailment, entails, irredundant, relational
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Term, parse_clause, parse_query
from possilog.sat import Solver
from strategies import SMALL_VARIABLES, atoms

PREDICATES = [Predicate("n", 0), Predicate("p", 1), Predicate("r", 2)]
A = Constant("a")


def tiny_clauses(constants: bool) -> st.SearchStrategy[Clause]:
    """Clauses with at most two variables, and the constant a now and then."""
    terms = st.sampled_from([*SMALL_VARIABLES[:2], *([A] if constants else [])])
    some = st.lists(atoms(st.sampled_from(PREDICATES), terms), max_size=2).map(tuple)
    return st.builds(Clause, some, some)


class Worlds:
    """Every world over some things: a column of truth values for each ground atom, a row for each world."""

    def __init__(self, things: Sequence[Term]) -> None:
        self.things = things
        ground = [Atom(p, arguments) for p in PREDICATES for arguments in product(things, repeat=p.arity)]
        numbers = np.arange(1 << len(ground))
        self.true = {atom: (numbers >> place & 1).astype(bool) for place, atom in enumerate(ground)}
        self.all = np.ones(len(numbers), dtype=bool)

    def models(self, clause: Clause) -> npt.NDArray[np.bool_]:
        holds = self.all
        for chosen in permutations(self.things, len(clause.variables)):
            bindings = dict(zip(clause.variables, chosen, strict=True))
            ground = [literal.substitute(bindings) for literal in clause.literals]
            some = ~self.all
            for literal in ground:
                some = some | (self.true[literal.atom] == literal.positive)
            holds = holds & some
        return holds


WORLDS = [Worlds([A, Constant("b"), Constant("c")][:size]) for size in (1, 2, 3)]
"""With and without the constant a in the rules, two variables and one named constant are three things at most."""


def by_definition(rules: list[Clause], clause: Clause) -> bool:
    return not any(
        (np.logical_and.reduce([worlds.all, *map(worlds.models, rules)]) & ~worlds.models(clause)).any()
        for worlds in WORLDS
    )


@settings(max_examples=budget(300))
@given(st.booleans().flatmap(lambda some: st.tuples(st.lists(tiny_clauses(some), max_size=4), tiny_clauses(some))))
def test_entailment_is_truth_in_all_models(case: tuple[list[Clause], Clause]) -> None:
    rules, clause = case
    assert entails(rules, clause) == by_definition(rules, clause)


@settings(max_examples=budget(200))
@given(st.lists(tiny_clauses(False), max_size=7))
def test_what_is_irredundant_entails_the_rest_and_nothing_of_itself(rules: list[Clause]) -> None:
    kept = irredundant(rules)
    assert set(kept) <= set(rules)
    assert all(entails(kept, rule) for rule in rules)
    assert not any(entails([other for other in kept if other != rule], rule) for rule in kept)


@settings(max_examples=budget(100))
@given(st.lists(tiny_clauses(False), max_size=9, unique=True), st.integers(1, 4))
def test_in_blocks_or_not_the_same_rules_are_irredundant(rules: list[Clause], block: int) -> None:
    """Of equally many variables, they go one after the other where those that are left entail them."""
    kept = list(rules)
    for size in (2, 1):
        for rule in rules:
            rest = [other for other in kept if other != rule]
            if max(len(rule.variables), 1) == size and entails(rest, rule):
                kept = rest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relational, "BLOCK", block)
        patch.setattr(relational, "isqrt", lambda _: 1)
        found = irredundant(rules)
    assert found == kept


def test_rules_with_more_variables_than_the_clause_say_nothing_about_it() -> None:
    at_most_one = parse_clause(":- p(X), p(Y).")
    assert not entails([at_most_one], parse_clause(":- p(X)."))
    assert entails([at_most_one], parse_clause(":- p(X), p(Y), p(Z)."))


def test_most_variables_go_first() -> None:
    one_way, other_way = parse_clause("p(X) :- q(X)."), parse_clause(":- r(X, Y), q(X).")
    both = [parse_clause(":- p(X), q(X)."), one_way, other_way]
    assert irredundant(both) == both[:2]


def test_literals_that_can_hold_together() -> None:
    with Entailment([parse_clause(":- p(X), q(X)."), parse_clause("q(Y) :- r(X, Y).")]) as rules:
        assert rules.consistent(parse_query("r(X, Y), p(X)").literals)
        assert not rules.consistent(parse_query("r(X, Y), p(Y)").literals)
        assert rules.consistent(parse_query("r(X, X), p(X)").literals)
        assert rules.consistent([])


def test_no_world_is_empty() -> None:
    everything_and_nothing = [parse_clause("p(X)."), parse_clause(":- p(X).")]
    assert entails(everything_and_nothing, Clause())
    assert not entails(everything_and_nothing[:1], Clause())


def test_a_variable_may_stand_for_a_constant() -> None:
    assert entails([parse_clause("p(X).")], parse_clause("p(a)."))
    assert not entails([parse_clause("p(X) :- r(X, Y).")], parse_clause("p(X) :- r(X, X)."))
    assert not entails([parse_clause(":- r(X, a).")], parse_clause(":- r(a, X), r(X, X)."))


def test_the_solver() -> None:
    with Solver([[1, 2]]) as solver:
        assert solver.solve([-1]) and solver.model() == {2}
        assert not solver.solve([-1, -2, 3]) and solver.core() == {-1, -2}
        solver.add([-2])
        assert solver.solve() and solver.model() == {1}
        solver.add([])
        assert not solver.solve()


def test_ground_literals_of_an_unknown_predicate() -> None:
    assert not entails([], Clause.of([Literal(Atom(Predicate("new", 2), (A, A)))]))


def test_when_it_has_to_stop_all_rules_stay() -> None:
    rules = [parse_clause(":- p(X), q(X)."), parse_clause("p(X) :- q(X)."), parse_clause(":- r(X, Y), q(X).")]
    assert irredundant(rules, Deadline(0)) == rules
