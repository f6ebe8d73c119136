"""Checking facts: counts and examples are those of the definition, by trying all constants."""

from __future__ import annotations

import json
import re
from itertools import permutations
from math import perm
from pathlib import Path

import pandas as pd
import pytest

from budget import budget
from possible_worlds import draw_case
from possilog.chance import generator
from possilog.data import from_frames, read
from possilog.data.bundled import load
from possilog.errors import QueryError
from possilog.inference import Reasoner, check, checking
from possilog.inference.words import PLAIN
from possilog.logic import Atom, Clause, Constant, Weight, parse_atom, parse_clause, parse_theory, read_theory
from shared import shared_data

CASES = budget(1_000)


def by_definition(clause: Clause, facts: set[Atom], constants: tuple[str, ...]) -> tuple[int, set[Clause]]:
    """How often the body holds, and the ground rules whose body holds while no atom of the head does."""
    applications, violated = 0, []
    for chosen in permutations(map(Constant, constants), len(clause.variables)):
        made = clause.substitute(dict(zip(clause.variables, chosen, strict=True)))
        if facts.issuperset(made.body):
            applications += 1
            if facts.isdisjoint(made.head):
                violated.append(made)
    assert len(set(violated)) == len(violated)
    return applications, set(violated)


def test_check_is_the_definition() -> None:
    broken = 0
    for seed in range(CASES):
        case = draw_case(seed)
        facts = case.evidence.facts
        report = check(case.theory, facts, limit=None)
        assert [checked.rule for checked in report.rules] == list(case.theory.rules)
        for checked in report.rules:
            applications, violated = by_definition(checked.rule.clause, set(facts), facts.constants)
            assert (checked.applications, checked.violations) == (applications, len(violated)), seed
            assert set(checked.examples) == violated and checked.exact
            broken += bool(violated)
        few = check(case.theory, facts, limit=1)
        assert all(len(checked.examples) == min(1, checked.violations) for checked in few.rules)
    assert broken > CASES / 2


def test_rules_that_leave_variables_open_are_counted_without_trying_all_constants() -> None:
    theory = parse_theory("p(X) ; r(X, Y) ; r(Y, X) :- q(Z). r(X, Y). 0.5 :: p(X) :- q(X).")
    constants = [parse_atom(f"q(c{number})") for number in range(3_000)]
    facts = [*constants, parse_atom("p(c0)"), parse_atom("r(c1, c2)"), parse_atom("r(c2, c1)"), parse_atom("r(c3, c4)")]
    first, second, third = check(theory, facts).rules
    every = 3_000 * 2_999 * 2_998
    assert first.applications == every
    # p(c0), else one of the four ordered pairs of {c1, c2} and {c3, c4}, with any third constant.
    assert first.violations == every - 2_999 * 2_998 - 4 * 2_998
    assert (second.applications, second.violations) == (3_000 * 2_999, 3_000 * 2_999 - 3)
    assert (third.applications, third.violations, len(third.examples)) == (3_000, 2_999, 3)


def many_heads(count: int) -> str:
    return " ; ".join(f"p{number}(X)" for number in range(count)) + "."


def test_a_rule_with_many_open_heads_is_counted_where_constants_are_few() -> None:
    """Inclusion and exclusion would take 2 to the power of 24 counts."""
    facts = [parse_atom(f"p{number}(c{number % 7})") for number in range(24)] + [parse_atom("q(d)"), parse_atom("q(e)")]
    (checked,) = check(parse_theory(many_heads(24)), facts).rules
    assert (checked.applications, checked.violations) == (9, 2)
    assert {str(term) for clause in checked.examples for term in clause.head[0].arguments} == {"d", "e"}


def test_a_rule_with_many_open_heads_is_refused_at_once_where_constants_are_many() -> None:
    theory = parse_theory(f"0.5 :: {many_heads(24)[:-1]} ; r(X, Y, Z).")
    facts = [parse_atom(f"q(c{number})") for number in range(200)]
    with pytest.raises(QueryError, match="25 atoms of its head have variables that its body leaves open") as raised:
        check(theory, facts)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(("last", "shown"), [("m", "m(X, Y, Z)."), ("mmmmmm", "mmmmmm(X, Y, Z)."), ("mmmmmmm", "…")])
def test_a_rule_of_a_hundred_letters_is_shown_whole(last: str, shown: str) -> None:
    theory = parse_theory(" ; ".join(f"{letter}(X)" for letter in "abcdefghijkl") + f" ; {last}(X, Y, Z).")
    with pytest.raises(QueryError, match=rf"the violations of a\(X\) ; .*{re.escape(shown)} cannot be counted"):
        check(theory, [parse_atom(f"q(c{number})") for number in range(200)])


