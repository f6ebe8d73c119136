"""Comparisons: read, printed, matched, subsumed and inferred with as the facts that they stand for."""

from __future__ import annotations

from functools import partial
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog import Reasoner
from possilog.data import Database, Evidence
from possilog.entailment import entails
from possilog.errors import LanguageError, LogicError, QueryError
from possilog.logic import (
    Atom,
    BuiltIn,
    Clause,
    Constant,
    Literal,
    Nearness,
    Precedence,
    Predicate,
    Query,
    Rule,
    Theory,
    Threshold,
    Variable,
    Weight,
    canonical,
    isomorphic,
    parse_clause,
    parse_query,
    parse_theory,
    subsumes,
)
from possilog.logic.laws import laws
from possilog.logic.spelling import typed
from possilog.logic.theory import Stratum
from possilog.logic.thresholds import OPERATORS, is_ordered
from possilog.markov.comparing import spelled_out
from possilog.markov.export import export_problog, export_psl
from possilog.matching import Matcher

BOUNDS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9)
DATES = st.dates().map(str) | st.datetimes().map(lambda when: when.isoformat(timespec="minutes"))
COMPARISONS = st.builds(Threshold.of, st.sampled_from(sorted(OPERATORS)), BOUNDS.map(repr) | DATES)

FEW = [Threshold.of(operator, bound) for operator in (">=", "<", ">", "=<") for bound in ("1", "2", "2.5")]
ORDERS = [Precedence.of("<"), Precedence.of("=<"), Nearness.of(0), Nearness.of(1), Nearness.of(0.5)]
VARIABLES = [Variable(name) for name in "ABC"]
NAMES = ["1", "2", "2.0", "3", "a"]
PREDICATES = [Predicate("p", 1), Predicate("d", 2), Predicate("e", 2)]


@st.composite
def comparing_clauses(draw: st.DrawFn, max_body: int = 4, heads: int = 1) -> Clause:
    """Clauses over few predicates, with constants and comparisons, so that they meet."""
    terms = st.sampled_from([*VARIABLES, *VARIABLES, *map(Constant, NAMES[:2])])

    def atom(predicate: Predicate) -> st.SearchStrategy[Atom]:
        return st.tuples(*[terms] * predicate.arity).map(lambda arguments: Atom(predicate, arguments))

    plain = st.sampled_from(PREDICATES).flatmap(atom)
    compared = st.sampled_from([*FEW, *ORDERS]).flatmap(atom)
    head = draw(st.lists(plain, max_size=heads))
    return Clause(tuple(head), tuple(draw(st.lists(plain | compared, max_size=max_body))))


def facts() -> st.SearchStrategy[Database]:
    names = st.sampled_from(NAMES)
    some = [st.tuples(*[names] * p.arity).map(partial(Atom.ground, p.name)) for p in PREDICATES]
    return st.lists(st.one_of(some), max_size=8).map(lambda found: Database.of(found, constants=NAMES))


def brute_force(database: Database, query: Query) -> int:
    """The matches of a query, by trying all distinct constants."""
    found = 0
    for chosen in permutations(database.constants, len(query.variables)):
        bindings = dict(zip(query.variables, map(Constant, chosen), strict=True))
        ground = [literal.substitute(bindings) for literal in query.literals]
        found += all(_is_true(database, literal.atom) == literal.positive for literal in ground)
    return found


def _is_true(database: Database, atom: Atom) -> bool:
    if not isinstance(atom.predicate, BuiltIn):
        return atom in set(database)
    names = [term.name for term in atom.arguments]
    if "a" in names or len(set(names)) < len(names):
        return False
    if isinstance(atom.predicate, Nearness):
        return abs(float(names[0]) - float(names[1])) <= atom.predicate.number
    if isinstance(atom.predicate, Threshold):
        operator, number, bound = atom.predicate.operator, float(names[0]), float(atom.predicate.bound)
    else:
        operator, (number, bound) = atom.predicate.name, map(float, names)
    return {">=": number >= bound, "<": number < bound, ">": number > bound, "=<": number <= bound}[operator]


@given(COMPARISONS, st.sampled_from([*VARIABLES, Constant("7"), Constant("X y")]))
def test_a_comparison_is_read_as_it_is_printed(comparison: Threshold, term: Variable | Constant) -> None:
    clause = Clause((Predicate("late", 1)(VARIABLES[0]),), (Predicate("d", 2)(*VARIABLES[:2]), comparison(term)))
    assert parse_clause(str(clause)) == clause
    query = Query((Literal(clause.body[0]), Literal(comparison(term), False)))
    assert parse_query(str(query)) == query
    assert parse_theory(str(Theory((Rule(clause, Weight.of("0.5")),)))).rules[0].clause == clause


def test_all_signs_are_read() -> None:
    clause = parse_clause("p(A) :- d(A, B), B >= 1, B<2, B > -3.5, B =< 4, B <= 1e3, B >= 2013-01-05, B < '5'.")
    assert str(clause) == ("p(A) :- d(A, B), B >= 1, B < 2, B > -3.5, B =< 4, B =< 1000, B >= 2013-01-05, B < 5.")


