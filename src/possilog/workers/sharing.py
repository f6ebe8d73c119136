"""What is large and the same for many tasks goes to a worker once, and not with every task."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, TypeVar

__all__ = ["pack", "shared", "unpack"]

_Kind = TypeVar("_Kind", bound=type)
_SHARED: set[type] = set()


def shared(kind: _Kind) -> _Kind:
    """Declare that what is of this class is large and never changes, so that workers keep it from task to task."""
    _SHARED.add(kind)
    return kind


def pack(given: object, place: Callable[[Any], int | None]) -> bytes:
    """An object as bytes, in which each shared object is but a number, if ``place`` gives it one."""
    packed = BytesIO()
    _Packer(packed, place).dump(given)
    return packed.getvalue()


def unpack(packed: bytes, sharing: Sequence[Any]) -> Any:
    """What was packed, with the shared objects of these numbers."""
    return _Unpacker(BytesIO(packed), sharing).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: BytesIO, place: Callable[[Any], int | None]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._place = place

    def persistent_id(self, given: Any) -> int | None:
        return self._place(given) if type(given) in _SHARED else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: BytesIO, sharing: Sequence[Any]) -> None:
        super().__init__(file)
        self._sharing = sharing

    def persistent_load(self, number: Any) -> Any:
        return self._sharing[number]
