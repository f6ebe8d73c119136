"""Details of reports, each by itself: what is strong enough, what dates make, examples, and theories in JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from possilog import parse_theory, portray, read
from possilog.choices import Aggregate
from possilog.data.taking import facts_of
from possilog.inference import Words
from possilog.inference.words import PLAIN
from possilog.logic import parse_clause
from possilog.matching import Matcher
from possilog.report.converting import convert, theory_json
from possilog.report.differences import compare_theories
from possilog.report.overview.cards import draw_schema
from possilog.report.overview.making import make_report
from possilog.report.overview.suspects import find_suspects
from possilog.report.overview.values import StratumRow, TestResults, strata
from possilog.report.portrait import cards
from possilog.report.portrait.portrait import number_lines
from possilog.report.portrait.schema_card import first_decides


@pytest.mark.parametrize(
    ("right", "wrong", "suspected"), [(4, 1, True), (8, 2, True), (3, 1, False), (7, 2, False), (2, 0, False)]
)
def test_a_rule_is_strong_from_four_of_five(right: int, wrong: int, suspected: bool) -> None:
    facts = [*(f"bird(b{n})" for n in range(right + wrong)), *(f"flies(b{n})" for n in range(right))]
    found = make_report(parse_theory("0.9 :: flies(X) :- bird(X)."), facts).suspects
    assert bool(found.listed) == suspected and len(found.listed) == suspected * wrong


@pytest.mark.parametrize(("least", "suspected"), [(3, True), (4, True), (5, False)])
def test_a_rule_is_strong_where_it_is_right_often_enough(
    least: int, suspected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("possilog.report.overview.suspects.LEAST_SUPPORT", least)
    facts = [*(f"bird(b{n})" for n in range(5)), *(f"flies(b{n})" for n in range(4))]
    assert bool(make_report(parse_theory("0.9 :: flies(X) :- bird(X)."), facts).suspects.listed) == suspected


def test_what_dates_make_is_never_suspected(tmp_path: Path) -> None:
    lines = ["order,customer,placed", *(f"{n},ann,2024-05-0{n}" for n in range(1, 8)), "8,bob,2023-06-04"]
    (tmp_path / "orders.csv").write_text("\n".join(lines), encoding="utf-8")
    facts = read(tmp_path / "orders.csv")
    names = {predicate.name for predicate in facts.predicates}
    assert {"customer", "placed", "placed_month", "placed_year", "placed_weekday"} <= names
    text = "".join(f"{name}(X, never) :- customer(X, Y).\n" for name in sorted(names))
    theory = replace(parse_theory(text), mapping=facts.mapping)
    found = find_suspects(theory, portray(theory, facts), facts, PLAIN)
    assert {one.text.partition("(")[0] for one in found.listed} == {"customer", "placed"}
    plain = replace(theory, mapping=None)
    found = find_suspects(plain, portray(plain, facts), facts, PLAIN)
    assert {one.text.partition("(")[0] for one in found.listed} == names


KINDS = ":- p(X), r(X). #demoted :- p(X), q(X). 0.9 :: p(X) :- q(X). 0.8 :: p(X) :- r(X). 0.8 :: q(X) :- r(X)."


def test_hard_rules_and_demoted_ones_are_no_strata() -> None:
    shown = portray(parse_theory(KINDS))
    kinds = [(str(card.kind), card.stratum) for card in shown.rules]
    assert sorted(kinds, key=str) == [("demoted", None), ("hard", None), ("soft", 1), ("soft", 2), ("soft", 2)]
    found = [(row.name, row.weight, len(row.rules), row.is_stratum) for row in strata(shown)]
    assert found == [
        *(("hard", "1", 1, False), ("demoted", "just below 1", 1, False)),
        *(("stratum 1", "0.9", 1, True), ("stratum 2", "0.8", 2, True)),
    ]
    assert StratumRow("", "", ()).is_stratum and not TestResults.__test__


def test_words_make_no_other_report() -> None:
    one = make_report(parse_theory(KINDS), ["q(a)"])
    assert one == replace(one, words=Words({"p": "{0} is fine"})) and one != replace(one, facts=2)


def test_where_a_rule_stands_is_said() -> None:
    more = parse_theory(f"{KINDS} 0.7 :: r(X) :- q(X).")
    said = str(compare_theories(parse_theory("0.8 :: p(X) :- r(X)."), more))
    assert said.splitlines() == [
        "Came: 5",
        "  + :- p(X), r(X).  (hard)",
        "  + :- p(X), q(X).  (demoted)",
        "  + p(X) :- q(X).  (stratum 1, 0.9)",
        "  + q(X) :- r(X).  (stratum 2, 0.8)",
        "  + r(X) :- q(X).  (stratum 3, 0.7)",
        "Moved: 1",
        "  > p(X) :- r(X).  (stratum 1, 0.8 -> stratum 2, 0.8)",
        "0 rules as before",
    ]


def test_what_is_demoted_has_moved_and_nothing_else_has() -> None:
    found = compare_theories(parse_theory(KINDS), parse_theory(KINDS.replace("#demoted ", "")))
    assert [(str(one.before), str(one.after)) for one in found.moved] == [("demoted", "hard")]
    assert (found.same, found.reweighed, found.is_empty) == (4, (), False)
    assert found.moved[0].as_json["before"]["stratum"] == 0


@pytest.mark.parametrize("tried", [1, 5, 6, 20])
def test_matches_are_looked_at_for_examples_with_other_heads(tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "_TRIED", tried)
    facts = facts_of([f"likes({who}, x{n})" for who in "abc" for n in range(10)])
    clause = parse_clause("happy(X) :- likes(X, Y).")
    for limit in (1, 2, 3):
        found = cards.counterexamples_of(clause, Matcher(facts), PLAIN, limit)
        assert len(found) == min(limit, -(-tried * limit // 10))


def test_a_theory_in_json_is_whole() -> None:
    text = "#type p(person). 0.9 :: p(ä) :- q(X). #ban q(X) :- p(X). #lock ? :: q(X) :- r(X)."
    theory = replace(parse_theory(text), aggregate=next(iter(Aggregate)))
    said = theory_json(theory)
    written = convert(theory, "json").text
    assert json.loads(written) == said and "ä" in written and "\\u" not in written
    assert said["aggregate"] == str(theory.aggregate) and theory_json(parse_theory(""))["aggregate"] is None
    assert len(written.splitlines()) == len(said) + sum(len(value) for value in said.values() if type(value) is list)


def test_what_is_counted_of_a_rule_and_where_it_stands() -> None:
    text = """
    #pin 0.9 :: p(X) :- q(X). #lock 0.8 :: p(X) :- r(X). 0.7 :: :- q(X), r(X). 0.6 :: :- p(X), s(X).
    p(X); s(X) :- t(X). :- p(X), t(X).
    """
    facts = ["q(a)", "q(b)", "p(a)", "r(b)", "t(a)", "t(c)"]
    counted, plain = portray(parse_theory(text), facts), portray(parse_theory(text))
    assert [card.violations for card in counted.rules] == [None, None, 1, 0, None, 1]
    said = [list(number_lines(card))[1 if card.numbers else 0 :] for card in counted.rules]
    assert said == [
        ["stratum 1, weight 0.9, pinned by hand"],
        ["stratum 2, weight 0.8, locked by hand"],
        ["broken 1 time in the facts", "stratum 3, weight 0.7"],
        ["broken 0 times in the facts", "stratum 4, weight 0.6"],
        *(["hard"], ["broken 1 time in the facts", "hard"]),
    ]
    assert [list(number_lines(card))[-1] for card in plain.rules] == [one[-1] for one in said]
    assert [len(list(number_lines(card))) for card in plain.rules] == [1] * 6


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_what_never_fails_is_listed_up_to_the_most(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("possilog.report.overview.cards._SENTENCES", most)
    drawn = draw_schema(portray(parse_theory("old(X) :- wrote(X, Y). fine(X) :- wrote(X, Y).")).schema)
    listed = re.findall("<li>(.*?)</li>", drawn)
    sentences = ["X is old if X wrote Y", "X is a fine if X wrote Y"]
    assert listed == [*sentences[:most], *([f"and {2 - most} more"] if most < 2 else [])]


@pytest.mark.parametrize(
    ("text", "decides"),
    [
        (":- p(X, Y), p(X, Z).", True),
        (":- p(Y, X), p(Z, X).", False),
        (":- p(X, Y), q(X, Z).", False),
        (":- p(X, Y), p(Y, X).", False),
        ("q(X) :- p(X, Y), p(X, Z).", False),
        (":- p(X, a), p(X, Y).", False),
        (":- r(X, Y, Z), r(X, Y, W).", False),
        (":- p(X), q(X).", False),
    ],
)
def test_the_first_argument_decides_the_second(text: str, decides: bool) -> None:
    assert first_decides(parse_clause(text)) is decides
