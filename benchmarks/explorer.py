"""The explorer: how long asking, supposing and refitting take, and 200 clients at once.

``latency`` asks in this process, against the size of theory and evidence. ``load`` starts a server on this machine, has
200 clients ask, edit and look for a minute, and says how long answers took, and what memory was before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx2 as httpx

from possilog import Atom, Clause, Database, Rule, Theory, Variable, Weight, learn, load
from possilog.explorer.asking import PredictAsked, predict
from possilog.explorer.exploration import Exploration, Sources
from possilog.explorer.position import Position
from possilog.explorer.supposing import SupposeAsked, what_if
from possilog.learning.weighing import weigh
from possilog.logic import Predicate

X, Y, Z = (Variable(name) for name in "XYZ")


def random_case(rules: int, facts: int, seed: int = 0) -> tuple[Theory, Database]:
    """Rules over 20 given predicates and 20 concluded ones, and facts about a third as many constants."""
    rng = random.Random(seed)
    given = [Predicate(f"g{number}", 2) for number in range(20)]
    made = [Predicate(f"m{number}", 2) for number in range(20)]
    listed = []
    for number in range(rules):
        head = made[number % 20]
        one, two = rng.choice(given + made[: number % 20]), rng.choice(given)
        body = (
            (one(X, Y), two(Y, X)) if number % 3 == 0 else (one(Y, X),) if number % 3 == 1 else (two(X, Z), one(Z, Y))
        )
        listed.append(Rule(Clause((head(X, Y),), body), Weight.of_doubt(f"{number + 1}e-4")))
    never = tuple(Rule(Clause((), (made[place](X, Y), made[place](Y, X)))) for place in range(3))
    names = [f"c{number}" for number in range(max(facts // 3, 3))]
    chosen = {(rng.randrange(20), rng.choice(names), rng.choice(names)) for _ in range(facts)}
    atoms = [Atom.ground(f"g{place}", (one, two)) for place, one, two in sorted(chosen)]
    return Theory((*never, *listed)), Database.of(atoms)


def timed(work: Callable[[], object], times: int = 5) -> float:
    """The median CPU time in milliseconds."""
    took = []
    for _ in range(times):
        began = time.process_time()
        work()
        took.append(1e3 * (time.process_time() - began))
    return statistics.median(took)


def latency(sizes: list[tuple[int, int]]) -> None:
    """Ask, suppose and refit, at growing sizes."""
    print("| rules | facts | conclusions | ask, ms | without a fact, ms | without a rule, ms | anew, ms |")
    print("|---|---|---|---|---|---|---|")
    for rules, facts in sizes:
        theory, data = random_case(rules, facts)
        here = Exploration(Sources("random", data, Path(".")))
        here.move(Position(1, theory))
        fact = next(iter(data)).as_fact
        rule = str(theory.ranked[len(theory.ranked) // 2].clause)

        def ask(here: Exploration = here) -> object:
            here._recent.clear()
            return predict(here, PredictAsked(limit=100)).prediction

        cold = timed(ask)
        what_if(here, SupposeAsked())
        one = timed(lambda here=here, fact=fact: what_if(here, SupposeAsked(remove=(fact,))).as_json)  # type: ignore[misc]
        two = timed(lambda here=here, rule=rule: what_if(here, SupposeAsked(remove_rules=(rule,))).as_json)  # type: ignore[misc]
        anew = timed(lambda here=here, fact=fact: here.reasoner.what_if(here.facts, remove=fact).as_json, 3)  # type: ignore[misc]
        added = len(predict(here, PredictAsked(limit=1)).prediction.added)
        print(f"| {rules} | {len(data):,} | {added:,} | {cold:.1f} | {one:.1f} | {two:.1f} | {anew:.1f} |", flush=True)
    village = load("village")
    learned = learn(village).theory
    refit = timed(lambda: weigh(learned, village, smoothing=0.001))
    print(f"\nrefit of the village ({len(learned.ranked)} soft rules, {len(village)} facts): {refit:.0f} ms")


async def client(
    asking: httpx.AsyncClient, number: int, until: float, took: list[float], failed: list[str], pause: float
) -> None:
    """One that asks, looks and edits until the time is over."""
    rng = random.Random(number)
    while time.monotonic() < until:
        deed = rng.random()
        began = time.monotonic()
        if deed < 0.45:
            path = rng.choice(["/", "/rules", f"/rules/{rng.randint(1, 14)}", "/suspects", "/constants", "/api/rules"])
            answer = await asking.get(path)
        elif deed < 0.75:
            answer = await asking.post("/api/predict", json={"share": 0.3, "seed": rng.randrange(50)})
        elif deed < 0.95:
            asked = {"share": 0.3, "seed": rng.randrange(10), "add": [f"adult(new{rng.randrange(20)})"]}
            answer = await asking.post("/api/what-if", json=asked)
        else:
            mark = {"kind": "mark", "atom": f"adult(p{rng.randrange(50)})", "who": f"client {number}"}
            answer = await asking.post("/api/edits", json=mark)
        took.append(time.monotonic() - began)
        if answer.status_code != 200:
            failed.append(f"{answer.status_code} {answer.text[:100]}")
        await asyncio.sleep(rng.random() * 2 * pause)


def family(process: int) -> list[int]:
    """A process and all that it began."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in listed.splitlines()]
    found = {process}
    for _ in rows:
        found |= {pid for pid, parent in rows if parent in found}
    return sorted(found)


