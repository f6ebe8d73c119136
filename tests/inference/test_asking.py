"""Questions with a hole: the best answers, with their rules."""

from pathlib import Path

import pandas as pd
import pytest

from command import run_json
from possilog import ask, parse_theory
from possilog.errors import LanguageError
from possilog.inference.asking import parse_question

FACTS = ["wrote(Ann, T1)", "wrote(Bob, T1)", "wrote(Eve, T1)", "prof(Bob)", "prof(Eve)", "helps(Ann, Eve)"]
THEORY = parse_theory("""
    0.8 :: advisedBy(S, P) :- wrote(S, T), wrote(P, T), prof(P).
    #rank true 5, false 5, nontrivial 5 :: advisedBy(S, P) :- helps(S, P).
""")


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("r(Ann, ?)", ("Ann", None)),
        ('r(?x, "a, ?b")', (None, "a, ?b")),
        ("r(?, ?)", (None, None)),
        ("r('what?', ?).", ("what?", None)),
    ],
)
def test_holes_are_told_from_names(text: str, given: tuple[str | None, ...]) -> None:
    assert parse_question(text).given == given


@pytest.mark.parametrize("text", ["r(Ann, Bob)", "r(", "", "?", "r(?"])
def test_what_is_no_question_is_told(text: str) -> None:
    with pytest.raises(LanguageError):
        parse_question(text)


def test_the_longer_list_comes_first_and_what_is_given_is_no_answer() -> None:
    found = ask(THEORY, "advisedBy(Ann, ?)", FACTS)
    assert [(answer.atom.as_fact, answer.place, answer.rules) for answer in found] == [
        ("advisedBy(Ann, Eve)", 1, 2),
        ("advisedBy(Ann, Bob)", 2, 1),
    ]
    known = ask(THEORY, "advisedBy(Ann, ?)", [*FACTS, "advisedBy(Ann, Eve)"])
    assert [answer.atom.as_fact for answer in known] == ["advisedBy(Ann, Bob)"]
    assert ask(THEORY, "advisedBy(Nobody, ?)", FACTS).number == 0


def test_equal_answers_share_their_place() -> None:
    found = ask(parse_theory("0.8 :: r(X, Y) :- s(X, Y)."), "r(a, ?)", ["s(a, b)", "s(a, c)"])
    assert [answer.place for answer in found] == [1, 1]


def test_the_commands_give_the_same_order(tmp_path: Path) -> None:
    theory, facts = tmp_path / "a.pl", tmp_path / "a.db"
    theory.write_text(str(THEORY))
    facts.write_text("\n".join(FACTS))
    asked = run_json("ask", str(theory), "advisedBy(Ann, ?)", "--data", str(facts))
    ranked = run_json("predict", str(theory), "--evidence", str(facts), "--rank")
    answers = [answer["atom"] for answer in asked["answers"]]
    everything = [answer["atom"] for answer in ranked["answers"] if "(Ann" in answer["atom"]]
    assert answers == everything == ["advisedBy(Ann, Eve)", "advisedBy(Ann, Bob)"]


def test_questions_about_tables_name_constants_as_the_cells_do(tmp_path: Path) -> None:
    """Whether the theory knows the tables, or is lines of rules with plain names."""
    rows = [f"p{n},{'Rome,Italy' if n % 2 else 'Bonn,Germany'}" for n in range(12)] + ["p12,,Italy"]
    (tmp_path / "people.csv").write_text("id,city,country\n" + "\n".join(rows), encoding="utf-8")
    rule = "city(A, Rome) :- country(A, Italy)."
    tables = "#table people key id. #column value city(people, city). #column value country(people, country).\n"
    (tmp_path / "typed.pl").write_text(f"{tables}0.9 :: {rule}".replace("Rome", '"Rome"').replace("Italy", '"Italy"'))
    (tmp_path / "rules.txt").write_text("6\t6\t1\tcity(X,Rome) <= country(X,Italy)\n")
    for theory in ("typed.pl", "rules.txt"):
        found = run_json("ask", str(tmp_path / theory), "city(p12, ?)", "--data", str(tmp_path / "people.csv"))
        assert [answer["atom"] for answer in found["answers"]] == ["city(p12, Rome)"]


def test_a_rule_may_conclude_a_value_that_no_fact_has_and_nothing_that_is_denied() -> None:
    tables = (
        "#table people key id. #column value city(people, city). #column yes old(people). #column yes wise(people).\n"
    )
    theory = parse_theory(f'{tables}0.9 :: city(A, "Rome") :- old(A). 0.8 :: wise(A) :- old(A).')
    people = pd.DataFrame(
        {"id": ["p1", "p2", "p3"], "city": None, "old": ["yes", "yes", "no"], "wise": ["no", None, None]}
    )
    answers = [str(answer.atom) for answer in ask(theory, "city(p1, ?)", {"people": people})]
    assert answers == ['city(p1, "Rome")']
    assert [str(answer.atom) for answer in ask(theory, 'city(?, "Rome")', {"people": people})] == [
        'city(p1, "Rome")',
        'city(p2, "Rome")',
    ]
    assert [str(answer.atom) for answer in ask(theory, "wise(?)", {"people": people})] == ["wise(p2)"]


def test_the_last_rule_of_a_list_is_no_better_than_its_weight() -> None:
    """What was counted of it is where no rule before it says anything."""
    theory = parse_theory("""
        0.9 :: colour(A, green) :- small(A).
        0.5 :: colour(A, red) :- thing(A).
        #shares 0.1. #seen 0.1. #added 1.
        #list colour/2, right 40, said 38, of 40.
        #measured true 20, false 0, nontrivial 0, right 10, said 9, of 10 :: colour(A, green) :- small(A).
        #measured true 30, false 0, nontrivial 0, right 0, said 0, of 0 :: colour(A, red) :- thing(A).
    """)
    found = ask(theory, "colour(One, ?)", ["thing(One)", "small(One)"])
    assert [str(answer.atom.arguments[1]) for answer in found] == ["green", "red"]
    assert [answer.reasons[0].rule.confidence for answer in found] == pytest.approx([0.9, 0.5])


def test_rules_without_a_body_answer_about_a_constant_that_no_fact_has() -> None:
    theory = parse_theory("""
        #rank true 10, false 40, nontrivial 40 :: lives(A, lyon).
        #rank true 30, false 20, nontrivial 20 :: lives(A, rome).
        0.9 :: lives(A, B) :- born(A, B).
    """)
    for who in ("bob", "nobody"):
        found = ask(theory, f"lives({who}, ?)", ["born(ann, oslo)", "lives(bob, nice)"])
        assert [answer.atom.as_fact for answer in found] == [f"lives({who}, rome)", f"lives({who}, lyon)"]
    assert not ask(theory, "lives(?, nowhere)", ["born(ann, oslo)"])
