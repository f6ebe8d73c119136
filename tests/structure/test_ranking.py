"""Strata by exceptions, against their definition."""

from __future__ import annotations

import json
import subprocess
import sys

from possilog.data import Database
from possilog.data.bundled import load
from possilog.logic import Atom, Literal, Predicate, Query
from possilog.matching import Matcher
from possilog.structure import FoundRule, find_hard_rules, find_rules, rank_rules
from possilog.structure.ranking import TOLERANCES

TARGET = Predicate("supervises", 2)


def covers(database: Database, rule: FoundRule) -> set[Atom]:
    """The facts that a rule gives, found by asking for all matches of its body."""
    head = rule.clause.head[0]
    query = Query(tuple(Literal(atom) for atom in rule.clause.body))
    matches = Matcher(database).matches(query)
    return {Atom.ground(head.predicate.name, [match[term.name] for term in head.arguments]) for match in matches} & {
        *database
    }


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
    ranked = {rule for stratum in strata for rule in stratum.rules}
    for rule in set(rules) - ranked:
        assert rule.exception_share > TOLERANCES[-1] or covers(facts, rule) <= seen


def test_the_command() -> None:
    program = "from possilog.cli import main; main()"
    command = [sys.executable, "-c", program, "rules", "university", "--target", "supervises", "--ranked"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.stdout.startswith("supervises/2\n  without exception\n"), finished.stderr
    found = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    (ranked,) = found["ranked"]
    assert ranked["target"] == "supervises" and ranked["strata"][0]["tolerance"] == 0
    assert ranked["strata"][0]["rules"][0]["exceptions"] == 0
