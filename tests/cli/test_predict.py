"""``possilog predict``, run as users run it."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from pathlib import Path

import pytest

import command
from possilog.data import read, read_evidence
from possilog.logic import Weight, parse_atom
from shared import shared_data

THEORY = """
:- bird(X), bat(X).
flies(X) :- bat(X).
1-4.5e-6 :: nests(X) :- bird(X).
0.8 :: bird(X) :- flies(X).
"""


run, run_json = partial(command.run, "predict"), partial(command.run_json, "predict")


@pytest.fixture
def theory(tmp_path: Path) -> str:
    path = tmp_path / "theory.pl"
    path.write_text(THEORY)
    return str(path)


@pytest.fixture
def evidence(tmp_path: Path) -> str:
    path = tmp_path / "evidence.db"
    path.write_text('flies("Old Tweety")\nbat(Bruce)\nflies(Carl)\nnot bird(Carl)\n!bat(Dora)\n')
    return str(path)


def test_json_has_all_that_is_predicted(theory: str, evidence: str, tmp_path: Path) -> None:
    found = run_json(theory, "--evidence", evidence)
    assert list(found) == ["consistent", "inference", "method", "strata_kept", "cut", "predicted", "conflicts"]
    assert (found["consistent"], found["inference"], found["method"]) == (True, "local", "horn")
    assert (found["strata_kept"], found["cut"], found["conflicts"]) == (1, "1-4.5e-6", [])
    given = [item for item in found["predicted"] if item["given"]]
    added = {item["atom"]: item["certainty"] for item in found["predicted"] if not item["given"]}
    assert len(given) == 3 and all(item["certainty"] == "1" for item in given)
    assert added == {"flies(Bruce)": "1", 'bird("Old Tweety")': "0.8", 'nests("Old Tweety")': "0.8"}
    # What is printed can be read again, exactly.
    pasted = tmp_path / "pasted.db"
    pasted.write_text("\n".join(item["atom"] for item in found["predicted"]))
    assert len(read(pasted)) == 6
    assert Weight.parse(found["cut"]) == Weight.of_doubt("4.5e-6")


def test_the_kinds_of_inference(theory: str, evidence: str) -> None:
    whole = run_json(theory, "--evidence", evidence, "--inference", "global", "--negative")
    assert [item["atom"] for item in whole["predicted"] if not item["given"]] == ["flies(Bruce)"]
    assert {item["atom"] for item in whole["excluded"]} == {"bird(Bruce)"}
    assert len(whole["conflicts"]) == 1 and whole["conflicts"][0]["weight"] == "0.8"
    fragments = run_json(theory, "--evidence", evidence, "--inference", "fragment", "--votes", "0.5", "--width", "2")
    assert len(fragments["predicted"]) == 6
    assert len(run_json(theory, "--evidence", evidence, "--joint", "fewest")["predicted"]) == 6


def test_the_table_is_most_certain_first_and_remarks_go_elsewhere(theory: str, evidence: str) -> None:
    finished = run(theory, "--evidence", evidence)
    assert finished.stdout == '1    flies(Bruce)\n0.8  bird("Old Tweety")\n0.8  nests("Old Tweety")\n'
    assert finished.stderr == "added to the 3 facts given: 3; strata that stand as a whole: 1\n"
    assert run(theory, "--evidence", evidence, "--limit", "1").stdout == "1  flies(Bruce)\n"
    few = run_json(theory, "--evidence", evidence, "--limit", "1")["predicted"]
    assert [item["atom"] for item in few if not item["given"]] == ["flies(Bruce)"] and len(few) == 4


def test_evidence_that_contradicts_the_hard_rules(theory: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    path.write_text("bird(Bruce)\nbat(Bruce)\n")
    silent = run(theory, "--evidence", str(path), "--inference", "global")
    assert silent.stdout == "" and "--on-conflict repair" in silent.stderr
    assert "bird(Bruce), bat(Bruce), against the rule  :- bird(X), bat(X)." in silent.stderr
    found = run_json(theory, "--evidence", str(path), "--inference", "global")
    rule = {"weight": "1", "rule": ":- bird(X), bat(X).", "atoms": ["bird(Bruce)", "bat(Bruce)"]}
    assert (found["consistent"], found["conflicts"], len(found["predicted"])) == (False, [rule], 2)
    repaired = run_json(theory, "--evidence", str(path), "--inference", "global", "--on-conflict", "repair")
    assert repaired == {**run_json(theory, "--evidence", str(path)), "inference": "global"}
    assert not repaired["consistent"] and len(repaired["predicted"]) == 4


def test_contradictions_are_traced_to_facts(tmp_path: Path) -> None:
    rules, facts = tmp_path / "theory.pl", tmp_path / "odd.db"
    rules.write_text("bird(X) :- nests(X).\n:- bird(X), bat(X).\n")
    facts.write_text("nests(Bruce)\nbat(Bruce)\nbird(Carl)\n")
    told = run(str(rules), "--evidence", str(facts), "--inference", "global").stderr
    assert told.endswith("these facts cannot be true together:\n  bat(Bruce), nests(Bruce)\n")
    found = run_json(str(rules), "--evidence", str(facts), "--inference", "global")
    assert [core["facts"] for core in found["contradictions"]] == [["bat(Bruce)", "nests(Bruce)"]]


def test_repair_is_not_recommended_where_it_was_done(tmp_path: Path) -> None:
    rules, facts = tmp_path / "theory.pl", tmp_path / "odd.db"
    rules.write_text(":- bird(X), bat(X).\n")
    facts.write_text("bird(Bruce)\nbat(Bruce)\n")
    assert "(what it breaks is set aside)" in run(str(rules), "--evidence", str(facts)).stderr


def test_rules_with_several_heads(tmp_path: Path, evidence: str) -> None:
    path = tmp_path / "theory.pl"
    path.write_text("bird(X) ; bat(X) :- flies(X).\n0.5 :: nests(X) :- bat(X).\n")
    found = run_json(str(path), "--evidence", evidence, "--inference", "global")
    assert found["method"] == "sat" and "unused" not in found
    assert {item["atom"] for item in found["predicted"] if not item["given"]} == {
        "bat(Carl)",
        "nests(Carl)",
        "nests(Bruce)",
    }
    local = run(str(path), "--evidence", evidence)
    assert "1 rule with several heads plays no part here" in local.stderr


def test_spelling_and_constants_that_are_declared(tmp_path: Path, evidence: str) -> None:
    path = tmp_path / "theory.pl"
    path.write_text("0.9 :: is_here(X). 0.8 :: Flies(X) :- is_here(X).\n")
    finished = run(str(path), "--evidence", evidence, "--constant", "Zoe")
    assert "Flies/1 as flies/1" in finished.stderr
    assert "is_here(Zoe)" in finished.stdout and "flies(Zoe)" in finished.stdout and "flies(Dora)" in finished.stdout


def test_what_theory_and_evidence_do_not_share_is_remarked(theory: str, evidence: str, tmp_path: Path) -> None:
    (tmp_path / "foreign.db").write_text("likes(ann, tea)\n")
    finished = command.run("predict", "theory.pl", "--evidence", "foreign.db", cwd=tmp_path)
    assert finished.stderr.startswith("warning: no rule of theory.pl speaks of any predicate of foreign.db; check that")
    finished = command.run("explain", theory, "fliess(Carl)", "--evidence", evidence)
    assert finished.stderr == "warning: neither theory nor evidence speaks of fliess/1; did you mean flies?\n"
    assert command.run("explain", theory, "nests(Carl)", "--evidence", evidence).stderr == ""


def test_what_cannot_be_asked_is_one_sentence(theory: str, evidence: str, tmp_path: Path) -> None:
    unweighed = tmp_path / "unweighed.pl"
    unweighed.write_text("? :: bird(X) :- flies(X).")
    for arguments in (
        [theory, "--evidence", evidence, "--votes", "0.5"],
        [theory, "--evidence", evidence, "--inference", "fragment", "--votes", "2"],
        [theory, "--evidence", str(tmp_path / "none.db")],
        [str(unweighed), "--evidence", evidence],
    ):
        finished = run(*arguments)
        assert finished.returncode == 2 and finished.stdout == ""
        assert finished.stderr.startswith("error: ") and finished.stderr.count("\n") == 1


def test_calibration_is_what_weigh_measures(tmp_path: Path) -> None:
    """So the same rules are used, and the same is said, but for the weights; nothing is written."""
    rules = (
        "adult(X) :- parent(X, Y).\n0.9 :: married(X, Y) :- married(Y, X).\n0.5 :: owns(X, D) :- adult(X), dog(D).\n"
    )
    (tmp_path / "rules.pl").write_text(rules)
    (tmp_path / "known.db").write_text("parent(ann, bob)\nmarried(ann, carl)\ndog(rex)\n")
    given = ("--evidence", str(tmp_path / "known.db"))
    plain = run_json(str(tmp_path / "rules.pl"), *given)
    assert "share" not in plain and [one["probability"] for one in plain["predicted"]] == [None] * 6
    found = run_json(str(tmp_path / "rules.pl"), *given, "--calibrate", "village")
    assert (tmp_path / "rules.pl").read_text() == rules
    command.run("weigh", "rules.pl", "--data", "village", "-o", "weighed.pl", cwd=tmp_path)
    weighed = run_json(str(tmp_path / "weighed.pl"), *given)
    assert weighed["share"] == found["share"]
    assert [rule.split(" :: ")[1] for rule in weighed["left_out"]] == ["owns(X, D) :- adult(X), dog(D)."]
    assert found["left_out"] == ["0.5 :: owns(X, D) :- adult(X), dog(D)."]
    said = [[(one["atom"], one["probability"], one["cases"]) for one in each["predicted"]] for each in (found, weighed)]
    assert said[0] == said[1]
    assert [one[2] for one in said[0]] == [None] * 3 + [0] * 2
    shares = [run_json(str(tmp_path / "weighed.pl"), *given, "--share", share) for share in ("0.1", "0.9")]
    assert [len(one["left_out"]) for one in shares] == [1, 1]
    little, much = ([item["probability"] for item in one["predicted"] if item["probability"]] for one in shares)
    assert len(little) == len(much) and any(more > less for more, less in zip(little, much, strict=True))


def test_calibration_says_where_it_changes_nothing(theory: str, evidence: str, tmp_path: Path) -> None:
    (tmp_path / "soft.pl").write_text("0.5 :: dog(X) :- happy(X).")
    nothing = "these facts say nothing of its soft rules, so all of them are used\n"
    calibrate = ("--evidence", evidence, "--calibrate", "village")
    assert nothing in run(str(tmp_path / "soft.pl"), *calibrate).stderr
    measured = "0.5 :: owns(X, D) :- walks(X, D). #shares 0.1, 0.9. #seen 0.1, 0.9. #added 1, 1."
    (tmp_path / "measured.pl").write_text(measured)
    carries = "the theory carries what was measured of its rules, so --calibrate measures nothing anew\n"
    assert carries in run(str(tmp_path / "measured.pl"), *calibrate).stderr
    both = run(theory, "--evidence", evidence, "--calibrate", "village", "--share", "any")
    assert both.returncode == 2 and "--share does not go with --calibrate, which looks for the share" in both.stderr


def test_a_share_that_nothing_asks_for_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "soft.pl").write_text("0.5 :: happy(X) :- dog(X).")
    (tmp_path / "known.db").write_text("dog(rex)\n")
    told = "nothing was measured of this theory, so that all its rules are used, whatever share is known\n"
    given = ("soft.pl", "--evidence", "known.db")
    assert run(*given, "--share", "0.9", cwd=tmp_path).stderr.endswith(told)
    assert all(told not in run(*given, *share, cwd=tmp_path).stderr for share in ([], ["--share", "any"]))
    asked = command.run("explain", "soft.pl", "happy(rex)", "--evidence", "known.db", "--share", "0.9", cwd=tmp_path)
    assert asked.stderr == told


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_closed_stream_is_no_disaster(theory: str, evidence: str, form: list[str]) -> None:
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *command.PROGRAM]
    finished = subprocess.run(
        [*shell, "predict", theory, "--evidence", evidence, *form], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in finished.stderr


def test_facts_that_ship_with_possilog(tmp_path: Path) -> None:
    path = tmp_path / "theory.pl"
    path.write_text("0.9 :: related(X, Y) :- parent(X, Y).")
    assert run_json(str(path), "--evidence", "village")["predicted"]


def test_the_authors_files() -> None:
    folder = shared_data("uwcse/ijcai17")
    found = run_json(str(folder / "uwcse.poss"), "--evidence", str(folder / "test.db"))
    assert not found["consistent"] and found["method"] == "horn"
    assert sum(item["given"] for item in found["predicted"]) == 838


def test_negated_facts_are_read_as_evidence_and_kept_elsewhere(evidence: str, tmp_path: Path) -> None:
    known = read_evidence(evidence)
    assert (len(known.facts), known.denied) == (3, (parse_atom("bat(Dora)"), parse_atom("bird(Carl)")))
    assert (len(read(evidence)), read(evidence).denied) == (3, known.denied)
    only = tmp_path / "only.db"
    only.write_text("!bat(Dora).\n!bat(Dora)\n")
    assert read_evidence(only).denied == (parse_atom("bat(Dora)"),)


# Many evidence sets


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    folder = tmp_path / "sets"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.db").write_text(f"flies(Carl{number})\n" + "bat(Bruce)\n" * (number % 2))
    (folder / "9.db").write_text("bat(Bruce)\nbird(Bruce)\n")
    (folder / ".hidden").write_text("no facts")
    return folder


def test_many_evidence_sets_are_predicted_one_by_one(theory: str, sets: Path, tmp_path: Path) -> None:
    one, two = run(theory, sets, "--json"), run(theory, sets, "--json", "--jobs", "2")
    assert one.returncode == 0, one.stderr
    assert (one.stdout, one.stderr) == (two.stdout, two.stderr)
    assert one.stderr.splitlines() == ["10 evidence sets: 24 atoms added", "1 set contradicts the hard rules"]
    lines = list(map(json.loads, one.stdout.splitlines()))
    assert [Path(line.pop("evidence")).name for line in lines] == [f"{number}.db" for number in range(10)]
    alone = [run_json(theory, "--evidence", str(sets / f"{number}.db")) for number in range(10)]
    assert lines == alone
    output = tmp_path / "found.jsonl"
    named = [sets / f"{number}.db" for number in range(10)]
    assert run(theory, *named, "-o", output).returncode == 0
    assert output.read_text() == one.stdout
    assert run(theory, sets / "0.db", sets / "1.db").stdout.splitlines()[:2] == [
        str(sets / "0.db"),
        "  0.8  bird(Carl0)",
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "there is no evidence; name evidence sets after the theory"),
        (["nowhere.db"], "nowhere.db: there is no such file"),
        (["sets", "--rank"], "--rank does not go with several evidence sets"),
        (["sets", "-o", "found.csv"], "found.csv: of several evidence sets, JSON lines are written"),
        (["sets", "empty"], "empty: there is nothing in it"),
    ],
)
def test_what_cannot_be_asked_of_many(theory: str, sets: Path, tmp_path: Path, options: list[str], told: str) -> None:
    (tmp_path / "empty").mkdir()
    finished = run(theory, *options, cwd=tmp_path)
    assert finished.returncode == 2 and told in finished.stderr


@pytest.mark.parametrize("option", [["--output", "found.csv"], ["--negative"], ["--write-to", "sqlite:found.db"]])
def test_what_an_order_has_no_place_for_is_refused(theory: str, sets: Path, tmp_path: Path, option: list[str]) -> None:
    finished = run(theory, "--evidence", sets / "0.db", "--rank", *option, cwd=tmp_path)
    assert finished.returncode == 2 and f"{option[0]} does not go with --rank" in finished.stderr


def test_a_set_that_cannot_be_read_is_named_and_nothing_is_half_written(theory: str, sets: Path) -> None:
    (sets / "5.db").write_text("flies(")
    for jobs in ("1", "2"):
        finished = run(theory, sets, "-o", sets.parent / "found.jsonl", "--jobs", jobs)
        assert finished.returncode == 2 and "5.db:1" in finished.stderr
        assert not (sets.parent / "found.jsonl").exists()
