"""Tasks in several processes: the same products in the same order, and nobody is left when it is over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from types import SimpleNamespace

import pytest

from possilog.errors import PossilogError, QueryError
from possilog.workers import in_order, ready

PROGRAM = """
import sys, time
from functools import partial
from possilog.workers import in_order, ready

def work(task):
    time.sleep(60 * task)
    return task

products = in_order(partial(partial, work), [0] + [1] * 20, 2)
print(next(products), flush=True)
if "on" in sys.argv:
    next(products)
"""
"""Two processes are busy when the first product is there."""

SLOW_START = """
import os, time
forks = []
os.register_at_fork(before=lambda: forks.append(1), after_in_child=lambda: len(forks) == 2 and time.sleep(5))
"""


def square(task: int) -> int:
    if task == 7:
        raise QueryError("seven")
    if task == 13:
        os._exit(1)
    time.sleep(0.01 * (task % 3))
    return task * task


def here(task: int) -> int:
    return os.getpid()


def made(function: Callable[[int], int]) -> Callable[[], Callable[[int], int]]:
    return partial(partial, function)


@pytest.mark.parametrize("chunk", [1, 2, 5])
@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_products_come_in_the_order_of_the_tasks(jobs: int, chunk: int) -> None:
    assert list(in_order(made(square), [5, 4, 3, 2, 1, 0], jobs, chunk=chunk)) == [25, 16, 9, 4, 1, 0]


def test_several_tasks_go_to_other_processes_and_a_single_one_stays_here() -> None:
    ours = os.getpid()
    assert list(in_order(made(here), [1], jobs=2)) == [ours]
    assert list(in_order(made(here), [1, 2, 3], jobs=1)) == [ours] * 3
    pids = list(in_order(made(here), [1, 2], jobs=2))
    assert ours not in pids and len(set(pids)) == 2
    assert len(set(in_order(made(here), [1, 2, 3, 4], jobs=2, chunk=4))) == 1
    assert list(in_order(made(here), [], jobs=2)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_home_in_its_turn(jobs: int) -> None:
    products = in_order(made(square), [1, 2, 7, 3], jobs, chunk=2)
    assert [next(products), next(products)] == [1, 4]
    with pytest.raises(QueryError, match="seven"):
        next(products)


def unprepared() -> Callable[[int], int]:
    raise QueryError("cannot be laid out")


def test_what_cannot_be_laid_out_says_so() -> None:
    with pytest.raises(QueryError, match="cannot be laid out"):
        list(in_order(unprepared, [1, 2], jobs=2))


def test_a_process_that_is_gone_is_reported() -> None:
    with pytest.raises(PossilogError, match="was ended, perhaps because memory was short; take fewer jobs"):
        list(in_order(made(square), [1, 13, 2, 3], jobs=2))


def test_whoever_stops_asking_ends_the_processes() -> None:
    finished = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=50)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "0\n", "")
    products = in_order(made(square), list(range(7)), jobs=2)
    assert next(products) == 0
    products.close()
    assert multiprocessing.active_children() == []


def test_a_process_that_has_hardly_begun_can_be_ended() -> None:
    """Its first moments are those in which signals wait."""
    program = SLOW_START + PROGRAM
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=50)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "0\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("to_all", [False, True])
def test_processes_end_with_the_one_that_began_them(number: signal.Signals, to_all: bool) -> None:
    """A terminal interrupts all of them at once, ``kill`` only one."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "on"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "0\n"
        (os.killpg if to_all else os.kill)(process.pid, number)
        _, said = process.communicate(timeout=30)  # it ends when nobody can write any more
    assert process.returncode == -number
    assert said.count("Traceback") == (number == signal.SIGINT)


# Workers that are asked again


def counting() -> Callable[[int], tuple[int, int]]:
    """What says who it is, and how often it was asked."""
    asked = iter(range(100))
    return lambda task: (os.getpid(), next(asked))


def test_workers_keep_what_they_have_laid_out_and_get_the_same_places() -> None:
    with ready(counting, 2) as ask:
        rounds = [list(ask([1, 2], 1)) for _ in range(3)]
        assert multiprocessing.active_children()
    assert multiprocessing.active_children() == []
    pids = [pid for pid, _ in rounds[0]]
    assert len(set(pids)) == 2
    assert rounds == [[(pid, number) for pid in pids] for number in range(3)]


def test_what_was_not_waited_for_is_not_taken_for_the_answer_to_what_is_asked_next() -> None:
    with ready(made(square), 2) as ask:
        assert next(ask([1, 2, 3, 4], 1)) == 1
        assert list(ask([5, 6], 1)) == [25, 36]
        with pytest.raises(QueryError, match="seven"):
            list(ask([7, 1], 1))
        assert list(ask([8], 1)) == [64]


@pytest.mark.parametrize(
    ("fails", "is_there", "attempts"), [(0, True, 1), (3, True, 4), (99, True, 10), (99, False, 1)]
)
def test_an_attempt_is_made_again_while_the_scheduler_answers(fails: int, is_there: bool, attempts: int) -> None:
    cluster = pytest.importorskip("possilog.workers.cluster")
    made, before = list[int](), list[int]()

    def attempt() -> str:
        made.append(1)
        if len(made) <= fails:
            raise OSError
        return "done"

    insist = partial(cluster.Cluster.insist, SimpleNamespace(is_there=is_there))
    if fails < 99:
        assert insist(attempt, (OSError,), partial(before.append, 1)) == "done"
    else:
        with pytest.raises(CancelledError):
            insist(attempt, (OSError,), partial(before.append, 1))
    assert len(made) == attempts == len(before) + 1


@pytest.mark.parametrize(("answer", "is_there"), [(None, True), (OSError(), False), (TimeoutError(), False)])
def test_a_scheduler_is_there_if_it_answers(answer: Exception | None, is_there: bool) -> None:
    cluster = pytest.importorskip("possilog.workers.cluster")

    def sync(*_: object, **__: object) -> None:
        if answer is not None:
            raise answer

    client = SimpleNamespace(scheduler=SimpleNamespace(identity=None), sync=sync)
    asked = cluster.Cluster.is_there.fget
    assert asked(SimpleNamespace(_client=client)) == is_there
    assert not asked(SimpleNamespace(_client=SimpleNamespace(scheduler=None, sync=sync)))
