"""How the tests run: a fixed budget by default, ten times that and fresh random cases with --thorough."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from budget import VARIABLE, budget


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="try ten times as many random cases, new ones each time")
    parser.addoption("--fuzz-seconds", type=float, default=5, help="how long each reader is tried with changed files")


def pytest_configure(config: pytest.Config) -> None:
    # A shell that runs the tests in the background ignores interrupts, and so would the programs that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # In the environment and not in a variable: test modules ask for their budget while they are imported.
    if config.getoption("--thorough"):
        os.environ[VARIABLE] = "1"
    # How fast a machine is says nothing about the code, so there are no time limits.
    settings.register_profile(
        "ci", derandomize=True, max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.register_profile(
        "thorough", settings.get_profile("ci"), derandomize=False, max_examples=budget(100), print_blob=True
    )
    settings.load_profile("thorough" if os.environ.get(VARIABLE) else "ci")
