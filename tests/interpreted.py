"""The chainer as it runs without a compiler, whether or not there is a compiled one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from possilog import chaining

PARTS = ("store", "join", "chainer")


def interpreted_chainer(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Its module; each of its parts finds those before it interpreted too."""
    with monkeypatch.context() as patch:
        for part in PARTS:
            name = f"possilog.chaining.{part}"
            spec = importlib.util.spec_from_file_location(name, Path(chaining.__file__).parent / f"{part}.py")
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            patch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
    return module
