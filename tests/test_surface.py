"""The public surface: what users may import, pinned."""

from __future__ import annotations

import subprocess
import sys

import pytest

import possilog


def test_every_public_name_is_there() -> None:
    assert sorted(possilog.__all__) == sorted(possilog._HOME_OF)
    for name in possilog.__all__:
        assert getattr(possilog, name).__module__.startswith("possilog.")


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        possilog.nothing  # noqa: B018


@pytest.mark.parametrize("statement", ["import possilog", "import possilog.cli"])
def test_importing_brings_in_nothing_heavy(statement: str) -> None:
    """Help must come at once, so numpy, duckdb and the rest wait until they are needed."""
    program = f"import sys; {statement}; print(*{{'numpy', 'duckdb', 'pandas', 'possilog.data'}} & set(sys.modules))"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == ""
