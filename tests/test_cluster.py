"""Tasks on a real Dask cluster of two workers: the same products in the same order, whoever is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from clusters import Started, asked, counted, started
from command import run
from possilog import Database, learn, load, mine, parse_atom, predict_many, read_theory
from possilog.deadline import Deadline
from possilog.errors import QueryError, RemoteError
from possilog.progress import Step
from possilog.workers import cluster as cluster_module
from possilog.workers import in_order
from possilog.workers.cluster import Cluster
from possilog.workers.sharing import pack, unpack

pytestmark = pytest.mark.slow


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
    with pytest.raises(QueryError, match=r"the address of a scheduler, .* or a client of distributed; 5 is neither"):
        Cluster(5)


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


# Whole jobs


def families(number: int = 10) -> list[str]:
    """Families in which most things can be told from others."""
    facts = []
    for n in range(number):
        facts += [f"married(a{n}, b{n})", f"married(b{n}, a{n})", f"parent(a{n}, c{n})", f"parent(b{n}, c{n})"]
        facts += [f"livesIn({who}{n}, h{n})" for who in "abc"] + [f"adult({who}{n})" for who in "ab"]
    return facts


def test_learning_and_mining_give_the_same_while_workers_are_lost(processes: Started, cluster: Cluster) -> None:
    facts = Database.of(map(parse_atom, families(6)))
    steps: list[str] = []

    def lose(step: Step) -> None:
        if step.phase in ("held-out parts", "simulation") and step.phase not in steps:
            processes.kill_worker()
        steps.append(step.phase)

    assert str(learn(facts, jobs=cluster, progress=lose)) == str(learn(facts))
    assert {"held-out parts", "simulation"} <= set(steps)
    assert mine(facts, min_support=3, jobs=cluster).rules == mine(facts, min_support=3).rules


def test_evidence_sets_are_predicted_on_a_cluster(processes: Started, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "theory.pl").write_text("0.9 :: livesIn(X, H) :- married(X, Y), livesIn(Y, H).")
    (tmp_path / "sets").mkdir()
    sets = [families()[n : n + 7] for n in range(0, 90, 9)]
    for number, some in enumerate(sets):
        (tmp_path / "sets" / f"{number}.db").write_text("\n".join(some))
    here = run("predict", "theory.pl", "sets", "--json", cwd=tmp_path)
    there = run("predict", "theory.pl", "sets", "--json", "--cluster", processes.address, cwd=tmp_path)
    assert there.returncode == 0, there.stderr
    assert here.stdout == there.stdout and here.stdout.count("\n") == 10
    shown, progress, *_ = there.stderr.splitlines()
    assert shown.startswith("the cluster shows what it does at http") and progress == "[predicting]"
    theory = read_theory(tmp_path / "theory.pl")
    found = predict_many(theory, sets, jobs=cluster)
    assert [one.as_json for one in found] == [one.as_json for one in predict_many(theory, sets)]


def test_a_lost_scheduler_leaves_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT", 3.0)
    facts, work = Database.of(map(parse_atom, families(6))), tmp_path / "kept"
    with started(tmp_path, workers=1) as processes, Cluster(processes.address) as cluster:

        def lose(step: Step) -> None:
            if step.phase == "simulation":
                processes.scheduler.kill()

        with pytest.raises(RemoteError, match="does not answer any more; start it again: what --work kept need not"):
            learn(facts, jobs=cluster, progress=lose, work=work)
    kept = {path.name for path in work.iterdir()}
    assert any("candidates" in name for name in kept) and any("part" in name for name in kept)
    phases: list[str] = []
    again = learn(facts, work=work, progress=lambda step: phases.append(step.doing))
    assert str(again) == str(learn(facts))
    assert not any(doing.startswith("100% of 2 literals") for doing in phases)
