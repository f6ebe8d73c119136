"""``possilog learn``, run as users run it, interrupted and killed as it happens to them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random

import pytest

import command
from budget import VARIABLE
from possilog.logic import Theory, read_theory

MOMENTS = 20 if os.environ.get(VARIABLE) else 3


run = partial(command.run, "learn")


def start(arguments: Sequence[str], cwd: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*command.PROGRAM, "learn", *arguments], stdout=pipe, stderr=pipe, text=True, cwd=cwd)


@pytest.fixture
def families(tmp_path: Path) -> Path:
    """Ten couples with a child, which has two parents in four of five families."""
    lines = []
    for number in range(10):
        mother, father, child = (f"{name}{number}" for name in ("ann", "bob", "kid"))
        lines += [f"married({mother}, {father})", f"married({father}, {mother})", f"parent({mother}, {child})"]
        lines += [f"parent({father}, {child})"] * (number % 5 > 0)
    (tmp_path / "families.db").write_text("\n".join(lines))
    return tmp_path


def test_several_names_may_stand_in_one_word(families: Path) -> None:
    (families / "more.db").write_text("".join(f"tall(kid{n})\nold(ann{n})\n" for n in range(10)))
    arguments = ("families.db", "more.db", "--target", "parent,tall", "--only", "married, parent")
    said = run(*arguments, "-o", "theory.pl", cwd=families).stdout
    assert "targets parent tall" in said and "only married parent" in said


def test_what_is_said_and_written(families: Path) -> None:
    finished = run("families.db", "-o", "theory.pl", cwd=families)
    assert finished.returncode == 0
    told = finished.stderr.splitlines()
    assert told[0] == "plan: 38 facts of 2 predicates about 30 constants, by search"
    assert told[4] == "[1/6 hard rules]" and len(told) == 4 + 6
    lines = finished.stdout.splitlines()
    assert lines[0] == "38 facts about 30 constants"
    assert lines[1].startswith("settings: objective prediction, width 3, ")
    assert lines[2] == "9 clauses without exception, 2 candidates"
    assert "  known  hard rules gain  soft rules add" in lines
    assert lines[-5] == "soft rules, the largest support first"
    assert "  parent(A, B) :- married(A, C), parent(C, B).  % support 16, confidence 0.889 (16 of 18)" in lines[-4:-2]
    summary = "theory.pl: 1 hard rule, 2 types and 2 soft rules; 3 constraints that may hold by chance are demoted"
    assert lines[-1] == summary
    written = (families / "theory.pl").read_bytes()
    assert b"parent(A, B) :- married(A, C), parent(C, B).  % support 16, confidence 0.889 (16 of 18)\n" in written
    quiet = run("families.db", "-o", "again.pl", "--quiet", "--jobs", "2", cwd=families)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    assert (families / "again.pl").read_bytes() == written


def test_json(families: Path) -> None:
    finished = run("families.db", "-o", "theory.pl", "--max-rules", "1", "--body", "2", "--json", cwd=families)
    found = json.loads(finished.stdout)
    assert found["finished"] is True
    assert len(found["rules"]) == 1
    assert found["settings"]["max_rules"] == 1
    assert [size["rules"] for size in found["simulation"]["curve"]] == [2, 1, 0]
    assert {"share", "hard", "added", "noise"} == set(found["simulation"]["table"][0])


def test_an_edited_theory_is_the_start(families: Path) -> None:
    (families / "edited.pl").write_text("#ban parent(X, Y) :- married(X, Z), parent(Z, Y).")
    (families / "groups.tsv").write_text(
        "".join(f"{who}{n}\t{n % 2}\n" for n in range(10) for who in ("ann", "bob", "kid"))
    )
    given = ("families.db", "-o", "theory.pl", "--start", "edited.pl", "--groups", "groups.tsv")
    assert run(*given, cwd=families).returncode == 0
    theory = read_theory(families / "theory.pl")
    assert [str(clause) for clause in theory.banned] == ["parent(X, Y) :- married(X, Z), parent(Z, Y)."]
    assert not any(theory.bans(rule.clause) for rule in theory)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["missing.db"], "missing.db: there is no such file or folder"),
        (["families.db", "--max-rules", "9" * 5_000], "--max-rules is a number or 'knee', and"),
        (["families.db", "--width", "9" * 5_000], "--width is a number"),
        (["families.db", "--max-rules", "few"], "--max-rules is a number or 'knee', and 'few' is neither"),
        (["families.db", "--preset", "cora"], "there is no preset 'cora'; take one of: uwcse, yeast"),
    ],
)
def test_refusals(arguments: list[str], error: str, families: Path) -> None:
    finished = run(*arguments, "-o", "theory.pl", cwd=families)
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"error: {error}")
    assert not (families / "theory.pl").exists()


@pytest.mark.parametrize("output", ["missing/theory.pl", "."])
def test_what_cannot_be_written_is_refused_before_the_work(output: str, families: Path) -> None:
    finished = run("families.db", "-o", output, "--work", "work", cwd=families)
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"error: {output}: it cannot be written (")
    assert [path.name for path in families.iterdir()] == ["families.db"]


def test_an_interrupt_keeps_the_best_theory(families: Path) -> None:
    process = start(["families.db", "-o", "theory.pl", "--work", "work"], families)
    while not (families / "work" / "candidates.json").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert said.splitlines()[-1] == "interrupted: the best theory so far is in theory.pl"
    best = read_theory(families / "theory.pl")
    assert [str(rule) for rule in best.hard_listed] == ["married(A, B) :- married(B, A)."]
    assert best.types is not None
    assert "% not finished: the run ended in the phase" in (families / "theory.pl").read_text()


def interrupted_while_reading(folder: Path) -> str:
    """What a run says that is interrupted before it has read the facts."""
    os.mkfifo(folder / "facts.db")
    process = start(["facts.db", "-o", "theory.pl"], folder)
    with open(folder / "facts.db", "w"):  # which waits until the facts are being read
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    return said


def test_an_interrupt_before_the_facts_are_read_leaves_a_valid_file(tmp_path: Path) -> None:
    interrupted_while_reading(tmp_path)
    assert read_theory(tmp_path / "theory.pl") == Theory()
    assert "% not finished: the run ended before anything was learned" in (tmp_path / "theory.pl").read_text()


def test_a_theory_does_not_give_way_to_none(tmp_path: Path) -> None:
    (tmp_path / "theory.pl").write_text("p(X) :- q(X).")
    assert interrupted_while_reading(tmp_path) == ("interrupted: nothing was learned yet, and theory.pl is as it was\n")
    assert (tmp_path / "theory.pl").read_text() == "p(X) :- q(X)."


@pytest.mark.slow
def test_a_killed_run_ends_with_the_same_theory(families: Path) -> None:
    """At moments drawn at random over the time that a whole run takes, from when it has begun to learn."""
    began = time.monotonic()
    assert run("families.db", "-o", "whole.pl", "--work", "whole", cwd=families).returncode == 0
    whole, seconds = (families / "whole.pl").read_bytes(), time.monotonic() - began
    chance = Random(0)
    for moment in range(MOMENTS):
        given = ["families.db", "-o", f"{moment}.pl", "--work", f"work{moment}"]
        process = start(given, families)
        time.sleep(chance.random() * seconds)
        process.kill()
        process.communicate()
        finished = run(*given, "--jobs", str(1 + moment % 2), cwd=families)
        assert finished.returncode == 0, finished.stderr
        assert (families / f"{moment}.pl").read_bytes() == whole
