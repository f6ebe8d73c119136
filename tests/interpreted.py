"""The compiled modules as the Python that they are."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import possilog


def interpreted(*names: str) -> ModuleType:
    """The last of some modules of possilog, from its file; it sees the files of those before it."""
    before = {f"possilog.{name}": sys.modules[f"possilog.{name}"] for name in names}
    try:
        for name in before:
            path = Path(possilog.__file__).parent.joinpath(*name.split(".")[1:]).with_suffix(".py")
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None and spec.loader is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        return sys.modules[name]
    finally:
        sys.modules.update(before)


def interpreted_chainer() -> ModuleType:
    """The chainer with its atoms and its joins."""
    return interpreted("chaining.store", "chaining.join", "chaining.chainer")
