"""Every reader, tried with good files that were changed at random, for five seconds each or as long as asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from budget import size
from fuzz.fuzzer import TARGETS

MOST_MEMORY = 500
"""Megabytes."""


@pytest.mark.slow
@pytest.mark.parametrize("reader", TARGETS)
def test_any_change_gives_a_result_or_an_error_of_ours(reader: str, request: pytest.FixtureRequest) -> None:
    seconds = str(request.config.getoption("--fuzz-seconds"))
    seed = str(os.getpid()) if size() == "thorough" else "0"
    program = Path(__file__).with_name("fuzzer.py")
    command = [sys.executable, "-X", "faulthandler", str(program), reader, seconds, seed]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr[-3_000:]
    cases, memory = map(int, finished.stdout.split())
    assert cases > 0 and memory < MOST_MEMORY, f"{memory} MB"
