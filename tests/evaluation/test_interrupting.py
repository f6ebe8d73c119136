"""Experiments that are killed, interrupted and watched, as real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import PROGRAM

pytest.importorskip("matplotlib", reason="plots need matplotlib")

pytestmark = pytest.mark.slow

COMMAND = (*PROGRAM, "experiment", "facts.db", "--quick")
PHASES = [
    *("theory", "network"),
    *(f"scores of {name}" for name in ("evidence only", "hard rules only", "density-estimation tree")),
    *(f"scores of ours, {way}" for way in ("global", "global, repaired", "fragment", "local", "calibrated")),
    *(f"curve of {name}" for name in ("evidence only", "hard rules only")),
    *(f"curve of ours, {way}" for way in ("global", "global, repaired", "local")),
    *("areas", "readings"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Few facts; Markov logic cannot spell the names, so no network is learned, which takes as long as it may."""
    unary = [f"{kind}(t{place})" for place in range(10) for kind in ("1st", "2nd")]
    pairs = [f"{kind}(t{one}, t{other})" for one in range(10) for other in range(one) for kind in ("near", "3rd")]
    (tmp_path / "facts.db").write_text("\n".join(unary + pairs))
    return tmp_path


def begin(folder: Path, output: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "-o", output, *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end_at(phase: str, number: signal.Signals, process: subprocess.Popen[str]) -> str:
    """Signal when a phase begins: to all processes, as a terminal does, or to the first, as ``kill`` does."""
    with process:
        assert process.stderr is not None
        line = next((line for line in process.stderr if line == f"facts: {phase}\n"), None)
        assert line is not None, f"there was no phase {phase}"
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        return process.communicate(timeout=60)[1]  # which waits for all who can still write


def written(folder: Path) -> dict[str, bytes]:
    """All that an experiment wrote but its work and its times, byte by byte."""
    inside = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {str(name): path.read_bytes() for name, path in inside.items() if name.parts[0] not in ("work", "times")}


def test_a_run_that_was_ended_again_and_again_gives_the_same_bytes(folder: Path) -> None:
    whole = begin(folder, "whole", "--repeats", "2")
    said = whole.communicate()[1]
    assert whole.returncode == 0
    assert said.splitlines() == [f"facts: {phase}" for phase in PHASES]  # a line for each phase, and no bars
    for phase, number, code in [
        ("theory", signal.SIGKILL, -signal.SIGKILL),
        ("scores of ours, global", signal.SIGINT, 130),
        ("curve of hard rules only", signal.SIGTERM, 143),
        ("readings", signal.SIGKILL, -signal.SIGKILL),
    ]:
        process = begin(folder, "again", "--repeats", "2", "--jobs", "2")
        said = end_at(phase, number, process)
        assert process.returncode == code, said
        if code > 0:
            assert "interrupted: the same command goes on from what is kept in again/work" in said
            assert "Traceback" not in said
    last = begin(folder, "again", "--repeats", "2", "--jobs", "2")
    said = last.communicate()[1]
    assert last.returncode == 0 and said == "facts: readings\n"
    assert written(folder / "again") == written(folder / "whole")
    assert {"index.html", "results.json", "theory.pl"} < written(folder / "whole").keys()
    assert "seconds" not in (folder / "whole" / "results.json").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_half_written(folder: Path, number: signal.Signals) -> None:
    """Many evidence sets, so that the workers are busy."""
    (folder / "theory.pl").write_text("0.9 :: near(X, Z) :- near(X, Y), near(Y, Z).\n")
    options = ("--repeats", "1500", "--jobs", "2", "--theory", "theory.pl")
    process = begin(folder, "results", *options)
    said = end_at("scores of hard rules only", number, process)
    assert process.returncode == 128 + number
    assert "interrupted: the same command goes on from what is kept in results/work" in said
    assert "Traceback" not in said
    assert {path.name for path in (folder / "results").iterdir()} == {"work"}
    kept = {path.name for path in (folder / "results" / "work").iterdir()}
    assert kept == {"run.json", "network.json", "scores-of-evidence-only.json"}
    for path in (folder / "results" / "work").iterdir():
        json.loads(path.read_bytes())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals here")
def test_a_terminal_shows_a_bar_for_each_phase(folder: Path) -> None:
    import pty

    (folder / "theory.pl").write_text("0.9 :: near(X, Z) :- near(X, Y), near(Y, Z).\n")
    ours, theirs = pty.openpty()
    command = [*COMMAND, "-o", "results", "--repeats", "1", "--theory", "theory.pl"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, env=environment) as process:
        os.close(theirs)
        said = _read_all(ours)
    assert process.returncode == 0
    for phase in PHASES[1:]:
        assert f"facts: {phase}\r\n" in said
    assert "━" in said and re.search(r"scores of ours, local: evidence sets .*3/3", said)


def _read_all(terminal: int) -> str:
    content = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # nobody has the other end any more
            part = b""
        if not part:
            os.close(terminal)
            return content.decode()
        content += part
