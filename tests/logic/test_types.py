"""Types stand for constraints: exactly those that the definition names."""

from __future__ import annotations

from collections import Counter, defaultdict
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
    Term,
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
    """Of all ways to write variables into one or two atoms, those that put one at places of two types.

    Two atoms are right by themselves. It is sure if two of the types are.
    """
    signatures = dict(typed.signatures)
    found: dict[bool, set[Clause]] = {True: set(), False: set()}
    bodies = [(predicate,) for predicate in signatures]
    for body in (*bodies, *combinations_with_replacement(signatures, 2)):
        places = [(atom, place) for atom, predicate in enumerate(body) for place in range(predicate.arity)]
        for variables in product("XYZW", repeat=len(places)):

            def has_two(types_of: dict[str, set[str]]) -> bool:
                return any(len(its) > 1 for its in types_of.values())

            at: list[dict[str, set[str]]] = [defaultdict(set), defaultdict(set)]
            both: dict[str, set[str]] = defaultdict(set)
            for (atom, place), name in zip(places, variables, strict=True):
                at[atom][name].add(signatures[body[atom]][place])
                both[name].add(signatures[body[atom]][place])
            if has_two(both) and (len(body) == 1 or not any(map(has_two, at))):
                rest = iter(variables)
                written = [Atom(p, tuple(Variable(next(rest)) for _ in range(p.arity))) for p in body]
                sure = has_two({name: its - set(typed.unsure) for name, its in both.items()})
                found[sure].add(canonical(Clause(body=tuple(written))))
    return found


@settings(max_examples=budget(150))
@given(types(st.sampled_from(SMALL), max_predicates=4))
def test_types_are_the_constraints_with_a_variable_at_places_of_two_types(typed: Types) -> None:
    expected = by_definition(typed)
    for clauses, sure in ((typed.hard, True), (typed.demoted, False)):
        assert set(map(canonical, clauses)) == expected[sure]
        assert len(clauses) == len(expected[sure]), "each once"


@settings(max_examples=budget(150))
@given(types(st.sampled_from([*SMALL[:4], Predicate("t", 3)]), max_predicates=3), st.data())
def test_data_break_them_where_a_constant_stands_at_places_of_two_types(typed: Types, data: st.DataObject) -> None:
    facts = drawn_facts(typed, data)
    at: dict[Term, set[str]] = defaultdict(set)
    for fact in facts:
        for term, name in zip(fact.arguments, dict(typed.signatures)[fact.predicate], strict=True):
            at[term].add(name)
    broken = broken_rules(Database.of(facts), (*typed.hard, *typed.demoted))
    assert bool(broken) == any(len(names) > 1 for names in at.values())
    assert bool(broken_rules(Database.of(facts), typed.hard)) == any(
        len(names - set(typed.unsure)) > 1 for names in at.values()
    )


@settings(max_examples=budget(50))
@given(types(st.sampled_from([Predicate("v", 4), Predicate("w", 4)]), max_predicates=2), st.data())
def test_wide_facts_break_them_where_they_have_nothing_else_in_common(typed: Types, data: st.DataObject) -> None:
    facts = drawn_facts(typed, data)
    met = False
    for one, other in product(facts, facts):
        mine, theirs = dict(typed.signatures)[one.predicate], dict(typed.signatures)[other.predicate]
        at = [
            *zip(one.arguments, mine, strict=True),
            *(zip(other.arguments, theirs, strict=True) if one != other else []),
        ]
        common = sorted(Counter(term for term, _ in at).values())[-2:] == [1, 2]
        met |= common and len(set(at)) == len(at)
        met |= any(len({name for term, name in at if term == each}) > 1 for each in one.arguments) and one == other
    assert bool(broken_rules(Database.of(facts), (*typed.hard, *typed.demoted))) == met


def drawn_facts(typed: Types, data: st.DataObject) -> set[Atom]:
    """Some facts of the predicates that have types."""
    constants = st.sampled_from([Constant(name) for name in "abcdefgh"])
    return set(data.draw(st.lists(atoms(st.sampled_from(sorted(dict(typed.signatures))), constants), max_size=6)))


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
