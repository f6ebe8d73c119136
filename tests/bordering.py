"""A limit, one above, at and one below what a piece of work needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from possilog.errors import PossilogError


def check_limit(
    module: object, name: str, least: int, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is done with the least limit that it needs and with a higher one, and refused with a lower one."""
    for limit in (least, least + 1):
        monkeypatch.setattr(module, name, limit)
        work()
    monkeypatch.setattr(module, name, least - 1)
    with pytest.raises(PossilogError):
        work()
