"""How long learning takes, and whether planted rules come back.

    python benchmarks/learning.py [--data FOLDER] [--seeds N]

Times are CPU seconds of one process. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from possilog import Learned, learn, read
from possilog.data.bundled import load
from possilog.data.generate import university
from possilog.entailment import entails
from possilog.logic import Clause

SHARED = Path(__file__).parents[2] / "shared" / "data"


def show(name: str, task: Callable[[], Learned], bar: str) -> None:
    """One row: what was learned, and in how many CPU seconds."""
    began = time.process_time()
    learned = task()
    seconds = time.process_time() - began
    likelihood = "" if learned.weighing is None else f"{learned.weighing.fit.log_likelihood:,.0f}"
    theory = learned.theory
    rules = (len(learned.hard.all), len(theory.hard_listed), len(learned.candidates), len(theory.ranked))
    counts = " | ".join(map(str, rules))
    print(f"| {name} | {counts} | {likelihood} | {seconds:.1f} | {bar} |", flush=True)


def planted(seed: int) -> str:
    """What is amiss with what was learned from a university: planted rules that are missing, or contradicted."""
    made = university(seed=seed)
    clauses = [rule.clause for rule in learn(made.database).theory]
    missing = [rule.name for rule in made.soft if rule.reliability >= 0.8 and not entails(clauses, rule.clause)]
    definite = [clause for clause in clauses if clause.is_definite]
    against = [str(c) for c in definite if entails(made.hard, Clause((), (*c.body, *c.head)))]
    return ", ".join([*(f"{name} is missing" for name in missing), *against])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    counts = "clauses without exception | hard rules | candidates | soft rules"
    print(f"| data | {counts} | log-likelihood | s | bar, s |\n|{'---|' * 8}")
    uwcse, yeast = (read(given.data / name / "paper" / "train.db") for name in ("uwcse", "yeast"))
    show("UWCSE, prediction", lambda: learn(uwcse, preset="uwcse"), "60")
    show("UWCSE, likelihood", lambda: learn(uwcse, preset="uwcse", objective="likelihood", max_rules=18), "")
    show("Yeast, prediction", lambda: learn(yeast, preset="yeast"), "120")
    show("village, as in the demo", lambda: learn(load("village")), "60")
    wrong = {seed: said for seed in range(given.seeds) if (said := planted(seed))}
    print(f"\nuniversities without a fault: {given.seeds - len(wrong)} of {given.seeds}")
    for seed, said in wrong.items():
        print(f"seed {seed}: {said}")


if __name__ == "__main__":
    main()
