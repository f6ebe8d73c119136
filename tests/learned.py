"""What is learned of bundled facts, once for all tests of a process."""

from functools import cache

from possilog import learn
from possilog.data.bundled import load
from possilog.learning import Learned

__all__ = ["learned"]


@cache
def learned(name: str) -> Learned:
    """All that is learned of a bundled data set."""
    return learn(load(name))
