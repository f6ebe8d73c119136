"""Tasks on a cluster that a client only plays: what is sent, to whom, again where it is lost, and what is told."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import pytest

from possilog import Database, load
from possilog.errors import QueryError, RemoteError
from possilog.workers import cluster as cluster_module
from possilog.workers import in_order
from possilog.workers.cluster import Cluster, _work
from possilog.workers.places import hands, ready
from possilog.workers.sharing import pack

pytest.importorskip("distributed", reason="a cluster needs Dask")


class Future:
    """What a worker gives, or the error that comes instead."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self.status, self.gone = make, "finished", False

    def result(self) -> Any:
        return self._make()

    def release(self) -> None:
        self.status = "released"

    def cancel(self) -> None:
        self.gone = True

    def cancelled(self) -> bool:
        return self.gone


class Client:
    """Does what it is given at once; the first results may be lost."""

    dashboard_link = "http://here"

    def __init__(self, lost: int = 0) -> None:
        self.scheduler = SimpleNamespace(address="tcp://here", identity="identity")
        self.scattered: list[tuple[object, bool]] = []
        self.asked: list[tuple[str | None, bool]] = []
        self.given: list[Future] = []
        self.lost, self.closed = lost, 0

    def nthreads(self) -> dict[str, int]:
        return {"b": 1, "a": 2}

    def wait_for_workers(self, number: int, timeout: float) -> None:
        assert number == 1

    def sync(self, *given: Any, **how: Any) -> None:
        return None

    def close(self, timeout: float) -> None:
        self.closed += 1

    def scatter(self, given: object, *, broadcast: bool, hash: bool) -> Future:
        assert not hash
        self.scattered.append((given, broadcast))
        return Future(lambda: given)

    def submit(self, work: Any, *given: Any, pure: bool, workers: str | None, allow_other_workers: bool) -> Future:
        assert not pure
        self.asked.append((workers, allow_other_workers))

        def make() -> Any:
            if self.lost:
                self.lost -= 1
                raise CancelledError
            return work(*map(self._there, given))

        self.given.append(Future(make))
        return self.given[-1]

    def _there(self, given: Any) -> Any:
        return (
            list(map(self._there, given))
            if isinstance(given, list)
            else given.result()
            if isinstance(given, Future)
            else given
        )


def added(facts: Database, task: int) -> int:
    return len(facts) + task


VILLAGE = load("village")
EXPECTED = [len(VILLAGE) + task for task in range(3)]


def done_by(client: Any, tasks: list[int], chunk: int = 1) -> list[int]:
    return list(in_order(partial(partial, added, VILLAGE), tasks, Cluster(client), chunk=chunk))


def test_each_worker_gets_the_chunk_at_its_place_and_may_be_helped() -> None:
    client = Client()
    assert done_by(client, [0, 1, 2]) == EXPECTED
    assert client.asked == [("a", True), ("a", True), ("b", True)]
    assert [broadcast for _, broadcast in client.scattered] == [True, True]
    assert client.scattered[0][0] is VILLAGE, "facts go to every worker, once"
    assert all(future.gone and future.status == "released" for future in client.given)
    other = Client()
    assert done_by(other, [0, 1, 2], chunk=2) == EXPECTED and other.asked == [(None, False)] * 2


def test_what_is_lost_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_TRIES", 3)
    client = Client(lost=2)
    assert done_by(client, [0, 1, 2]) == EXPECTED and len(client.given) == 5
    assert client.asked[3:] == [(None, False)] * 2
    with pytest.raises(RemoteError, match="workers of the cluster at tcp://here were lost 3 times over the same tasks"):
        done_by(Client(lost=9), [0, 1, 2])


