"""Theory files: what people may write into them, what is written for them, and that old ones stay readable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.counting import count_strata
from possilog.data import Database
from possilog.errors import LanguageError, TheoryError
from possilog.logic import (
    Keep,
    Measures,
    Provenance,
    Rule,
    Theory,
    Weight,
    parse_atom,
    parse_clause,
    parse_rule,
    parse_theory,
    read_theory,
    write_theory,
)
from possilog.logic.files import theory_text
from strategies import NAMES, theories

FIRST_FORMAT = """\
% made by possilog 0.1.0
% data: train.db (1,002 facts about 412 constants)

#format 1.

% hard rules
:- old(X), young(X).
#lock kind(X) :- old(X).

% a world that breaks this rule has probability at most 4.52e-6
1-4.51319090471e-6 :: old(X) :- parent(X, Y).  % support 3, confidence 0.5

% a world that breaks one of these rules has probability at most 0.07
0.93 :: "born in"(X, "Big Town") ; young(X) :- parent(X, Y).
#lock 0.93 :: kind(X).
#pin 0.93 :: old(X).

% ⊥: no world has a probability above 0.6
0.4 :: false.

% these wait for a weight
? :: young(Y) :- parent(X, Y).

% never to be learned
#ban old(Y) :- parent(X, Y).
"""
"""A file of format 1. It must be read for ever: if this fails, make a new format."""


def test_a_file_of_the_first_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "theory.pl"
    path.write_text(FIRST_FORMAT, encoding="utf-8")
    theory = read_theory(path)
    common = Weight.of("0.93")
    assert theory == Theory(
        (
            Rule(parse_clause(":- old(X), young(X).")),
            Rule(parse_clause("kind(X) :- old(X)."), keep=Keep.LOCKED),
            Rule(parse_clause("old(X) :- parent(X, Y)."), Weight.of_doubt("4.51319090471e-6")),
            Rule(parse_clause('"born in"(X, "Big Town") ; young(X) :- parent(X, Y).'), common),
            Rule(parse_clause("kind(X)."), common, Keep.LOCKED),
            Rule(parse_clause("old(X)."), common, Keep.PINNED),
        ),
        Weight.of("0.4"),
        (parse_clause("young(Y) :- parent(X, Y)."),),
        (parse_clause("old(Y) :- parent(X, Y)."),),
    )
    notes = {parse_clause("old(X) :- parent(X, Y)."): "support 3, confidence 0.5"}
    write_theory(theory, path, provenance=Provenance(("train.db",), 1_002, 412, version="0.1.0"), notes=notes)
    assert path.read_text(encoding="utf-8") == FIRST_FORMAT


def test_a_file_that_names_no_format_is_of_the_first() -> None:
    assert parse_theory("p(X).") == parse_theory("#format 1. p(X).") == parse_theory("% one\n#format 1.\np(X).")


def test_a_file_of_a_newer_format_is_refused_whatever_else_it_holds() -> None:
    with pytest.raises(TheoryError) as caught:
        parse_theory("#format 8.\n<<< from the future >>>", source="theory.pl")
    assert str(caught.value) == (
        "theory.pl: it is in format 8 of theory files, and this possilog knows no format above 7; "
        "install a newer possilog"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#format 0.", 't.pl:1:9: found "0", expected the number of a format of theory files, like 7'),
        ("#format one.", 't.pl:1:9: found "one", expected the number of a format'),
        ("#format 1 p.", "t.pl:1:11: found \"p\", expected '.'"),
        (
            "p(X). #format 1.",
            't.pl:1:7: found "#format", expected a rule, or one of #lock, #pin, #ban, #demoted, #type',
        ),
        ("#loock 0.9 :: p(X).", 't.pl:1:1: found "#loock", expected a rule, or one of #lock, #pin, #ban'),
        ("# p(X).", 't.pl:1:1: found "#", expected a rule, or one of #lock'),
        (
            "#lock 0.4 :: false.",
            't.pl:1:1: found "#lock 0.4 :: false.", expected a rule: ⊥ has its place; #pin keeps its weight',
        ),
        ("#pin ? :: p(X).", 't.pl:1:6: found "?", expected a predicate\'s name'),
        ("? p(X).", "t.pl:1:3: found \"p\", expected '::' and the rule to be placed"),
        ("#lock #pin 0.9 :: p(X).", 't.pl:1:7: found "#pin", expected a predicate\'s name'),
        ("#ban p(X)", "t.pl:1:10: found the end of the text, expected ':-', ';' or '.'"),
    ],
)
def test_what_is_wrong_with_an_edited_file(text: str, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_theory(text, source="t.pl")
    assert message in str(caught.value)


def test_a_banned_rule_is_not_in_the_theory_whatever_its_variables_are_called() -> None:
    theory = parse_theory("#ban p(X) :- r(X, Y), r(Y, Z).")
    assert theory.bans(parse_clause("p(B) :- r(A, C), r(B, A)."))
    assert not theory.bans(parse_clause("p(X) :- r(X, Y)."))
    for mark in ("", "0.9 :: ", "? :: "):
        with pytest.raises(TheoryError, match=r"the rule p\(A\) :- q\(A\)\. is banned and yet in the theory"):
            parse_theory(f"{mark}p(A) :- q(A). #ban p(X) :- q(X).")


def test_what_is_wrong_with_a_theory_as_a_whole_has_its_file(tmp_path: Path) -> None:
    for text in ("p(X). #ban p(X).", "Hard rules:\nLevel -0.9\np(X)\nfalsity weight: -0.1\n"):
        (tmp_path / "theory.pl").write_text(text)
        with pytest.raises(TheoryError, match=r"theory\.pl: .* p\(X\)\."):
            read_theory(tmp_path / "theory.pl")


def test_a_rule_is_banned_by_a_word_before_it() -> None:
    assert parse_theory("#ban 0.9 :: p(X) :- q(X).") == parse_theory("#ban p(X) :- q(X).")


def test_what_waits_for_a_place_may_be_locked_and_falsity_pinned() -> None:
    theory = parse_theory("#lock ? :: p(X). ? :: q(X). #pin 0.4 :: false.")
    assert theory.unplaced == (parse_clause("p(X)."), parse_clause("q(X)."))
    assert theory.locked == (parse_clause("p(X)."),)
    assert theory.falsity_pinned
    assert "#pin 0.4 :: false." in str(theory)
    assert "#lock ? :: p(X).\n? :: q(X)." in str(theory)


def test_falsity_is_neither_placed_nor_banned() -> None:
    for text in ("? :: false.", "#ban false."):
        with pytest.raises(TheoryError, match="⊥ is in every theory"):
            parse_theory(text)


def test_a_theory_whose_rules_wait_for_weights_is_not_used_yet() -> None:
    theory = parse_theory("? :: p(X) :- q(X).")
    facts = Database.of([parse_atom("p(a)"), parse_atom("q(b)")])
    with pytest.raises(
        TheoryError, match=r"the rule \? :: p\(X\) :- q\(X\)\. has no weight yet; run possilog weigh first"
    ):
        count_strata(facts, theory, 2)


def test_a_rule_that_is_kept_is_read_back_alone() -> None:
    for text in ("#lock 0.93 :: p(X).", "#pin 1-4.5e-6 :: p(X) :- q(X).", "#lock p(X).", "p(X)."):
        assert str(parse_rule(text)) == text


def test_what_is_said_of_a_probability_stays_true() -> None:
    text = str(parse_theory("1-4.5111e-6 :: p(X). 0.3333 :: q(X). 0.3333 :: r(X)."))
    assert "% a world that breaks this rule has probability at most 4.52e-6\n1-4.5111e-6 :: p(X)." in text
    assert "% a world that breaks one of these rules has probability at most 0.667\n0.3333 :: q(X)." in text


@settings(max_examples=budget(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(theories(), st.data())
def test_a_file_with_all_that_can_stand_in_it_is_read_back(tmp_path: Path, theory: Theory, data: st.DataObject) -> None:
    clauses = [*(rule.clause for rule in theory), *theory.unplaced, *theory.banned]
    notes = {clause: data.draw(st.text() | NAMES) for clause in clauses}
    provenance = Provenance(
        (data.draw(st.text()), data.draw(NAMES)), 7, 3, {data.draw(NAMES): data.draw(NAMES)}, 0, "0.1", -7.5
    )
    path = tmp_path / "theory.pl"
    write_theory(theory, path, provenance=provenance, notes=notes)
    content = path.read_bytes()
    assert read_theory(path) == theory
    write_theory(theory, path, provenance=provenance, notes=notes)
    assert path.read_bytes() == content


@settings(max_examples=budget(100))
@given(theories(newest=False))
def test_what_needs_nothing_new_is_written_for_an_older_possilog_and_all_of_its_rules_are_used(theory: Theory) -> None:
    text = theory_text(theory, None, {})
    assert text.startswith("#format 1.\n")
    assert not any(word in text for word in ("\n#type", "\n#demoted", "\n#measured", "\n#shares"))
    for older in (text, text.replace("#format 1.", "#format 2."), str(theory)):
        assert parse_theory(older) == theory
    assert (theory.types, theory.measures, theory.demoted) == (None, None, ())
    assert theory.ranked == theory.soft
    assert theory.hard_listed == theory.hard


@pytest.mark.parametrize("text", ["", " \n", "% nothing", "\n% one\n% another :- rule.\n"])
def test_files_in_which_nothing_is_said_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.pl").write_text(text)
    found = "nothing but comments" if text.strip() else "nothing"
    with pytest.raises(LanguageError, match=f"t.pl:1:1: found {found}, expected rules, such as 0.9 :: "):
        read_theory(tmp_path / "t.pl")


def test_what_was_learned_without_any_rule_is_read(tmp_path: Path) -> None:
    write_theory(Theory(), tmp_path / "t.pl", provenance=Provenance(("train.db",), 0, 0))
    assert read_theory(tmp_path / "t.pl") == Theory()
    assert parse_theory("% text that a program has is another matter") == Theory()


def test_measures_that_say_nothing_are_none() -> None:
    assert Theory(measures=Measures()) == Theory()
    assert theory_text(Theory(measures=Measures()), None, {}) == "#format 1.\n\n"


MEASURED = """\
% types: a constant does not stand at places of two types; before one that might by chance: ~
#type leads(person, ~team).
#type old(person).

