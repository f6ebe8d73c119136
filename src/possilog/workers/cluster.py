"""Tasks on a Dask cluster: a scheduler, and workers on as many machines as there are."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from threading import local
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from possilog.errors import MissingPart, QueryError, RemoteError, shortened
from possilog.workers.chunks import Done, done, in_chunks, once
from possilog.workers.sharing import pack, unpack

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Cluster"]

_Task = TypeVar("_Task")
_Product = TypeVar("_Product")

_CONNECT = 10.0
"""Seconds after which a scheduler that does not answer is not there."""

_WORKERS = 30.0
"""Seconds to wait for a worker, where there is none."""

_LARGE = 1_000_000
"""Bytes of tasks that go to a worker by themselves, and not through the scheduler."""

_PAUSE = 0.5
"""Seconds before something is sent again."""

_TRIES = 10
"""How often tasks are sent again whose workers were lost."""


class Cluster:
    """A Dask cluster as a place where tasks run.

    Facts are sent to every worker once. A worker that is lost costs the tasks that it was doing, which others do again.
    A worker that runs another version of possilog is refused.
    """

    def __init__(self, given: Client | str) -> None:
        """Take the address of a scheduler, such as ``tcp://127.0.0.1:8786``, or a client of ``distributed``."""
        self._client, self._is_ours = (_connected(given), True) if isinstance(given, str) else (_checked(given), False)
        self._sent: dict[int, tuple[object, Future[Any]]] = {}
        self.address = str(self._client.scheduler.address)
        """Where the scheduler is."""

    @property
    def dashboard(self) -> str:
        """The page on which the cluster shows what it does."""
        return str(self._client.dashboard_link)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._sent.clear()
        if self._is_ours:
            self._client.close(timeout=1)

    @property
    def size(self) -> int:
        """How many tasks its workers do at a time."""
        with self.told():
            self._wait_for_workers()
            return max(1, len(self.workers))

    @contextmanager
    def ready(self, prepare: Callable[[], Callable[[_Task], _Product]]) -> Iterator[Any]:
        """The cluster's workers, each prepared when it gets its first task; what they laid out they keep meanwhile."""
        job = _Job(self, prepare)
        try:
            yield job.in_order
        finally:
            job.cancel()

    def send(self, given: object) -> Future[Any]:
        """What is shared, on the workers; it is sent when it is first asked for, or was lost."""
        _, future = self._sent.get(id(given), (None, None))
        if future is None or future.cancelled() or future.status in ("lost", "error"):
            future = self._scattered(given, broadcast=True)
            self._sent[id(given)] = given, future  # which is kept, so that its number stays its own
        return future

    def hand_over(self, given: bytes) -> Future[Any]:
        """What only one task needs, on some worker."""
        return self._scattered(given)

    def _scattered(self, given: object, *, broadcast: bool = False) -> Future[Any]:
        """What is laid down on workers, again where one is lost meanwhile."""

        def scatter() -> Future[Any]:
            self._wait_for_workers()
            return self._client.scatter(given, broadcast=broadcast, hash=False)

        # The KeyError is the scheduler's, which looks for a worker; after the pause it knows who is gone.
        return self.insist(scatter, (OSError, TimeoutError, KeyError), partial(sleep, _PAUSE))

    def insist(
        self,
        attempt: Callable[[], _Product],
        losses: tuple[type[Exception], ...],
        before_the_next: Callable[[], object],
    ) -> _Product:
        """What comes of an attempt, which is made again where workers are lost; CancelledError if that is no use."""
        for left in reversed(range(_TRIES)):
            try:
                return attempt()
            except losses as lost:
                if not left or not self.is_there:
                    raise CancelledError from lost
            before_the_next()
        raise AssertionError("the last attempt ended otherwise")

    def forget(self, given: object) -> None:
        """What was sent is not needed any more."""
        self._sent.pop(id(given), None)

    def submit(self, worker: str | None, *given: Any) -> Future[Any]:
        """A chunk, under way; at this worker, if it has time and is there."""
        return self._client.submit(_work, *given, pure=False, workers=worker, allow_other_workers=worker is not None)

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers, once for each task that they do at a time."""
        return [address for address, threads in sorted(self._client.nthreads().items()) for _ in range(threads)]

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_WORKERS)
        except TimeoutError:
            raise RemoteError(
                f"the cluster at {self.address} has no workers; start some with 'dask worker {self.address}'"
            ) from None

    @property
    def is_there(self) -> bool:
        """Does the scheduler still answer?"""
        scheduler = self._client.scheduler
        if scheduler is None:  # the client has given up
            return False
        try:
            self._client.sync(scheduler.identity, callback_timeout=_CONNECT)
        except (OSError, TimeoutError, CancelledError):
            return False
        return True

    @contextmanager
    def told(self) -> Iterator[None]:
        """What becomes of the cluster, as an error of ours."""
        try:
            yield
        except (OSError, TimeoutError, CancelledError) as error:
            if self.is_there:
                raise RemoteError(
                    f"workers of the cluster at {self.address} were lost {_TRIES} times over the same tasks, perhaps "
                    "because memory was short; give them more of it, or smaller data"
                ) from error
            raise RemoteError(
                f"the cluster at {self.address} does not answer any more; start it again: what --work kept need not "
                "be done again"
            ) from error


class _Job:
    """A function on the workers, and the chunks of tasks that are under way there."""

    def __init__(self, cluster: Cluster, prepare: Callable[[], Any]) -> None:
        self._cluster, self._name = cluster, uuid4().hex
        self._sharing: list[object] = []
        self._prepare = pack(prepare, self._place)
        self._futures: list[Future[Any]] = []

    def _place(self, given: object) -> int:
        """The number of what is shared by all tasks, which goes to every worker."""
        known = self._known(given)
        if known is None:
            self._sharing.append(given)
            return len(self._sharing) - 1
        return known

    def _known(self, given: object) -> int | None:
        """The number of what is shared; None for what only a task has, and which goes with it."""
        return next((number for number, known in enumerate(self._sharing) if known is given), None)

    def in_order(self, tasks: Sequence[Any], chunk: int) -> Generator[Any, None, None]:
        """The products of the tasks, in their order."""
        chunks = [pack(list(some), self._known) for some in in_chunks(tasks, chunk)]
        with self._cluster.told():
            known = self._cluster.workers
            # Where each worker gets one chunk, it is the one that it got before, and what it needs may be laid out.
            chosen = known if len(known) == len(chunks) else [None] * len(chunks)
            self._futures = [self._submit(one, worker) for one, worker in zip(chunks, chosen, strict=True)]
            for place, one in enumerate(chunks):
                found = self._result(place, one)
                self._futures[place].release()
                yield from found.each()

    def cancel(self) -> None:
        """Nobody wants the rest."""
        from distributed.client import ClosedClientError

        with suppress(ClosedClientError):  # the scheduler is gone, and the rest with it
            for future in self._futures:
                future.cancel()
        self._cluster.forget(self._prepare)

    def _submit(self, chunk: bytes, worker: str | None = None) -> Future[Any]:
        sharing = [self._cluster.send(given) for given in self._sharing]
        prepare = self._cluster.send(self._prepare)
        large = self._cluster.hand_over(chunk) if len(chunk) > _LARGE else chunk
        return self._cluster.submit(worker, version("possilog"), self._name, prepare, large, sharing)

    def _result(self, place: int, chunk: bytes) -> Done[Any]:
        """What came of a chunk, sent again where workers were lost with it, or with the facts."""
        from distributed import KilledWorker

        def result() -> Done[Any]:
            found: Done[Any] = self._futures[place].result()
            return found

        def submit_again() -> None:
            self._futures[place] = self._submit(chunk)

        return self._cluster.insist(result, (KilledWorker, CancelledError), submit_again)


def _connected(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise MissingPart("a cluster needs Dask; install it with pip install 'possilog[cluster]'") from None
    try:
        return Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise RemoteError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}); start one with 'dask scheduler', and "
            "workers with 'dask worker'"
        ) from None


def _checked(given: Client) -> Client:
    if not (hasattr(given, "scheduler") and hasattr(given, "scatter")):  # Dask need not be installed to say so
        raise QueryError(
            f"a cluster is the address of a scheduler, such as 'tcp://127.0.0.1:8786', or a client of distributed; "
            f"{shortened(repr(given))} is neither"
        )
    return given


# On a worker


_prepared = local()
"""What was prepared last in this thread: the name of the job, and the function."""


def _work(expected: str, job: str, prepare: bytes, chunk: bytes, sharing: Sequence[Any]) -> Done[Any]:
    """Do the tasks of a chunk."""
    found = version("possilog")
    if found != expected:
        return Done([], RemoteError(f"a worker runs possilog {found}, and this is {expected}; install the same one"))
    if getattr(_prepared, "job", None) != job:
        _prepared.job, _prepared.function = job, once(unpack(prepare, sharing))
    result = done(_prepared.function, unpack(chunk, sharing))
    try:
        pickle.dumps(result.error)
    except Exception as error:
        return Done(result.products, RemoteError(f"a task failed ({error}), and its error cannot be sent"))
    return result
