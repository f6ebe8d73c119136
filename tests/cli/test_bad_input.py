"""Bad input of every kind in every command: one sentence, exit code 2, and no file that is half written."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command import PROGRAM
from command import run as run_command
from possilog.cli.contents import CONTENTS, main
from possilog.data.partitions import partition

THEORY = ":- p(X), r(X).\n0.9 :: p(X) :- q(X, Y).\n0.8 :: q(X, Y) :- q(Y, X).\n"
FACTS = "".join(f"q(a{n}, b{n})\np(a{n})\n" for n in range(4)) + "r(c)\n"
NETWORK = "p(t)\nq(t, t)\nr(t)\n1.5 q(x, y) => p(x)\n"

# Words in capitals are files; what a command writes is OUT.
COMMANDS = [
    "schema DATA",
    "query DATA p(X)",
    "learn DATA -o OUT --width 2 --body 1",
    "weigh THEORY --data DATA -o OUT",
    "hard-rules DATA --variables 2",
    "rules DATA --body 1",
    "mine DATA",
    "count THEORY --data DATA",
    "show THEORY --data DATA",
    "predict THEORY --evidence DATA",
    "ask THEORY p(?) --data DATA",
    "explain THEORY p(a1) --evidence DATA",
    "what-if THEORY --evidence DATA --add q(c,d)",
    "check THEORY --data DATA",
    "report THEORY --data DATA -o OUT",
    "explore THEORY --data DATA --no-browser --port 0",
    "diff THEORY THEORY --evidence DATA",
    "convert THEORY --to asp -o OUT --evidence DATA",
    "export THEORY --to json -o OUT",
    "evaluate THEORY --test DATA --repeats 1 --sizes 3",
    "rank THEORY --train DATA --test DATA",
    "experiment DATA -o OUT",
    "markov map NETWORK --evidence DATA",
    "markov weights NETWORK --data DATA -o OUT",
    "markov learn DATA -o OUT",
    "demo -o OUT",
    "partition TRIPLES OUT",
    "complete THEORY PARTS -o OUT",
]
RUN_LONG = ("experiment", "demo", "explore")  # tried with what fails before the work begins
BINARY = bytes(range(256)) * 20


def bad_files(folder: Path) -> dict[str, Path]:
    """Files that no command can use, by what is wrong with them."""
    made = {
        "binary": BINARY,
        "syntax": b"p(a, :-\n0.9 ::\n",
        "wrong arity": b"p(a)\np(a, b)\n0.9 :: p(X) :- p(X, Y).\n",
        "wide": "p(a).\n".encode("utf-16"),
        "nothing but quotes": b'""""\n',
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    return {name: folder / name for name in (*made, "missing", "folder")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("theory.pl", THEORY), ("data.db", FACTS), ("network.mln", NETWORK)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """The command line prints warnings in its own way."""
    show = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        yield
    warnings.showwarning = show


Run = Callable[[str, dict[str, Path]], tuple[int, str]]


@pytest.fixture(scope="module")
def triples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("triples") / "triples.tsv"
    path.write_text("".join(f"a{number}\tq\tb{number}\n" for number in range(9)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parts(triples: Path) -> Path:
    partition(triples, triples.with_name("parts"))
    return triples.with_name("parts")


@pytest.fixture
def run(
    folder: Path, triples: Path, parts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command in this process; gives its exit code, and what it said on standard error."""

    def runs(command: str, files: dict[str, Path]) -> tuple[int, str]:
        usual = {"THEORY": folder / "theory.pl", "DATA": folder / "data.db", "NETWORK": folder / "network.mln"}
        given = {**usual, "TRIPLES": triples, "PARTS": parts, "OUT": folder / "out", **files}
        monkeypatch.setattr(sys, "argv", ["possilog", *(str(given.get(word, word)) for word in command.split())])
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code
        return int(str(code or 0)), capsys.readouterr().err

    return runs


def require_one_sentence(code: int, said: str) -> None:
    assert code == 2, said
    errors = [line for line in said.splitlines() if not line.startswith("warning: ")]
    assert len(errors) == 1 and errors[0].startswith("error: ") and len(errors[0]) <= 1_100, said
    assert "Traceback" not in said


def listing(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


WORDS = ("THEORY", "DATA", "NETWORK", "TRIPLES", "PARTS")
PLACES = [(command, word) for command in COMMANDS for word in WORDS if word in command.split()]
WRONG = ("missing", "binary", "syntax", "wrong arity", "wide")
OUTPUTS = [command for command in COMMANDS if "OUT" in command.split()]


def test_every_command_is_tried() -> None:
    names = {name for entries in CONTENTS.values() for name in entries}
    assert {command.split()[0] for command in COMMANDS} == names


@pytest.mark.parametrize(
    "command",
    [
        "ask THEORY p(?,?) --data DATA",
        "predict THEORY --evidence DATA --calibrate DATA",
        *(one for one in COMMANDS if one.split()[0] in ("show", "check", "report", "convert", "predict")),
    ],
)
def test_other_numbers_of_arguments_are_refused(command: str, run: Run, folder: Path) -> None:
    """Facts and question are right by themselves, but not for this theory."""
    other = folder / "other.db"
    other.write_text("q(a, b)\np(a)\n" if "ask" in command else "q(a)\np(a)\n", encoding="utf-8")
    code, said = run(command, {"DATA": other})
    require_one_sentence(code, said)
    assert "give it as many" in said


def test_what_looks_misspelt_is_remarked_first(run: Run, folder: Path) -> None:
    names = ("apple", "barn", "cow", "dust", "married")
    (folder / "long.pl").write_text("".join(f"0.9 :: {name}(X) :- {name}_{name}(X).\n" for name in names), "utf-8")
    (folder / "near.db").write_text("maried(a)\n", encoding="utf-8")
    code, said = run("check THEORY --data DATA", {"THEORY": folder / "long.pl", "DATA": folder / "near.db"})
    assert code == 0 and "did you mean maried?" in said


def test_a_question_about_thousands_of_unknown_predicates_is_answered_at_once(folder: Path) -> None:
    (folder / "many.db").write_text("".join(f"z{number}(a)\n" for number in range(9_000)), encoding="utf-8")
    asked = ", ".join(f"zy{number}(X)" for number in range(3_000))
    finished = run_command("query", folder / "many.db", asked)
    assert finished.returncode == 0
    assert [line.partition(";")[0] for line in finished.stderr.splitlines()] == [
        *(f"warning: there are no facts of zy{number}/1" for number in range(3)),
        "warning: there are no facts of 2,997 more predicates of the query",
        "no match",
    ]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.split()[0] not in RUN_LONG])
def test_what_is_right_is_done(command: str, run: Run) -> None:
    """Or the others would not show anything."""
    code, said = run(command, {})
    assert code == 0, said


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize(("command", "word"), PLACES)
def test_files_that_cannot_be_used(command: str, word: str, kind: str, run: Run, folder: Path) -> None:
    files = bad_files(folder)
    before = listing(folder)
    code, said = run(command, {word: files[kind]})
    require_one_sentence(code, said)
    assert listing(folder) == before


@pytest.mark.parametrize("kind", ["folder", "nothing but quotes", "empty"])
@pytest.mark.parametrize(("command", "word"), PLACES)
def test_files_that_say_nothing(command: str, word: str, kind: str, run: Run, folder: Path) -> None:
    """They are refused; but where nothing is known, that is evidence, and it is remarked."""
    files = bad_files(folder) | {"empty": folder / "empty"}
    (folder / "empty").touch()
    if command.split()[0] in RUN_LONG:
        return
    before = listing(folder)
    code, said = run(command, {word: files[kind]})
    if "--evidence DATA" in command and word == "DATA" and not code:
        assert said.startswith("warning: ") and "no fact" in said
    else:
        require_one_sentence(code, said)
        assert listing(folder) == before


@pytest.mark.parametrize("kind", ["no such folder", "a folder", "below a file", "full", "a dash"])
@pytest.mark.parametrize("command", OUTPUTS)
def test_what_cannot_be_written(command: str, kind: str, run: Run, folder: Path) -> None:
    (folder / "here").mkdir()
    if command.startswith("experiment") and kind in ("no such folder", "a folder"):
        return  # it writes a folder, and makes those above it
    if command.startswith(("partition", "complete")) and kind == "a folder":
        return  # they write a folder, and one that is empty is as good as a new one
    if command.startswith(("convert", "export")) and kind == "a dash":
        return  # it prints the text
    places = {
        "no such folder": folder / "nowhere" / "out",
        "a folder": folder / "here",
        "below a file": folder / "data.db" / "out",
        "full": Path("/dev/full"),
        "a dash": Path("-"),
    }
    before = listing(folder)
    require_one_sentence(*run(command, {"OUT": places[kind]}))
    assert listing(folder) == before


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("markov map NETWORK --evidence DATA", "p(A)\n!p(A)\n"),
        ("convert THEORY --to problog -o OUT --evidence DATA", "p(a)\n!p(a)\n"),
        ("convert THEORY --to problog -o OUT --evidence DATA", "p(a)\nr(a)\n"),
    ],
)
def test_evidence_that_contradicts_itself_or_hard_rules(command: str, facts: str, run: Run, folder: Path) -> None:
    (folder / "data.db").write_text(facts, encoding="utf-8")
    code, said = run(command, {})
    require_one_sentence(code, said)
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    "command",
    [
        "predict THEORY --evidence DATA",
        "explain THEORY p(b) --evidence DATA --json",
        "what-if THEORY --evidence DATA --add p(b)",
        "diff THEORY THEORY --evidence DATA",
    ],
)
@pytest.mark.parametrize("facts", ["p(a)\n!p(a)\n", "p(a)\nr(a)\n"])
def test_what_contradicts_hard_rules_is_said(command: str, facts: str, run: Run, folder: Path) -> None:
    (folder / "data.db").write_text(facts, encoding="utf-8")
    code, said = run(command, {})
    assert code == 0 and "the evidence contradicts the hard rules (what it breaks is set aside)" in said


@pytest.mark.parametrize(
    ("command", "facts", "hint"),
    [
        ("predict THEORY --evidence DATA", "qq(a, b)\n", "did you mean"),
        ("diff THEORY THEORY --evidence DATA", "qq(a, b)\n", "did you mean"),
        ("query DATA pp(X)", FACTS, "pp/1"),
        ("explain THEORY parent(a1) --evidence DATA", FACTS, "parent/1"),
    ],
)
def test_predicates_that_nobody_knows_are_remarked(command: str, facts: str, hint: str, run: Run, folder: Path) -> None:
    if hint == "did you mean":
        (folder / "theory.pl").write_text("0.9 :: parent(X) :- married(X, Y).", encoding="utf-8")
        facts = "maried(a, b)\n"
    (folder / "data.db").write_text(facts, encoding="utf-8")
    code, said = run(command, {})
    assert code == 0 and hint in said and said.startswith("warning: ")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["schema DATA", "show THEORY --data DATA", "predict THEORY --evidence DATA --json"])
def test_a_full_disk_and_a_closed_pipe(command: str, folder: Path) -> None:
    files = {"THEORY": folder / "theory.pl", "DATA": folder / "data.db"}
    words = [str(files.get(word, word)) for word in command.split()]
    program = [*PROGRAM, *words]
    with open("/dev/full", "w") as full:
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode and "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 1
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode and "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 1


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [one for one in OUTPUTS if one.split()[0] in ("report", "partition", "complete")]
)  # a file, a folder, and parts one by one
def test_a_disk_that_is_full_before_the_end(command: str, folder: Path, triples: Path, parts: Path) -> None:
    """Files may be begun, but not get longer; what is begun does not stay."""
    files = {"THEORY": folder / "theory.pl", "DATA": folder / "data.db", "NETWORK": folder / "network.mln"}
    given = {**files, "TRIPLES": triples, "PARTS": parts, "OUT": folder / "out"}
    before = listing(folder)
    done = run_command(*(given.get(word, word) for word in command.split()), before=FULL)
    errors = [line for line in done.stderr.splitlines() if not line.startswith(("note: ", "["))]
    require_one_sentence(done.returncode, "\n".join(errors))
    assert listing(folder) == before