def test_what_holds_in_too_many_ways_is_counted_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 300 facts about one hub a body of four atoms holds in 8 milliards of ways."""
    monkeypatch.setattr(checking, "_MOST_STEPS", 1_000)
    facts = [parse_atom(f"e(h, n{number})") for number in range(300)]
    for head in ("busy(X)", "busy(X, Y)"):  # the second leaves a variable open
        report = check(parse_theory(f"0.9 :: {head} :- e(X, A), e(X, B), e(X, C), e(X, D)."), facts, limit=1)
        (checked,) = report.rules
        assert not checked.exact and not checked.as_json["exact"] and len(checked.examples) == 1
        assert 10**6 < checked.violations <= checked.applications < 301 * perm(300, 4)
        assert checked.counted == f"at least {checked.violations:,} of at least {checked.applications:,}"
        assert f"1 rule, at least {checked.violations:,} times" in str(report)
        assert f"and at least {checked.violations - 1:,} more" in str(report)
    (few,) = check(parse_theory("0.9 :: busy(X) :- e(X, A)."), facts).rules
    assert few.exact and few.counted == "300 of 300"


def test_heads_that_the_body_binds_do_not_count_as_open() -> None:
    heads = " ; ".join(f"p{number}(X)" for number in range(24))
    facts = [parse_atom(text) for text in ("q(a)", "q(b)", "q(c)", "p3(a)", "p4(a)", "r(b, c)")]
    (checked,) = check(parse_theory(f"{heads} ; r(X, Y) :- q(X)."), facts).rules
    assert (checked.applications, checked.violations) == (6, 3)


def test_a_theory_that_allows_nothing_is_broken_once() -> None:
    checked = check(parse_theory("false."), [parse_atom("p(a)")]).rules[0]
    assert (checked.applications, checked.violations, checked.examples) == (1, 1, (Clause(),))


def test_the_report_has_hard_rules_first_and_totals() -> None:
    theory = parse_theory("0.9 :: q(X) :- p(X). :- p(X), r(X). q(X) :- r(X). p(X) :- q(X).")
    report = Reasoner(theory).check([parse_atom(text) for text in ("p(a)", "r(a)", "p(b)")])
    assert [str(checked.rule) for checked in report.broken] == [
        ":- p(X), r(X).",
        "q(X) :- r(X).",
        "0.9 :: q(X) :- p(X).",
    ]
    assert (len(report.hard), len(report.soft), report.facts) == (2, 1, 3)
    assert [str(clause) for clause in report.soft[0].examples] == ["q(a) :- p(a).", "q(b) :- p(b)."]


def test_the_authors_rules_on_their_data() -> None:
    """Their hard rules hold on the data that they were learned from, and three of them fail on the test set."""
    theory = read_theory(shared_data("uwcse/ijcai17/uwcse.poss"))
    assert not check(theory, read(shared_data("uwcse/ijcai17/train.db"))).hard
    assert len(check(theory, read(shared_data("uwcse/ijcai17/test.db"))).hard) == 3


def test_the_village_has_the_exceptions_that_it_was_made_with() -> None:
    theory = parse_theory(
        "0.9 :: walks(A, D) :- owns(A, D), dog(D). 0.8 :: livesIn(A, H) :- married(A, B), livesIn(B, H)."
    )
    dogs, houses = check(theory, load("village")).rules
    assert [str(clause.head[0]) for clause in dogs.examples] == ["walks(agnes, bruno)"]
    assert (houses.violations, houses.applications) == (2, 10)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "theory.pl").write_text(":- dog(X), cat(X). 0.9 :: walks(A, D) :- owns(A, D), dog(D).")
    (tmp_path / "facts.db").write_text("dog(rex)\ncat(rex)\nowns(Ann, rex)\nwalks(Bo, rex)\n")
    return str(tmp_path / "theory.pl"), str(tmp_path / "facts.db")


def run_check(files: tuple[str, str], capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    from possilog.cli.contents import app

    code = app(["check", files[0], "--data", files[1], *options], standalone_mode=False)
    return code or 0, capsys.readouterr().out


def test_the_command(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run_check(files, capsys)
    assert code == 0
    assert printed.splitlines() == [
        "4 facts, 2 rules",
        "",
        "Hard rules that are violated: 1 rule, 1 time",
        "  1  :- dog(X), cat(X).",
        "      rex is a dog and rex is a cat",
        "",
        "Exceptions to soft rules: 1 rule, 1 time",
        "  1 of 1  0.9 :: walks(A, D) :- owns(A, D), dog(D).",
        "      Ann owns rex and rex is a dog, but not: Ann walks rex",
    ]
    assert run_check(files, capsys, "--strict")[0] == 1
    found = json.loads(run_check(files, capsys, "--json", "--limit", "0")[1])
    assert found["hard"] == {"broken": 1, "violations": 1}
    assert [rule["examples"] for rule in found["broken"]] == [[], []]


@pytest.mark.parametrize("seed", range(5))
def test_empty_cells_are_not_known(seed: int) -> None:
    """Neither broken nor kept: rules about a cell that is empty do not apply there, by pandas' count."""
    chance = generator(seed, "cells")
    frame = pd.DataFrame(
        {
            "id": [f"p{number}" for number in range(40)],
            "city": chance.choice(["Rome", "Oslo"], 40),
            "country": chance.choice(["Italy", "Norway", ""], 40, p=[0.4, 0.4, 0.2]),
            "member": chance.choice(["yes", "no", ""], 40, p=[0.4, 0.4, 0.2]),
        }
    ).replace("", None)
    theory = parse_theory(
        '0.9 :: country(X, "Italy") :- city(X, "Rome"). 0.8 :: member(X) :- city(X, "Rome"). :- member(X).'
    )
    rows = frame[frame.city == "Rome"]
    found = {checked.rule.weight: checked for checked in check(theory, from_frames({"people": frame})).rules}
    country, member, never = (found[Weight.parse(text)] for text in ("0.9", "0.8", "1"))
    told = rows[rows.country.notna()]
    assert (country.applications, country.violations) == (len(told), (told.country != "Italy").sum())
    assert all(len(example.body) == 1 for example in country.examples)
    told = rows[rows.member.notna()]
    assert (member.applications, member.violations) == (len(told), (told.member == "no").sum())
    assert never.violations == (frame.member == "yes").sum()


def test_what_goes_without_saying_is_said_where_nothing_else_is() -> None:
    body = parse_clause("young(A) :- age(A, B), B =< 3.").body
    assert checking.say_facts(body, PLAIN) == "A is an age of B"
    assert checking.say_facts(body[1:], PLAIN) == "B is at most 3"
