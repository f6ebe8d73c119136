"""Safe by default: who comes from elsewhere is refused, what is too much is bounded, and nothing accepted is lost."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from threading import Thread, Timer
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from budget import budget
from exploring import BIRDS, FACTS, exploring
from possilog.errors import QueryError
from possilog.explorer.desk import IDLE, Desk
from possilog.explorer.safety import Access
from possilog.explorer.wishes import MOST_LETTERS, Wish, decode, schema_of, wish
from serving import Served, serving

FLIES = "flies(X) :- bird(X)."

get, post = partial(httpx.get, timeout=60), partial(httpx.post, timeout=60)  # the machine may be busy


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


def filled(folder: Path) -> Path:
    (folder / "birds.pl").write_text(BIRDS, encoding="utf-8")
    (folder / "birds.db").write_text("\n".join(FACTS), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = filled(tmp_path_factory.mktemp("served"))
    with serving("birds.pl", "--data", "birds.db", "--time-limit", "4", cwd=folder) as found:
        yield found


def raw(served: Served, request: bytes, body: Iterator[bytes] = iter(())) -> bytes:  # noqa: B008 - it is empty
    """What comes back for bytes, however wrong they are."""
    place = urlsplit(served.address)
    with socket.create_connection((place.hostname, place.port), 20) as connection:
        connection.sendall(request)
        try:
            for part in body:
                connection.sendall(part)
        except OSError:
            pass  # it was refused, and nobody reads the rest
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except OSError:
            pass
        return answer


# Who comes in


def test_foreign_hosts_and_origins_are_refused(served: Served) -> None:
    own = urlsplit(served.address).netloc
    for host in ("evil.example", "127.0.0.1:1", "evil.example:80", f"{own}.evil.example", ""):
        assert get(served.address, headers={"host": host}).status_code in (400, 421), host
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        for path in ("", "api/rules"):
            answer = get(served.address + path, headers=headers)
            assert answer.status_code == 403 and "elsewhere" in answer.json()["error"]
        edit = {"kind": "lock", "rule": FLIES}
        assert post(served.address + "api/edits", json=edit, headers=headers).status_code == 403
    assert get(served.address, headers={"origin": f"http://{own}"}).status_code == 200


def test_forms_need_their_token_and_the_api_needs_json(served: Served) -> None:
    before = get(served.address + "api/history").json()["total"]
    for data in ({"kind": "lock", "rule": FLIES}, {"kind": "lock", "rule": FLIES, "token": "guess"}):
        assert post(served.address + "edit", data=data).status_code == 403
    text = {"content-type": "text/plain"}
    sent = json.dumps({"kind": "lock", "rule": FLIES})
    assert post(served.address + "api/edits", content=sent, headers=text).status_code == 415
    assert get(served.address + "api/history").json()["total"] == before


def test_elsewhere_a_token_is_needed(tmp_path: Path) -> None:
    with exploring(tmp_path, access=Access("0.0.0.0", 8127, "secret")) as client:
        assert client.get("/api/rules").status_code == 401
        assert client.get("/?token=guess").status_code == 401
        assert client.get("/api/rules", headers={"authorization": "Bearer secret"}).status_code == 200
        assert client.get("/api/rules").status_code == 401
        assert client.get("/?token=secret").status_code == 200  # and the cookie is there from now on
        assert client.get("/api/rules").status_code == 200
        assert client.get("/openapi.json").json()["security"] == [{"token": []}]


# How much


def test_large_requests_are_refused(served: Served) -> None:
    head = (
        f"POST /api/predict HTTP/1.1\r\nHost: {urlsplit(served.address).netloc}\r\nContent-Type: application/json\r\n"
    )
    answer = raw(served, f"{head}Content-Length: {2**30}\r\n\r\n".encode())
    assert b" 413 " in answer.splitlines()[0] and b"at most" in answer
    block = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    chunked = raw(served, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode(), (block for _ in range(16384)))
    assert not chunked or b" 413 " in chunked.splitlines()[0]
    assert b" 400 " in raw(served, b"GET / HTTP/1.1\r\nX: " + b"y" * 10**6).splitlines()[0]
    assert get(served.address + "api/rules").status_code == 200


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/static/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"])
def test_no_path_leads_out(served: Served, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: {urlsplit(served.address).netloc}\r\nConnection: close\r\n\r\n"
    answer = raw(served, request.encode())
    assert b" 404 " in answer.splitlines()[0] and b"root:" not in answer


@pytest.mark.slow
def test_a_question_that_would_run_for_minutes_is_ended(served: Served) -> None:
    """Ten thousand atoms, all pairs and triples of them; meanwhile others are answered."""
    evidence = [f"p({n}, {m})" for n in range(120) for m in range(120)]
    rules = [f"0.{n} :: q{n}(X, Y, Z, U) :- p(X, Y), p(Y, Z), p(Z, U)" for n in range(5, 9)]
    found: list[httpx.Response] = []
    asked = {"evidence": evidence, "add_rules": rules}
    long = Thread(target=lambda: found.append(post(served.address + "api/what-if", json=asked)))
    began = time.monotonic()
    long.start()
    while long.is_alive():
        assert get(served.address + "api/rules?search=bird").status_code == 200
        time.sleep(0.2)
    long.join()
    assert found[0].status_code == 503 and "was ended" in found[0].json()["error"]
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_thousands_of_rules(tmp_path: Path) -> None:
    count = min(budget(2_500, least=500), 10_000)
    theory = "\n".join(f"0.9 :: p{n}(X) :- bird(X), q{n % 50}(X)." for n in range(count))
    with exploring(tmp_path, theory, ["bird(a)", "q1(a)"], seconds=60) as client:
        page = client.get("/rules")
        assert page.status_code == 200 and len(page.content) < 1_000_000
        assert client.get("/api/predict").status_code == 405
        assert (
            len(client.post("/api/predict", json={"evidence": ["bird(a)", "q1(a)"]}).json()["predicted"])
            == 2 + count // 50
        )
        assert client.post("/api/edits", json={"kind": "lock", "rule": "p7(X) :- bird(X), q7(X)."}).status_code == 200


# How it ends


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_asked_to(folder: Path, number: signal.Signals) -> None:
    with serving("birds.pl", "--data", "birds.db", cwd=folder) as served:
        assert get(served.address + "rules").status_code == 200
        served.process.send_signal(number)
        assert served.process.wait(20) == 0
        assert served.process.stderr is not None and "Traceback" not in served.process.stderr.read()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there, processes come from nothing")
def test_where_all_processes_come_from_may_be_lost(tmp_path: Path) -> None:
    """It is killed while it begins one, and then with one that waits: both times it begins anew, and answers come."""
    forkserver.ensure_running()
    origin = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    with exploring(tmp_path) as client:
        os.kill(origin, signal.SIGSTOP)
        end = Timer(0.3, os.kill, (origin, signal.SIGKILL))
        end.start()
        assert client.get("/api/theory").status_code == 200
        end.join()
        os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)  # type: ignore[attr-defined]
        assert client.get("/api/rules").status_code == 200


@pytest.mark.slow
def test_nothing_accepted_is_lost_in_a_kill(folder: Path) -> None:
    accepted: list[str] = []
    for round_number in range(budget(2, least=1)):
        with serving("birds.pl", "--data", "birds.db", cwd=folder) as served:
            known = get(served.address + "api/theory").json()["marks"]
            assert {one["atom"] for one in known} >= set(accepted)
            workers = [
                Thread(target=_mark, args=(served.address, f"{round_number}_{number}", accepted)) for number in range(4)
            ]
            before = len(accepted)
            for worker in workers:
                worker.start()
            while len(accepted) < before + 20 + 7 * round_number:
                time.sleep(0.01)
            served.process.kill()
            for worker in workers:
                worker.join()
    with serving("birds.pl", "--data", "birds.db", cwd=folder) as served:
        known = get(served.address + "api/theory").json()["marks"]
        assert {one["atom"] for one in known} >= set(accepted)


def _mark(address: str, name: str, accepted: list[str]) -> None:
    with httpx.Client() as client:
        for number in range(10_000):
            atom = f"seen(m{name}_{number})"
            try:
                answer = client.post(address + "api/edits", json={"kind": "mark", "atom": atom, "who": name}, timeout=5)
            except httpx.HTTPError:
                return
            assert answer.status_code == 200, answer.text
            accepted.append(atom)


def test_a_second_explorer_of_one_theory_is_refused(folder: Path) -> None:
    from command import run

    with serving("birds.pl", "--data", "birds.db", cwd=folder):
        other = run("explore", "birds.pl", "--data", "birds.db", "--port", "0", "--no-browser", cwd=folder)
        assert other.returncode == 2 and "another explorer has it open" in other.stderr


@pytest.mark.slow
def test_data_alone_are_learned_from_first(tmp_path: Path) -> None:
    couples = [(f"ann{n}", f"bob{n}", f"kid{n}") for n in range(10)]
    facts = [f"married({one}, {other})" for ann, bob, _ in couples for one, other in ((ann, bob), (bob, ann))]
    facts += [f"parent({ann}, {kid})" for ann, _, kid in couples] + [
        f"parent({bob}, {kid})" for _, bob, kid in couples[2:]
    ]
    (tmp_path / "town.db").write_text("\n".join(facts), encoding="utf-8")
    with serving("town.db", cwd=tmp_path) as served:
        states = []
        while (now := get(served.address + "api/learning").json())["state"] == "learning":
            states.append(now["phase"])
            time.sleep(0.1)
        assert states and now["state"] in ("done", "idle")
        deadline = time.monotonic() + 20
        while not (tmp_path / "town.pl").read_text("utf-8").count("::") and time.monotonic() < deadline:
            time.sleep(0.1)
        assert get(served.address + "api/theory").json()["soft_rules"] > 0
    with serving("town.db", cwd=tmp_path) as served:  # the second time, it is there
        assert get(served.address + "api/learning").json()["state"] == "idle"
        assert get(served.address + "api/theory").json()["soft_rules"] > 0


# As the docs say


def test_the_client_of_the_docs(served: Served) -> None:
    page = Path(__file__).parents[2].joinpath("docs", "explorer.md").read_text("utf-8")
    program = next(block for block in page.split("```") if "import json, sys" in block).removeprefix("text\n")
    assert len([line for line in program.splitlines() if line.strip()]) <= 10
    command = [sys.executable, "-c", program, served.address]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[0].startswith("livesIn(ann, mill)")


# Whatever the description allows


@pytest.mark.slow
def test_no_request_that_the_description_allows_is_a_server_error(served: Served) -> None:
    import schemathesis

    schema = schemathesis.openapi.from_url(served.address + "openapi.json")
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]

        @settings(
            max_examples=budget(9, least=2),
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            deadline=None,
            derandomize=True,
            database=None,
        )
        @given(case=operation.as_strategy())
        def no_server_error(case: Any) -> None:
            answer = case.call(timeout=60)
            assert answer.status_code < 500 or answer.status_code == 503, answer.text

        no_server_error()


@dataclass(frozen=True)
class Wished(Wish):
    """Of every kind."""

    text: str = wish("a text", "", most=5)
    longer: str = wish("a long text", "")
    number: float = wish("a number", 1.0, least=1, most=9)
    maybe: int | None = wish("perhaps a number", None)


def test_what_a_wish_takes_is_what_its_description_says() -> None:
    described = schema_of(Wished)["properties"]
    assert described["text"]["maxLength"] == 5 and described["longer"]["maxLength"] == MOST_LETTERS
    assert (described["number"]["minimum"], described["number"]["maximum"]) == (1, 9)
    assert described["maybe"]["type"] == ["integer", "null"] and described["text"]["type"] == "string"
    for right in (
        {"text": "12345"},
        {"longer": "x" * 6},
        {"number": 1},
        {"number": 9.0},
        {"maybe": None},
        {"maybe": 3},
    ):
        assert decode(Wished, right)
    wrong = ({"text": "123456"}, {"number": 0.5}, {"number": 9.5}, {"number": math.nan}, {"number": math.inf})
    for one in (*wrong, {"number": None}, {"number": True}, {"maybe": "3"}):
        with pytest.raises(QueryError):
            decode(Wished, one)


def test_processes_beyond_the_usual_number_are_let_go_when_they_have_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, ended = Desk(lambda: pytest.fail("none is begun"), size=2), list[str]()
    monkeypatch.setattr(desk._threads, "submit", lambda deed: deed())
    now = time.monotonic()
    since = {"a": now - 2 * IDLE, "b": now - 1.5 * IDLE, "c": now - 1.2 * IDLE, "d": now}

    def left(names: str, busy: int = 0) -> str:
        ended.clear()
        idle = [SimpleNamespace(name=name, since=since[name], end=partial(ended.append, name)) for name in names]
        state: Any = desk
        state._idle, state._busy = deque(idle), range(busy)
        desk._thin_out()
        kept = [helper.name for helper in state._idle]
        assert sorted([*ended, *kept]) == sorted(names)
        return "".join(kept)

    assert [left("abcd"), left("abc"), left("ab"), left("a"), left("d")] == ["cd", "bc", "ab", "a", "d"]
    assert [left("abcd", 1), left("abc", 2), left("d", 2), left("", 3)] == ["d", "", "d", ""]
