"""The text language: parse and print are inverse, and bad input gets one clear error."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.errors import LanguageError, LogicError, PossilogError, TheoryError
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Predicate,
    Query,
    Rule,
    Theory,
    Variable,
    Weight,
    parse_atom,
    parse_clause,
    parse_poss,
    parse_query,
    parse_rule,
    parse_theory,
    read_theory,
    write_theory,
)
from possilog.logic.parsing import MAX_LITERALS
from possilog.logic.parts import connected_parts
from possilog.logic.weights import DIGITS, EXPONENT
from shared import shared_data
from strategies import clauses, databases, queries, theories, weights


@settings(max_examples=budget(250))
@given(theories())
def test_a_theory_is_read_back_as_it_was(theory: Theory) -> None:
    assert parse_theory(str(theory)) == theory


@settings(max_examples=budget(500))
@given(clauses())
def test_a_clause_is_read_back_as_it_was(clause: Clause) -> None:
    assert parse_clause(str(clause)) == clause


@given(queries())
def test_a_query_is_read_back_as_it_was(query: Query) -> None:
    assert parse_query(str(query)) == query


@given(databases())
def test_a_fact_is_read_back_as_an_atom_asked_about(database: Database) -> None:
    assert all(parse_atom(str(fact)) == fact for fact in database)


@settings(max_examples=budget(500))
@given(weights())
def test_a_weight_is_read_back_as_it_was(weight: Weight) -> None:
    assert Weight.parse(str(weight)) == weight
    assert parse_rule(f"{weight} :: p(X).").weight == weight


@pytest.mark.parametrize(
    ("doubt", "text"),
    [
        ("4.5e-6", "1-4.5e-6"),
        ("0.07", "0.93"),
        ("0.6", "0.4"),
        ("0.001", "0.999"),
        ("6.208908670638259E-4", "1-6.208908670638259e-4"),
        ("0", "1"),
        ("1", "0"),
        ("5e-324", "1-5e-324"),
        ("0.0000045", "1-4.5e-6"),
    ],
)
def test_weights_are_printed_so_that_they_can_be_told_apart(doubt: str, text: str) -> None:
    weight = Weight.of_doubt(doubt)
    assert str(weight) == text
    assert weight.doubt == Decimal(doubt)
    assert Weight.parse(text) == weight


def test_weights_that_floats_cannot_tell_apart_stay_apart() -> None:
    lower, higher = Weight.of_doubt(2e-20), Weight.of_doubt(1e-20)
    assert float(lower) == float(higher)
    assert lower < higher
    theory = parse_theory("1-2e-20 :: p(X).\n1-1e-20 :: q(X).")
    assert [str(rule.clause) for rule in theory] == ["q(X).", "p(X)."]


def test_the_language_of_the_design() -> None:
    theory = parse_theory(
        """
        student(S) :- advisedBy(S, P).                     % hard rule
        :- student(X), professor(X).                       % hard constraint
        0.93 :: advisedBy(S, P) :- publication(T, S), publication(T, P), professor(P).
        student(X) ; professor(X) :- person(X).
        0.40 :: false.                                     % the certainty of ⊥
        """
    )
    assert [str(rule) for rule in theory.hard] == [
        "student(S) :- advisedBy(S, P).",
        ":- student(X), professor(X).",
        "student(X) ; professor(X) :- person(X).",
    ]
    (stratum,) = theory.strata
    assert stratum.weight == Weight.of("0.93")
    assert theory.falsity == Weight.of("0.4")
    assert len(theory.cut(Weight.of("0.93"))) == 4
    assert len(theory.cut(Weight.of("0.94"))) == 3


def test_strata_are_the_rules_of_one_weight_highest_first() -> None:
    theory = parse_theory("0.2 :: a. 0.9 :: b. 0.2 :: c. 1 :: d. 0.1 :: false.")
    assert [(str(s.weight), [str(r.clause) for r in s.rules]) for s in theory.strata] == [
        ("0.9", ["b."]),
        ("0.2", ["a.", "c."]),
    ]
    assert [str(rule) for rule in theory.hard] == ["d."]


def test_spellings() -> None:
    person = Predicate("person", 1)
    assert parse_clause('person("Person27").').head == (person(Constant("Person27")),)
    assert parse_clause("person('Person27').").head == (person(Constant("Person27")),)
    assert parse_clause("person(person27).").head == (person(Constant("person27")),)
    assert parse_clause("person(Person27).").head == (person(Variable("Person27")),)
    assert parse_atom("person(Person27)") == person(Constant("Person27"))
    assert parse_clause("Person(1.5e-3).").head == (Predicate("Person", 1)(Constant("1.5e-3")),)
    assert parse_clause('"born in"(X, 1996).').head[0].predicate == Predicate("born in", 2)
    assert parse_clause("rain :- cloud().").body == (Predicate("cloud", 0)(),)
    assert parse_clause("false :- a, b.") == parse_clause(":- a, b.")
    assert parse_clause("a :- true.") == parse_clause("a.")
    assert parse_clause("false.") == Clause()


def test_each_underscore_is_a_variable_of_its_own() -> None:
    clause = parse_clause("p(_1) :- r(_1, _), r(_, _).")
    assert len(clause.variables) == 4


@pytest.mark.parametrize("negation", ["not ", "!", "~", "\\+", "\\+ ", "¬"])
def test_ways_to_negate_in_a_query(negation: str) -> None:
    assert parse_query(f"r(X, Y), {negation}p(Y)") == parse_query("r(X, Y), not p(Y)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(X) :- q(X)", "t.pl:1:13: found the end of the text, expected ',' or '.'"),
        ("p(X)\nq(X).", "t.pl:2:1: found \"q\", expected ':-', ';' or '.'"),
        ("a.\n  p(X,) .", 't.pl:2:7: found ")", expected an argument: a variable, a constant or a quoted constant'),
        ("1.2 :: p(X).", 't.pl:1:1: found "1.2", expected a weight from 0 to 1, like 0.93 or 1-4.5e-6'),
        ("1-2 :: p(X).", 't.pl:1:1: found "1-2", expected a weight from 0 to 1, like 0.93 or 1-4.5e-6'),
        ("0.1.2 :: p.", 't.pl:1:1: found "0.1", expected a weight from 0 to 1, like 0.93 or 1-4.5e-6'),
        ('p("a).', 't.pl:1:3: found "\\"", expected a name with its closing quote on the same line'),
        ("p(X) :- not q(X).", 't.pl:1:9: found "not", expected an atom without negation: write a negated condition'),
        ("0.1 :: false. 0.2 :: false.", 't.pl:1:15: found "0.2 :: false.", expected one weight of ⊥ for the whole'),
        ("p(f(X)).", "t.pl:1:4: found \"(\", expected ',' or ')'"),
        ('p("\\x").', 't.pl:1:3: found "\\"\\\\x\\"", expected a quoted name whose escapes are those of JSON'),
        (f"p({'a,' * 1001}a).", "expected at most 1000 arguments in an atom"),
        ("p" * 99 + " q", 't.pl:1:101: found "q", expected'),
        (":- .", 't.pl:1:4: found ".", expected a predicate\'s name'),
    ],
)
def test_one_error_names_place_found_and_expected(text: str, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_theory(text, source="t.pl")
    assert message in str(caught.value)


PIECES = st.sampled_from(
    [
        "p",
        "X",
        "(",
        ")",
        ",",
        ".",
        ";",
        ":-",
        "::",
        "0.5",
        "1-",
        "%",
        "\n",
        '"',
        "'",
        "\\",
        "!",
        "not ",
        "false",
        "_",
        " ",
    ]
    + ["Level -1", "---\n", "Hard rules:", "falsity weight: -", "@alldiff(", "\x00", "é", "1e999999999", "\ufeff"]
)


@settings(max_examples=budget(1_000))
@given(st.text() | st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_theory, parse_rule, parse_clause, parse_query, parse_atom, parse_poss):
        try:
            parse(text)
        except PossilogError as error:
            assert len(str(error)) < 500


@settings(max_examples=budget(300))
@given(st.binary() | st.lists(PIECES, max_size=20).map("".join).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.pl"
    path.write_bytes(content)
    try:
        read_theory(path)
    except LanguageError as error:
        assert error.source == str(path)
        assert error.line >= 1
        assert error.column >= 1


@pytest.mark.parametrize(
    ("before", "repeated", "times", "after"),
    [
        ("", "(", 50_000_000, ""),
        ("", "p(", 10_000_000, ""),
        ("", "a", 50_000_000, ""),
        ("p(", "a,", 10_000_000, ""),
        ("p :- ", "q,", 10_000_000, ""),
        ("", "1", 50_000_000, " :: p."),
        ('"', "\\", 50_000_000, ""),
        ("", "%", 50_000_000, ""),
        ("", " ", 50_000_000, ""),
        ("", "_", 50_000_000, ""),
    ],
)
def test_a_huge_line_does_not_take_the_process_down(before: str, repeated: str, times: int, after: str) -> None:
    try:
        parse_theory(before + repeated * times + after)
    except LanguageError as error:
        assert len(str(error)) < 500


def test_the_authors_theories() -> None:
    for name, hard, soft, falsity in [
        ("uwcse", 116, 18, 6.208908670638259e-4),
        ("yeast", 112, 5, 3.693850429286933e-5),
    ]:
        theory = read_theory(shared_data(name) / "ijcai17" / f"{name}.poss")
        assert (len(theory.hard), len(theory.strata), len(theory.soft)) == (hard, soft, soft)
        assert float(theory.falsity.doubt) == falsity
        assert theory.falsity < min(stratum.weight for stratum in theory.strata)
        assert parse_theory(str(theory)) == theory


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nLevel -x\np(V1)", "t.poss:2:8: found 'x', expected a number -(1-λ) from -1 to 0"),
        ("---\nHard rules:\np(V1), ", "t.poss:3:8: found the end of the text, expected a predicate's name"),
        ("---\nHard rules:\np(V1) q(V1)", "t.poss:3:7: found \"q\", expected ',' or the end of the line"),
        ("---\nr(V1, V2), !@alldiff(V1)", 't.poss:2:14: found "alldiff(V1)", expected alldiff over all variables'),
    ],
)
def test_errors_in_the_authors_format(text: str, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_poss(text, source="t.poss")
    assert message in str(caught.value)


def test_a_theory_file_is_written_whole_and_read_back(tmp_path: Path) -> None:
    theory = parse_theory('0.93 :: p(X) :- q(X, "Ä b"). :- p(X), r(X). 0.4 :: false.')
    path = tmp_path / "theory.pl"
    path.write_text("old")
    write_theory(theory, path)
    assert read_theory(path) == theory
    assert [file.name for file in tmp_path.iterdir()] == ["theory.pl"]


def test_a_file_that_is_not_utf8_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "theory.pl"
    path.write_bytes(b"p(X).\nq(\xe9).")
    with pytest.raises(LanguageError, match=r"theory.pl:2:3: found the byte 0xe9, expected text in UTF-8"):
        read_theory(path)


def test_falsity_is_not_a_rule() -> None:
    with pytest.raises(TheoryError, match="falsity"):
        Theory((Rule(Clause(), Weight.of("0.5")),))


def test_data_is_ordered_and_hashable() -> None:
    one, other = parse_clause("p(X) :- q(X)."), parse_clause("p(a) :- q(X).")
    assert one < other
    assert len({one, other, parse_clause("p(X) :- q(X).")}) == 2
    assert sorted([Rule(other), Rule(one, Weight.of("0.5"))])[0].clause == one
    assert sorted([Theory(), Theory((Rule(one),))])[0] == Theory()
    with pytest.raises(ValueError, match="takes 2 arguments, not 1"):
        Atom(Predicate("r", 2), (Variable("X"),))


def test_hard_rules_after_levels_are_hard() -> None:
    theory = parse_poss("---\nLevel -0.1\np(V1)\n---\nHard rules:\nq(V1)\n")
    assert [str(rule) for rule in theory] == ["q(V1).", "0.9 :: p(V1)."]


def test_a_guard_that_comes_first_is_checked_too() -> None:
    with pytest.raises(LanguageError, match="expected alldiff over all variables of the clause"):
        parse_poss("---\n!@alldiff(V1), p(V1), q(V2)")


@pytest.mark.parametrize(
    ("parse", "many"),
    [
        (parse_poss, lambda count: "---\n" + ", ".join(f"p{number}(V1)" for number in range(count))),
        (parse_poss, lambda count: "---\np(V1)" + ", !@alldiff(V1)" * (count - 1)),
        (parse_clause, lambda count: "p(X) :- " + ", ".join(f"p{number}(X)" for number in range(count - 1))),
        (parse_clause, lambda count: " ; ".join(f"p{number}(X)" for number in range(count - 1)) + " :- q(X)"),
    ],
    ids=["authors", "guards", "body", "head"],
)
def test_a_clause_has_at_most_so_many_literals(parse: Callable[[str], object], many: Callable[[int], str]) -> None:
    parse(many(MAX_LITERALS))
    with pytest.raises(LanguageError, match="expected at most 10000 literals in a clause"):
        parse(many(MAX_LITERALS + 1))


def test_falsity_weighs_no_more_than_any_rule() -> None:
    with pytest.raises(TheoryError, match=r"⊥ weighs 0.4, more than this rule, .*: 0.3 :: p\(X\)"):
        parse_theory("0.3 :: p(X). 0.4 :: false.")


def test_one_name_is_not_taken_for_its_letters() -> None:
    for wrong in ("ab", "", 3):
        with pytest.raises(LogicError, match=r'are names in a list, as \["ann"\], and not'):
            Atom.ground("p", wrong)  # type: ignore[arg-type]
    assert Atom.ground("p", ("ab",)) == parse_atom("p(ab)")


@given(st.lists(st.sets(st.integers(0, 8), max_size=3), max_size=8))
@settings(max_examples=budget(300))
def test_parts_share_no_variable_and_cannot_be_split(things: list[set[int]]) -> None:
    parts = connected_parts(range(len(things)), things.__getitem__)
    assert sorted(place for part in parts for place in part) == list(range(len(things)))
    known = [set().union(*(things[place] for place in part)) for part in parts]
    assert all(one.isdisjoint(other) for one, other in combinations(known, 2))
    for part in parts:
        for size in range(1, len(part)):
            for some in map(set, combinations(part, size)):
                inside, outside = (
                    set().union(*(things[place] for place in part if (place in some) == wanted))
                    for wanted in (True, False)
                )
                assert inside & outside


def test_parts_of_many_things_take_no_time() -> None:
    """A clause may have 10,000 literals."""
    before = process_time()
    for variables in (lambda place: {0}, lambda place: set(), lambda place: {place, place + 1}):
        assert len(connected_parts(range(MAX_LITERALS), variables)) in (1, MAX_LITERALS)
    assert process_time() - before < 2


def test_names_and_weights_that_could_not_be_read_back_are_refused() -> None:
    with pytest.raises(ValueError, match="begins with a capital or an underscore"):
        Variable("_")
    for doubt in ("NaN", "1e-3000", "-0.1", "1.1"):
        with pytest.raises(ValueError, match="weight"):
            Weight(Decimal(doubt))


def test_weights_do_not_depend_on_the_precision_of_decimals() -> None:
    with localcontext(prec=3):
        assert str(Weight.parse("0.1234567")) == "0.1234567"
        assert str(Weight.of_doubt("1.23456789e-9")) == "1-1.23456789e-9"


@pytest.mark.parametrize("text", ["P(X); P(Y)", "R(X, Y) :- P(X)", "P(X) P(Y)"])
def test_what_may_follow_in_a_query(text: str) -> None:
    with pytest.raises(LanguageError, match="expected ',' or the end of the query"):
        parse_query(text)


def test_what_looks_like_weights_is_not_read_again_and_again() -> None:
    assert len(parse_theory("0." * 100_000)) == 50_000


def test_a_weight_of_a_thousand_characters_is_read_and_no_longer_one() -> None:
    longest = "0." + "9" * 998
    assert parse_theory(f"{longest} :: p(X).").rules[0].weight == Weight.of(longest)
    with pytest.raises(PossilogError):
        parse_theory(f"{longest}9 :: p(X).")


@pytest.mark.parametrize("exponent", [0, 500, EXPONENT])
def test_a_weight_of_as_many_digits_as_may_be_is_exact(exponent: int) -> None:
    written = f"0.{'7' * (DIGITS - 2)}e-{exponent}"
    assert Fraction(Weight.of(written).doubt) == 1 - Fraction(written)
    assert Fraction(Weight.of_doubt(written).certainty) == 1 - Fraction(written)
    with pytest.raises(LogicError, match="too many digits"):
        Weight.of(f"0.7{written[2:]}")
