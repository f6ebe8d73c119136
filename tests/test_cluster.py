"""Tasks on a real Dask cluster of two workers: the same products in the same order, whoever is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from clusters import Started, asked, counted, started
from possilog import Database, load, parse_atom
from possilog.deadline import Deadline
from possilog.errors import QueryError, RemoteError
from possilog.workers import cluster as cluster_module
from possilog.workers import in_order
from possilog.workers.cluster import Cluster
from possilog.workers.sharing import pack, unpack

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    with started(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="module")
def cluster(processes: Started) -> Iterator[Cluster]:
    with Cluster(processes.address) as found:
        yield found


@pytest.mark.parametrize("chunk", [1, 2, 5])
def test_products_come_in_the_order_of_the_tasks(cluster: Cluster, chunk: int) -> None:
    assert list(asked(cluster, [5, 4, 3, 2, 1, 0], chunk=chunk)) == [25, 16, 9, 4, 1, 0]


def test_an_error_comes_home_in_its_turn(cluster: Cluster) -> None:
    products = asked(cluster, [1, 2, 7, 3], chunk=2)
    assert [next(products), next(products)] == [1, 4]
    with pytest.raises(QueryError, match="seven"):
        next(products)


def test_facts_are_sent_once_and_tasks_may_have_facts_of_their_own(cluster: Cluster) -> None:
    village, less = load("village"), Database.of([parse_atom("bird(tweety)")])
    found = list(in_order(partial(counted, village), [village, less] * 3, cluster))
    assert [numbers[1:] for numbers in found] == [(len(village), len(village)), (len(village), 1)] * 3
    sent = [cluster.send(village), cluster.send(village)]
    assert sent[0] is sent[1]
    assert cluster.send(less) is not sent[0]


def test_lost_workers_cost_only_their_tasks(processes: Started, cluster: Cluster) -> None:
    tasks = [number for number in range(40) if number != 7]
    found = []
    for place, product in enumerate(asked(cluster, tasks, pause=0.1)):
        found.append(product)
        if place in (3, 4, 12):
            processes.kill_worker()
    assert found == [task * task for task in tasks]


def test_facts_are_sent_again_where_every_worker_that_had_them_is_lost(processes: Started, cluster: Cluster) -> None:
    village = load("village")
    cluster.send(village)
    for _ in range(2):
        processes.kill_worker()
    found = list(in_order(partial(counted, village), [village] * 4, cluster))
    assert [numbers[1:] for numbers in found] == [(len(village), len(village))] * 4


def test_a_worker_of_another_version_is_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "version", lambda name: "0.0.1")
    with pytest.raises(RemoteError, match=r"a worker runs possilog \d.*, and this is 0\.0\.1; install the same one"):
        list(asked(cluster, [1, 2]))


def test_a_scheduler_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT", 3.0)
    with started(tmp_path, workers=1) as processes, Cluster(processes.address) as cluster:
        products = asked(cluster, list(range(6)), pause=0.3)
        assert next(products) == 0
        processes.scheduler.kill()
        with pytest.raises(RemoteError, match="does not answer any more; start it again"):
            list(products)


def test_where_nobody_answers_it_is_told_how_to_start_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT", 0.5)
    with pytest.raises(RemoteError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 .* 'dask scheduler'"):
        Cluster("tcp://127.0.0.1:1")
    with pytest.raises(RemoteError, match="no Dask scheduler answers at nonsense"):
        Cluster("nonsense:")


def test_what_is_no_place_for_work_is_refused() -> None:
    with pytest.raises(QueryError, match="jobs are a number of processes, or a Cluster, and not 'two'"):
        list(in_order(partial(partial, abs), [1, 2], "two"))  # type: ignore[arg-type]


def test_what_is_shared_is_packed_as_a_number() -> None:
    village, known = load("village"), []

    def place(given: object) -> int:
        known.append(given)
        return 0

    packed = pack(("here", village), place)
    assert known == [village] and len(packed) < 100
    assert unpack(packed, [village])[1] is village


def test_a_deadline_is_sent_as_the_time_that_is_left() -> None:
    here = Deadline(100.0)
    there = unpack(pack(here, lambda given: 0), [])
    assert there.left is not None and here.left is not None and 99 < there.left < 100 + 1e-6
    assert unpack(pack(Deadline(), lambda given: 0), []).left is None
