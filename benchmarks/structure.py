"""Structure learning, phase by phase, on the authors' data.

    python benchmarks/structure.py [--data FOLDER] [--repeats 3]

FOLDER holds the real data sets; by default it is ../shared/data, beside the project. Times are CPU seconds of one
process on one core, without reading the facts, medians. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import os

# Before numpy is imported: one core means one.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from possilog.data import Database, read
from possilog.logic import Clause
from possilog.structure import PRESETS, FoundRules, HardRules, Limits, SearchSettings, find_hard_rules, find_rules
from possilog.structure.consistency import Consistency
from possilog.structure.examples import make_examples

_T = TypeVar("_T")

SHARED = Path(__file__).parents[2] / "shared" / "data"
UWCSE, YEAST, UMLS = "uwcse/ijcai17/train.db", "yeast/paper/train.db", "umls/train.tsv"


def median_cpu(task: Callable[[], _T], repeats: int) -> tuple[float, _T]:
    """Median CPU seconds of a call, and its last result."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        result = task()
        times.append(time.process_time() - began)
    return statistics.median(times), result


@dataclass(frozen=True)
class HardRuleTask:
    """One search for hard rules, how many there should be, its bar, and what others took, in seconds."""

    title: str
    facts: str
    literals: int = 2
    variables: int | None = None
    count: int | None = None
    bar: float | None = None
    others: str = ""

    def run(self, database: Database) -> HardRules:
        """Search, and complain if the result is not what it should be."""
        found = find_hard_rules(database, literals=self.literals, variables=self.variables)
        if self.count is not None and len(found.rules) != self.count:
            raise SystemExit(f"{self.title}: {len(found.rules)} hard rules instead of {self.count}")
        return found


HARD_RULES = [
    HardRuleTask("UWCSE, t = 2", UWCSE, count=116, bar=1, others="authors' Java 14, naive Python 3.2"),
    HardRuleTask("Yeast, t = 2", YEAST, count=112, bar=1, others="authors' Java 8, naive Python 0.4"),
    HardRuleTask("UMLS, t = 2", UMLS),
    HardRuleTask("UWCSE, t = 3, 4 variables", UWCSE, literals=3, variables=4, bar=120),
    HardRuleTask("UWCSE, t = 3, any number of variables", UWCSE, literals=3),
]


def hard_rules(folder: Path, repeats: int) -> None:
    """The time of each search for hard rules, and how the candidates fared."""
    print("\n| hard rules, t' = 5 | candidates | checked exactly | rules | CPU s | bar, s | candidates/s | others, s |")
    print("|---|---|---|---|---|---|---|---|")
    for task in HARD_RULES:
        database = read(folder / task.facts)
        seconds, found = median_cpu(lambda task=task, database=database: task.run(database), repeats)  # type: ignore[misc]
        candidates = sum(level.candidates for level in found.levels)
        checked = sum(level.checked for level in found.levels)
        bar = "" if task.bar is None else f"{task.bar:g}"
        print(
            f"| {task.title} | {candidates:,} | {checked:,} | {len(found.rules):,} | {seconds:.2f} | {bar} | "
            f"{candidates / seconds:,.0f} | {task.others} |"
        )


HORN_RULES = [
    ("UWCSE, preset", UWCSE, PRESETS["uwcse"], "30 in all", "authors' Java 393 in all"),
    ("Yeast, preset", YEAST, PRESETS["yeast"], "", ""),
    ("UMLS, body 2", UMLS, SearchSettings(Limits(body=2)), "60 in all", ""),
]
"""What is searched: title, facts, settings, the bar, and what others took, in seconds."""


def horn_rules(folder: Path, repeats: int) -> None:
    """The time of each phase of the search for Horn rules, and how many candidates it handles a second."""
    print("\n| Horn rules | hard rules, s | negatives, s | search, s | in all, s | bar, s | others, s |")
    print("|---|---|---|---|---|---|---|")
    rates = []
    for title, facts, settings, bar, others in HORN_RULES:
        database = read(folder / facts)
        first, hard = median_cpu(lambda database=database: find_hard_rules(database).clauses, repeats)  # type: ignore[misc]

        def negatives(
            database: Database = database, hard: Sequence[Clause] = hard, settings: SearchSettings = settings
        ) -> None:
            consistency = Consistency(database, hard)
            for target in database.predicates:
                make_examples(
                    consistency, target, negatives=settings.negatives, positives=settings.positives, seed=settings.seed
                )

        def search(
            database: Database = database, hard: Sequence[Clause] = hard, settings: SearchSettings = settings
        ) -> FoundRules:
            return find_rules(database, hard, settings=settings)

        second, _ = median_cpu(negatives, repeats)
        both, found = median_cpu(search, repeats)
        print(f"| {title} | {first:.2f} | {second:.2f} | {both - second:.2f} | {first + both:.2f} | {bar} | {others} |")
        counts, seconds = found.counts, both - second
        rates.append(
            f"| {title} | {counts.generated:,} | {counts.contradictory:,} | {counts.implied:,} | {counts.known:,} | "
            f"{counts.forbidden:,} | {counts.evaluated:,} | {len(found.rules):,} | {counts.generated / seconds:,.0f} |"
        )
    print(
        "\n| candidates | generated | contradictory | implied | known | forbidden | evaluated | rules | generated/s |"
    )
    print("|---|---|---|---|---|---|---|---|---|", *rates, sep="\n")


PHASES: list[Callable[[Path, int], None]] = [hard_rules, horn_rules]
"""Each prints a table."""


def main() -> None:
    """Run the phases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED, help="where the real data sets are")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    for phase in PHASES:
        phase(arguments.data, arguments.repeats)


if __name__ == "__main__":
    main()
