"""A graph that is larger than memory, mined and completed from parts on disk, beside the same in memory.

    python benchmarks/past_memory.py [FACTS] [--limit MB]

The graph has 24 relations, of which every fourth follows from two others in most cases. Each way runs in a process of
its own; the one on disk has an address space (as ``ulimit -v`` sets it) of a third of what the facts take in memory, or
of the limit that is given. Both have to find the same rules with the same counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from possilog.structure.paths.mined import MinedRule

RELATIONS = 24
SUPPORT, CONFIDENCE = 100, 0.2

PARTS = 32
BASE = 380.0
"""Megabytes of addresses that Python, numpy and DuckDB take before there is a fact."""


def main() -> None:
    """Make the graph, and mine it both ways."""
    asked = argparse.ArgumentParser()
    asked.add_argument("facts", nargs="?", type=int, default=6_000_000)
    asked.add_argument("--limit", type=float, help="megabytes; else a third of what it takes in memory")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        number = write_graph(folder / "graph.tsv", given.facts)
        size = (folder / "graph.tsv").stat().st_size
        print(f"{number:,} facts, {size / 1e6:,.0f} MB as text", flush=True)
        inside = run("inside", folder, None)
        limit = given.limit or inside["megabytes"] / 3
        show("in memory", inside, number)
        outside = on_disk(folder, limit)
        show(f"on disk, with ulimit -v of {limit:,.0f} MB", outside, number)
        print(f"  parts on disk: {outside['bytes'] / number:.0f} bytes a fact, twice; {outside['plan']}")
        assert inside["rules"] == outside["rules"], "both ways have to find the same"
        print(f"{len(inside['rules']):,} rules, the same both ways; {outside['added']:,} facts added on disk")
        ratio = (outside["mining"] / inside["mining"], outside["all"] / inside["all"])
        times = inside["megabytes"] / limit
        print(
            f"memory: {times:.1f} times the limit (bar: 3); mining takes {ratio[0]:.1f} times as long, with reading "
            f"{ratio[1]:.1f} times (bar: 3)"
        )


def write_graph(path: Path, facts: int) -> int:
    """Random links, a few constants with many; every fourth relation has what two others lead to, and some noise."""
    chance = np.random.default_rng(20)
    nodes, each = facts // 12, facts // RELATIONS
    pairs: list[npt.NDArray[np.int64]] = []
    for relation in range(RELATIONS):
        first = (nodes * chance.random(each) ** 1.5).astype(np.int64)
        second = (nodes * chance.random(each) ** 1.5).astype(np.int64)
        if relation % 4 == 3:
            one, other = pairs[relation - 3], pairs[relation - 2]
            order = np.argsort(other[0], kind="stable")
            at = np.searchsorted(other[0][order], one[1])
            there = at < each
            there[there] &= other[0][order][at[there]] == one[1][there]
            joined = np.stack([one[0][there], other[1][order][at[there]]])[:, : 4 * each // 5]
            first[: joined.shape[1]], second[: joined.shape[1]] = joined
        pairs.append(np.stack([first, second]))
    links = [np.stack(np.divmod(np.unique(two[0] * nodes + two[1]), nodes)) for two in pairs]
    number = np.repeat(np.arange(RELATIONS), [two.shape[1] for two in links])
    given = dict(zip(("x", "y"), np.concatenate(links, axis=1), strict=True), r=number)
    with duckdb.connect() as connection:
        connection.register("given", given)
        texts = "printf('e%08d', x), printf('r%02d', r), printf('e%08d', y)"
        connection.execute(f"COPY (SELECT {texts} FROM given) TO '{path}' (DELIMITER '\t', HEADER false, QUOTE '')")
    return len(number)


def run(way: str, folder: Path, limit: float | None) -> dict[str, Any]:
    """One way, in a process of its own."""
    begin = [sys.executable, __file__, f"--{way}", str(folder)]
    environment = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "PATH": "/usr/bin:/bin"}

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (int(limit * 1e6),) * 2)

    found = subprocess.run(begin, env=environment, stdout=subprocess.PIPE, check=True, preexec_fn=limited)
    return dict(json.loads(found.stdout))


def on_disk(folder: Path, limit: float) -> dict[str, Any]:
    """The three commands one after the other, each within the limit."""
    steps = [run(way, folder, limit) for way in ("partitioned", "mined", "completed")]
    found: dict[str, Any] = {name: value for step in steps for name, value in step.items()}
    found |= {name: max(step[name] for step in steps) for name in ("address", "megabytes")}
    return found | {"rules": steps[1]["rules"], "all": found["reading"] + found["mining"]}


def show(title: str, found: dict[str, Any], number: int) -> None:
    """What a way took."""
    each = 1e6 / number
    print(
        f"{title}: {found['megabytes']:,.0f} MB resident at most, {found['address']:,.0f} MB of addresses; reading "
        f"{found['reading'] * each:.1f}, mining {found['mining'] * each:.1f}, completing "
        f"{found['completing'] * each:.1f} CPU microseconds a fact",
        flush=True,
    )


def measured(found: dict[str, Any], rules: Iterable[MinedRule]) -> None:
    """Print what a way took, and what it found."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    found["address"] = int(status["VmPeak"].split()[0]) / 1e3
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    found["rules"] = sorted((rule.rule, rule.support, rule.body_size, rule.pca_size) for rule in rules)
    print(json.dumps(found))