@pytest.mark.parametrize(
    "wrong",
    [
        "B >= 1 :- d(A, B).",
        "p(A) :- B >= x.",
        "p(A) :- B >= .",
        "p(A) :- x >= C.",
        "A < B :- d(A, B).",
        "p(A) :- B > 2013-13-40.",
        "p(A) :- >= 1.",
        "p(A) :- B = 3.",
        "p(A) :- 3 = B.",
        "A = B :- d(A, B).",
        "|A - B| =< 1 :- d(A, B).",
        "p(A) :- |A - B| > 1.",
        "p(A) :- |A - 3| =< 1.",
        "p(A) :- |A - B| =< -1.",
        "p(A) :- |A - B =< 1.",
        "p(A) :- d(A, B), B =< B.",
        "p(A) :- d(A, B), B = B.",
        "p(A) :- d(A, B), |B - B| =< 1.",
    ],
)
def test_what_is_no_comparison_is_refused_with_its_place(wrong: str) -> None:
    with pytest.raises(LanguageError):
        parse_clause(wrong)


def test_two_variables_are_compared() -> None:
    clause = parse_clause("p(A) :- d(A, B), e(A, C), B < C, B<=C, C > A, C >= A, 7 < B, '2013-01-05' >= C.")
    assert str(clause) == "p(A) :- d(A, B), e(A, C), B < C, B =< C, A < C, A =< C, B > 7, C =< 2013-01-05."
    assert parse_clause(str(clause)) == clause
    strict, weak = parse_clause("p(A) :- d(A, B), A < B."), parse_clause("p(A) :- d(A, B), A =< B.")
    assert subsumes(weak, strict) and not subsumes(strict, weak)
    assert entails([weak], strict) and not entails([strict], weak)
    assert entails([], parse_clause(":- d(A, B), A < B, B < A."))
    assert entails([], parse_clause(":- d(A, B), d(B, C), A < B, B =< C, C =< A."))
    assert entails([], parse_clause(":- d(A, B), A < B, A >= 3, B < 3."))


def test_two_variables_may_be_equal_or_near() -> None:
    clause = parse_clause("p(A) :- d(A, B), e(A, C), B = C, |B - C| <= 1.50, |A - C| =< 0.")
    assert str(clause) == "p(A) :- d(A, B), e(A, C), B = C, |B - C| =< 1.5, A = C."
    assert parse_clause(str(clause)) == clause
    near, nearer = parse_clause("p(A) :- d(A, B), |A - B| =< 2."), parse_clause("p(A) :- d(A, B), |A - B| =< 1.")
    assert subsumes(near, nearer) and not subsumes(nearer, near)
    assert entails([near], nearer) and not entails([nearer], near)
    assert entails([parse_clause("p(A) :- d(A, B), A = B.")], parse_clause("p(A) :- d(A, B), B = A."))
    assert entails([], parse_clause(":- d(A, B), A < B, A = B."))
    days = Nearness.of(3)
    assert days.holds("2026-02-27", "2026-03-02") and not days.holds("2026-02-26", "2026-03-02T01:00")
    assert not days.holds("ann", "ann ") and Nearness.of(0).holds(typed("e", "rook"), typed("e", "king"))


def test_too_many_numbers_to_compare_are_refused() -> None:
    many = Database.of(Atom.ground("p", [str(number)]) for number in range(2_001))
    with pytest.raises(QueryError, match="2,001 are more than 2,000"):
        Matcher(many).exists(parse_query("p(A), p(B), A < B"))


def test_what_is_ordered() -> None:
    numbers = ["15", "-2", "0.5", "1e3", "2013-02-28", "2013-02-28T23:59", "2013-02-28 23:59:07"]
    others = ["", "nan", "inf", "1e999", "1,5", "2013-02-30", "v2", "٣", "1 2", "0x1"]
    assert all(map(is_ordered, numbers))
    assert not any(map(is_ordered, others))


def test_a_predicate_of_the_same_name_is_another() -> None:
    named = parse_clause('p(A) :- d(A, B), ">= 15"(B).')
    compared = parse_clause("p(A) :- d(A, B), B >= 15.")
    assert named != compared
    assert parse_clause(str(named)) == named
    assert not isomorphic(named, compared)


DATED = [Threshold.of(sign, date) for sign in ("<", "=<", ">", ">=") for date in ("2013-02-27", "2013-02-28")]


@given(st.sampled_from([*FEW, *DATED]), st.sampled_from([*FEW, *DATED]))
def test_what_comparisons_imply_and_exclude(one: Threshold, other: Threshold) -> None:
    numbers = ["0", "1", "1.5", "2", "2.2", "2.5", "3"]
    numbers += ["2013-02-26", "2013-02-27", "2013-02-27T12:00", "2013-02-28", "2013-03-01"]
    assert one.implies(other) == all(other.holds(number) for number in numbers if one.holds(number))
    assert one.excludes(other) == (not any(one.holds(number) and other.holds(number) for number in numbers))