def test_facts_are_sent_again_where_they_are_lost() -> None:
    client: Any = Client()
    with Cluster(client) as cluster:
        first = cluster.send(VILLAGE)
        assert cluster.send(VILLAGE) is first and len(client.scattered) == 1
        for lose in (lambda future: future.cancel(), lambda future: setattr(future, "status", "lost"),
                     lambda future: setattr(future, "status", "error")):  # fmt: skip
            before: Any = cluster.send(VILLAGE)
            lose(before)
            assert cluster.send(VILLAGE) is not before
        assert len(client.scattered) == 4
        cluster.forget(VILLAGE)
        cluster.forget(VILLAGE)
        cluster.send(VILLAGE)
        assert len(client.scattered) == 5 and cluster.size == 3 and cluster.dashboard == "http://here"
    assert not client.closed, "it is somebody else's"


def test_large_tasks_go_to_a_worker_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(pack([1], lambda given: None))
    for most, sent in ((size - 1, [True, True, False, False]), (size, [True, True])):
        monkeypatch.setattr(cluster_module, "_LARGE", most)
        client = Client()
        assert done_by(client, [0, 1]) == EXPECTED[:2]
        assert sorted((broadcast for _, broadcast in client.scattered), reverse=True) == sent


def test_a_cluster_of_our_own_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    monkeypatch.setattr(cluster_module, "_connected", lambda address: client)
    with Cluster("tcp://here") as cluster:
        assert cluster.address == "tcp://here"
    assert client.closed == 1


def test_no_workers_and_no_client_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    client: Any = Client()

    def never(number: int, timeout: float) -> None:
        raise TimeoutError

    monkeypatch.setattr(client, "wait_for_workers", never)
    with pytest.raises(RemoteError, match="the cluster at tcp://here has no workers; start some"):
        _ = Cluster(client).size
    nobody: Any = Client()
    nobody.nthreads = dict
    assert Cluster(nobody).size == 1
    for wrong in (5, SimpleNamespace(scheduler=1), SimpleNamespace(scatter=1)):
        with pytest.raises(QueryError, match="is neither"):
            Cluster(wrong)


class Unsendable(Exception):
    def __reduce__(self) -> Any:
        raise TypeError("it stays here")


def failing(task: int) -> int:
    if task > 1:
        raise Unsendable
    return task


def test_a_worker_does_what_it_is_given_and_knows_what_it_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def prepared(job: str) -> Callable[[int], int]:
        made.append(job)
        return failing

    monkeypatch.setattr(cluster_module, "unpack", lambda given, sharing: given)
    here = version("possilog")
    for job in ("one", "one", "two", "one"):
        found = _work(here, job, partial(prepared, job), [0, 1], [])  # type: ignore[arg-type]
        assert (found.products, found.error) == ([0, 1], None)
    assert made == ["one", "two", "one"]
    lost = _work(here, "one", partial(prepared, "one"), [0, 1, 2, 3], [])  # type: ignore[arg-type]
    assert lost.products == [0, 1] and "its error cannot be sent" in str(lost.error)
    assert pickle.loads(pickle.dumps(lost.error)).args == lost.error.args  # type: ignore[union-attr]
    assert "a worker runs possilog" in str(_work("0.0.1", "one", b"", b"", []).error)


def test_how_many_work_at_a_time() -> None:
    for wrong in (0, -1, True, 1.5, "two"):
        with pytest.raises(QueryError, match="jobs"):
            hands(wrong)  # type: ignore[arg-type]
        with pytest.raises(QueryError, match="jobs"), ready(partial(partial, abs), wrong):  # type: ignore[arg-type]
            pass
    asked: list[tuple[list[int], int]] = []

    def ask(tasks: list[int], chunk: int) -> Any:
        asked.append((tasks, chunk))
        yield from (-task for task in tasks)

    class Place:
        size = 4

        def ready(self, prepare: Any) -> Any:
            from contextlib import nullcontext

            return nullcontext(ask)

    assert hands(Place()) == 4
    place: Any = Place()
    assert list(in_order(partial(partial, abs), [1, 2], place)) == [-1, -2] and asked == [([1, 2], 1)]
    assert list(in_order(partial(partial, abs), [-1], place)) == [1] and len(asked) == 1, "a single one is done here"
    assert list(in_order(partial(partial, abs), [], place)) == []
