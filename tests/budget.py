"""How much the tests try: the size of a run, and how many cases a property test gets in it."""

import os

VARIABLE = "POSSILOG_TESTS"  # fast or thorough; neither is the size that a change has to pass
FACTORS = {"fast": 0.1, "": 0.5, "thorough": 10}


def size() -> str:
    """The size of this run, or nothing."""
    return os.environ.get(VARIABLE, "")


def budget(n: int, least: int = 1) -> int:
    """Return half of n, a tenth under `pytest --fast`, ten times n under `pytest --thorough`; at least `least`."""
    return max(min(least, n), round(n * FACTORS[size()]))
