"""The command line, run as users run it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import run, run_json


@pytest.fixture
def facts(tmp_path: Path) -> str:
    path = tmp_path / "facts.db"
    path.write_text('R(a,b)\nR(b,c)\nR(b,"Big D")\nR(c,c)\nP(c)\nP("Big D")\n')
    return str(path)


def test_matches(facts: str) -> None:
    finished = run("query", facts, "R(X,Y), R(Y,Z), P(Z)")
    assert finished.stdout.splitlines() == ['X = a, Y = b, Z = "Big D"', "X = a, Y = b, Z = c"]
    assert (finished.returncode, finished.stderr) == (0, "")


def test_matches_as_json(facts: str) -> None:
    found = run_json("query", facts, "R(X,Y), R(Y,Z), P(Z)")
    assert found["variables"] == ["X", "Y", "Z"]
    assert found["matches"] == [{"X": "a", "Y": "b", "Z": "Big D"}, {"X": "a", "Y": "b", "Z": "c"}]
    assert found["count"] == 2


def test_limit(facts: str) -> None:
    assert len(run("query", facts, "R(X,Y)", "--limit", "2").stdout.splitlines()) == 2
    assert run_json("query", facts, "R(X,Y)", "--limit", "1")["count"] == 1
    assert run("query", facts, "R(X,Y)", "--limit", "-1").returncode == 2


def test_count_and_exists(facts: str) -> None:
    assert run("query", facts, "R(X,Y), not P(Y)", "--count").stdout == "1\n"
    assert run("query", facts, "R(X,X)", "--exists").stdout == "true\n"
    assert run("query", facts, "R(X,Y), R(Y,X)", "--exists").stdout == "false\n"
    assert run_json("query", facts, "R(X,Y)", "--count")["count"] == 3
    assert run_json("query", facts, "R(X,Y)", "--exists")["exists"] is True


def test_queries_with_constants_and_without_variables(facts: str) -> None:
    assert run("query", facts, 'R(X, "Big D")').stdout == "X = b\n"
    assert run("query", facts, "R(a, b)").stdout == "true\n"
    nothing = run("query", facts, "R(b, a)")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "no match\n")


def test_facts_that_ship_with_possilog() -> None:
    assert run("query", "village", "parent(A, B), parent(B, C)", "--count").stdout == "5\n"
    assert run_json("schema", "village")["facts"] == 110


def test_bad_input_is_one_sentence_and_exit_code_2(facts: str, tmp_path: Path) -> None:
    for arguments, message in [
        (["query", facts, "R(X Y)"], "error: <query>:1:5: found \"Y\", expected ',' or ')'\n"),
        (["query", facts, "R(X)"], "error: R has 2 arguments in the facts and 1 in the query; give it as many\n"),
        (["query", str(tmp_path / "none.db"), "R(X,Y)"], "error: "),
    ]:
        finished = run(*arguments)
        assert finished.returncode == 2
        assert finished.stdout == ""
        assert finished.stderr.startswith(message)
        assert finished.stderr.count("\n") == 1


def test_a_misspelt_predicate_is_noticed(facts: str) -> None:
    finished = run("query", facts, "r(X,Y)", "--count")
    assert finished.stdout == "0\n"
    assert finished.stderr == "warning: there are no facts of r/2; did you mean R?\n"


def test_what_a_reader_remarks_is_shown(tmp_path: Path) -> None:
    (tmp_path / "again.db").write_text("P(a)\nP(a)\n")
    finished = run("query", "again.db", "P(X)", cwd=tmp_path)
    assert finished.stdout == "X = a\n"
    assert finished.stderr.startswith("warning: again.db")


def test_schema_and_demo_and_version(facts: str) -> None:
    assert "R(" in run("schema", facts).stdout
    assert "lighthouse" in run("demo").stdout
    assert run("--version").stdout.startswith("possilog ")
    assert "query" in run("--help").stdout


def test_a_long_search_can_be_interrupted() -> None:
    apart = "student(A), student(B), student(C), student(D), not officeMate(A, B), not officeMate(C, D)"
    program = "from possilog.cli import main; print(flush=True); main()"
    command = [sys.executable, "-c", program, "query", "university", apart, "--count"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130


def test_output_that_nobody_reads_on_ends_quietly() -> None:
    program = "from possilog.cli import main; main()"
    command = [sys.executable, "-c", program, "query", "university", "student(X), student(Y)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""


def test_a_misspelt_constant_is_noticed(facts: str) -> None:
    finished = run("query", facts, 'R(X, "big d")')
    assert finished.stderr == 'warning: there are no facts about "big d"; did you mean "Big D"?\nno match\n'


def test_a_constant_that_reads_as_a_variable_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "likes.db").write_text("likes(C002, tea)\n")
    finished = run("query", "likes.db", "likes(C002, X)", "--count", cwd=tmp_path)
    assert finished.stdout == "1\n"
    assert finished.stderr == (
        'warning: C002 is a variable here, since it is not quoted; write "C002" for the constant\n'
    )
    assert run("query", "likes.db", 'likes("C002", X)', cwd=tmp_path).stderr == ""


def test_constants_are_quoted_where_they_must_be(tmp_path: Path) -> None:
    (tmp_path / "odd.db").write_text('P("x, Y = z")\nP("Old Carl")\nP(Anna)\n')
    finished = run("query", "odd.db", "P(X)", cwd=tmp_path)
    assert finished.stdout.splitlines() == ["X = Anna", 'X = "Old Carl"', 'X = "x, Y = z"']


def test_encodings(tmp_path: Path) -> None:
    (tmp_path / "old.db").write_bytes("P(José)\n".encode("latin-1"))
    assert run("query", "old.db", "P(X)", cwd=tmp_path).returncode == 2
    assert run("query", "old.db", "P(X)", "--encoding", "latin-1", cwd=tmp_path).stdout == "X = José\n"


def test_a_closed_output_gives_no_traceback(facts: str) -> None:
    closed = f"'{sys.executable}' -m possilog query '{facts}' 'P(X)' >&-"
    finished = subprocess.run(["sh", "-c", closed], capture_output=True, text=True, check=False)
    assert "Traceback" not in finished.stderr
