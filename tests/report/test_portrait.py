"""A theory for people: the numbers by their definition, refinement by subsumption, types from constraints."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from command import run, run_json
from learned import learned
from possilog import Database, Rule, Theory, parse_clause, parse_theory, portray
from possilog.data import from_frames
from possilog.data.typing import in_step
from possilog.errors import QueryError
from possilog.logic import Atom, Clause, Constant, Predicate, Types, Variable, subsumes, variables_of
from possilog.report.portrait import RuleKind
from possilog.report.portrait.cards import _facts, refinements
from possilog.report.portrait.schema_card import SignatureLine, TypeLine, _said_place
from strategies import databases, small_clauses

EXAMPLE = """
#type advises(person, person). #type wrote(person, paper).
0.9 :: advises(X, Y) :- wrote(X, P), wrote(Y, P).
0.8 :: advises(X, Y) :- wrote(X, P), wrote(Y, P), old(X).
0.7 :: :- advises(X, Y), advises(Y, X).
old(X) :- advises(X, Y).
"""
FACTS = ["wrote(ann, p)", "wrote(bob, p)", "advises(ann, bob)", "old(ann)"]


def covered(clause: Clause, facts: Database) -> set[Atom]:
    """The heads that a rule covers, by trying everything."""
    names = [Constant(name) for name in facts.constants]
    known = set(facts)
    variables = clause.variables
    found = set()
    for values in permutations(names, len(variables)):
        ground = clause.substitute(dict(zip(variables, values, strict=True)))
        if set(ground.body) <= known:
            found.add(ground.head[0])
    return found


def is_bound(clause: Clause) -> bool:
    return clause.is_definite and set(clause.head[0].variables) <= set(variables_of(clause.body))


@settings(max_examples=budget(60), deadline=None)
@given(small_clauses(), small_clauses(), small_clauses(), databases())
def test_numbers_are_what_they_say(one: Clause, two: Clause, three: Clause, facts: Database) -> None:
    chosen = list(dict.fromkeys(clause for clause in (one, two, three) if is_bound(clause)))
    theory = Theory(tuple(Rule(clause) for clause in chosen))
    heads = {clause: covered(clause, facts) for clause in chosen}
    known = set(facts)
    for card in portray(theory, facts).rules:
        mine = heads[card.rule.clause]
        others = set().union(*(heads[other] for other in chosen if other != card.rule.clause))
        numbers = card.numbers
        assert numbers is not None and numbers.adds is not None
        assert (numbers.support, numbers.cases) == (len(mine & known), len(mine))
        assert (numbers.adds.true, numbers.adds.false) == (len(mine - others & known), len(mine - others - known))


@settings(max_examples=budget(60), deadline=None)
@given(st.lists(small_clauses(), min_size=3, max_size=5))
def test_refinements_are_subsumed_by_shorter_rules(given: list[Clause]) -> None:
    found = refinements(given)
    for place, clause in enumerate(given):
        general = [
            other
            for other, one in enumerate(given)
            if len(one.body) < len(clause.body)
            and [atom.predicate for atom in one.head] == [atom.predicate for atom in clause.head]
            and subsumes(one, clause)
        ]
        assert (place in found) == bool(general)
        if general:
            assert found[place] in general
            assert len(given[found[place]].body) == max(len(given[other].body) for other in general)


def test_rules_stand_under_those_that_they_refine() -> None:
    portrait = portray(parse_theory(EXAMPLE), FACTS, examples=3)
    assert [(group.concludes, [depth for depth, _ in group.rules]) for group in portrait.groups] == [
        ("advises", [0, 1]),
        ("never", [0]),
    ]
    first, second, third, hard = portrait.rules
    assert second.refines == first.number and first.stratum == 1 and third.violations == 0
    assert hard.kind is RuleKind.HARD and hard.stratum is None
    assert [one.text for one in first.examples] == ["advises(ann, bob), wrote(ann, p), wrote(bob, p)"]
    assert [one.text for one in first.counterexamples] == ["wrote(bob, p), wrote(ann, p); not advises(bob, ann)"]


def test_examples_have_different_heads() -> None:
    facts = [f"q(a, b{number})" for number in range(9)] + ["q(c, d)", "p(a)"]
    (card,) = portray(parse_theory("0.9 :: p(X) :- q(X, Y)."), facts, examples=3).rules
    assert len(card.examples) == 1 and len(card.counterexamples) == 1


TYPES = Types(
    tuple(
        (next(iter(parse_clause(f":- {text}.").body)).predicate, names)
        for text, names in (("wrote(A, B)", ("person", "paper")), ("old(A)", ("person",)), ("long(A)", ("paper",)))
    )
)


def test_constraints_that_amount_to_types_are_said_as_types() -> None:
    plain = Theory(tuple(Rule(clause) for clause in TYPES.hard))
    card = portray(plain).schema
    assert {line.places for line in card.types} == {("long", "wrote (2nd)"), ("old", "wrote (1st)")}
    assert not card.always
    with_types = portray(Theory(types=TYPES)).schema
    assert {line.places for line in with_types.types} == {("wrote (1st)", "old"), ("wrote (2nd)", "long")}


def test_what_types_say_is_not_said_again() -> None:
    theory = parse_theory("#type p(a, b). #type q(a, a). :- p(X, Y), q(X, Y). :- q(X, Y), q(Y, X).")
    assert portray(theory).schema.always == ("never: X is a q of Y and Y is a q of X",)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("r(X, Y) :- r(Y, X).", "in any order: r"),
        (":- r(X, Y), r(X, Z).", "at most one: r(X, _) for each X"),
        (":- r(X, X).", "never of something and itself: r"),
        (":- p(X), q(X).", "never both p and q"),
        (":- p(X), r(Y, X).", "never both p and r (2nd)"),
        ("p(X) :- q(X).", "X is a p if X is a q"),
        (':- r(X, "a").', "never: the r of X is a"),
    ],
)
def test_hard_rules_in_plain_words(rule: str, sentence: str) -> None:
    assert sentence in portray(parse_theory(rule)).schema.always


def test_types_are_told_with_their_places_and_constants() -> None:
    places, people = ("place", "place"), ("person",) * 3
    signatures = {"lives": ("person", "place"), "meet": people, "near": places, "row": (*places, *people)}
    types = Types(tuple((Predicate(name, len(its)), its) for name, its in signatures.items()), ("place",))
    theory = Theory(parse_theory(":- lives(X, Y), near(X, Z). p(X) :- lives(X, Y).").rules, types=types)
    facts = ["lives(ann, bonn)", "near(bonn, rome)", "other(x)", "meet(ann, bob, cy)", "lives(dan, bonn)"]
    card = portray(theory, facts).schema
    person = ("lives (1st)", "meet (all)", "row (3rd, 4th, 5th)")
    place = ("lives (2nd)", "near (both)", "row (1st, 2nd)")
    assert card.types == (
        TypeLine("person", person, True, 4, ("ann", "bob", "cy")),
        TypeLine("place", place, False, 2, ("bonn", "rome")),
    )
    assert portray(theory).schema.types == (TypeLine("person", person, True), TypeLine("place", place, False))
    assert [(str(line), line.facts) for line in card.signatures] == [
        ("lives(person, place)", 2),
        ("meet(person, person, person)", 1),
        ("near(place, place)", 1),
        ("other(_)", 1),
        ("p(_)", 0),
        ("row(place, place, person, person, person)", 0),
    ]
    assert card.always == ("X is a p if X lives Y",) and card.may_be_chance == ()
    assert card.folded == len(theory.hard) + len(theory.demoted) and theory.hard and theory.demoted


def test_of_tables_only_what_they_are_about_is_a_type() -> None:
    people = pd.DataFrame({"id": ["p1", "p2", "p3"], "city": ["Rome", "Rome", "Oslo"], "boss": ["p2", None, "p1"]})
    theory, facts = in_step(parse_theory('0.9 :: city(X, "Rome") :- boss(X, Y).'), from_frames({"people": people}))
    places = ("boss (1st)", "city (1st)")
    assert portray(theory, facts).schema.types == (TypeLine("people", places, True, 3, ("p1", "p2", "p3")),)


@pytest.mark.parametrize(
    ("rules", "always"),
    [
        (
            ":- a(X, Y), a(X, Z). :- b(X, Y), b(X, Z).",
            ["at most one: a(X, _) for each X", "at most one: b(X, _) for each X"],
        ),
        (
            ":- a(X, Y), a(X, Z). :- b(X, Y), b(X, Z). :- c(X, Y), c(X, Z). "
            ":- d(X, Y), d(Z, Y). :- e(X, U, Y), e(X, U, Z).",
            [
                "at most one value for each thing: a, b and c",
                "at most one: d(_, Y) for each Y",
                "at most one: e(X, U, _) for each X and U",
            ],
        ),
        (":- p(X), q(X). :- p(X), r(X).", []),  # p is one type, and q and r are another
        (":- p(X), q(X). :- p(X), r(X). :- q(X), r(X).", ["never both p and q or r", "never both q and r"]),
        (":- p(X), q(X), r(X).", ["never: X is a p, X is a q and X is a r"]),
        (":- p(X), q(Y).", ["never: X is a p and Y is a q"]),
        (":- r(X, Y), s(X, Y).", ["never: X is a r of Y and X is a s of Y"]),
    ],
)
def test_all_that_hard_rules_say(rules: str, always: list[str]) -> None:
    assert list(portray(parse_theory(rules)).schema.always) == always


def test_without_facts_the_files_numbers_are_shown() -> None:
    theory = parse_theory(
        "0.9 :: p(X) :- q(X). #measured true 7, false 1, nontrivial 1, right 5, said 5.5, of 6 :: p(X) :- q(X)."
    )
    (card,) = portray(theory).rules
    assert card.numbers is not None
    assert (card.numbers.support, card.numbers.cases, card.numbers.adds) == (7, 8, None)
    assert "right in 7 of 8 (88 %, 53 to 98 %); 5 of 6 held-out cases" in str(portray(theory))


def test_a_rule_that_is_not_there() -> None:
    with pytest.raises(QueryError, match="numbered from 1 to 4"):
        portray(parse_theory(EXAMPLE)).rule(5)
    portrait = portray(parse_theory(EXAMPLE))
    assert [portrait.rule(number) for number in range(1, len(portrait.rules) + 1)] == list(portrait.rules)


@pytest.mark.slow
def test_the_village_is_told_in_a_screen_of_words(tmp_path: Path) -> None:
    path = tmp_path / "village.pl"
    learned("village").save(path)
    shown = run("show", str(path))
    assert shown.returncode == 0 and not shown.stderr
    assert "What never fails\n  never both adult and child\n" in shown.stdout
    found = run_json("show", str(path), "--data", "village")
    numbers = [rule["number"] for rule in found["rules"]]
    assert numbers == list(range(1, len(numbers) + 1))
    for rule in found["rules"]:
        assert set(rule) >= {"rule", "sentence", "confidence", "interval", "support", "held_out", "stratum", "weight"}
    parents = next(rule for rule in found["rules"] if rule["rule"] == "parent(A, B) :- parent(C, B), married(A, C).")
    one = run_json("show", str(path), "--data", "village", "--rule", str(parents["number"]))
    assert one["rule"] == parents["rule"]
    assert len(one["examples"]) == 5 and len(one["counterexamples"]) == 1
    printed = run("show", str(path), "--data", "village", "--rule", str(parents["number"])).stdout
    assert "\nExamples\n" in printed and "\nCounterexamples\n" in printed and "adds " in printed
    wrong = run("show", str(path), "--rule", "99")
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: there is no rule 99")


def test_names_of_any_kind() -> None:
    theory = parse_theory('0.5 :: "a <b>"(X) :- "c%d"(X, "E f").')
    assert '"a <b>"(X)' in str(portray(theory, ['"c%d"(u, "E f")']))
    assert Variable("X") in portray(theory).rules[0].rule.clause.variables


def test_ground_rules_are_said_by_their_facts() -> None:
    said = {"q(a) :- p(a).": "p(a); not q(a)", ":- p(a), r(b).": "p(a), r(b)", "p(a) ; q(b).": "not p(a) or q(b)"}
    assert {text: _facts(parse_clause(text)) for text in said} == said


def test_places_of_types_are_said() -> None:
    places = {(1, 0): "p", (2, 0): "p (1st)", (2, 1): "p (2nd)", (3, 2): "p (3rd)"}
    assert {(arity, at): _said_place(Predicate("p", arity), [at]) for arity, at in places} == places
    whole = {2: "p (both)", 3: "p (all)"}
    assert {arity: _said_place(Predicate("p", arity), range(arity)) for arity in whole} == whole


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (TypeLine("person", ("old",)), "person: old"),
        (TypeLine("person", ("old", "wrote (1st)"), constants=1_200), "person (1,200): old, wrote (1st)"),
        (TypeLine("person", ("old",), constants=2, examples=("ann", "bob")), "person (2, such as ann and bob): old"),
        (TypeLine("person", ("old",), sure=False), "person, perhaps not apart from the others: old"),
        (SignatureLine(Predicate("old", 1), ("person",)), "old(person)"),
        (SignatureLine(Predicate("wrote", 2), ()), "wrote(_, _)"),
        (SignatureLine(Predicate("rain", 0), ()), "rain"),
    ],
)
def test_a_type_and_a_predicate_in_one_line(line: TypeLine | SignatureLine, said: str) -> None:
    assert str(line) == said


def test_rules_that_only_rank_are_counted() -> None:
    rank = "#rank true 5, false 1, nontrivial 0 ::"
    alone = parse_theory(f"{rank} p(X) :- r(X, Y).")
    beside = parse_theory(
        f"0.9 :: p(X) :- q(X). {rank} p(X) :- q(X). {rank} p(X) :- r(X, Y). {rank} r(X, Y) :- s(Y, X)."
    )
    assert [str(rule.clause) for rule in beside.further] == ["p(X) :- r(X, Y).", "r(X, Y) :- s(Y, X)."]
    assert [portray(theory).as_json["further"] for theory in (alone, beside)] == [1, 2]
    assert str(portray(alone)).endswith("\n1 further rule, which only ask and rank use")
    assert str(portray(beside)).endswith("\n2 further rules, which only ask and rank use")
    assert "further" not in str(portray(parse_theory(f"0.9 :: p(X) :- q(X). {rank} p(X) :- q(X).")))
