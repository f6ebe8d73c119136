"""An explorer as people start it: in a process of its own, with an address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Served", "serving"]


@dataclass
class Served:
    """The process, and its address."""

    process: subprocess.Popen[str]
    address: str

    def end(self) -> int:
        """Ask it to terminate; its exit code."""
        self.process.terminate()
        return self.process.wait(30)


@contextmanager
def serving(*arguments: str, cwd: Path | None = None) -> Iterator[Served]:
    """``possilog explore`` with these arguments, at a free port."""
    command = [sys.executable, "-m", "possilog", "explore", *arguments, "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
    assert process.stdout is not None and process.stderr is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), process.stderr.read()
        yield Served(process, address)
    finally:
        process.kill()
        process.communicate()
