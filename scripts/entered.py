"""Which test enters which function; for scripts/warm.py.

Nothing is traced, so nothing gets slower: before a test every function of ours is a stub, which notes that it is
called, becomes the function again, and calls it.
"""

from __future__ import annotations

import builtins
import gc
import inspect
import json
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

_OTHERWISE_CALLED = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""A stub of such a function would be no such function, and those who call it look."""


def _stub(*arguments: Any, **named: Any) -> Any:
    return _entered("number")(*arguments, **named)  # type: ignore[name-defined]  # noqa: F821


class Entered:
    """The functions of a folder that are in memory, and which of them each test enters."""

    def __init__(self, into: Path, folder: Path) -> None:
        """Take the functions as they are now."""
        self._into, self._folder, self._hit = into, folder, set[int]()
        self._found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._functions: list[tuple[FunctionType, CodeType, CodeType]] = []
        builtins._entered = self._enter  # type: ignore[attr-defined]  # found from any module
        gc.unfreeze()  # what was collected is frozen, and is not listed then
        for function in gc.get_objects():
            if isinstance(function, FunctionType) and function.__code__.co_filename.startswith(f"{folder}/"):
                self._take(function, function.__code__)

    def _take(self, function: FunctionType, code: CodeType) -> None:
        if code.co_flags & _OTHERWISE_CALLED:
            return
        with suppress(ValueError, TypeError, NameError):
            function.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]  # as the stub has none
        constants = (len(self._functions) if one == "number" else one for one in _stub.__code__.co_consts)
        stub = _stub.__code__.replace(co_consts=tuple(constants), co_freevars=code.co_freevars, co_name=code.co_name)
        self._functions.append((function, code, stub))

    def _enter(self, number: int) -> FunctionType:
        self._hit.add(number)
        function, function.__code__, _ = self._functions[number]
        return function

    def begin(self) -> None:
        """A test begins."""
        self._hit.clear()
        for function, _, stub in self._functions:
            function.__code__ = stub

    @property
    def so_far(self) -> list[int]:
        """The numbers of the functions that were entered; what a fork enters is told to the process that forked it."""
        return sorted(self._hit)

    def also(self, numbers: list[int]) -> None:
        """A fork entered these, too."""
        self._hit.update(numbers)

    def end(self, test: str) -> None:
        """A test has ended."""
        for number in self._hit:
            code = self._functions[number][1]
            path = Path(code.co_filename).relative_to(self._folder.parent)
            self._found[str(path)][code.co_firstlineno].append(test)

    def save(self, seconds: dict[str, float]) -> None:
        """The tests that enter each function of each file, by its first line, and how long each test took."""
        self._into.write_text(json.dumps({"seconds": seconds, "functions": self._found}), encoding="utf-8")
