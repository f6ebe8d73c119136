"""Theories whose measures a person reads, edits or takes away: which rules are used then, and what is said of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.choices import Inference
from possilog.data import Database, Evidence
from possilog.errors import LanguageError, QueryError, TheoryError
from possilog.inference import Fragments, Global, Local, Reasoner
from possilog.inference.gate import EVERYTHING, Gate
from possilog.inference.kinds import how_asked
from possilog.logic import HeldOut, Precision, Predicate, parse_atom, parse_theory

TEXT = """
:- p(X), r(X, X).
0.9 :: p(X) :- q(X).
0.8 :: q(X) :- r(X, Y), p(Y).
#shares 0.1, 0.9.
#seen 0.2, 0.8.
#added 2, 1.
#certain p/1, right 3, said 4, of 4.
#measured true 3, false 9, nontrivial 9, right 1, said 2, of 4, gains 1, 1 :: p(X) :- q(X).
#measured true 30, false 1, nontrivial 1, right 2, said 3, of 4, gains 1, -3 :: q(X) :- r(X, Y), p(Y).
"""
KNOWN = Evidence(Database.of(map(parse_atom, ["q(a)", "r(b, a)", "p(a)", "q(b)"])))


def left_out(text: str, share: float | None = 0.1) -> list[str]:
    return sorted(str(rule.clause) for rule in Gate(parse_theory(text)).use(KNOWN, share).left_out)


def test_what_a_person_writes_is_used_until_it_is_measured() -> None:
    first, second = "p(X) :- q(X).", "q(X) :- r(X, Y), p(Y)."
    assert left_out(TEXT) == [first]
    assert left_out(TEXT, 0.9) == [first, second]
    assert left_out(TEXT.replace(f"0.9 :: {first}", "0.9 :: p(Z) :- q(Z).")) == ["p(Z) :- q(Z)."], "the same rule"
    assert left_out(TEXT.replace(f"0.9 :: {first}", "0.9 :: p(X) :- q(X), r(X, Y).")) == [], "another rule"
    assert left_out(TEXT.replace(f"0.9 :: {first}", first)) == [], "it is hard now"
    assert left_out(TEXT.replace("#added 2, 1", "#added -2, 1")) == [first, second]


def test_without_lines_about_rules_or_shares_every_rule_is_used() -> None:
    for word in ("#measured", "#"):
        kept = "\n".join(line for line in TEXT.splitlines() if not line.startswith(word))
        for share in (None, 0.1, 0.5, 0.9):
            assert left_out(kept, share) == []
    open_theory = parse_theory("\n".join(line for line in TEXT.splitlines() if not line.startswith("#")))
    assert open_theory.measures is None
    assert Gate(open_theory).use(KNOWN) == EVERYTHING
    assert all(one.stated is None for one in Reasoner(open_theory).predict(KNOWN).added)


def test_how_says_the_share_or_that_any_will_do() -> None:
    reasoner = Reasoner(parse_theory(TEXT))
    known = ["q(c)", "p(b)", "r(a, b)"]
    for kind in (Local, Global, Fragments):
        everything = reasoner.predict(known, kind(share="any"))
        assert everything.use == EVERYTHING
        assert {str(one.atom) for one in everything.added} == {"p(a)", "p(c)", "q(a)"}
        few = reasoner.predict(known, kind(share=0.1))
        assert {str(one.atom) for one in few.added} == {"q(a)"}
        assert few.use.share == 0.1
        assert reasoner.predict(known, kind(share=0.9)).added == []
        assert reasoner.predict(known, kind()).use == Gate(reasoner.theory).use(
            Evidence(Database.of(map(parse_atom, known)))
        )
    for wrong in (-0.1, 1.5, "some", True, False):
        with pytest.raises(QueryError, match="share"):
            Local(share=wrong)  # type: ignore[arg-type]
    assert how_asked(Inference.LOCAL, share=0.3) == Local(share=0.3)
    assert repr(Global(share=0.3)) == "Global(repair=False, negatives=False, share=0.3)"
    assert repr(Global()) == "Global(repair=False, negatives=False)"


def test_where_a_person_says_that_all_is_known_what_is_used_is_also_what_is_said() -> None:
    """A rule was used as if 97 % were known, and said to be right in none of what it concludes."""
    text = TEXT.replace("gains 1, -3", "gains 1, 1").replace("30, false 1, nontrivial 1", "3000, false 0, nontrivial 0")
    predictions = [Reasoner(parse_theory(text)).predict(["r(a, b)", "p(b)"], Local(share=at)) for at in (1, 0.99, 0.97)]
    assert predictions[0].added == predictions[1].added == predictions[2].added
    for one in predictions:
        assert one.use.share == 0.97 and all(said.stated and said.stated.probability > 0.5 for said in one.added)
    assert Reasoner(parse_theory(TEXT)).predict(["r(a, b)"], Local(share=0)).use.share == 0.01


def test_a_share_that_a_person_says_does_not_seem_so() -> None:
    reasoner, known = Reasoner(parse_theory(TEXT)), ["q(c)", "p(b)", "r(a, b)"]
    said = list(reasoner.predict(known, Local(share=0.9)).remarks())
    assert said[-1] == "where 90% of all facts are known, 2 soft rules do not pay and are left out"
    seen = list(reasoner.predict(known).remarks())
    assert seen[-1].startswith("about ") and "of all facts seem to be known, where" in seen[-1]


def test_why_not_says_which_rule_was_left_out_and_why() -> None:
    reasoner = Reasoner(parse_theory(TEXT))
    answer = reasoner.why_not("p(c)", ["q(c)"], Local(share=0.1))
    assert answer is not None
    assert [str(rule.clause) for rule, _ in answer.left_out] == ["p(X) :- q(X)."]
    assert "where 10% of the facts are known, it is right about 9% of what is not" in str(answer)
    assert str(answer).splitlines()[-1] == "No other rule concludes this kind of fact."
    other = reasoner.why_not("p(c)", ["q(d)"], Local(share=0.1))
    assert other is not None and other.left_out == ()


def test_why_not_never_says_that_there_is_no_rule_where_one_is_left_out() -> None:
    reasoner = Reasoner(parse_theory(TEXT + "0.3 :: p(X) :- r(X, Y), q(Y)."))
    assert "\nNo other rule concludes it. The nearest:\n" in str(reasoner.why_not("p(c)", ["q(c)"], Local(share=0.1)))
    unfit = Reasoner(parse_theory(TEXT)).why_not("p(c)", ["q(d)"], Local(share=0.1))
    assert unfit is not None and (unfit.left_out, unfit.unused, unfit.as_json["unused"]) == ((), True, True)
    assert str(unfit).splitlines()[-1] == "No rule that is used with such evidence concludes this kind of fact."
    all_used = Reasoner(parse_theory(TEXT)).why_not("p(c)", ["q(d)"], Local(share="any"))
    assert all_used is not None and not all_used.unused
    assert "No rule concludes it. The nearest:" in str(all_used)


# Numbers that people write

LEARNED = """
:- p(X), r(X, X).
d(X) :- p(X).
0.9 :: p(X) :- q(X).
0.8 :: q(X) :- r(X, Y), p(Y).
0.7 :: r(X, Z) :- r(X, Y), r(Y, Z).
#shares 0.1, 0.9.
#seen 0.2, 0.8.
#added 2, 1.
#given 3, 9.
#dense 1.1, 1.9; weight 0.5.
#faultless right 3, said 3.5, of 4.
#certain d/1, right 3, said 4, of 4.
#measured true 13, false 0, nontrivial 0, right 1, said 2, of 4, gains 1, 1; errors 0, 0 :: p(X) :- q(X).
#measured true 30, false 1, nontrivial 1, right 2, said 3, of 4, gains 1, -3; errors 0, 1 :: q(X) :- r(X, Y), p(Y).
#measured true 9, false 9, nontrivial 1, right 3, said 3, of 4, gains 1, 0; errors 0, 1 :: r(X, Z) :- r(X, Y), r(Y, Z).
"""
PLACES = [found.span() for found in re.finditer(r"(?<=[ ,])-?\d+(\.\d+)?(?=[,;. ])(?! ::)", LEARNED)]
SENSIBLE = ["0", "1", "2", "5", "1000", "0.5", "-0", "1e9", "1e12", "1e-9", "1e-300", "1e-400", "0.999999999"]
SENSELESS = ["-1", "-5", "-1e12", "1e13", "1e300", "1e308", "1e309", "-1e309", "1e999"]
WRITTEN = st.sampled_from([*SENSIBLE, *SENSELESS]) | st.floats(-100, 100).map(repr)


def edited(edits: dict[int, str]) -> str:
    text = LEARNED
    for place in sorted(edits, reverse=True):
        start, end = PLACES[place]
        text = text[:start] + edits[place] + text[end:]
    return text


@settings(max_examples=budget(300, least=100))
@given(st.dictionaries(st.integers(0, len(PLACES) - 1), WRITTEN, min_size=1, max_size=4))
def test_whatever_numbers_are_written_what_is_said_is_a_probability(edits: dict[int, str]) -> None:
    try:
        theory = parse_theory(edited(edits))
    except (LanguageError, TheoryError):
        event("refused")
        return
    event("read")
    reasoner = Reasoner(theory)
    for share in (None, 0.0, 0.1, 0.5, 1.0, "any"):
        for known in (["q(a)", "r(b, a)", "p(c)", "q(b)", "r(a, c)"], ["r(a, b)", "r(b, c)", "p(c)"], []):
            prediction = reasoner.predict(known, Local(share=share))
            for one in prediction.added:
                if one.stated is not None:
                    assert 0 <= one.stated.probability <= 1, edits
                    assert 0 <= one.stated.cases.right <= one.stated.cases.cases + 0.01, edits
            assert "nan" not in str(prediction) and not any("-" in remark for remark in prediction.remarks())
            json.dumps(prediction.as_json, allow_nan=False)
    assert parse_theory(str(theory)) == theory


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("true 13", "true 1e309", '14:16: found "1e309", expected a number of at most 1,000,000,000,000'),
        ("of 4.\n#cer", "of 1e309.\n#cer", "a number of at most 1,000,000,000,000"),
        ("right 2, said 3", "right 1e309, said 3", "a number of at most"),
        ("said 3.5", "said -1e13", "a number of at most"),
        ("gains 1, -3", "gains 1, 1e308", "a number of at most"),
        ("right 1, said 2, of 4", "right 5, said 2, of 4", "a number from 0 to 4, as there are so many cases"),
        ("right 1, said 2, of 4", "right -1, said 2, of 4", "a number from 0 to 4, as there are so many cases"),
        ("right 1, said 2, of 4", "right 1, said -2, of 4", "expected a number, 0 or more"),
        ("right 1, said 2, of 4", "right 1, said 2, of 0", "a number from 0 to 0, as there are so many cases"),
        ("d/1, right 3, said 4, of 4", "d/1, right 500, said 2, of 20", '13:21: found "500, said'),
        ("of 4, gains 1, 1; errors", "of 4; errors", "found \";\", expected '::', or ', gains' and numbers"),
        ("errors 0, 0", "errors 0, -2", 'found "-2 :: p(X) :- q(X).", expected a number of errors, 0 or more'),
        ("#seen 0.2, 0.8", "#seen 0.2, 1.8", '8:12: found "1.8.", expected a share, from 0 to 1'),
        ("#shares 0.1", "#shares -0.1", "expected a share, from 0 to 1"),
    ],
)
def test_numbers_that_cannot_be_are_refused_with_their_place(old: str, new: str, message: str) -> None:
    assert LEARNED.count(old) == 1
    with pytest.raises(LanguageError) as refused:
        parse_theory(LEARNED.replace(old, new), "village.pl")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("before", "line", "column", "message"),
    [
        ("", "#faultless right 1, said 1, of 1.", 1, "one line #faultless in a theory"),
        ("#unlinked right 1, said 1, of 1. ", "#unlinked right 1, said 1, of 1.", 34, "one line #unlinked in a theory"),
        ("", "#certain d/1, right 1, said 1, of 1.", 1, "one line #certain about d/1"),
        ("#list p/1, right 1, said 1, of 1. ", "#list p/1, right 1, said 1, of 1.", 35, "one line #list about p/1"),
        (
            *("#list p/1, right 1, said 1, of 1. ", "#measured true 1, false 0, nontrivial 0, right 0, said 0, of 0"),
            *(35, "one line #measured for each rule"),
        ),
    ],
)
def test_what_is_said_twice_is_refused(before: str, line: str, column: int, message: str) -> None:
    """It had been taken, and the first that was said of a rule, or of a predicate, or the last."""
    line += " :: p(Z) :- q(Z)." * line.startswith("#measured")
    with pytest.raises(LanguageError, match=f"village.pl:{LEARNED.count(chr(10)) + 1}:{column}: .* {message}$"):
        parse_theory(LEARNED + before + line, "village.pl")


def test_what_is_rounded_is_read_and_is_no_more_than_certain() -> None:
    """Right conclusions are written with two digits, and may seem to be more than there are cases."""
    text = LEARNED.replace("d/1, right 3, said 4, of 4", "d/1, right 4.01, said 4, of 4").replace("-3;", "-0.0;")
    (one,) = [one for one in Reasoner(parse_theory(text)).predict(["p(a)"]).added if str(one.atom) == "d(a)"]
    assert str(one.stated) == "0.99 (right in 4 of 4)"


def test_measures_that_a_program_makes_are_no_more_than_certain_either() -> None:
    theory = parse_theory(LEARNED)
    assert theory.measures is not None
    for right, said in ((-500, 0.0), (500, 1.0)):
        certain = (Precision(Predicate("d", 1), HeldOut(right, 2, 20)),)
        gate = Gate(replace(theory, measures=replace(theory.measures, certain=certain)))
        stated = gate.stated_certain(Predicate("d", 1))
        assert stated is not None and stated.probability == pytest.approx((20 * said + 0.985 * 20) / 40)
    many = HeldOut(10**15, 10**15, 10**15)
    assert 0 < many.corrected(0.5, many) < 1 and many.corrected(1.0) == 1 and HeldOut(0, 0, 10**18).corrected(0.0) == 0
