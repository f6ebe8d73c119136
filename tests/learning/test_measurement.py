"""What is measured of rules on planted data: which enter the pool, which pay, where, and how often they come true."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from math import log
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database, Evidence
from possilog.deadline import Deadline
from possilog.inference import Local, Reasoner
from possilog.learning import measurement
from possilog.learning.confidence import Confidence, Judge
from possilog.learning.dense import Dense
from possilog.learning.finishing import _apart
from possilog.learning.hard_part import HardPart, hard_part
from possilog.learning.hiding import SIMULATED
from possilog.learning.measurement import Measurement, measure
from possilog.learning.pool import make_pool
from possilog.learning.trials import Holdout, Trial
from possilog.logic import (
    Atom,
    Clause,
    HeldOut,
    Measured,
    Measures,
    Rule,
    Theory,
    Weight,
    parse_atom,
    parse_clause,
    parse_theory,
)
from possilog.structure import find_hard_rules

SINGS = parse_clause("sings(X) :- bird(X).")
SWIMS = parse_clause("swims(X) :- bird(X).")
RARE = parse_clause("bird(X) :- swims(X).")
NO_FISH = parse_clause(":- bird(X), fish(X).")


def birds(number: int, chance: Random, sings: float, swims: float) -> Database:
    facts = []
    for bird in range(number):
        facts.append(f"bird(b{bird})")
        facts += [f"sings(b{bird})"] * (chance.random() < sings) + [f"swims(b{bird})"] * (chance.random() < swims)
    return Database.of(map(parse_atom, facts))


def holdouts(sings: float, swims: float, rules: tuple[Clause, ...] = (SINGS, SWIMS)) -> list[Holdout]:
    chance = Random(0)
    found = []
    for number in range(3):
        part, rest = (birds(size, chance, sings, swims) for size in (40, 80))
        found.append(Holdout(f"part-{number}", part, HardPart(), Judge(rest, ()).all(rules)))
    return found


def measured(parts: list[Holdout], **said: object) -> Measurement:
    named = [(one.name, one.part) for one in parts]
    pool = [Measured(rule, one.true, one.false, one.nontrivial) for rule, one in parts[0].judged.items()]
    return measure(HardPart(), pool, named, parts, **said)  # type: ignore[arg-type]


# The hard part and the pool


def test_what_becomes_of_clauses_that_hold() -> None:
    """Earned are the surprises; of the rest, constraints are demoted and rules are tried as soft ones."""
    facts = [f"{name}(b{n})" for n in range(40) for name in ("bird", "sings", "seen")]
    facts += [f"seen(c{n})" for n in range(40)] + [f"{name}(b{n})" for n in range(3) for name in ("rare", "loud")]
    facts += [f"shy(c{n})" for n in range(3)]
    found = find_hard_rules(Database.of(map(parse_atom, facts)))
    part = hard_part(found, found.clauses, (), earn=True)
    assert set(part.all) == set(found.clauses)
    assert set(part.earned) == set(found.earned)
    assert parse_clause("sings(A) :- bird(A).") in part.earned
    rules = {rule.clause: rule for rule in found.rules}
    left = [clause for clause in found.clauses if not rules[clause].is_earned]
    assert set(part.demoted) <= {clause for clause in left if not clause.head and rules[clause].support >= 2}
    assert parse_clause(":- shy(A), sings(A).") in part.demoted
    assert part.by_chance == {
        clause: rules[clause].units for clause in left if clause in part.by_chance and clause.is_definite
    }
    assert part.by_chance and min(part.by_chance.values()) >= 2
    assert not {*part.earned} & {*part.demoted, *part.by_chance}
    assert hard_part(found, found.clauses, (), earn=False) == HardPart(found.clauses, found.clauses, all_hard=True)
    wanted = part.demoted[0]
    assert wanted in hard_part(found, found.clauses, (wanted,), earn=True).earned
    assert HardPart.from_json(json.loads(json.dumps(part.as_json))) == part


@settings(max_examples=budget(100, least=50))
@given(st.dictionaries(st.integers(0, 30), st.tuples(*[st.integers(0, 9)] * 3), max_size=12))
def test_the_pool_is_what_may_pay_the_most_reliable_first(drawn: dict[int, tuple[int, int, int]]) -> None:
    judged = {
        parse_clause(f"p{number}(X) :- q(X)."): Confidence(true, max(false, nontrivial), nontrivial)
        for number, (true, false, nontrivial) in drawn.items()
    }
    by_chance = {parse_clause("p1(X) :- q(X)."): 7, parse_clause("z(X) :- q(X)."): 3}
    pool = make_pool(judged, HardPart(by_chance=by_chance))
    expected = {
        clause: (c.true, c.false, c.nontrivial)
        for clause, c in judged.items()
        if c.true >= 2 and c.true >= c.nontrivial and c.true >= 0.2 * (c.true + c.false)
    }
    expected |= {clause: (units, 0, 0) for clause, units in by_chance.items() if clause not in judged}
    assert {rule.clause: (rule.true, rule.false, rule.nontrivial) for rule in pool} == expected
    order = [(-rule.true / (rule.true + rule.false + 1), -rule.true) for rule in pool]
    assert order == sorted(order)


def test_the_pool_has_at_most_three_hundred_judged_rules() -> None:
    judged = {parse_clause(f"p{n}(X) :- q(X)."): Confidence(2 + n, 1, 1) for n in range(400)}
    kept = make_pool(judged, HardPart())
    assert len(kept) == 300
    assert min(rule.true for rule in kept) == 102, "those first that are right much more often than wrong"


# Trials


def test_a_trial_gains_what_prediction_gains() -> None:
    chance = Random(3)
    part = birds(30, chance, 0.8, 0.7)
    hard = HardPart((NO_FISH,), (), (NO_FISH,))
    pool = make_pool(Judge(part, ()).all((SINGS, SWIMS, RARE)), hard)
    trial = Trial(hard, pool, part, "part", sets=2)
    assert len(trial.known) == 2 * len(SIMULATED)
    for known in trial.known:
        assert len(known.evidence.facts) == max(1, round(known.share * len(part)))
        for rules in ([], [0], [1, 2], [0, 1, 2]):
            chosen = {trial.pool[place].clause for place in rules}
            theory = Theory(tuple(rule for rule in trial.theory if not rule.clause.head or rule.clause in chosen))
            added = [one.atom for one in Reasoner(theory).predict(known.evidence, Local()).added]
            right = sum(atom in set(part) for atom in added)
            assert trial.gain(known, rules) == 2 * right - len(added)
            concluded = [atom for listed in trial.conclusions(known, rules) for atom, _ in listed]
            assert sorted(concluded, key=str) == sorted(added, key=str)


# Measurement


def test_a_rule_that_pays_is_kept_and_one_that_loses_is_not() -> None:
    found = measured(holdouts(sings=0.95, swims=0.3))
    assert found.rules == (SINGS,)
    assert found.measures.shares == tuple(row.share for row in found.table) == SIMULATED
    assert all(row.added >= -row.noise for row in found.table)
    assert found.reason.startswith("1 soft rule, each used where it pays, add +")
    rule = found.measures.measured(SINGS)
    assert rule is not None
    assert rule.held_out.cases > 20
    assert rule.held_out.right == pytest.approx(rule.held_out.said, rel=0.2)
    sizes = [size.rules for size in found.curve]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 0


def test_a_rule_is_used_where_it_pays_and_not_where_it_loses() -> None:
    """A rule with 75 right conclusions of 100 pays where little is known; where most is, what it adds is wrong."""
    parts = holdouts(sings=0.95, swims=0.75)
    found = measured(parts)
    assert set(found.rules) == {SINGS, SWIMS}
    theory = Theory((Rule(SINGS, Weight.of("0.9")), Rule(SWIMS, Weight.of("0.8"))), measures=found.measures)
    gate = Reasoner(theory).gate
    used = {
        share: [r.clause for r in theory if r not in gate.use(Evidence(Database.of([])), share).left_out]
        for share in (0.1, 0.8)
    }
    assert SWIMS in used[0.1]
    assert SWIMS not in used[0.8]


def test_what_a_rule_gains_is_counted_in_its_place() -> None:
    """A rule is asked about what no rule above it says: there it has as many errors, and is right less often."""
    loud = parse_clause("sings(X) :- loud(X).")
    names = [("bird", "sings", "loud") if bird % 4 else ("bird",) for bird in range(40)]
    facts = Database.of(parse_atom(f"{name}(b{bird})") for bird, said in enumerate(names) for name in said)
    parts = [Holdout(f"part-{n}", facts, HardPart(), Judge(facts, ()).all((loud, SINGS))) for n in range(2)]
    both = measured(parts, kept={loud, SINGS}).measures.measured(SINGS)
    lower = [replace(part, judged={SINGS: part.judged[SINGS]}) for part in parts]
    alone = measured(lower, kept={SINGS}).measures.measured(SINGS)
    assert both is not None and alone is not None
    assert both.errors == alone.errors
    assert all(here <= there for here, there in zip(both.gains, alone.gains, strict=True))
    assert both.gains[-1] < alone.gains[-1] - 1


def test_where_it_takes_long_rules_that_add_nothing_to_others_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = holdouts(sings=0.95, swims=0.6, rules=(SINGS, parse_clause("sings(X) :- bird(X), swims(X).")))
    few = measured(parts)
    assert [size.rules for size in few.curve] == [2, 1, 0]
    monkeypatch.setattr(measurement, "LONG", 1)
    many = measured(parts)
    assert many.rules == few.rules == (SINGS,)
    assert [size.rules for size in many.curve] == [1, 0]
    assert measured(parts, jobs=3) == many, "evidence sets in three shares"


def test_where_nothing_pays_the_hard_rules_stand_alone() -> None:
    found = measured(holdouts(sings=0.5, swims=0.5))
    assert found.rules == ()
    assert found.reason == "no soft rule pays at any share of known facts, so the hard rules stand alone"


def test_what_a_person_wants_stays_and_the_number_of_rules_is_bounded() -> None:
    parts = holdouts(sings=0.95, swims=0.4)
    assert measured(parts).rules == (SINGS,)
    assert measured(parts, kept={SWIMS}).rules == (SINGS, SWIMS)
    assert measured(parts, most=0).rules == ()
    both = holdouts(sings=0.95, swims=0.9)
    assert len(measured(both).rules) == 2
    assert measured(both, most=1).rules == (SINGS,)


def test_what_is_said_of_each_thing_stands_in_the_measures_and_counts_where_rules_are_tried() -> None:
    """Where each bird is said to have as much as where all is known, rules that pay only where little is do not."""
    parts = holdouts(sings=0.95, swims=0.75)
    dense = Dense(tuple(0.1 + share / 10 for share in SIMULATED), 0.987)
    plain, found = measured(parts), measured(parts, dense=dense)
    assert plain.measures.dense == () and plain.measures.dense_weight == 0
    assert found.measures.dense == pytest.approx(dense.facts, rel=1e-3) and found.measures.dense_weight == 0.99
    assert SWIMS in plain.rules and SWIMS not in found.rules


def test_rules_without_exception_count_that_chance_does_not_explain_without_the_part() -> None:
    """Whether or not they are rules of all the data."""
    faultless, other = parse_clause("bird(X) :- sings(X)."), parse_clause("bird(X) :- swims(X).")
    parts = holdouts(sings=0.9, swims=0.5, rules=(SINGS, faultless, other))
    assert measured(parts).measures.faultless == HeldOut()
    named = [(one.name, one.part) for one in parts]
    pool = [Measured(SINGS, 70, 10, 10)]
    one, both = (
        measure(HardPart(), pool, named, [replace(part, surprising=rules) for part in parts]).measures.faultless
        for rules in (frozenset({faultless, SINGS}), frozenset({faultless, other}))
    )
    assert one.right == one.cases == both.right == both.cases == 40, "each of forty birds"
    assert 0 < one.said < 40 and one.said != both.said


def test_of_the_theory_that_is_taken_unproved_rules_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curve, number and rules agree, and a bound is about the rules that are left."""
    parts = holdouts(sings=0.95, swims=0.9)
    plain = measured(parts)
    assert (plain.rules, plain.taken, plain.unproved) == ((SINGS, SWIMS), 2, ())
    monkeypatch.setattr(measurement, "_unproved", lambda found, *_: {SINGS} & {one.clause for one in found.rules})
    for most, taken, rules in ((None, 2, (SWIMS,)), (2, 2, (SWIMS,)), (1, 2, (SWIMS,)), (0, 0, ())):
        found = measured(parts, most=most)
        assert (found.rules, found.taken) == (rules, taken)
        assert found.unproved == ((SINGS,) if taken else ())
        assert found.curve == plain.curve and taken in [size.rules for size in found.curve]
        assert [rule.clause for rule in found.measures.rules] == list(rules)
        assert Measurement.from_json(json.loads(json.dumps(found.as_json))) == found


