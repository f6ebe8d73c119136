"""A Dask cluster of real processes on this machine, of which workers are killed at random: are the answers the same?

    python benchmarks/cluster.py [TIMES] [--seed N]

``learn`` and ``mine`` of the village, ``experiment`` of a planted set and ``predict`` of 1,000 evidence sets run on a
scheduler and two workers; in each run a worker is killed at a random moment, and another one started. What comes out
has to be what one process gives, byte for byte, every time. Then the scheduler is killed while a theory is learned:
there has to be one sentence, and the same command on a new cluster goes on from what is in the work folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from clusters import Started, started

SETS = 1_000
PROGRAM = [sys.executable, "-c", "from possilog.cli import main; main()"]
COMMANDS = {
    "learn": ("learn", "village", "-o", "{}/theory.pl", "--force"),
    "mine": (
        "mine",
        "university",
        "--body",
        "3",
        "--min-support",
        "5",
        "--conjunctions",
        "-o",
        "{}/rules.pl",
        "--force",
    ),
    "experiment": ("experiment", "village", "-o", "{}/experiment", "--quick", "--force"),
    "predict": ("predict", "theory.pl", "sets", "-o", "{}/found.jsonl", "--force"),
}
TIMES = ("seconds", "when", "cpu")
"""What experiments measure, and is never the same."""


def main() -> None:
    """Run all of it, and say what was seen."""
    asked = argparse.ArgumentParser()
    asked.add_argument("times", nargs="?", type=int, default=10)
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    chance = Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        expected = {which: answer(folder, which, ()) for which in COMMANDS}
        with started(folder) as cluster:
            for which in COMMANDS:
                began = time.perf_counter()
                first, _ = answer_with_kill(folder, which, cluster, 3600)
                usual = time.perf_counter() - began
                same = killed = 0
                for _ in range(given.times):
                    found, lost = answer_with_kill(folder, which, cluster, chance.uniform(0.1, 0.9) * usual)
                    same, killed = same + (found == expected[which]), killed + lost
                told = f"{'the same' if first == expected[which] else 'another answer'} in {usual:.1f} s"
                kills = f"a worker killed in {killed} of {given.times} runs, the same in {same}"
                print(f"{which}: {told}; {kills}", flush=True)
        print(f"scheduler killed: {without_scheduler(folder, expected['learn'])}", flush=True)


def prepare(folder: Path) -> None:
    """A theory, and evidence sets for it."""
    from possilog import learn, load, write_theory

    village = load("village")
    write_theory(learn(village).theory, folder / "theory.pl")
    facts = [str(atom) for atom in village]
    (folder / "sets").mkdir()
    for number in range(SETS):
        some = Random(number).sample(facts, Random(number).randint(1, len(facts)))
        (folder / "sets" / f"{number:04}.db").write_text("\n".join(some))


def command(folder: Path, which: str, more: tuple[str, ...]) -> list[str]:
    """The words of a command, which writes into a folder of its name."""
    (folder / which).mkdir(exist_ok=True)
    return [*PROGRAM, *(word.replace("{}", which) for word in COMMANDS[which]), *more]


def answer(folder: Path, which: str, more: tuple[str, ...]) -> bytes:
    """What a command writes."""
    subprocess.run(command(folder, which, more), cwd=folder, check=True, capture_output=True)
    return written(folder / which)


def answer_with_kill(folder: Path, which: str, cluster: Started, moment: float) -> tuple[bytes, bool]:
    """The same on a cluster, a worker of which is killed after so many seconds; was there time for that?"""
    words = command(folder, which, ("--cluster", cluster.address))
    killed = False
    with open(folder / "said", "w+") as said:
        process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            cluster.kill_worker()
            killed = True
        process.wait()
        said.seek(0)
        told = said.read()
    assert "the cluster shows what it does at" in told, told
    if process.returncode:
        print(told, flush=True)
    return written(folder / which), killed


def written(folder: Path) -> bytes:
    """The files of a folder, without what was timed; they are gone then."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "work" not in path.parts:
            content = path.read_bytes()
            if path.suffix == ".json":
                content = json.dumps(untimed(json.loads(content))).encode()
            if path.suffix in (".json", ".pl", ".jsonl"):
                found.append(path.name.encode() + b"\n" + content)
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return b"\n".join(found)


def untimed(given: object) -> object:
    """Without what was measured by a clock."""
    if isinstance(given, dict):
        return {name: untimed(value) for name, value in given.items() if not any(word in name for word in TIMES)}
    return [untimed(value) for value in given] if isinstance(given, list) else given


def without_scheduler(folder: Path, expected: bytes) -> str:
    """Kill the scheduler while parts are held out, and go on with another one."""
    work = ("--work", "kept")
    with started(folder) as cluster:
        words = command(folder, "learn", ("--cluster", cluster.address, *work))
        with subprocess.Popen(
            words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if "simulation" in line:
                    cluster.scheduler.kill()
                    break
            said = process.stderr.read().strip().splitlines()[-1]
    kept = len(os.listdir(folder / "kept"))
    with started(folder) as cluster:
        began = time.perf_counter()
        again = answer(folder, "learn", ("--cluster", cluster.address, *work))
    took = time.perf_counter() - began
    return f"{said!r}; {kept} files kept; again: {'the same' if again == expected else 'another answer'}, {took:.1f} s"


if __name__ == "__main__":
    main()
