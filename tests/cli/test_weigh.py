"""``possilog weigh``, run as users run it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import command
from possilog.logic import Weight, parse_theory, read_theory
from shared import shared_data

FACTS = "parent(ann, bob)\nparent(bob, eve)\nparent(tom, tim)\nold(ann)\nold(tom)\nold(tim)\n"
THEORY = "#pin 0.95 :: old(X) :- parent(X, Y). ? :: :- old(X), parent(Y, X). :- parent(X, X). #ban old(X)."


run, run_json = partial(command.run, "weigh"), partial(command.run_json, "weigh")


@pytest.fixture
def family(tmp_path: Path) -> Path:
    (tmp_path / "family.db").write_text(FACTS)
    (tmp_path / "family.pl").write_text(THEORY)
    return tmp_path


def test_the_theory_is_written_with_its_origin_and_weighs_the_same_again(family: Path) -> None:
    first = run("family.pl", "--data", "family.db", "-o", "weighed.pl", cwd=family)
    assert (first.returncode, first.stderr) == (0, "")
    written = (family / "weighed.pl").read_bytes()
    assert b"% data: family.db (6 facts about 5 constants)\n% parameters: width 2, smoothing 0\n" in written
    assert b"#pin 0.95 :: old(X) :- parent(X, Y).  % support 2, confidence 0.667 (2 of 3)\n" in written
    again = run("weighed.pl", "--data", "family.db", "-o", "weighed.pl", cwd=family)
    assert again.stdout == first.stdout
    assert (family / "weighed.pl").read_bytes() == written


def test_a_refusal_leaves_the_file_as_it_was(family: Path) -> None:
    (family / "hard.pl").write_text("old(X) :- parent(X, Y).")
    finished = run("hard.pl", "--data", "family.db", "-o", "hard.pl", cwd=family)
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: the data break 1 hard rule (old(X) :- parent(X, Y).), so that")
    assert (family / "hard.pl").read_text() == "old(X) :- parent(X, Y)."


def test_a_predicate_without_facts_is_remarked(family: Path) -> None:
    (family / "other.pl").write_text("0.9 :: shy(X) :- old(X).")
    assert run("other.pl", "--data", "family.db", cwd=family).stderr == "warning: there are no facts of shy/1\n"


def test_smoothing_leaves_no_rule_of_weight_1(family: Path) -> None:
    (family / "sure.pl").write_text("0.9 :: :- parent(X, X).")
    files = [str(family / "sure.pl"), "--data", str(family / "family.db")]
    assert run_json(*files)["strata"][1]["probability"] == 0
    assert run_json(*files, "--smoothing", "0.5")["strata"][1]["probability"] > 0


def test_rules_that_become_hard_are_told(family: Path) -> None:
    (family / "sure.pl").write_text("0.9 :: :- parent(X, X).")
    note = "note: 1 rule is hard now, since no fragment breaks it; --smoothing 0.001, as learn has it, keeps it soft\n"
    finished = run("sure.pl", "--data", "family.db", "-o", "sure.pl", cwd=family)
    assert finished.stderr == note
    assert [str(rule) for rule in read_theory(family / "sure.pl")] == [":- parent(X, X)."]
    (family / "both.pl").write_text("0.9 :: :- parent(X, X).\n0.8 :: :- parent(X, Y), parent(Y, X).")
    assert run("both.pl", "--data", "family.db", cwd=family).stderr == note.replace("1 rule is", "2 rules are").replace(
        " breaks it;", " breaks them;"
    ).replace(" keeps it ", " keeps them ")
    assert "note" not in run("family.pl", "--data", "family.db", "--smoothing", "0.001", cwd=family).stdout


def test_uwcse(tmp_path: Path) -> None:
    folder = shared_data("uwcse") / "ijcai17"
    found = run_json(
        str(folder / "uwcse.poss"), "--data", str(folder / "train.db"), "--width", "3", "-o", str(tmp_path / "t.pl")
    )
    strata = found.pop("strata")
    assert round(found.pop("log_likelihood"), 2) == -85554279.19
    assert found == {"width": 3, "constants": 412, "subsets": 11_571_020, "worlds": 4_143}
    assert len(strata) == 19
    assert strata[0]["rule"] == "false."
    assert strata[0]["probability"] == pytest.approx(6.2087e-4, rel=1e-5)
    assert strata[-1] == {
        "rule": "publication(V0, V1) :- tempAdvisedBy(V3, V1), publication(V0, V3).",
        "probability": pytest.approx(1 / 54 / 11_571_020),
        "weight": "1-1.60042230663e-9",
        "n": 1,
        "m": 54,
        "method": "profile",
        "exact": True,
    }
    assert all(float(Weight.parse(s["weight"]).doubt) == pytest.approx(s["probability"], rel=1e-11) for s in strata)
    written = read_theory(tmp_path / "t.pl")
    assert len(written.hard) == 116
    assert {str(rule.weight) for rule in written.soft} | {str(written.falsity)} == {s["weight"] for s in strata}
    assert parse_theory(str(written)) == written


def test_yeast() -> None:
    folder = shared_data("yeast")
    theory = str(folder / "ijcai17" / "yeast.poss")
    paper = run_json(theory, "--data", str(folder / "paper" / "train.db"), "--width", "4")
    assert (paper["constants"], paper["subsets"], paper["worlds"]) == (1_146, 71_490_958_110, 29_056)
    assert [s["n"] for s in paper["strata"]] == [71490957957, 139, 0, 8, 6, 0]
    assert [s["m"] for s in paper["strata"]] == [28384, 192, 96, 192, 96, 96]
    assert paper["strata"][0]["probability"] == pytest.approx(3.5231e-5, rel=1e-5)
    given = run_json(
        theory, "--data", str(folder / "ijcai17" / "train.db"), "--width", "4", "--symmetric", "interaction"
    )
    numbers = [[(s["n"], s["m"], s["probability"]) for s in found["strata"]] for found in (paper, given)]
    assert numbers[0] == numbers[1]
    assert paper["log_likelihood"] == given["log_likelihood"]
