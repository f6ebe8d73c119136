"""The command line, run as users run it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from command import PROGRAM, run, run_json
from possilog.cli.contents import _NO_MEMORY, CONTENTS, _spare_memory, load_command
from possilog.cli.facts import load_both
from possilog.cli.options import DataOptions
from possilog.cli.output import check_network_file, check_page_file, check_theory_file
from possilog.cli.rules import _Confidence
from possilog.data.bundled import load
from possilog.errors import FileError
from possilog.logic import Atom, Literal, Query, parse_clause, variables_of
from possilog.matching import Matcher


@pytest.fixture
def facts(tmp_path: Path) -> str:
    path = tmp_path / "facts.db"
    path.write_text('R(a,b)\nR(b,c)\nR(b,"Big D")\nR(c,c)\nP(c)\nP("Big D")\n')
    return str(path)


def test_an_interrupt_while_commands_are_loaded_is_no_traceback() -> None:
    """The first quarter of a second goes by before any command runs."""
    program = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from possilog.cli import main
main()
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout, finished.stderr) == (130, "", "")


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


def test_schema_and_demo_and_version(facts: str, tmp_path: Path) -> None:
    assert "R(" in run("schema", facts).stdout
    shown = run("demo", cwd=tmp_path).stdout
    assert "lighthouse" in shown and str(tmp_path / "village-report.html") in shown
    assert (tmp_path / "village-report.html").stat().st_size > 10_000
    assert run("--version").stdout.startswith("possilog ")
    assert "query" in run("--help").stdout


def test_the_script_is_there() -> None:
    script = Path(sysconfig.get_path("scripts"), "possilog")
    printed = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed == run("--version").stdout


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
    command = [*PROGRAM, "query", "university", "student(X), student(Y)"]
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


# The commands, their options and the page about them

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
NAMES = [name for entries in CONTENTS.values() for name in entries]
DATA_OPTIONS = {"--header", "--encoding", "--symmetric", "--mapping", "--as-is", "--missing"}


def commands() -> dict[str, Any]:
    """Every command that does something, by its name."""
    loaded = {name: load_command(name) for name in NAMES}
    single = {name: command for name, command in loaded.items() if not hasattr(command, "commands")}
    several = {name: command.commands for name, command in loaded.items() if hasattr(command, "commands")}
    return single | {f"{name} {sub}": command for name, subs in several.items() for sub, command in subs.items()}


COMMANDS = commands()


def options(command: Any) -> set[str]:
    """The options of a command, all names of each."""
    return {name for one in command.params if one.param_type_name == "option" for name in one.opts}


def section(title: str) -> str:
    """What stands on the page under a title, with what stands below it."""
    depth, _, after = re.split(rf"^(#+) {re.escape(title)}()$", PAGE, flags=re.MULTILINE)[1:]
    return re.split(rf"^#{{1,{len(depth)}}} ", after, flags=re.MULTILINE)[0]


def named(text: str) -> set[str]:
    return set(re.findall(r"`(--?[a-z][a-z-]*)", text))


SHARED = named(section("Facts: one meaning everywhere")) & DATA_OPTIONS
SHARED |= named(section("Other options that mean the same everywhere")) - {"-o", "--output"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name: str) -> None:
    opposites = {other for one in COMMANDS[name].params for other in one.secondary_opts}
    assert named(section(f"`possilog {name}`")) - opposites == options(COMMANDS[name]) - SHARED


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_that_take_facts_take_them_in_one_way(name: str) -> None:
    takes_facts = any((one.metavar or "").startswith("DATA") for one in COMMANDS[name].params)
    assert options(COMMANDS[name]) & DATA_OPTIONS == (DATA_OPTIONS if takes_facts else set())


def test_help_says_something_of_everything() -> None:
    contents = run("--help").stdout
    assert all(f" {name} " in contents for name in NAMES)
    for command in COMMANDS.values():
        assert command.help.strip().endswith(".")
        assert all(one.help for one in command.params)


def test_markov_and_export_read_facts_as_the_others_do(tmp_path: Path) -> None:
    (tmp_path / "net.mln").write_text("married(person, person)\n1.5 married(x, y) => married(y, x)\n")
    (tmp_path / "married.csv").write_bytes("who,whom\nJosé,Ann\n".encode("latin-1"))
    (tmp_path / "theory.pl").write_text("0.9 :: married(X, Y) :- married(Y, X).\n")
    reading = ("--header", "--encoding", "latin-1", "--symmetric", "married")
    found = run("markov", "map", "net.mln", "--evidence", "married.csv", *reading, cwd=tmp_path)
    assert found.stdout.startswith("0 predicted, 2 given")
    assert run("markov", "weights", "net.mln", "--data", "village", "-o", "new.mln", cwd=tmp_path).returncode == 0
    exported = run(
        "export", "theory.pl", "--to", "problog", "-o", "p.pl", "--evidence", "married.csv", *reading, cwd=tmp_path
    )
    assert exported.returncode == 0 and "warning" not in exported.stderr
    assert "'José'" in (tmp_path / "p.pl").read_text()
    assert (tmp_path / "p.pl").read_text().count("'who'") == 0


# What is written


@pytest.mark.parametrize(
    "command",
    [
        ("learn", "village", "-o"),
        ("weigh", "theory.pl", "--data", "village", "-o"),
        ("export", "theory.pl", "--to", "psl", "-o"),
        ("markov", "weights", "net.mln", "--data", "village", "-o"),
        ("markov", "learn", "village", "-o"),
        ("markov", "encode", "net.mln", "--constants", "person=a,b", "-o"),
    ],
    ids=lambda command: "-".join(command[:2]),
)
def test_what_possilog_did_not_write_is_not_replaced(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "net.mln").write_text("married(person, person)\n1.5 married(x, y) => married(y, x)\n")
    (tmp_path / "theory.pl").write_text("0.9 :: married(X, Y) :- married(Y, X).\n")
    (tmp_path / "notes").write_text("married(ann, bob).\n")
    finished = run(*command, "notes", cwd=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: notes: it is there, and is not ")
    assert finished.stderr.count("\n") == 1
    assert (tmp_path / "notes").read_text() == "married(ann, bob).\n"


@pytest.mark.parametrize(
    "content", ["hello\n", "Dear Ann,\n", "p(a).\nq(b, c).\n", "% a remark\n", "\0" * 9, "(" * 99_999]
)
def test_what_is_neither_a_theory_nor_a_network(content: str, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text(content)
    for check in (check_theory_file, check_network_file):
        with pytest.raises(FileError, match="it is there, and is not a"):
            check(str(path), force=False)
        check(str(path), force=True)


@pytest.mark.parametrize(
    "text", ["", "#format 1.\n", "p(X) :- q(X).", "0.5 :: p(a).", "#ban p(a).", "? :: p(X) :- q(X)."]
)
def test_what_is_a_theory(text: str, tmp_path: Path) -> None:
    (tmp_path / "theory.pl").write_text(text)
    check_theory_file(str(tmp_path / "theory.pl"), force=False)


def test_what_possilog_wrote_is_replaced_and_force_replaces_all(tmp_path: Path) -> None:
    (tmp_path / "theory.pl").write_text("0.9 :: married(X, Y) :- married(Y, X).\n")
    (tmp_path / "empty.pl").write_text("")
    weigh = ("weigh", "theory.pl", "--data", "village", "-o")
    for path in ("new.pl", "new.pl", "empty.pl"):
        assert run(*weigh, path, cwd=tmp_path).returncode == 0
    (tmp_path / "new.pl").write_text("Dear Ann,\n")
    assert run(*weigh, "new.pl", "--force", cwd=tmp_path).returncode == 0
    export = ("export", "theory.pl", "-o", "program", "--to")
    assert [run(*export, to, cwd=tmp_path).returncode for to in ("psl", "psl", "problog")] == [0, 0, 0]


def test_an_experiment_keeps_out_of_other_folders(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("mine")
    finished = run("experiment", "village", "-o", "site", "--quick", cwd=tmp_path)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith("error: site: there are files in it, and no experiment")
    assert (tmp_path / "site" / "index.html").read_text() == "mine"


# Messages


def test_every_message_is_bounded_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    name = "x" * 100_000
    (tmp_path / "long.mln").write_text(f"{name}(t)\n{name}(t, t)\n")
    (tmp_path / "long.db").write_text(f"{name}(a)\n{name}(a, b)\n")
    rules = "".join(f"q{number}(X) :- p{number}(X).\n" for number in range(2_000))
    (tmp_path / "many.pl").write_text(rules)
    many = "".join(f"p{number}(a)\nP_{number}(a)\n" for number in range(2_000))
    (tmp_path / "many.db").write_text(many)
    for arguments in (
        ["markov", "map", "long.mln"],
        ["schema", "long.db"],
        ["query", "village", f"adult({name})"],
        ["check", "many.pl", "--data", "village"],
        ["query", "many.db", "p(X)", "--count"],
        ["rules", "many.db", "--target", "nothing"],
    ):
        said = run(*arguments, cwd=tmp_path).stderr
        assert 0 < len(said) < 5_000
        assert "left out" in said or "more" in said


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices here")
def test_what_never_ends_is_refused() -> None:
    for arguments in (["schema", "/dev/zero"], ["check", "/dev/zero", "--data", "village"]):
        finished = run(*arguments)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert finished.stderr.startswith("error: /dev/zero: it is no file, and gives more than 256 MB")


@pytest.mark.skipif(sys.platform != "linux", reason="how memory is bounded differs")
def test_want_of_memory_is_a_sentence(tmp_path: Path) -> None:
    with open(tmp_path / "huge.db", "wb") as file:
        file.truncate(2**40)
    finished = run("schema", str(tmp_path / "huge.db"))
    assert finished.returncode == 2
    sentence = "error: there is not enough memory for this; give less data, or narrower limits\n"
    assert finished.stderr == sentence
    # Nor is there room for a library.
    unable = "numpy.so: failed to map segment from shared object"
    before = f"""