def test_time_and_nothing_to_try() -> None:
    parts = holdouts(sings=0.95, swims=0.3)
    late = measured(parts, stop=Deadline(0))
    assert late == Measurement((), Measures(), "there was no time to try the soft rules, so the hard rules stand alone")
    nothing = measure(HardPart(), [Measured(SINGS, 3, 0, 0)], [], [])
    assert nothing.reason == "the data cannot be cut into parts to be held out, so the hard rules stand alone"
    none = measure(HardPart(), [], [("part", parts[0].part)], parts)
    assert none.reason == "no soft rule was found, so the hard rules stand alone"


def test_it_reads_what_it_writes_and_is_the_same_again() -> None:
    parts = holdouts(sings=0.95, swims=0.6)
    found = measured(parts)
    assert Measurement.from_json(json.loads(json.dumps(found.as_json))) == found
    assert parse_theory("\n".join(found.measures.lines)).measures == found.measures
    assert measured(parts) == found
    assert measured(parts, jobs=3) == found, "evidence sets in three shares"
    assert measured(parts, seed=1) != found


def test_what_is_zero_but_for_rounding_is_zero() -> None:
    """Of n sets one gains 1: mean and standard error are both 1/n, and their difference decides about the rule."""
    found = measured(holdouts(sings=0.95, swims=0.6))
    numbers = [*found.measures.added, *(gain for rule in found.measures.rules for gain in rule.gains)]
    assert not any(0 < abs(number) < 1e-9 for number in numbers)


