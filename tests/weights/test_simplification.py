"""Simplification: every cut has the models that it had, by enumeration over small domains."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.deadline import Deadline
from possilog.logic import Clause, Predicate, Rule, Theory, Variable, Weight, parse_clause, parse_theory
from possilog.logic.atom_space import AtomSpace
from possilog.weights import simplify
from strategies import atoms

PREDICATES = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2), Predicate("n", 0)]
SPACES = [AtomSpace(PREDICATES, width) for width in (1, 2)] + [AtomSpace(PREDICATES[1:3], 3)]


def models(rules: Iterable[Rule], space: AtomSpace) -> list[int]:
    """All worlds over the constants of a space in which some rules hold."""
    worlds = np.arange(1 << len(space.atoms))
    for rule in rules:
        for body, head in space.groundings(rule.clause):
            worlds = worlds[(worlds & body != body) | (worlds & head != 0)]
    found: list[int] = worlds.tolist()
    return found


def some_clauses() -> st.SearchStrategy[Clause]:
    terms = st.sampled_from([Variable(name) for name in "ABC"])
    head, body = (st.lists(atoms(st.sampled_from(PREDICATES), terms), max_size=most) for most in (1, 3))
    return st.builds(Clause, head.map(tuple), body.map(tuple)).filter(lambda clause: not clause.is_empty)


@st.composite
def some_theories(draw: st.DrawFn) -> Theory:
    weights = st.sampled_from([Weight.of(text) for text in ("0.2", "0.5", "0.5", "0.7", "0.9", "1")])
    rules = draw(st.lists(st.builds(Rule, some_clauses(), weights), max_size=6))
    return Theory(tuple(rules), Weight.of(draw(st.sampled_from(["0", "0.1", "0.2"]))))


@settings(max_examples=budget(400), deadline=None)
@given(some_theories())
def test_every_cut_has_the_models_that_it_had(theory: Theory) -> None:
    simpler = simplify(theory).theory
    spaces = [space for space in SPACES if {*theory.predicates} <= {predicate for predicate, _ in space.atoms}]
    for weight in {rule.weight for rule in theory if rule.weight > theory.falsity}:
        for space in spaces:
            assert models(simpler.cut(weight), space) == models(theory.cut(weight), space)


@settings(max_examples=budget(150), deadline=None)
@given(some_theories(), st.data())
def test_what_is_kept_stays_and_simplifying_twice_changes_nothing(theory: Theory, data: st.DataObject) -> None:
    keep = data.draw(st.lists(st.sampled_from([rule.clause for rule in theory] or [parse_clause(":- x.")]), max_size=2))
    simplified = simplify(theory, keep)
    kept = [rule for rule in theory if rule.clause in keep or rule.is_hard]
    assert all(rule in simplified.theory.rules for rule in kept)
    assert simplified.theory.falsity == theory.falsity
    before = sum(len(rule.clause.literals) for rule in theory)
    assert sum(len(rule.clause.literals) for rule in simplified.theory) <= before
    again = simplify(simplified.theory, keep)
    assert again.theory == simplified.theory and not again.removed and not again.shortened


def test_what_goes_is_reported() -> None:
    theory = parse_theory(
        """
        :- p(X), q(X).
        0.9 :: p(X) :- r(X, Y).
        0.9 :: p(X) :- r(X, Y), p(Y).
        0.8 :: :- r(X, Y), q(X).
        0.7 :: q(X) :- r(Y, X), p(Y).
        0.1 :: :- q(X).
        0.1 :: false.
        """
    )
    found = simplify(theory)
    assert [str(rule) for rule in found.theory.soft] == ["0.9 :: p(X) :- r(X, Y).", "0.7 :: q(X) :- r(Y, X)."]
    assert [str(rule) for rule in found.removed] == [
        "0.9 :: p(X) :- r(X, Y), p(Y).",
        "0.8 :: :- r(X, Y), q(X).",
        "0.1 :: :- q(X).",
    ]
    assert [(str(a), str(b)) for a, b in found.shortened] == [
        ("0.7 :: q(X) :- r(Y, X), p(Y).", "0.7 :: q(X) :- r(Y, X).")
    ]


def test_locked_rules_and_banned_clauses_are_respected() -> None:
    theory = parse_theory(
        "p(X) :- q(X). #lock 0.9 :: p(X) :- q(X), r(X, Y). 0.8 :: p(X) :- q(X), r(X, X). 0.1 :: false."
    )
    assert [str(rule.clause) for rule in simplify(theory).theory.soft] == ["p(X) :- q(X), r(X, Y)."]
    banned = parse_theory("q(X) :- p(X). 0.8 :: r(X, X) :- p(X), q(X). 0.1 :: false. #ban r(A, A) :- p(A).")
    assert not any(rule.clause == parse_clause("r(X, X) :- p(X).") for rule in simplify(banned).theory)


def test_object_identity_is_minded() -> None:
    """r(X, Y) with distinct variables says nothing about r(X, X)."""
    theory = parse_theory(":- r(X, Y). 0.8 :: :- r(X, X). 0.7 :: :- r(X, Y), p(X). 0.1 :: false.")
    assert [str(rule) for rule in simplify(theory).theory.soft] == ["0.8 :: :- r(X, X)."]


def test_it_can_be_stopped() -> None:
    theory = parse_theory("p(X) :- q(X). 0.9 :: p(X) :- q(X), r(X, X). 0.1 :: false.")
    assert simplify(theory, stop=Deadline(0)).theory == theory
