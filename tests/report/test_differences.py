"""What changed from one theory to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings

from budget import budget
from command import run, run_json
from possilog import Theory, Words, compare_theories, parse_theory
from strategies import theories

OLD = "0.9 :: p(X) :- q(X). 0.8 :: r(X) :- q(X). 0.7 :: s(X) :- r(X). t(X) :- s(X)."
NEW = "0.95 :: p(Y) :- q(Y). 0.85 :: s(Y) :- r(Y). 0.6 :: u(Y) :- r(Y). t(X) :- s(X). 0.1 :: false."


def test_came_went_moved_and_weights() -> None:
    found = compare_theories(parse_theory(OLD), parse_theory(NEW), ["q(a)"]).as_json
    assert [one["rule"] for one in found["came"]] == ["u(Y) :- r(Y)."]
    assert [one["rule"] for one in found["went"]] == ["r(X) :- q(X)."]
    assert found["moved"] == [
        {
            "rule": "s(Y) :- r(Y).",
            "before": {"weight": "0.7", "stratum": 3},
            "after": {"weight": "0.85", "stratum": 2},
        }
    ]
    assert [one["rule"] for one in found["reweighed"]] == ["p(Y) :- q(Y)."]
    assert found["same"] == 1 and found["falsity"] == {"before": "0", "after": "0.1"}
    assert {one["atom"] for one in found["predictions"]["vanished"]} == {"r(a)", "s(a)", "t(a)"}
    assert found["predictions"]["moved"] == [{"atom": "p(a)", "before": "0.9", "after": "0.95"}]


@settings(max_examples=budget(50), deadline=None)
@given(theories(), theories())
def test_both_ways_it_is_the_same_story(one: Theory, other: Theory) -> None:
    assert compare_theories(one, one).is_empty
    there, back = compare_theories(one, other), compare_theories(other, one)
    assert (there.came, there.went) == (back.went, back.came)
    assert {(m.before, m.after) for m in there.moved} == {(m.after, m.before) for m in back.moved}


def test_falsity_alone_is_a_difference_and_words_are_none() -> None:
    rule = "0.9 :: p(X) :- q(X)."
    plain, false = parse_theory(rule), parse_theory(f"{rule} 0.1 :: false.")
    assert not compare_theories(plain, false).is_empty and not compare_theories(false, plain).is_empty
    found = compare_theories(plain, false)
    assert found == replace(found, words=Words({"p": "{0} is fine"})) and found != compare_theories(false, plain)


def test_the_command(tmp_path: Path) -> None:
    old, new, facts = tmp_path / "old.pl", tmp_path / "new.pl", tmp_path / "q.db"
    old.write_text(OLD, encoding="utf-8")
    new.write_text(NEW, encoding="utf-8")
    facts.write_text("q(a)\n", encoding="utf-8")
    done = run("diff", str(old), str(new), "--evidence", str(facts))
    assert done.returncode == 0 and not done.stderr
    assert "  + u(Y) :- r(Y).  (stratum 3, 0.6)\n" in done.stdout and "Vanishes (0.8): a is a r\n" in done.stdout
    assert run_json("diff", str(old), str(old)) | {"same": 0} == {
        "came": [],
        "went": [],
        "moved": [],
        "reweighed": [],
        "same": 0,
        "falsity": {"before": "0", "after": "0"},
        "predictions": None,
    }