% hard rules
:- old(X), young(X).

0.9 :: old(X) :- leads(X, Y).

% demoted: these have no exception in the data, but that may be chance: what is given may break them
#demoted :- young(X), leads(X, Y).

% measured: where each rule pays; without these lines every rule is used whatever is known
#shares 0.1, 0.5.
#seen 0.05, 0.6.
#added 1, -0.5.
#given 20, 100.5.
#dense 1.5, 2.25; weight 0.9.
#faultless right 3, said 4.5, of 5.
#list size/2, right 1, said 2.5, of 5.
#certain old/1, right 41, said 42.5, of 44.
#measured true 5, false 1, nontrivial 0, right 3, said 3, of 4, gains 1, -2e-05; errors 0, 1 :: old(X) :- leads(X, Y).
"""


def test_types_demoted_rules_and_measures_are_written_as_they_are_read() -> None:
    theory = parse_theory(MEASURED)
    assert str(theory) == MEASURED
    assert parse_theory(str(theory)) == theory
    assert [str(rule) for rule in theory.demoted] == [
        "#demoted :- leads(A, A).",
        "#demoted :- leads(A, B), leads(B, A).",
        "#demoted :- leads(A, B), leads(B, C).",
        "#demoted :- leads(A, B), old(B).",
        "#demoted :- young(X), leads(X, Y).",
    ]
    assert theory.measures is not None
    measured = theory.measures.measured(parse_clause("old(B) :- leads(B, A)."))
    assert measured is not None
    assert (measured.true, measured.held_out.cases, measured.gains) == (5, 4, (1, -2e-05))
    assert measured.errors == (0, 1)
    assert (theory.measures.dense, theory.measures.dense_weight) == ((1.5, 2.25), 0.9)


def test_a_constraint_that_types_say_is_not_said_twice() -> None:
    plain = parse_theory(":- leads(X, X). :- old(X), leads(Y, X). #demoted :- leads(X, Y), old(Y).")
    typed = parse_theory("#type leads(person, team). #type old(person). " + str(plain))
    assert [str(rule) for rule in typed.hard] == [
        ":- leads(A, A).",
        ":- leads(A, B), leads(B, A).",
        ":- leads(A, B), leads(B, C).",
        ":- leads(A, B), old(B).",
    ]
    assert len(typed.demoted) == 1  # a person may say it less strictly as well


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#type p(a). #type p(b).", "the types of p/1 are given twice"),
        ("#type p(~).", "expected the name of a type"),
        ("#shares 0.5, 0.1. #seen 0, 1. #added 1, 2.", "#shares has to rise"),
        ("#shares 0.1. #seen 0, 1. #added 1.", "#seen has 2 numbers where #shares has 1"),
        ("#shares 0.1. #seen 1. #added 1. #given 1, 2.", "#given has 2 numbers where #shares has 1"),
        ("#shares 0.1. #seen 1. #added 1. #dense 1, 2; weight 1.", "#dense has 2 numbers where #shares has 1"),
        ("#dense 1; weight 1.", "#dense has 1 numbers where #shares has 0"),
        (
            "#shares 0.1. #seen 1. #added 1. #dense 1; weight 1.5.",
            "the weight of #dense is 1.5; give a number from 0 to 1",
        ),
        (
            "#shares 0.1. #seen 1. #added 1. #dense 1; weight -0.1.",
            "the weight of #dense is -0.1; give a number from 0 to 1",
        ),
        ("#shares 0.1. #shares 0.2.", "expected one line #shares in a theory"),
        ("#measured true x :: p(X).", "expected a number"),
        (
            "#measured true -1, false 0, nontrivial 0, right 0, said 0, of 0 :: p(X).",
            "expected a whole number, 0 or more",
        ),
        ("#certain p/1 3.", "expected ','"),
    ],
)
def test_what_is_wrong_with_types_and_measures(text: str, message: str) -> None:
    with pytest.raises((TheoryError, LanguageError)) as caught:
        parse_theory(text, source="t.pl")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["measures", "mapping", "types", "falsity", "banned", "rules"])
def test_each_part_of_a_theory_is_looked_at_by_itself(name: str) -> None:
    given: dict[str, Any] = {name: 5}
    with pytest.raises(TheoryError):
        Theory(**given)


def test_ranked_are_the_soft_rules_that_are_not_demoted() -> None:
    theory = parse_theory("#demoted :- p(X), r(X). 0.8 :: r(X) :- q(X). 0.9 :: p(X) :- q(X). :- p(X), s(X).")
    assert [str(rule.clause) for rule in theory.ranked] == ["p(X) :- q(X).", "r(X) :- q(X)."]
    assert len(theory.soft) == 3