def inside(folder: Path) -> None:
    """All in memory: the facts as a database, laid out as a graph."""
    from possilog import mine, read

    clock = [time.process_time()]
    facts = read(folder / "graph.tsv")
    clock.append(time.process_time())
    rules = mine(facts, min_support=SUPPORT, min_confidence=CONFIDENCE, constants=False)
    clock.append(time.process_time())
    taken = {
        "reading": clock[1] - clock[0],
        "mining": clock[2] - clock[1],
        "completing": 0.0,
        "all": clock[2] - clock[0],
    }
    measured(taken, (rule for rule in rules if "C" in rule.rule or rule.rule.count("(") == 2))


def limits() -> tuple[float, float]:
    """What DuckDB may take while it sorts, and a block: the address space without what programs take by themselves."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] / 1e6
    return max(50.0, limit - 500), max(50.0, limit - BASE)


def partitioned(folder: Path) -> None:
    """``possilog partition``."""
    from possilog.data.partitions import partition

    began = time.process_time()
    partition(folder / "graph.tsv", folder / "parts", memory_limit=limits()[0], parts=PARTS)
    size = sum(file.stat().st_size for file in (folder / "parts").iterdir())
    measured({"reading": time.process_time() - began, "bytes": size}, ())


def mined(folder: Path) -> None:
    """``possilog mine parts:FOLDER``."""
    from possilog.data.partitions import Partitions
    from possilog.logic import write_theory
    from possilog.structure.paths.on_disk import mine_parts, plan_for

    began = time.process_time()
    facts, room = Partitions.open(folder / "parts"), limits()[1]
    rules = mine_parts(facts, min_support=SUPPORT, min_confidence=CONFIDENCE, memory_limit=room)
    taken = time.process_time() - began
    write_theory(rules.theory, folder / "rules.pl")
    plan = plan_for(facts, room)
    measured({"mining": taken, "plan": f"{plan.parts} parts, {len(plan.groups)} groups"}, rules)


def completed(folder: Path) -> None:
    """``possilog complete``."""
    from possilog.data.partitions import Partitions
    from possilog.inference.completing import complete
    from possilog.logic import read_theory

    began = time.process_time()
    facts, room = Partitions.open(folder / "parts"), limits()[1]
    done = complete(
        facts, read_theory(folder / "rules.pl"), folder / "done", min_confidence=CONFIDENCE, memory_limit=room
    )
    measured({"completing": time.process_time() - began, "added": sum(done.added.values())}, ())


WAYS = {"--inside": inside, "--partitioned": partitioned, "--mined": mined, "--completed": completed}


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in WAYS:
        WAYS[sys.argv[1]](Path(sys.argv[2]))
    else:
        main()