import builtins
plain = builtins.__import__
def without_room(name, *rest, **named):
    if name.startswith("numpy"):
        raise ImportError({unable!r})
    return plain(name, *rest, **named)
builtins.__import__ = without_room"""
    finished = run("schema", "village", before=before)
    assert (finished.returncode, finished.stderr) == (2, sentence)


@pytest.mark.skipif(sys.platform != "linux", reason="how memory is bounded differs")
def test_libraries_make_no_threads_where_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenBLAS would wait for ever for those it has no room for; what a person chose stands."""
    import resource

    for bound, chosen, threads in ((resource.RLIM_INFINITY, None, None), (2**28, None, "1"), (2**28, "3", "3")):
        monkeypatch.setattr(resource, "getrlimit", lambda kind, bound=bound: (bound, resource.RLIM_INFINITY))
        monkeypatch.setattr(sys, "meta_path", [])
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        if chosen:
            monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen)
        _spare_memory()
        assert os.environ.pop("OPENBLAS_NUM_THREADS", None) == threads
        assert len(sys.meta_path) == (bound != resource.RLIM_INFINITY)


@pytest.mark.skipif(sys.platform != "linux", reason="how memory is bounded differs")
@pytest.mark.parametrize("library", ["numpy", "scipy.linalg", "scipy.special"])
def test_libraries_that_there_is_no_room_for_are_not_waited_for(library: str) -> None:
    """OpenBLAS asks for its memory for ever, and nothing but a kill ends it; this leaves it 24 MB beside its code."""
    before = f"""import resource, sys
import possilog.cli.contents as contents
if {library!r} != "numpy":
    import numpy
room = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (room + (50 << 20),) * 2)
contents.app = lambda: __import__({library!r})"""
    finished = run("schema", "village", before=before)
    assert (finished.returncode, finished.stderr) == (2, f"error: {_NO_MEMORY}\n")


