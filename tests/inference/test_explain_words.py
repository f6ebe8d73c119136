"""Explanations on real data, and in words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from possilog.data import Database, read
from possilog.data.bundled import load
from possilog.errors import LanguageError, QueryError
from possilog.inference import (
    Global,
    Local,
    Reasoner,
    Why,
    Words,
    parse_words,
    tell,
)
from possilog.logic import Literal, Predicate, parse_atom, parse_clause, parse_theory, read_theory
from shared import shared_data


def test_every_atom_of_real_data_gets_an_answer() -> None:
    theory = read_theory(shared_data("uwcse/ijcai17/uwcse.poss"))
    facts = sorted(read(shared_data("uwcse/ijcai17/test.db")))
    evidence = Database.of(facts[::3])
    reasoner = Reasoner(theory)
    for how in (Local(), Global(repair=True)):
        prediction = reasoner.predict(evidence, how)
        explainer = reasoner.explainer(prediction)
        for fact in facts[1:200:7]:
            answer = explainer.explain(fact)
            assert isinstance(answer, Why) == (fact in prediction)
            assert tell(answer)


VILLAGE = """
    adult(A) :- married(A, B).    adult(A) :- parent(A, B).    married(A, B) :- married(B, A).
    :- livesIn(A, B), livesIn(A, C).    :- dog(A), cat(A).
    0.95 :: parent(A, B) :- parent(C, B), married(A, C).
    0.9 :: livesIn(A, H) :- married(A, B), livesIn(B, H).
    0.8 :: walks(A, B) :- owns(A, B), dog(B).
