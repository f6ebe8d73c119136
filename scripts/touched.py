"""Which test runs which line, also in processes that a test begins; for scripts/warm.py.

It is a plugin of coverage as well: the commands that tests fork from one process run for the tests that ordered them.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import coverage


class Commands(coverage.CoveragePlugin):
    """What a command of possilog runs belongs to the test that its environment names."""

    def dynamic_context(self, frame: FrameType) -> str | None:
        """The test, where a command begins."""
        if frame.f_code.co_name == "main" and frame.f_globals.get("__name__") == "possilog.cli":
            return os.environ.get("PYTEST_CURRENT_TEST")
        return None


def coverage_init(registry: coverage.plugin_support.Plugins, options: object) -> None:
    """How coverage takes the plugin."""
    registry.add_dynamic_context(Commands())


class Touched:
    """What is noted while tests run."""

    def __init__(self, into: Path) -> None:
        """Note from now on, in this process and in those that it begins."""
        settings = into.with_suffix(".rc")
        here = f"[run]\nsource = {Path('src').resolve()}\ndata_file = {into.with_suffix('.data')}\nparallel = true\n"
        own = into.with_suffix(".own")
        own.write_text(here, encoding="utf-8")
        settings.write_text(here + "context = ${PYTEST_CURRENT_TEST-}\nplugins = touched\n", encoding="utf-8")
        os.environ["COVERAGE_PROCESS_START"] = str(settings)
        self._into = into
        self._measured = coverage.Coverage(config_file=str(own), context="")
        self._measured.start()

    @contextmanager
    def test(self, name: str) -> Iterator[None]:
        """What runs meanwhile is run by this test."""
        self._measured.switch_context(name)
        yield
        self._measured.switch_context("")

    def save(self, seconds: dict[str, float]) -> None:
        """The tests of each line of each file, and how long each test took."""
        self._measured.stop()
        self._measured.save()
        self._measured.combine()
        data = self._measured.get_data()
        found: dict[str, dict[int, list[str]]] = defaultdict(dict)
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                tests = {context.rpartition(" (")[0] or context for context in contexts} & seconds.keys()
                found[str(Path(file).relative_to(Path.cwd()))][line] = sorted(tests)
        self._into.write_text(json.dumps({"seconds": seconds, "lines": found}), encoding="utf-8")
