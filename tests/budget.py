"""How many cases a property test tries."""

import os

VARIABLE = "POSSILOG_THOROUGH"
FACTOR = 10


def budget(n: int) -> int:
    """Return n, or ten times n under `pytest --thorough`."""
    return n * FACTOR if os.environ.get(VARIABLE) else n
