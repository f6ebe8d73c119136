"""Runs commands of possilog, each in a process of its own, without importing everything anew for each.

Reads one order per line, forks, and answers with the exit status. What a command leaves behind in memory is gone with
its process, as if it had been started from scratch.
"""

import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

import possilog
from possilog.cli import main
from possilog.cli.contents import app


def wait_for_orders() -> None:
    """Return in a process that has an order to carry out; never in this one."""
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if not child:
            become(order)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    sys.exit()


def become(order: Mapping[str, Any]) -> None:
    """Be a process that was started as ordered."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(str(order["cwd"]))
    os.environ.clear()
    os.environ.update(order["env"])
    files = {0: os.devnull, 1: str(order["out"]), 2: str(order["err"])}
    for number, path in files.items():
        opened = os.open(path, os.O_RDWR | os.O_APPEND | (os.O_CREAT if number else 0), 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["possilog", *order["arguments"]]
    for name, value in order["constants"].items():
        _set(name, value)


def _set(name: str, value: float) -> None:
    """Give a constant of a module another value, wherever it was imported."""
    module, _, constant = name.rpartition(".")
    before = getattr(sys.modules[f"possilog.{module}"], constant)
    for known, other in list(sys.modules.items()):
        if known.startswith("possilog.") and getattr(other, constant, None) is before:
            setattr(other, constant, value)


def import_all() -> None:
    """What commands import when they run, too: Typer's own late imports take longer than most commands."""
    for module in pkgutil.walk_packages(possilog.__path__, "possilog."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        app(["--version"], standalone_mode=False)


if __name__ == "__main__":
    import_all()
    gc.freeze()
    wait_for_orders()
    main()