def memory(process: int) -> float:
    """Of a process and all that it began, in MB; what they share is counted once."""
    lines = [line for pid in family(process) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def seconds_of(process: int) -> float:
    """The CPU time of a process and all that it began."""
    ticks = 0
    for pid in family(process):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def cores() -> str:
    """How many there are, and how many processes want them."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


async def many(address: str, clients: int, seconds: float, pause: float) -> tuple[list[float], list[str]]:
    """All clients at once."""
    took: list[float] = []
    failed: list[str] = []
    until = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=30, limits=limits) as asking:
        await asyncio.gather(*(client(asking, number, until, took, failed, pause) for number in range(clients)))
    return took, failed


def load_test(clients: int, seconds: float, pause: float, rest: float) -> None:
    """A server, all clients, and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        learn(load("village")).save(Path(folder, "village.pl"))
        command = [
            sys.executable,
            "-m",
            "possilog",
            "explore",
            "village.pl",
            "--data",
            "village",
            "--port",
            "0",
            "--no-browser",
        ]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        asyncio.run(many(address, 5, 5, 0))
        before, busy, own = memory(server.pid), seconds_of(server.pid), time.process_time()
        took, failed = asyncio.run(many(address, clients, seconds, pause))
        busy, own = seconds_of(server.pid) - busy, time.process_time() - own
        time.sleep(rest)
        after = memory(server.pid)
        server.terminate()
        code = server.wait()
    took.sort()
    at = {share: 1e3 * took[int(share * len(took)) - 1] for share in (0.5, 0.95, 0.99)}
    print(f"{clients} clients, {seconds:g} s, pauses of {pause:g} s: {len(took):,} answers, {len(failed)} errors")
    print(
        f"ms: median {at[0.5]:.0f}, 95 % {at[0.95]:.0f}, 99 % {at[0.99]:.0f}; "
        f"MB before {before:.0f}, {rest:g} s after {after:.0f}; exit code {code}"
    )
    each = 1e3 / len(took)
    print(f"CPU ms for an answer: server and its processes {busy * each:.1f}, clients {own * each:.1f}; {cores()}")
    for one in failed[:5]:
        print(one)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["latency", "load"])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rest", type=float, default=30, help="seconds before memory is looked at again")
    parser.add_argument("--pause", type=float, default=1.0, help="between two questions of a client, on average")
    asked = parser.parse_args()
    if asked.what == "latency":
        latency([(10, 1_000), (100, 1_000), (100, 10_000), (300, 10_000)])
    else:
        load_test(min(asked.clients, 500), min(asked.seconds, 300), asked.pause, asked.rest)