# What is said, and what is written


@given(
    st.floats(0, 1),
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=30),
)
def test_what_is_said_moves_by_how_far_it_was_off(said: float, cases: list[tuple[bool, float]]) -> None:
    """As if, before all cases, fourteen had been right as often as was said of them; it stays between 0 and 1."""
    held_out = sum((HeldOut(right, stated, 1) for right, stated in cases), HeldOut())
    assert HeldOut().corrected(said) == said
    assert held_out.doubt() == pytest.approx(14 / (14 + len(cases)))
    assert held_out.doubt(5) == pytest.approx(14 / (19 + len(cases)))
    assert 0 <= held_out.corrected(said) <= 1
    if cases:
        stated = min(max(fmean(one for _, one in cases), 0.01), 0.99)
        found = fmean([stated] * 14 + [float(right) for right, _ in cases])
        # What was said of these on average becomes what came true of them; all else moves by as many log-odds.
        assert held_out.corrected(stated) == pytest.approx(found)
        if 0.001 < said < 0.999:
            moved = log_odds(found) - log_odds(stated)
            assert log_odds(held_out.corrected(said)) == pytest.approx(log_odds(said) + moved, abs=1e-6)


def log_odds(probability: float) -> float:
    return log(probability / (1 - probability))


DOUBTS = st.decimals(Decimal("1e-40"), Decimal("0.4"), places=45) | st.sampled_from(["1e-9", "0.01", "0.25"]).map(
    Decimal
)


