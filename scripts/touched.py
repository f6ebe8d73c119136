"""A plugin of pytest that notes which test ran which line, also in processes that a test begins; see scripts/mutants.

TOUCHED=FILE PYTHONPATH=scripts python -m pytest -p touched ...
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import coverage
import pytest

INTO = Path(os.environ["TOUCHED"])
SETTINGS = INTO.with_suffix(".rc")
SETTINGS.write_text(
    f"[run]\nsource = {Path('src').resolve()}\ndata_file = {INTO.with_suffix('.data')}\nparallel = true\n"
    "context = ${PYTEST_CURRENT_TEST-}\n"
)
MEASURED = coverage.Coverage(config_file=str(SETTINGS), context="")
SECONDS: dict[str, float] = {}


def pytest_configure() -> None:
    """Begin before anything of ours is imported, and in each process that Python begins."""
    os.environ["COVERAGE_PROCESS_START"] = str(SETTINGS)
    MEASURED.start()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, None]:
    """What runs now is run by this test."""
    MEASURED.switch_context(item.nodeid)
    yield
    MEASURED.switch_context("")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """How long it took."""
    SECONDS[report.nodeid] = SECONDS.get(report.nodeid, 0) + report.duration


def pytest_sessionfinish() -> None:
    """The tests of each line of each file, quickest first."""
    MEASURED.stop()
    MEASURED.save()
    MEASURED.combine()
    data = MEASURED.get_data()
    found: dict[str, dict[int, list[str]]] = defaultdict(dict)
    for file in data.measured_files():
        for line, contexts in data.contexts_by_lineno(file).items():
            tests = {context.rpartition(" (")[0] or context for context in contexts} & SECONDS.keys()
            found[str(Path(file).relative_to(Path.cwd()))][line] = sorted(tests, key=SECONDS.__getitem__)
    INTO.write_text(json.dumps(found), encoding="utf-8")