def test_the_confidence_of_rules_is_exact() -> None:
    database = load("village")
    facts = set(database)
    matcher = Matcher(database)
    found = run_json("rules", "village", "--target", "parent", "--body", "2")["rules"]
    assert found
    for rule in found:
        clause = parse_clause(rule["rule"])
        bindings = matcher.matches(Query(tuple(map(Literal, clause.body))))
        free = [v for v in clause.head[0].variables if v not in variables_of(clause.body)]
        given = set()
        for match in bindings:
            others = [name for name in database.constants if name not in match.values()]
            for names in permutations(others, len(free)):
                values = match | {variable.name: name for variable, name in zip(free, names, strict=True)}
                given.add(tuple(values[variable.name] for variable in clause.head[0].variables))
        true = sum(Atom.ground("parent", names) in facts for names in given)
        assert rule["exceptions"] == len(given) - true
        assert rule["confidence"] == true / len(given)


@pytest.mark.parametrize(
    ("typed", "offered"), [("pre", "predict"), ("predict --evid", "--evidence"), ("mar", "markov")]
)
def test_a_shell_can_complete_what_is_typed(typed: str, offered: str) -> None:
    words = f"possilog {typed}"
    asked = {"_POSSILOG_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    program = [sys.executable, "-c", "import sys; sys.argv = ['possilog']; from possilog.cli import main; main()"]
    done = subprocess.run(program, env=os.environ | asked, capture_output=True, text=True, check=False)
    assert offered in done.stdout.split(), done.stderr


def test_a_threshold_needs_no_facts(tmp_path: Path) -> None:
    theory = tmp_path / "t.pl"
    theory.write_text("0.9 :: free_shipping(O) :- total(O, T), T >= 50.")
    read, facts = load_both(str(theory), "shop", DataOptions())
    assert facts.mapping is not None and read.mapping == facts.mapping.used  # and nothing is warned of


@pytest.mark.parametrize(
    ("true", "false", "told"),
    [
        (3, 1, "0.7500 (3/4)"),
        (0, 0, "0.0000 (0/0)"),
        (3, None, "not counted in time"),
        (3, 100_000, "0.0000 (3/100,003)"),
        (3, 100_001, "less than 3e-05"),
    ],
)
def test_a_confidence_says_what_was_counted(true: int, false: int | None, told: str) -> None:
    confidence = _Confidence(true, false)
    assert str(confidence) == told and (confidence.value is None) == (false is None or false > 100_000)


@pytest.mark.parametrize("command", ["count", "weigh", "check", "show", "schema", "query"])
def test_json_is_printed_as_it_is_spelled(command: str, tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text('"größe"(a).\nklein(b).\n', encoding="utf-8")
    (tmp_path / "theory.pl").write_text('0.9 :: "größe"(X) :- klein(X).\n', encoding="utf-8")
    about: tuple[str, ...] = ("facts.db",) if command in ("schema", "query") else ("theory.pl", "--data", "facts.db")
    about += ("--width", "1") if command in ("count", "weigh") else ()
    finished = run(command, *about, *(['"größe"(X)'] if command == "query" else []), "--json", cwd=tmp_path)
    assert finished.returncode == 0 and "\\u" not in finished.stdout
    assert "größe" in finished.stdout or command == "query"


def test_a_page_is_replaced_only_if_it_is_a_report(tmp_path: Path) -> None:
    page = str(tmp_path / "page.html")
    for content, ours in (('<meta name="generator" content="possilog">', True), ("<html></html>", False)):
        Path(page).write_text(content)
        if ours:
            check_page_file(page, force=False)
        else:
            with pytest.raises(FileError, match="is not a report"):
                check_page_file(page, force=False)


@pytest.mark.parametrize("name", [name for entries in CONTENTS.values() for name in entries])
def test_a_switch_is_off_unless_it_is_given(name: str) -> None:
    command = load_command(name)
    for each in getattr(command, "commands", {"": command}).values():
        switches = {one.name: one.default for one in each.params if getattr(one, "is_flag", False)}
        on = {switch for switch, default in switches.items() if default is True}
        assert on == ({"constants"} if name == "mine" else set())
        assert switches.get("header") is None  # what a file looks like
        assert {one.default for one in each.params if one.name == "seed"} <= {0, None}
        assert {one.default for one in each.params if one.name == "jobs"} <= {1}