"""


def told(atom: str, inference: str = "local", hidden: Iterable[str] = ()) -> str:
    theory = parse_theory(VILLAGE)
    facts = [fact for fact in load("village") if str(fact) not in set(hidden)]
    reasoner = Reasoner(theory)
    return str(reasoner.explainer(reasoner.predict(facts, inference)).explain(atom))


def test_a_rule_with_thousands_of_heads_is_said_at_once() -> None:
    clause = parse_clause(" ; ".join(f"p{number}(X, c)" for number in range(3_000)) + " :- q(X).")
    before = process_time()
    assert Words().clause(clause).count(" of X is c") == 3_000
    assert process_time() - before < 2


def test_the_village_is_explained_in_sentences() -> None:
    assert told("walks(tom, rex)", hidden=["walks(tom, rex)"]).splitlines() == [
        "tom walks rex: certainty 0.8, which needs the highest 3 strata.",
        "",
        "tom walks rex",
        "    by the rule: A walks B if A owns B and B is a dog (0.8)",
        "    because tom owns rex (given)",
        "    and rex is a dog (given)",
    ]
    hidden = ["adult(clara)", "married(clara, tom)", "parent(clara, ada)", "parent(clara, ben)"]
    assert told("adult(clara)", hidden=hidden).splitlines() == [
        "clara is an adult: certain by the hard rules.",
        "",
        "clara is an adult",
        "    by the rule: A is an adult if A is married to B (always)",
        "    because clara is married to tom",
        "        by the rule: A is married to B if B is married to A (always)",
        "        because tom is married to clara (given)",
    ]
    assert told("owns(tom, rex)") == "tom owns rex: this is given."


def test_the_village_is_explained_where_something_is_not_predicted() -> None:
    assert told("livesIn(noah, schoolhouse)").splitlines() == [
        "It is not predicted that noah lives in schoolhouse.",
        "It is excluded:",
        "    noah lives in lighthouse",
        "    never: noah lives in lighthouse and noah lives in schoolhouse",
        "There is an argument for it:",
        "    noah lives in schoolhouse",
        "        by the rule: A lives in H if A is married to B and B lives in H (0.9)",
        "        because noah is married to vera (given)",
        "        and vera lives in schoolhouse (given)",
        "It was not made, because what stands refutes it.",
    ]
    assert told("walks(tom, minka)").splitlines() == [
        "It is not predicted that tom walks minka.",
        "No rule concludes it. The nearest:",
        "    A walks B if A owns B and B is a dog (0.8)",
        "        missing: tom owns minka",
        "        missing: minka is a dog",
    ]
    assert told("cat(rex)").splitlines()[-1] == "No rule concludes this kind of fact."
    drowned = told("walks(tom, rex)", "global", hidden=["walks(tom, rex)"])
    assert "because its stratum is drowned" in drowned
    assert "never: vera lives in lighthouse and vera lives in schoolhouse (at 0.9)" in drowned
    assert "The evidence does not know zoe." in told("adult(zoe)")
    assert "missing: zoe is married to B, for some B" in told("adult(zoe)")


def test_the_university_is_explained_in_sentences() -> None:
    theory = parse_theory("""
        student(S) :- supervises(P, S).    professor(P) :- supervises(P, S).
        0.9 :: supervises(P, S) :- wrote(P, T), wrote(S, T), professor(P), student(S).
    """)
    facts = ["wrote(Ada, Logic)", "wrote(Bo, Logic)", "professor(Ada)", "supervises(Cy, Bo)"]
    why = Reasoner(theory).why(parse_atom("supervises(Ada, Bo)"), map(parse_atom, facts))
    assert why is not None
    assert tell(why).splitlines()[2:] == [
        "Ada supervises Bo",
        "    by the rule: P supervises S if P wrote T, S wrote T, P is a professor and S is a student (0.9)",
        "    because Ada wrote Logic (given)",
        "    and Bo wrote Logic (given)",
        "    and Ada is a professor (given)",
        "    and Bo is a student",
        "        by the rule: S is a student if P supervises S (always)",
        "        because Cy supervises Bo (given)",
    ]


@pytest.mark.parametrize(
    ("atom", "sentence"),
    [
        ("student(ann)", "ann is a student"),
        ("fragile(p)", "p is fragile"),
        ("adult(ann)", "ann is an adult"),
        ("university(u)", "u is a university"),
        ("smokes(ann)", "ann smokes"),
        ("tenured(ann)", "ann is tenured"),
        ("Level_500(c)", "c is level 500"),
        ("has_dog(ann)", "ann has dog"),
        ("AdvisedBy(Ann, Bob)", "Ann is advised by Bob"),
        ("taughtBy(logic, ann, autumn)", "logic is taught by ann (autumn)"),
        ("lives_in(ann, mill)", "ann lives in mill"),
        ("inGroup(ann, g1)", "ann is in group g1"),
        ("memberOf(ann, p1)", "ann is a member of p1"),
        ("officeMate(ann, bob)", "ann is an office mate of bob"),
        ("married(ann, bob)", "ann is married to bob"),
        ("directed(ann, film)", "ann directed film"),
        ("wrote(ann, t1)", "ann wrote t1"),
        ("sameGroup(ann, bob)", "ann has the same group as bob"),
        ("sunny", "sunny holds"),
        ('"/people/born"(ann, bonn)', "/people/born(ann, bonn)"),
        ('""(ann)', "(ann)"),
    ],
)
def test_names_make_sentences(atom: str, sentence: str) -> None:
    assert Words().atom(parse_atom(atom)) == sentence


def test_templates_come_first() -> None:
    text = 'ta: {1} assists in {0}\n# a remark\nr/2: "{1} after {0}"\n"odd: name"/1: the odd {0}\np: {0} with {3}\n'
    words = parse_words(text)
    assert words.atom(parse_atom("ta(logic, ann, autumn)")) == "ann assists in logic"
    assert words.atom(parse_atom("r(a, b)")) == "b after a"
    assert words.atom(parse_atom("r(a)")) == "a is a r"
    assert words.atom(parse_atom('"odd: name"(x)')) == "the odd x"
    assert words.atom(parse_atom("p(a)")) == "a is a p"


@pytest.mark.parametrize(
    "line",
    [
        *("advisedBy", "p:", "p: {name}", "p: {0} {", ": x", "p: {0.real}", '"p: x', '"\\q": x', '"": x'),
        *("p: {0:d}", "p: {0:>9999999999}", "p: {0!x}", "p: {0!r}", "p: {99999999999999999999}", "a" + " " * 200_000),
        "p: " + "{" * 200_001,
    ],
    ids=lambda line: line[:12],
)
def test_bad_templates_are_refused_with_their_place(line: str) -> None:
    with pytest.raises(LanguageError, match=r"w\.txt:2:") as failure:
        parse_words(f"q: {{0}} is so\n{line}\n", "w.txt")
    assert len(str(failure.value)) < 1_000


def test_a_bad_sentence_is_pointed_at() -> None:
    with pytest.raises(LanguageError, match=r"^w\.txt:1:7: "):
        parse_words("pred: {x} is so", "w.txt")


@pytest.mark.parametrize("sentence", ["{name}", "{0:>9999999999}", "{", 3])
def test_bad_sentences_are_refused_in_python_too(sentence: Any) -> None:
    with pytest.raises(QueryError, match=r"is no sentence for p; its places for the arguments are \{0\}, \{1\}"):
        Words({"p": sentence})


def test_rules_show_which_predicates_give_a_value() -> None:
    words = Words().about([parse_clause("old(X) :- age(X, 90).")])
    age, likes = parse_atom("age(tom, 90)"), parse_atom("likes(tom, ann)")
    assert words.atom(age) != Words().atom(age) and words.atom(likes) == Words().atom(likes)


def test_a_conflict_says_whether_the_evidence_or_a_rule_forbids_it() -> None:
    (denied,) = Reasoner(parse_theory("p(X) :- q(X).")).predict(["q(a)", "!p(a)"]).conflicts
    assert denied.told() == "it is denied that a is a p (at always)"
    (broken,) = Reasoner(parse_theory(":- p(X), q(X).")).predict(["p(a)", "q(a)"]).conflicts
    assert broken.told().startswith("never: a is a p and a is a q")


def test_clauses_make_sentences() -> None:
    words = Words()
    assert words.clause(parse_clause(":- p(X), q(X).")) == "never: X is a p and X is a q"
    assert words.clause(parse_clause(":- wife(A, B), wife(C, B).")) == "at most one A for each B: A is a wife of B"
    assert words.clause(parse_clause(":- wife(A, B), wife(B, A).")).startswith("never: ")
    assert words.clause(parse_clause(":- seat(A, B, C), seat(A, D, C).")).startswith("at most one B for each A and C: ")
    assert words.clause(parse_clause("p(X) ; q(X) :- r(X).")) == "X is a p or X is a q if X is a r"
    assert words.clause(parse_clause("p(X).")) == "X is a p, always"
    assert words.literal(Literal(parse_atom("p(a)"), False)) == "it is not so that a is a p"


RANKS = "rank(A, R), rank(B, S)"


@pytest.mark.parametrize(
    ("body", "plainly", "by_template"),
    [
        ("delay(A, D), D >= 15", "the delay of A is at least 15", ""),
        ("delay(A, D), D >= 15, D < 60", "the delay of A is at least 15 and below 60", ""),
        ("delay(A, D), D >= 15, twice(D)", "A is a delay of D, D is at least 15 and D is a twice", ""),
        ("old(D), near(A, A), D >= 15", "D is old, A is near A and D is at least 15", ""),
        (f"{RANKS}, R < S", "the rank of A is less than the rank of B", "A has R, B has S and R is less than S"),
        (
            f"{RANKS}, R < S, R >= 3",
            "the rank of A is at least 3, B is a rank of S and R is less than S",
            "A has at least 3, B has S and R is less than S",
        ),
        (
            f"{RANKS}, R < S, likes(A, R)",
            "A is a rank of R, B is a rank of S, R is less than S and A likes R",
            "A has R, B has S, R is less than S and A likes R",
        ),
        (
            "rank(A, R), lives_in(B, S), R < S",
            "A is a rank of R, B lives in S and R is less than S",
            "A has R, B lives in S and R is less than S",
        ),
        (
            "lives_in(A, R), rank(B, S), R < S",
            "A lives in R, B is a rank of S and R is less than S",
            "A lives in R, B has S and R is less than S",
        ),
        ('"1st"(A, R), age(B, S), R < S', "1st(A, R), B is an age of S and R is less than S", ""),
        ('""(A, R), age(B, S), R < S', "(A, R), B is an age of S and R is less than S", ""),
        (
            f"{RANKS}, R < S, S < R",
            "A is a rank of R, B is a rank of S, R is less than S and S is less than R",
            "A has R, B has S, R is less than S and S is less than R",
        ),
        (
            f"{RANKS}, price(A, P), R < S",
            "A is a price of P and the rank of A is less than the rank of B",
            "A has R, B has S, A is a price of P and R is less than S",
        ),
        (
            f"{RANKS}, R < T, age(B, T)",
            "B is a rank of S and the rank of A is less than the age of B",
            "A has R, B has S, R is less than T and B is an age of T",
        ),
        ("rank(A, x), rank(b, y)", "the rank of A is x and b is a rank of y", "A has x and b has y"),
        (
            'in_group(A, "y"), same(A, C), owns(A, "z"), USA(A)',
            "A is in group y, A has the same as C, A owns z and A is a USA",
            "",
        ),
        ("X(A), hasDNA(A)", "A is a x and A has DNA", ""),
    ],
)
def test_conditions_say_of_a_value_what_is_compared(body: str, plainly: str, by_template: str) -> None:
    clause = parse_clause(f"first(A) :- {body}.")
    assert Words().clause(clause) == f"A is a first if {plainly}"
    for name in ("rank", "rank/2"):
        assert Words({name: "{0} has {1}"}).clause(clause) == f"A is a first if {by_template or plainly}"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("p(X, Y), p(X, Z), p(X, X)", "never: X is a p of Y, X is a p of Z and X is a p of X"),
        ("p(X, Y), q(X, Z)", "never: X is a p of Y and X is a q of Z"),
        ("q(X, Y), p(X, Z)", "never: X is a q of Y and X is a p of Z"),
        ("p(X, Y), p(X, a)", "never: X is a p of Y and the p of X is a"),
        ("p(X, X), p(X, Y)", "never: X is a p of X and X is a p of Y"),
        ("p(X), p(Y)", "never: X is a p and Y is a p"),
        ("p(X, Y), p(Z, U)", "never: X is a p of Y and Z is a p of U"),
        ("p(X, Y), p(X, Y)", "never: X is a p of Y and X is a p of Y"),
        ("p(a, Y), p(a, Z)", "never: a is a p of Y and a is a p of Z"),
        ("p(X, Y, Z), p(X, Y, U)", "at most one Z for each X and Y: X is a p of Y (Z)"),
    ],
)
def test_at_most_one_is_said_of_two_atoms_that_differ_in_one_variable(body: str, sentence: str) -> None:
    assert Words().clause(parse_clause(f":- {body}.")) == sentence


def test_what_gives_a_value_is_known_from_rules_and_from_before() -> None:
    known = Words(values=[Predicate("height", 2)])
    for words in (known.about([parse_clause("old(X) :- age(X, Y), Y >= 9, likes(X, Z).")]), known):
        assert words.atom(parse_atom("height(tom, 9)")) == "the height of tom is 9"
        assert words.atom(parse_atom("weight(tom, 9)")) == "tom is a weight of 9"
        said = {True: "tom is an age of 9", False: "the age of tom is 9"}[words is known]
        assert words.atom(parse_atom("age(tom, 9)")) == said
    of_theory = known.of_theory(parse_theory("0.9 :: old(X) :- age(X, 90)."))
    assert [of_theory.atom(parse_atom(atom)) for atom in ("height(tom, 9)", "age(tom, 9)", "weight(tom, 9)")] == [
        "the height of tom is 9",
        "the age of tom is 9",
        "tom is a weight of 9",
    ]
    for words, said in ((known, "height of b is 9"), (Words(), "b is a height of 9")):
        assert said in words.clause(parse_clause("p(X) :- q(X), height(b, 9)."))


# The command line


def run_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    from possilog.cli.contents import app

    (tmp_path / "theory.pl").write_text("student(S) :- advisedBy(S, P). 0.9 :: happy(X) :- student(X).")
    (tmp_path / "facts.db").write_text("advisedBy(Ann, Bob)\n")
    (tmp_path / "words.txt").write_text("advisedBy: {1} is the advisor of {0}\n")
    theory, facts = str(tmp_path / "theory.pl"), str(tmp_path / "facts.db")
    app(["explain", theory, "--evidence", facts, *arguments], standalone_mode=False)
    return capsys.readouterr().out


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run_explain(tmp_path, capsys, "student(Ann)", "--words", str(tmp_path / "words.txt"))
    assert "because Bob is the advisor of Ann (given)" in printed
    found = json.loads(run_explain(tmp_path, capsys, "happy(Ann)", "--json"))
    assert (found["predicted"], found["certainty"], found["stratum"]) == (True, "0.9", 1)
    assert [part["atom"] for part in found["proof"]] == ["happy(Ann)", "student(Ann)", "advisedBy(Ann, Bob)"]
    for inference in ("global", "fragment", "local"):
        missing = json.loads(run_explain(tmp_path, capsys, "student(Bob)", "--json", "--inference", inference))
        assert missing["predicted"] is False
        assert missing["nearest"][0]["missing"] == ['advisedBy("Bob", P)']
