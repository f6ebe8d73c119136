"""Strata by exceptions, against their definition."""

from __future__ import annotations

from itertools import permutations

import pytest

from command import run, run_json
from possilog.data import Database
from possilog.data.bundled import load
from possilog.deadline import Deadline, OutOfTime
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Query
from possilog.matching import Matcher
from possilog.structure import FoundRule, SearchSettings, find_hard_rules, find_rules, rank_rules
from possilog.structure.horn import Limits
from possilog.structure.ranking import TOLERANCES, RankedRule, count_exceptions

TARGET = Predicate("supervises", 2)


def gives(database: Database, clause: Clause) -> set[Atom]:
    """What a rule gives, true or not: the heads of all instances whose bodies hold, variables being distinct."""
    facts = {*database}
    heads = set()
    for chosen in permutations(database.constants, len(clause.variables)):
        ground = clause.substitute(dict(zip(clause.variables, map(Constant, chosen), strict=True)))
        if facts.issuperset(ground.body):
            heads.add(ground.head[0])
    return heads


def covers(database: Database, rule: FoundRule | RankedRule) -> set[Atom]:
    """The facts that a rule gives, found by asking for all matches of its body and its head."""
    head = rule.clause.head[0]
    query = Query(tuple(Literal(atom) for atom in (*rule.clause.body, head)))
    matches = Matcher(database).matches(query)
    return {Atom.ground(head.predicate.name, [match[term.name] for term in head.arguments]) for match in matches}


def test_exceptions_are_all_that_a_rule_gives_wrong() -> None:
    # Hard rules explain why some of these are wrong, so that they are no negative examples: exceptions nevertheless.
    facts = load("village")
    hard = find_hard_rules(facts).clauses
    found = find_rules(facts, hard, settings=SearchSettings(Limits(width=2))).rules
    ranked = {rule.clause: rule for strata in rank_rules(facts, found).values() for s in strata for rule in s.rules}
    assert any(rule.exceptions for rule in ranked.values())
    for rule in found:
        given = gives(facts, rule.clause)
        wrong = len(given - {*facts})
        if rule.clause in ranked:
            assert (ranked[rule.clause].support, ranked[rule.clause].exceptions) == (len(given) - wrong, wrong)
        elif not any(rule.target == other.head[0].predicate for other in ranked):
            assert wrong > TOLERANCES[-1] * len(given)


def test_who_tolerates_everything_sees_all_exceptions() -> None:
    facts = load("village")
    found = find_rules(facts, (), settings=SearchSettings(Limits(width=2))).rules
    all_of_them, more = (
        [stratum.rules for strata in rank_rules(facts, found, tolerances=[most]).values() for stratum in strata]
        for most in (1.0, 2.5)
    )
    assert all_of_them == more
    assert max(rule.exception_share for rules in more for rule in rules) > TOLERANCES[-1]


def test_a_stratum_tolerates_no_more_and_every_rule_adds_facts() -> None:
    facts = load("university")
    rules = find_rules(facts, find_hard_rules(facts).clauses, [TARGET]).rules
    strata = rank_rules(facts, rules)[TARGET]
    assert len(strata) > 1 and [stratum.tolerance for stratum in strata] == sorted(s.tolerance for s in strata)
    seen: set[Atom] = set()
    before = -1.0
    for stratum in strata:
        for rule in stratum.rules:
            assert before < rule.exception_share <= stratum.tolerance
            assert covers(facts, rule) - seen
            assert len(covers(facts, rule)) == rule.support
            seen |= covers(facts, rule)
        before = stratum.tolerance
    # What was left out adds nothing, or has too many exceptions.
    ranked = {rule.clause for stratum in strata for rule in stratum.rules}
    for found in rules:
        if found.clause not in ranked and not covers(facts, found) <= seen:
            exceptions = len(list(Matcher(facts).projections(found.clause.violation, found.clause.head[0].variables)))
            assert exceptions > TOLERANCES[-1] * (exceptions + found.support)


def test_without_time_nothing_is_ranked_or_counted() -> None:
    facts = load("university")
    rules = find_rules(facts, find_hard_rules(facts).clauses, [TARGET], SearchSettings(Limits(body=1))).rules
    assert rules and rank_rules(facts, rules, stop=Deadline(0)) == {}
    with pytest.raises(OutOfTime):
        count_exceptions(Matcher(facts), rules[0].clause, stop=Deadline(0))


@pytest.mark.slow
def test_the_command() -> None:
    finished = run("rules", "university", "--target", "supervises", "--ranked")
    assert finished.stdout.startswith("supervises/2\n  at most 10% exceptions\n"), finished.stderr
    found = run_json("rules", "university", "--target", "supervises", "--ranked")
    (ranked,) = found["ranked"]
    assert ranked["target"] == "supervises" and ranked["strata"][0]["tolerance"] == 0.1
    assert ranked["strata"][0]["rules"][0]["exceptions"] == 2
    finished = run("rules", "university", "--target", "firstYear", "--ranked")
    assert finished.stdout == "firstYear/1\n  no rule with at most 50% exceptions\n", finished.stderr
