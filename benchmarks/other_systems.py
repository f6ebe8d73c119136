"""One theory and the same evidence for possilog, clingo, Prolog, ProbLog and PSL: what each adds, and in what time.

    python benchmarks/other_systems.py [--sets 5] [--limit 60]

The theory is learned from the village. Of its facts a part is given, the same to each system, by what ``convert``
writes; what a system holds for more probable than not, or true to more than a half, is compared with the facts. Prints
tables for the README beside this file: right and wrong conclusions and CPU seconds, means over the sets. Prolog takes
every rule for certain, ProbLog and PSL take weights for something else than they are, so this says what an export is
worth, and not which system is better.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from possilog import convert, learn, load, predict
from possilog.data import Database
from possilog.logic import Atom, Theory, parse_atom

SHARES = (0.2, 0.5, 0.8)
Asked = Callable[[Theory, Database, Path, float], set[str]]


def run(command: list[str], limit: float) -> str:
    """What a program prints; it may take so many seconds."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit).stdout


def written(theory: Theory, to: str, given: Database, folder: Path) -> str:
    """The path of the theory and what is given, in the language of a system."""
    path = folder / f"theory.{to}"
    path.write_text(convert(theory, to, given).text, encoding="utf-8")
    return str(path)


def by_possilog(theory: Theory, given: Database, folder: Path, limit: float) -> set[str]:
    """What local inference adds."""
    return {plain(str(conclusion.atom)) for conclusion in predict(theory, given).added}


def by_clingo(theory: Theory, given: Database, folder: Path, limit: float) -> set[str]:
    """The best answer set."""
    said = run([sys.executable, "-m", "clingo", "--outf=2", written(theory, "asp", given, folder)], limit)
    return set(map(plain, json.loads(said)["Call"][0]["Witnesses"][-1]["Value"]))


def by_prolog(theory: Theory, given: Database, folder: Path, limit: float) -> set[str]:
    """All that the rules derive."""
    heads = {rule.clause.head[0].predicate for rule in theory if rule.clause.head}
    asked = ",".join(f"{p.name}({','.join('_' * p.arity)})" for p in sorted(heads))
    goal = f"forall((member(P,[{asked}]),P),(print(P),nl)),halt"
    return set(map(plain, run(["swipl", "-q", "-g", goal, written(theory, "prolog", given, folder)], limit).split()))


def by_problog(theory: Theory, given: Database, folder: Path, limit: float) -> set[str]:
    """What is more probable than not."""
    program = str(Path(sys.executable).with_name("problog"))
    said = run([program, written(theory, "problog", given, folder)], limit)
    found = re.findall(r"(\S+\)):\s+([\d.e-]+)", said)
    if not found:
        raise ValueError(said)
    return {plain(atom) for atom, chance in found if float(chance) > 0.5}


def by_psl(theory: Theory, given: Database, folder: Path, limit: float) -> set[str]:
    """What is true to more than a half."""
    program = [sys.executable, "-W", "ignore", "-m", "pslpython.runtime", written(theory, "psl", given, folder)]
    said = run(program, limit)
    atoms = json.loads(said[said.index("\n{") :])["atoms"]
    names = {rule.upper(): rule for rule in (predicate.name for predicate in theory.predicates)}
    return {
        f"{names[atom['predicate']]}({','.join(atom['arguments'])})" for atom in atoms if float(atom["value"]) > 0.5
    }


SYSTEMS: dict[str, Asked] = {
    "possilog": by_possilog,
    "clingo": by_clingo,
    "SWI-Prolog": by_prolog,
    "ProbLog": by_problog,
    "PSL": by_psl,
}


def plain(atom: str) -> str:
    """An atom without blanks and quotes, as every system can be read."""
    return atom.replace(" ", "").replace('"', "").replace("'", "")


def seconds() -> float:
    """CPU time, of this process and of those that it ran."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def measure(theory: Theory, facts: list[Atom], sets: int, limit: float) -> None:
    """A table for each share."""
    true = {plain(str(atom)) for atom in facts}
    for share in SHARES:
        print(f"\n| {share:.0%} of {len(facts)} facts given | right | wrong | CPU s | sets |\n|---|---|---|---|---|")
        for name, ask in SYSTEMS.items():
            right, wrong, took, ended = 0, 0, 0.0, 0
            for seed in range(sets):
                given = Random(seed).sample(facts, round(share * len(facts)))
                began = seconds()
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        added = ask(theory, Database.of(given), Path(folder), limit)
                    except (subprocess.TimeoutExpired, ValueError) as error:
                        print(f"{name}, set {seed}: {str(error)[-200:]}", file=sys.stderr)
                        continue
                new = added - {plain(str(atom)) for atom in given}
                right, wrong, took, ended = (
                    right + len(new & true),
                    wrong + len(new - true),
                    took + seconds() - began,
                    ended + 1,
                )
            means = [f"{total / ended:.1f}" if ended else "" for total in (right, wrong)]
            print(f"| {name} | {means[0]} | {means[1]} | {took / ended if ended else 0:.2f} | {ended} of {sets} |")


def main() -> None:
    """The village, given in parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60)
    asked = parser.parse_args()
    village = load("village")
    predict(learn(village).theory, [parse_atom("adult(ann)")])  # so that nothing is imported while it is measured
    measure(learn(village).theory, list(village), asked.sets, asked.limit)


if __name__ == "__main__":
    main()
