"""Theories whose measures a person reads, edits or takes away: which rules are used then, and what is said of it."""

from __future__ import annotations

import pytest

from possilog.choices import Inference
from possilog.data import Database, Evidence
from possilog.errors import QueryError
from possilog.inference import Fragments, Global, Local, Reasoner
from possilog.inference.gate import EVERYTHING, Gate
from possilog.inference.kinds import how_asked
from possilog.logic import parse_atom, parse_theory

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
    for wrong in (-0.1, 1.5, "some"):
        with pytest.raises(QueryError, match="share"):
            Local(share=wrong)  # type: ignore[arg-type]
    assert how_asked(Inference.LOCAL, share=0.3) == Local(share=0.3)
    assert repr(Global(share=0.3)) == "Global(repair=False, negatives=False, share=0.3)"
    assert repr(Global()) == "Global(repair=False, negatives=False)"


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
