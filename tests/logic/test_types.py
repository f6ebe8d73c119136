"""Types stand for constraints: exactly those that the definition names."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.counting.strata import broken_rules
from possilog.data import Database
from possilog.errors import TheoryError
from possilog.logic import (
    DEMOTED,
    Atom,
    Clause,
    Constant,
    Declared,
    Keep,
    Predicate,
    Rule,
    Theory,
    Types,
    Variable,
    canonical,
    parse_clause,
    parse_theory,
)
from strategies import atoms, types

SMALL = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2), Predicate("s", 2), Predicate("n", 0)]
Place = tuple[Predicate, int]


def by_definition(typed: Types) -> dict[bool, set[Clause]]:
    """Of all ways to write variables into one or two atoms, those with one shared variable at places of two types."""
    signatures = dict(typed.signatures)
    found: dict[bool, set[Clause]] = {True: set(), False: set()}
    bodies = [(predicate,) for predicate in signatures]
    for body in (*bodies, *combinations_with_replacement(signatures, 2)):
        places = [(atom, place) for atom, predicate in enumerate(body) for place in range(predicate.arity)]
        for variables in product("XYZW", repeat=len(places)):
            repeated = [name for name, number in Counter(variables).items() if number > 1]
            shared = [place for place, name in zip(places, variables, strict=True) if name in repeated]
            if len(repeated) != 1 or len(shared) != 2 or {atom for atom, _ in shared} != set(range(len(body))):
                continue
            at = [signatures[body[atom]][place] for atom, place in shared]
            if at[0] != at[1]:
                rest = iter(variables)
                written = [Atom(p, tuple(Variable(next(rest)) for _ in range(p.arity))) for p in body]
                found[not set(at) & set(typed.unsure)].add(canonical(Clause(body=tuple(written))))
    return found


@settings(max_examples=budget(150))
@given(types(st.sampled_from(SMALL), max_predicates=4))
def test_types_are_the_constraints_with_one_shared_variable_between_two_types(typed: Types) -> None:
    expected = by_definition(typed)
    for clauses, sure in ((typed.hard, True), (typed.demoted, False)):
        assert set(map(canonical, clauses)) == expected[sure]
        assert len(clauses) == len(expected[sure]), "each once"


@settings(max_examples=budget(150))
@given(types(st.sampled_from(SMALL[:4]), max_predicates=3), st.data())
def test_data_break_them_where_a_constant_stands_at_places_of_two_types(typed: Types, data: st.DataObject) -> None:
    """In one fact, or in two facts with no other constant in common."""
    signatures = dict(typed.signatures)
    constants = st.sampled_from([Constant(name) for name in "abcde"])
    facts = set(data.draw(st.lists(atoms(st.sampled_from(list(signatures)), constants), max_size=6)))
    met = False
    for one, other in product(facts, facts):
        for i, j in product(range(one.predicate.arity), range(other.predicate.arity)):
            if signatures[one.predicate][i] == signatures[other.predicate][j]:
                continue
            mine, theirs = list(one.arguments), list(other.arguments)
            if one == other:
                met |= i < j and mine[i] == mine[j] and len(set(mine)) == len(mine) - 1
            all_of = {*mine, *theirs}
            met |= mine[i] == theirs[j] and len(all_of) == len(mine) + len(theirs) - 1
    broken = broken_rules(Database.of(facts), (*typed.hard, *typed.demoted))
    assert bool(broken) == met


@settings(max_examples=budget(150))
@given(types(), st.booleans())
def test_a_theory_of_types_alone_is_read_back(typed: Types, twice: bool) -> None:
    listed = (*map(Rule, typed.hard), *(Rule(clause, DEMOTED) for clause in typed.demoted))
    theory = Theory(listed * twice, types=typed)
    assert parse_theory(str(theory)) == theory
    assert theory.rules == listed
    assert theory.hard_listed == ()


def test_predicates_without_arguments_and_the_order_of_what_is_unsure() -> None:
    rain, leads = Predicate("rain", 0), Predicate("leads", 2)
    typed = Types(((rain, ()), (leads, ("team", "person"))), ("person", "team", "nobody"))
    assert typed.lines == ("#type rain.", "#type leads(~team, ~person).")
    assert typed.unsure == ("team", "person")
    assert parse_theory("\n".join(typed.lines)).types == typed


def test_what_a_person_locks_is_kept_beside_the_types_and_a_rule_may_be_less_strict() -> None:
    text = "#type leads(person, team). #lock :- leads(X, X). 0.9 :: :- leads(X, X)."
    theory = parse_theory(text)
    assert [rule.keep for rule in theory if rule.clause == parse_clause(":- leads(X, X).")] == [Keep.LOCKED, Keep.FREE]
    assert parse_theory(str(theory)) == theory


def test_a_type_cannot_say_what_is_banned() -> None:
    with pytest.raises(TheoryError, match="is banned and yet in the theory"):
        parse_theory("#type leads(person, team). #ban :- leads(X, X).")


def test_what_is_declared_of_two_is_declared_of_both() -> None:
    one = Declared({Predicate("p", 1): ("a",)}, frozenset({"a"}))
    other = Declared({Predicate("q", 1): ("b",), Predicate("p", 1): ("c",)}, frozenset({"b"}))
    both = one | other
    assert both.types == {Predicate("p", 1): ("c",), Predicate("q", 1): ("b",)} and both.numbers == {"a", "b"}
    assert one | Declared() == one and Declared() | one == one and (one | one) is one
