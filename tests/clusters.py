"""A Dask cluster of real processes on loopback, and tasks that its workers can import."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from possilog import Database
from possilog.errors import QueryError
from possilog.workers import in_order
from possilog.workers.cluster import Cluster

HERE = Path(__file__).parent


@dataclass
class Started:
    """The processes of a cluster."""

    address: str
    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> None:
        """Start one more worker, with one thread and no nanny, so that its process is the one to be killed."""
        self.workers.append(_dask(self.folder, "worker", self.address, "--no-nanny", "--nthreads", "1"))

    def kill_worker(self) -> None:
        """End one as the machine's memory would, and start another in its place."""
        lost = self.workers.pop(0)
        lost.kill()
        lost.wait()
        self.add_worker()

    def end(self) -> None:
        """End all of them."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def started(folder: Path, workers: int = 2) -> Iterator[Started]:
    """A scheduler and workers, each a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    scheduler = _dask(folder, "scheduler", "--port", str(port), "--no-dashboard")
    cluster = Started(f"tcp://127.0.0.1:{port}", folder, scheduler)
    try:
        _wait_until_it_listens(port)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.end()


def _dask(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]), "OPENBLAS_NUM_THREADS": "1"}
    with open(folder / f"{words[0]}.log", "ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        )


def _wait_until_it_listens(port: int) -> None:
    for _ in range(600):
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the scheduler did not start")


# Tasks


def squares(pause: float = 0.0) -> Callable[[], Callable[[int], int]]:
    """What prepares the function below."""
    return partial(partial, square, pause)


def square(pause: float, task: int) -> int:
    """A task that takes its time, or fails."""
    time.sleep(pause)
    if task == 7:
        raise QueryError("seven")
    return task * task


def counted(database: Database) -> Callable[[Database], tuple[int, int, int]]:
    """What looks at a database of its own, beside the one that is the same for all tasks."""
    return partial(_count, database)


def _count(same: Database, other: Database) -> tuple[int, int, int]:
    return os.getpid(), len(same), len(other)


def asked(cluster: Cluster, tasks: Sequence[int], pause: float = 0.0, chunk: int = 1) -> Iterator[int]:
    """The squares, from a cluster."""
    return in_order(squares(pause), tasks, cluster, chunk=chunk)
