"""A plugin of pytest that collects the tests once, and then runs some of them when it is told, each time in a fork.

WARM=ORDERS,ANSWERS (two open file numbers) PYTHONPATH=scripts python -m pytest -p warm ...

An order is a line of JSON: which tests, and how many seconds they may take. With ``before`` and ``after``, two texts
of a file, the functions of the one become those of the other first, wherever they already are, so nothing is imported
again. With ``enter``, it is noted which test enters which function, see entered.py. The answer is a line: the first
test that failed, if any, and how the fork ended. Commands that tests run are forks of the fork, so that they have the
changed functions, too, and what they enter is noted.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from entered import Entered

MEMORY = 8 << 30
SECONDS: dict[str, float] = {}
FAILED: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """How long a test took, and whether it failed."""
    SECONDS[report.nodeid] = SECONDS.get(report.nodeid, 0) + report.duration
    FAILED.extend([report.nodeid] if report.failed else [])


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Instead of running all tests: answer orders until there are no more."""
    orders, answers = map(int, os.environ["WARM"].split(","))
    items = {item.nodeid: item for item in session.items}
    import command_server

    command_server.import_all()  # so that no fork has to
    with open(orders, encoding="utf-8") as told, open(answers, "w", encoding="utf-8") as answering:
        print(json.dumps({"tests": list(items)}), file=answering, flush=True)
        for line in told:
            print(json.dumps(_answer(session, items, json.loads(line))), file=answering, flush=True)
    return True


def _answer(session: pytest.Session, items: dict[str, pytest.Item], order: dict[str, Any]) -> dict[str, Any]:
    result = Path(order["result"])
    result.unlink(missing_ok=True)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(order["seconds"]),) * 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        status = 1
        try:
            if "before" in order:
                turn(order["file"], order["before"], order["after"])
            _run([items[name] for name in order["tests"] if name in items], order.get("enter"))
            result.write_text(json.dumps(FAILED))
            status = 0
        finally:
            os._exit(status)
    ended = _wait(child, 10 * order["seconds"])
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it began
    failed = json.loads(result.read_text()) if result.exists() else []
    return {"failed": failed[0] if failed else None, "ended": ended}


def _wait(child: int, seconds: float) -> int | None:
    """The exit code of a process, or None if it had to be ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run(items: list[pytest.Item], enter: str | None) -> None:
    """Run tests; up to the first that fails, unless it is noted what they enter."""
    entered = Entered(Path(enter), Path("src").resolve()) if enter else None
    import command

    command.carry_out = Commands(entered).carry_out
    for item, following in zip(items, [*items[1:], None], strict=True):
        if entered:
            entered.begin()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if entered:
            entered.end(item.nodeid)
        elif FAILED:
            return
    if entered:
        entered.save(SECONDS)


class Commands:
    """A fork that has nothing but one thread, which carries out commands of possilog, each in a fork of its own."""

    def __init__(self, entered: Entered | None) -> None:
        """Begin it, and note what commands enter."""
        self._entered = entered
        (orders, told), (answered, answers) = os.pipe(), os.pipe()
        sys.stdout.flush()
        if not os.fork():
            os.close(told)
            os.close(answered)
            with open(orders, encoding="utf-8") as ordered, open(answers, "w", encoding="utf-8") as answering:
                for line in ordered:
                    print(self._status(json.loads(line)), file=answering, flush=True)
            os._exit(0)
        os.close(orders)
        os.close(answers)
        self._orders, self._answers = os.fdopen(told, "w", encoding="utf-8"), os.fdopen(answered, encoding="utf-8")

    def carry_out(self, order: Mapping[str, Any]) -> int:
        """Run a command as ordered; gives its exit status."""
        print(json.dumps(order), file=self._orders, flush=True)
        status = int(self._answers.readline())
        noted = Path(f"{order['out']}.entered")
        if self._entered and noted.exists():
            self._entered.also(json.loads(noted.read_text()))
        return status

    def _status(self, order: Mapping[str, Any]) -> int:
        child = os.fork()
        if not child:
            status = 1
            try:
                if self._entered:
                    self._entered.begin()
                status = _command(order)
            finally:
                if self._entered:
                    Path(f"{order['out']}.entered").write_text(json.dumps(self._entered.so_far))
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _command(order: Mapping[str, Any]) -> int:
    """Be a command, as it would be in a new process; gives its exit status."""
    import command_server  # which is found when pytest has put the folder of tests on the path

    sys.modules["__main__"] = command_server  # Typer asks how the program is called
    command_server.become(order)
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", buffering, encoding="utf-8") for number, buffering in ((1, 1), (2, 1))
    )
    warnings.resetwarnings()
    warnings.simplefilter("ignore", DeprecationWarning)
    status = 0
    try:
        command_server.main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    with suppress(OSError):
        sys.stdout.flush()
    return status


def turn(file: str, before: str, after: str) -> None:
    """Give the functions of a file that are in memory the code of its new text."""
    old, new = (_codes(compile(text, file, "exec", dont_inherit=True)) for text in (before, after))
    if [code.co_qualname for code in old] != [code.co_qualname for code in new]:
        raise ValueError("the new text has other functions")
    turned = {(code.co_qualname, code.co_firstlineno): other for code, other in zip(old, new, strict=True)}
    gc.unfreeze()  # what was collected is frozen, and is not listed then
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == file:
            code = function.__code__
            function.__code__ = turned.get((code.co_qualname, code.co_firstlineno), code)


def _codes(code: CodeType) -> list[CodeType]:
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return [code, *(found for part in inner for found in _codes(part))]
