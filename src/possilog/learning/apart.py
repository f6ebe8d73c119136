"""Rules that likelihood cannot tell apart, each in a place of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal

__all__ = ["spread"]

_DIGITS = 12
"""What likelihood cannot tell apart differs in this digit of the doubts, so that each keeps its place."""


def spread(doubts: Sequence[Decimal], pinned: Collection[int] = ()) -> list[Decimal]:
    """Doubts in their order, made to rise where they do not; those at pinned places stay as a person wrote them.

    Between two pins of one doubt there is no room, so what stands there has theirs.

    >>> print(*spread([Decimal("0.1")] * 3))
    0.1 0.100000000001 0.100000000002
    >>> print(*spread([Decimal("0.1")] * 3, [1]))
    0.099999999999 0.1 0.100000000001
    """
    found = list(doubts)
    for place in range(1, len(found)):
        if place not in pinned and found[place] <= found[place - 1]:
            found[place] = min(found[place - 1] + _step(found[place - 1]), Decimal(1))
    for place in reversed(range(len(found) - 1)):  # what comes before a pin gives way to it
        if place not in pinned and found[place] >= found[place + 1] > 0:
            above = max((doubts[pin] for pin in pinned if pin < place), default=Decimal(0))
            found[place] = max(found[place + 1] - _step(found[place + 1]), above)
    return found


def _step(doubt: Decimal) -> Decimal:
    return Decimal(1).scaleb(doubt.adjusted() - _DIGITS + 1)
