"""How often conditions are right, and how unlikely it is that chance makes them so."""

from __future__ import annotations

from typing import Any

import numpy as np

from possilog.structure.columns.things import Floats

__all__ = ["share", "surprise"]


def share(true: Any, false: Any) -> Floats:
    """How often something is right; 0 where it says nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(true + false > 0, true / (true + false), 0.0)


def surprise(true: Any, false: Any, expected: Any) -> Floats:
    """Chernoff's bound, in nats: how unlikely it is to be right so often where ``expected`` is the chance of it."""
    size = true + false
    right = share(true, false)
    with np.errstate(divide="ignore", invalid="ignore"):
        says = np.where(true > 0, true * np.log(right / expected), 0.0)
        says = says + np.where(false > 0, false * np.log((1 - right) / (1 - expected)), 0.0)
    return np.where((size > 0) & (right > expected), says, 0.0)
