"""The command line, run as a user runs it: in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["run", "run_json"]


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of possilog."""
    command = [sys.executable, "-c", "from possilog.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def run_json(*arguments: str) -> dict[str, Any]:
    """What a command prints with --json; it has to succeed."""
    finished = run(*arguments, "--json")
    assert finished.returncode == 0, finished.stderr
    result: dict[str, Any] = json.loads(finished.stdout)
    return result
