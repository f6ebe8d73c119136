"""What the listing of hard rules says of types is what a learned theory makes of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learned import learned
from possilog import Reasoner, convert, find_hard_rules, learn, parse_theory, portray
from possilog.data import Database
from possilog.data.bundled import load
from possilog.entailment import entails
from possilog.logic import canonical, parse_atom
from possilog.structure.typing import types_of

MET = [f"leads(p{n}, t{n})" for n in range(40)] + ["old(p1)", "old(p2)", "far(moon)", "far(mars)"]


@pytest.mark.parametrize("data", [load("village"), Database.of(map(parse_atom, MET))], ids=["village", "teams"])
def test_each_constraint_of_a_type_is_marked_as_what_it_becomes(data: Database) -> None:
    found = find_hard_rules(data)
    assert found.types is not None
    hard, demoted = ({canonical(clause) for clause in some} for some in (found.types.hard, found.types.demoted))
    for rule in found.rules:
        form = canonical(rule.clause)
        said = "hard" if form in hard else "demoted" if form in demoted and not rule.is_earned else ""
        assert rule.by_types == said and rule.as_json["by_types"] == (said or None)
        assert str(rule).endswith(f", {said} by types" if said else rule.chance)
    assert {rule.by_types for rule in found.rules} >= {"", "demoted"}


def test_what_is_marked_hard_or_earned_is_hard_in_the_theory() -> None:
    theory, measurement = learned("village").theory, learned("village").measurement
    assert measurement is not None
    hard, demoted = ([rule.clause for rule in rules] for rules in (theory.hard, theory.demoted))
    for rule in find_hard_rules(load("village")).rules:
        if rule.clause in measurement.doubted:
            assert rule.is_earned and rule.clause.head
        elif rule.is_earned or rule.by_types == "hard":
            assert entails(hard, rule.clause)
        elif rule.by_types:
            assert canonical(rule.clause) in set(map(canonical, demoted)) and not entails(hard, rule.clause)


def test_all_are_listed_and_those_of_types_last() -> None:
    found = find_hard_rules(load("village"))
    said = str(found)
    before, after = said.split("\n\nsaid by the types above ")
    marked = [rule for rule in found.rules if rule.by_types]
    assert after.startswith(f"({len(marked)})\n") and " by types" not in before
    for rule in found.rules:
        assert f"  {rule.clause}  % {rule.chance}\n" in (f"{after}\n" if rule.by_types else f"{before}\n")
    kinds = [line for line in before.splitlines() if line.endswith(")") and not line.startswith((" ", "#"))]
    assert sum(int(line.rsplit("(", 1)[1][:-1]) for line in kinds) + len(marked) == len(found.rules)
    assert len(found.as_json["rules"]) == len(found.rules)


def test_one_hard_rule_is_one() -> None:
    assert str(find_hard_rules(["p(a)"], literals=1, unary_literals=0)).startswith("1 hard rule, of which")


def test_signatures_stand_where_everything_has_one_type_and_say_nothing_else() -> None:
    names = ["bird", "flies", "young"]
    facts = [f"{name}(b{n})" for place, name in enumerate(names) for n in range(place, 30, place + 1)]
    found = learn(facts)
    types = found.theory.types
    assert types is not None and [str(predicate) for predicate, _ in types.signatures] == [f"{one}/1" for one in names]
    assert not types.tell_apart and not types.hard and not types.demoted
    listed = find_hard_rules(facts)
    assert listed.types == types and not any(rule.by_types for rule in listed.rules)
    assert all(line in str(listed) and line in str(found) for line in types.lines)
    without = replace(found.theory, types=None)
    assert without.rules == found.theory.rules and parse_theory(str(found)).rules == without.rules
    for evidence in (["bird(z)"], ["flies(z)", "young(y)"], ["young(z)", "bird(z)"]):
        with_types, plain = (Reasoner(theory).predict(evidence) for theory in (found.theory, without))
        assert with_types.added == plain.added
    assert "bird(" + types.names[0] + ")" in str(portray(found.theory))
    for language in ("mln", "asp"):
        assert not any("onstraints that t" in one for one in convert(found.theory, language).remarks)


def test_no_facts_have_no_types() -> None:
    assert types_of(Database.of([])) is None
