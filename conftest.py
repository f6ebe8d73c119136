"""How the tests run: a fixed budget by default, a fifth of it with --fast, twenty times that with --thorough."""

import ast
import gc
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from budget import VARIABLE, budget, size

ROOT = Path(__file__).parent


def hot_modules() -> tuple[str, ...]:
    """The list of compiled modules, read from setup.py without building anything."""
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="HOT")], value=value):
                return tuple(ast.literal_eval(value))
    raise AssertionError("setup.py has no list HOT")


# Their docstrings are not run: once compiled, the module and the file are not the same thing.
collect_ignore = [f"src/possilog/{name.replace('.', '/')}.py" for name in hot_modules()]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The sizes of a run."""
    parser.addoption("--fast", action="store_true", help="leave out slow tests, and try a fifth of the random cases")
    parser.addoption(
        "--thorough", action="store_true", help="try twenty times as many random cases, new ones each time"
    )
    parser.addoption(
        "--rewrite", action="store_true", help="write what comes today into tests/cli/transcripts, to be read and kept"
    )
    parser.addoption(
        "--fuzz-seconds", type=float, default=5, help="CPU time for which each reader is tried with changed files"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Sets the size of this run, and with it how many cases Hypothesis tries."""
    # A shell that runs the tests in the background ignores interrupts, and so would the programs that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # In the environment and not in a variable: test modules ask for their budget while they are imported.
    for name in ("fast", "thorough"):
        if config.getoption(name):
            os.environ[VARIABLE] = name
    # How fast a machine is says nothing about the code, so there are no time limits.
    settings.register_profile(
        "ci", derandomize=True, max_examples=budget(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.register_profile("thorough", settings.get_profile("ci"), derandomize=False, print_blob=True)
    settings.load_profile("thorough" if size() == "thorough" else "ci")


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is no such hook
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores, since some tests wait for a server, a browser or a program that was killed.

    None where something was selected: starting them takes longer than most of the tests.
    """
    selected = config.option.keyword or config.option.lf or any("::" in name for name in config.args)
    return 0 if selected else (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files with slow tests go first, so that no worker has to wait for the last one; with --fast slow tests do not go.

    A file stays together, since its tests share what is dear to make, and a worker takes a whole file.
    """
    slow = [item for item in items if item.get_closest_marker("slow")]
    if size() == "fast":
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    slow_ones, all_ones = (Counter(item.path for item in some) for some in (slow, items))
    items.sort(key=lambda item: (-slow_ones[item.path], -all_ones[item.path]))


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end; the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """What is left at the end may be freed, or else DuckDB says that it leaks."""
    gc.unfreeze()
