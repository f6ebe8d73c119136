"""The command line, run as a user runs it: in a process of its own."""

import json
import os
import subprocess
import sys
from atexit import register
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__ = ["PROGRAM", "run", "run_json"]

PROGRAM = (sys.executable, "-c", "from possilog.cli import main; main()")
"""The command line from scratch, for those who have to watch, limit or interrupt it."""

_SERVER = Path(__file__).with_name("command_server.py")


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    before: str = "",
    together: bool = False,
    constants: Mapping[str, float] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command of possilog; where something is done ``before``, from scratch.

    ``together`` has errors where the output is, as a terminal shows them; ``constants`` of modules have other values.
    """
    words = list(map(str, arguments))
    if before or not hasattr(os, "fork"):
        python, option, program = PROGRAM
        command = [python, option, f"{before}\n{program}", *words]
        pipe, there = subprocess.PIPE, subprocess.STDOUT if together else subprocess.PIPE
        return subprocess.run(command, stdout=pipe, stderr=there, text=True, cwd=cwd, env=env, check=False)
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        order = {
            "arguments": words,
            "cwd": os.fspath(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
            "out": os.fspath(out),
            "err": os.fspath(out if together else err),
            "constants": dict(constants or {}),
        }
        status = carry_out(order)
        texts = [path.read_text("utf-8") if path.exists() else "" for path in (out, err)]
        return subprocess.CompletedProcess(["possilog", *words], status, *texts)


def run_json(*arguments: str) -> dict[str, Any]:
    """What a command prints with --json; it has to succeed."""
    finished = run(*arguments, "--json")
    assert finished.returncode == 0, finished.stderr
    result: dict[str, Any] = json.loads(finished.stdout)
    return result


def carry_out(order: Mapping[str, Any]) -> int:
    """Run a command as ordered, in a process of its own, and give its exit status; scripts/warm.py has another way."""
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(order) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    """One for each process that runs tests."""
    # One thread, so that forking is safe.
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    single |= {"PYTHONUNBUFFERED": "1"}  # what goes to one place comes in the order in which it was said
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, str(_SERVER)], stdin=pipe, stdout=pipe, encoding="utf-8", env=single)
    register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    server.terminate()
    server.communicate()
