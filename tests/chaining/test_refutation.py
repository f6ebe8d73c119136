"""What the hard rules refute, by its definition: A ∧ a ∧ Δ has no model over C."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.logic import Atom, Clause, Constant, Predicate, Variable, parse_atom, parse_clause
from possilog.matching import Matcher
from possilog.structure.refutation import Numbered, Refutation
from strategies import SMALL_PREDICATES, databases, small_clauses
from whole_grounding import ByDefinition

X = Variable("X")
PREDICATES = [*SMALL_PREDICATES, Predicate("n", 0)]


def all_atoms(database: Database) -> list[Atom]:
    names = database.constants
    return [Atom.ground(p.name, some) for p in PREDICATES for some in product(names, repeat=p.arity)]


def numbered(database: Database, atom: Atom) -> Numbered:
    numbers = [database.number(term.name) for term in atom.arguments]
    return atom.predicate, [number for number in numbers if number is not None]


def check(database: Database, rules: list[Clause], random: Random) -> Counter[bool]:
    """Every atom, and some sets of atoms."""
    refutation, truth = Refutation(database, rules), ByDefinition(database, rules)
    every = all_atoms(database)
    asked = [[atom] for atom in every] + [random.choices(every, k=random.choice([0, 2, 3])) for _ in range(20)]
    answers: Counter[bool] = Counter()
    for atoms in asked:
        refuted = refutation.refutes(numbered(database, atom) for atom in atoms)
        assert refuted == (not truth.is_consistent(*atoms)), atoms
        answers[refuted] += 1
    return answers


@settings(max_examples=budget(300))
@given(databases(constants=4, max_facts=8), st.lists(small_clauses(3), max_size=10), st.randoms(use_true_random=False))
def test_by_definition(database: Database, candidates: list[Clause], random: Random) -> None:
    """Rules of any shape, with constants or without, that hold in the facts over the constants of both."""
    matcher = Matcher(database.declare(["a", "b"]))
    check(database, [rule for rule in candidates if not matcher.exists(rule.violation)], random)


UNARY = [predicate for predicate in SMALL_PREDICATES if predicate.arity == 1]
SIDES = st.lists(st.sampled_from(UNARY), max_size=3, unique=True)
LINK = parse_clause("p(X) :- r(X, Y).")


@settings(max_examples=budget(200))
@given(
    databases(constants=3, max_facts=6),
    st.lists(st.tuples(SIDES, SIDES), max_size=8),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_by_definition_where_things_stand_by_themselves(
    database: Database, sides: list[tuple[list[Predicate], list[Predicate]]], is_linked: bool, random: Random
) -> None:
    """Rules of unary literals over one variable, and now and then one that links things."""
    some = [Clause(tuple(p(X) for p in heads), tuple(p(X) for p in body)) for heads, body in sides if heads or body]
    matcher = Matcher(database)
    rules = [rule for rule in [*some, *[LINK] * is_linked] if not matcher.exists(rule.violation)]
    check(database, rules, random)


def test_by_definition_with_many_choices() -> None:
    """Colours of a graph, some of whose vertices have theirs: refuted where the solver finds none for the others."""
    rules = ["p(X) ; q(X) :- r(X, Y).", ":- r(X, Y), p(X), p(Y).", ":- r(X, Y), q(X), q(Y).", ":- p(a), q(a)."]
    rules += ["r(Y, X) :- r(X, Y).", "q(X) ; q(a) :- s(X, b)."]
    answers: Counter[bool] = Counter()
    for seed in range(budget(60)):
        random = Random(seed)
        facts = [Atom(p, (Constant(name),)) for name in "abcd" for p in SMALL_PREDICATES[:2] if random.random() < 0.3]
        clauses = [parse_clause(rule) for rule in rules]
        database = Database.of(facts, list("abcd"))
        matcher = Matcher(database)
        answers += check(database, [rule for rule in clauses if not matcher.exists(rule.violation)], random)
    assert min(answers[True], answers[False]) > budget(60), answers


def test_what_the_facts_break_by_themselves_is_set_aside() -> None:
    rules = ["q(X) :- p(X).", ":- q(X), r(X).", "s(X) ; t(X) :- u(X).", ":- q(X), v(X).", ":- w(X), u(X), s(X)."]
    facts = ["p(a)", "r(a)", "u(b)", "w(b)"]
    database = Database.of(map(parse_atom, facts), ["c"])
    refutation = Refutation(database, map(parse_clause, rules))
    answers = {"p(b)": False, "v(a)": True, "r(b)": False, "t(b)": False, "s(b)": True, "u(c)": False, "q(a)": False}
    for text, refuted in answers.items():
        assert refutation.refutes([numbered(database, parse_atom(text))]) == refuted, text


def test_questions_leave_nothing_behind() -> None:
    rules = ["p(X) ; q(X) :- r(X, Y).", ":- p(X), s(X, X).", ":- q(X), t(X, X, X)."]
    database = Database.of([parse_atom("s(a, a)"), parse_atom("t(b, b, b)")], ["c"])
    refutation = Refutation(database, map(parse_clause, rules))
    pairs = [parse_atom(text) for text in ("t(a, a, a)", "r(a, b)", "s(b, b)", "r(b, c)")]
    questions = [[pairs[1]], pairs[:2], [pairs[1]], pairs[2:], [pairs[3]], pairs[:2], [pairs[0]]]
    expected = [False, True, False, True, False, True, False]
    assert [refutation.refutes(numbered(database, atom) for atom in some) for some in questions] == expected
