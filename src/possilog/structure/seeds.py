"""Random numbers that depend on the seed and on what they are for, and on nothing else."""

from __future__ import annotations

from zlib import crc32

import numpy as np

__all__ = ["generator"]


def generator(seed: int, *purpose: str) -> np.random.Generator:
    """The random numbers for a purpose: the same whatever is drawn for others, and in whatever order."""
    return np.random.default_rng([seed, *(crc32(word.encode("utf-8", "backslashreplace")) for word in purpose)])