@settings(max_examples=budget(300))
@given(facts(), comparing_clauses())
def test_matching_by_definition(database: Database, clause: Clause) -> None:
    query = clause.violation
    if query.literals:
        assert Matcher(database).count(query) == brute_force(database, query)
        assert Matcher(database).exists(query) == (brute_force(database, query) > 0)


@settings(max_examples=budget(300))
@given(facts(), comparing_clauses(), comparing_clauses())
def test_subsumption_and_entailment_are_sound(database: Database, general: Clause, special: Clause) -> None:
    both = subsumes(general, special)
    assert not both or entails([general], special)
    if both or entails([general], special):
        holds = [not brute_force(database, c.violation) if c.literals else False for c in (general, special)]
        assert holds[1] or not holds[0]


def test_a_higher_threshold_says_less() -> None:
    low, high = parse_clause("p(A) :- d(A, B), B >= 15."), parse_clause("p(A) :- d(A, B), B >= 30, q(A).")
    assert subsumes(low, high)
    assert not subsumes(high, low)
    assert entails([low], high)
    assert not entails([high], low)
    assert entails([], parse_clause(":- d(A, B), B >= 30, B < 20."))


@settings(max_examples=budget(150))
@given(comparing_clauses(), st.permutations(VARIABLES))
def test_canonical_forms_do_not_depend_on_names(clause: Clause, names: list[Variable]) -> None:
    renamed = clause.substitute(dict(zip(VARIABLES, names, strict=True)))
    assert canonical(renamed) == canonical(clause)


@settings(max_examples=budget(200))
@given(facts(), st.lists(comparing_clauses(3, heads=2), min_size=1, max_size=4), st.sampled_from(["local", "global"]))
def test_inference_is_that_of_the_facts_that_comparisons_stand_for(
    database: Database, clauses: list[Clause], how: str
) -> None:
    kept = [clause for clause in clauses if not clause.is_empty and (clause.head or clause.body)]
    theory = Theory(tuple(Rule(clause, Weight.of(f"0.{9 - place}")) for place, clause in enumerate(kept)))
    given = Evidence(database)
    plain, facts = spelled_out(theory, given, sorted({*database.constants, *NAMES[:2]}))
    ours = {c.atom: c.certainty for c in Reasoner(theory).predict(given, how).added}
    theirs = {c.atom: c.certainty for c in Reasoner(plain).predict(facts, how).added}
    assert ours == theirs


def test_exports_say_comparisons_as_predicates_with_facts() -> None:
    theory = parse_theory("0.9 :: late(F) :- delay(F, D), D >= -1.5.")
    evidence = ["delay(a, 20)", "delay(b, -5)"]
    assert "at_least_minus_1_5('20')." in export_problog(theory, evidence)
    assert "AT_LEAST" in export_psl(theory, evidence).upper()


AROUND_FIVE = [Threshold.of(sign, "5") for sign in (">=", "<", ">", "=<")] + [Threshold.of(">=", "7")]


def test_laws_hold_of_all_things() -> None:
    apart = [[Threshold.of(low, "4"), Threshold.of(high, "6")] for low in (">=", "<") for high in (">", "=<")]
    for bounds in [[one] for one in AROUND_FIVE] + [[*pair] for pair in combinations(AROUND_FIVE, 2)] + apart:
        for law in laws([*bounds, Precedence.of("<"), Precedence.of("=<")]):
            for names in permutations(["4", "5", "5.0", "8", "ann"], len(law.variables)):
                ground = law.substitute(dict(zip(law.variables, map(Constant, names), strict=True)))
                head, body = (
                    [
                        isinstance(a.predicate, BuiltIn) and a.predicate.holds(*(t.name for t in a.arguments))
                        for a in atoms
                    ]
                    for atoms in (ground.head, ground.body)
                )
                assert any(head) or not all(body), f"{law} {names}"


def test_what_is_neither_below_nor_above_a_number_is_that_number() -> None:
    listed = [str(law) for law in laws([Threshold.of(">=", "5"), Threshold.of("=<", "5"), Precedence.of("<")])]
    assert "X =< Y :- X >= 5, Y >= 5, X =< 5, Y =< 5." in listed


def test_predicates_of_all_kinds_have_one_order() -> None:
    """Plain ones first, then by kind, then by name; sorting does not depend on what came first."""
    kinds = [Predicate("z", 1), Predicate("a", 2), Nearness.of("2"), Precedence.of("<"), Threshold.of("<", 3)]
    in_order = [kinds[1], kinds[0], *kinds[2:]]
    assert all(sorted(some) == in_order for some in permutations(kinds))
    assert not any(one < one for one in kinds)


def test_a_stratum_has_a_tuple_of_rules() -> None:
    rule = Rule(parse_clause("p(X)."), Weight.of(0.5))
    assert Stratum(Weight.of(0.5), (rule,)).rules == (rule,)
    for wrong in ([rule], (rule, "p(X)."), ("p(X).",)):
        with pytest.raises(LogicError, match="a tuple of rules"):
            Stratum(Weight.of(0.5), wrong)  # type: ignore[arg-type]
