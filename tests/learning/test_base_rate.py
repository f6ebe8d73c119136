"""Rules that chance explains stay out; what is more often right than on relabelled data passes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb, log
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from budget import budget
from possilog.chance import generator
from possilog.data import Database, infer_types
from possilog.learning.base_rate import COMMON, COPIES, BaseRate, _bound, _divergence, members_of, relabelled
from possilog.learning.cases import Cases
from possilog.learning.confidence import judge_all
from possilog.logic import Atom, Measured, Predicate, parse_clause
from randomised import randomised
from strategies import databases

RULE = parse_clause("coughs(A) :- smokes(A)")
SYMMETRY = parse_clause("knows(A, B) :- knows(B, A)")


def people(smokers: int, coughing: int, both: int, number: int = 60) -> Database:
    """So many smoke, so many cough, and so many do both."""
    facts = [Atom.ground("person", [f"p{place}"]) for place in range(number)]
    facts += [Atom.ground("smokes", [f"p{place}"]) for place in range(smokers)]
    facts += [Atom.ground("coughs", [f"p{place}"]) for place in range(smokers - both, smokers - both + coughing)]
    return Database.of(facts)


def passed(database: Database, true: int, false: int, tried: int = 20) -> bool:
    rule = Measured(RULE, true, false, false)
    return BaseRate(database, (), tried).beaten_by([rule]) == (rule,)


def test_a_rule_has_to_beat_what_chance_would_make_of_it() -> None:
    assert passed(people(20, 22, 18), 18, 2)
    assert not passed(people(20, 54, 18), 18, 2), "nine in ten cough anyway"
    assert not passed(people(3, 10, 3), 3, 0, tried=1000), "of a thousand rules, one is so lucky"


def test_the_base_rate_is_how_often_the_head_is_true_in_its_type() -> None:
    (rate,) = BaseRate(people(20, 30, 18), (), 1).rates([RULE])
    assert BaseRate(people(20, 30, 18), (), 1, jobs=2).rates([RULE]) == [rate]
    assert abs(rate.right - 0.5) < 0.1 and 1 / 3 < rate.true == rate.false <= 1


def test_where_a_body_never_holds_by_chance_the_base_rate_is_how_common_the_head_is() -> None:
    chain = [Atom.ground(name, [f"p{place}", f"p{place + 1}"]) for place in range(40) for name in ("r", "s", "t")]
    facts = [Atom.ground("head", [f"p{place}"]) for place in range(20)]
    clause = parse_clause("head(A) :- r(A, B), s(A, B), t(A, B)")
    (rate,) = BaseRate(Database.of(chain + facts), (), 1).rates([clause])
    assert abs(rate.right - (COMMON * 20 / 41 + 1) / (COMMON + 1)) < 0.05, "and one case more"


def pairs(number: int, left_out: Sequence[tuple[int, int]]) -> Database:
    """Everybody knows everybody, but for some pairs."""
    known = ((one, other) for one in range(number) for other in range(number) if one != other)
    return Database.of(
        [Atom.ground("knows", [f"p{one}", f"p{other}"]) for one, other in known if (one, other) not in left_out]
    )


def test_rules_to_be_kept_stay() -> None:
    kept = Measured(RULE, 18, 2, 2)
    assert BaseRate(people(20, 54, 18), (), 9).beaten_by([kept], {RULE}) == (kept,)
    assert BaseRate(people(20, 54, 18), (), 9).beaten_by([kept]) == ()


def test_where_nearly_all_pairs_are_facts_a_rule_about_them_alone_says_nothing() -> None:
    chain = Measured(parse_clause("knows(A, B) :- knows(A, C), knows(B, C)"), 41, 1, 1)
    assert BaseRate(pairs(7, [(0, 1)]), (), 9).beaten_by([chain, replace(chain, clause=SYMMETRY)]) == ()


def test_one_that_holds_far_more_often_than_its_head_is_true_passes() -> None:
    apart = [(one, other) for one in range(8) for other in range(8) if (one < 4) != (other < 4)]
    chain = Measured(parse_clause("knows(A, B) :- knows(A, C), knows(C, B)"), 24, 0, 0)
    symmetry = replace(chain, clause=SYMMETRY)
    base_rate = BaseRate(pairs(8, apart), (), 9)
    assert base_rate.beaten_by([chain, symmetry]) == (chain, symmetry)
    (rate,) = base_rate.rates([SYMMETRY])
    assert abs(rate.right - 24 / 56) < 0.1


def test_what_the_hard_rules_refute_does_not_count_against_a_rule() -> None:
    """Two thirds are students, all others professors; who wrote something is a student, unless he is a professor."""
    facts = [Atom.ground("student" if place % 3 else "professor", [f"p{place}"]) for place in range(90)]
    facts += [Atom.ground("wrote", [f"p{place}"]) for place in range(60)]
    database, clause = Database.of(facts), parse_clause("student(A) :- wrote(A)")
    rule = Measured(clause, 40, 20, 0)
    assert not BaseRate(database, (), 20).beaten_by([rule])
    assert BaseRate(database, [parse_clause(":- student(A), professor(A)")], 20).beaten_by([rule]) == (rule,)


def test_on_randomised_data_nothing_passes() -> None:
    for seed in range(budget(20)):
        database = randomised(people(20, 30, 18), Random(seed))
        smokers, coughing = (
            set(database.rows(p)[0].tolist()) for p in (RULE.body[0].predicate, RULE.head[0].predicate)
        )
        true = len(smokers & coughing)
        assert not passed(database, true, len(smokers) - true), seed


@settings(max_examples=budget(30))
@given(databases())
def test_relabelled_data_keep_what_a_predicate_is_like(database: Database) -> None:
    types = infer_types(database)
    copy = relabelled(database, types, members_of(database, types), np.random.default_rng(0))
    for predicate in database.predicates:
        before, after = database.rows(predicate), copy.rows(predicate)
        assert before.shape == after.shape and len(set(map(tuple, after.T.tolist()))) == after.shape[1]
        for one, other in zip(before, after, strict=True):
            counts = [sorted(np.unique(column, return_counts=True)[1].tolist()) for column in (one, other)]
            assert counts[0] == counts[1]


def test_the_bound_is_chernoffs() -> None:
    """It is no lower than the binomial tail that it bounds."""
    for cases, met, rate in ((10, 9, 0.5), (20, 12, 0.3), (5, 5, 0.2)):
        tail = sum(comb(cases, k) * rate**k * (1 - rate) ** (cases - k) for k in range(met, cases + 1))
        assert log(tail) <= -cases * _divergence(met / cases, rate) + 1e-9
    assert _divergence(0.3, 0.4) == 0


def test_benjamini_and_hochberg() -> None:
    assert _bound([0.2, 0.001, 0.03], 3) == 0.03
    assert _bound([0.2, 0.001, 0.04], 3) == 0.001
    assert _bound([0.2, 0.009, 0.001], 20) == 0.0, "none is a surprise by itself"
    assert _bound([], 0) == 0.0


def test_the_rate_and_its_spread_are_those_of_the_copies() -> None:
    pairs = [Atom.ground("lives", [f"p{place}", f"c{place % 4}"]) for place in range(60)]
    database = Database.of([*people(20, 30, 12), *pairs])
    types = infer_types(database)
    members = members_of(database, types)
    clause = parse_clause("coughs(A) :- smokes(A), lives(A, c1)")
    counts = []
    for number in range(COPIES):
        copy = relabelled(database, types, members, generator(3, "base rate", str(number)))
        said = {name for name, where in map(names, copy.facts(Predicate("lives", 2))) if where == "c1"}
        said &= {name for (name,) in map(names, copy.facts(Predicate("smokes", 1)))}
        counts.append((len(said & {name for (name,) in map(names, copy.facts(Predicate("coughs", 1)))}), len(said)))
    true, covered = np.array(counts, dtype=float).T
    rate = (true.sum() + 1 + COMMON * 30 / 60) / (covered.sum() + 1 + COMMON)
    spread = ((true - rate * covered) ** 2).mean() / (rate * (1 - rate) * covered.mean())
    (found,) = BaseRate(database, (), 1, seed=3).rates([clause])
    assert found == pytest.approx((rate, min(1.0, 1 / spread), min(1.0, 1 / spread)))
    assert covered.std() > 0 and true.sum() > 0


STEP = parse_clause("parent(A, B) :- married(B, C), parent(A, C)")


def families(siblings: int, couples: int, single: int) -> Database:
    """Couples, of which the first are siblings; and of all others one has a parent, and so has who is single."""
    facts = []
    for number in range(couples):
        one, other = f"a{number}", f"b{number}"
        facts += [Atom.ground("married", pair) for pair in ((one, other), (other, one))]
        children = (one, other) if number < siblings else (one,)
        facts += [Atom.ground("parent", [f"{who}{number}", child]) for who in ("m", "f") for child in children]
    facts += [Atom.ground("parent", [f"m{number}", f"c{number}"]) for number in range(couples, couples + single)]
    return Database.of(facts)


def test_a_married_pair_of_siblings_is_one_case() -> None:
    """It makes four heads: marriage goes both ways, and children come with both parents."""
    database = families(siblings=2, couples=5, single=10)
    rule = judge_all(database, (), [STEP])[STEP]
    assert (rule.true, rule.false) == (8, 6)
    assert Cases(database)(STEP) == (0.25, 0.5), "two cases of eight heads, and three of six"
    few = families(siblings=2, couples=2, single=20)
    assert not BaseRate(few, (), 70).beaten_by([Measured(STEP, 8, 0, 0)]), (
        "two of two may be chance, eight of eight not"
    )
    many = families(siblings=10, couples=13, single=10)
    assert BaseRate(many, (), 70).beaten_by([Measured(STEP, 40, 6, 6)]), "ten of thirteen are no chance"


@settings(max_examples=budget(100))
@given(databases())
def test_the_parts_of_cases_are_counted_by_definition(database: Database) -> None:
    """A head is right or wrong in each set of constants that it rests on, and shares it with all others that do."""
    clauses = [*map(parse_clause, ("p(A) :- q(A)", "r(A, B) :- r(B, A)", "r(A, B) :- s(B, C), r(A, C)"))]
    known = {name: {names(fact) for fact in database if fact.predicate.name == name} for name in "pqrs"}
    for clause, (head, met, rows) in zip(clauses, spelled_out(known), strict=True):
        expected = []
        for truth in (True, False):
            some = [row for row in rows if (head(row) in known[clause.head[0].predicate.name]) is truth]
            cases = sum(Fraction(1, sum(met(row) == met(other) for other in rows)) for row in some)
            expected.append(min(1.0, float(cases / len({head(row) for row in some}))) if some else 1.0)
        assert Cases(database)(clause) == pytest.approx(tuple(expected)), clause


Known = dict[str, set[tuple[str, ...]]]
Spelled = tuple[Callable[[Any], Any], Callable[[Any], Any], Collection[tuple[str, ...]]]


def spelled_out(known: Known) -> list[Spelled]:
    """Of the three rules: the head, the constants that it rests on, and what its variables stand for, all apart."""
    step = {(a, b, c) for b, c in known["s"] for a, other in known["r"] if other == c and len({a, b, c}) == 3}
    return [
        (lambda row: row, sorted, known["q"]),
        (lambda row: row, sorted, {(b, a) for a, b in known["r"] if a != b}),
        (lambda row: row[:2], lambda row: sorted(row[1:]), step),
    ]


def names(atom: Atom) -> tuple[str, ...]:
    return tuple(str(term.name) for term in atom.arguments)