@given(st.lists(DOUBTS, max_size=8), st.floats(0, 1, exclude_max=True))
def test_each_rule_is_a_stratum_of_its_own_in_the_same_order(doubts: list[Decimal], lowest: float) -> None:
    clauses = [Clause((Atom.ground("p", [str(place)]),)) for place in range(len(doubts))]
    rules = Theory(tuple(map(Rule, clauses, map(Weight, doubts)))).rules
    before = min([Weight.of(lowest), *(rule.weight for rule in rules)])
    found, falsity = _apart(rules, before)
    assert [replace(rule, weight=before) for rule in found] == [replace(rule, weight=before) for rule in rules]
    assert all(one.weight > other.weight for one, other in pairwise(found))
    assert falsity == min([before, *(rule.weight for rule in found)])
    for rule, was in zip(found, rules, strict=True):
        assert was.weight.doubt <= rule.weight.doubt <= was.weight.doubt * (1 + Decimal("1e-9"))
    theory = Theory(found, falsity)
    assert parse_theory(str(theory)) == theory
    assert len(theory.strata) == len(rules)


def test_measured_is_its_formulas() -> None:
    for true, false, nontrivial in ((2, 0, 0), (9, 3, 1), (30, 30, 30)):
        rule = Measured(SINGS, true, false, nontrivial)
        for share in (0.0, 0.3, 0.97, 1.0):
            c = true / (true + nontrivial + (false - nontrivial) * (1 - share) + 1)
            assert rule.confidence(share) == c
            assert rule.still_right(share) == pytest.approx(c * (1 - share) / (c * (1 - share) + (1 - c)))
