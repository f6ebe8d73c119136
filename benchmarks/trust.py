"""Does what a theory says come true on data that it has not seen?

    python benchmarks/trust.py [--sets NAME ...] [--seeds 1 2 3] [--repeats 20] [--keep FOLDER] [--before FOLDER]
                               [--shuffled 20] [--json FILE] [--picture FILE]

Learns from one part of each data set and predicts the other at seven shares of known facts. Prints the tables for the
README beside this file, and which bars are met. ``--keep`` writes each theory, and takes what is there already instead
of learning it again; ``--before`` is a folder with theories of the same names that another state of the code learned:
they are tried on the same evidence. A quick run: ``--sets countries smokers --seeds 1 --repeats 5 --shuffled 0``.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from possilog import Theory, learn
from possilog.data import Evidence
from possilog.inference import Reasoner
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.logic import Clause, read_theory
from reliability import draw
from trust_data import DATA, SHARED, Task, shuffled, tasks

TENTHS = 10
LEARNED = "% learned in "


@dataclass
class Told:
    """Conclusions of which something was said, in tenths of that: how many, how many came true, what was said."""

    number: np.ndarray[Any, Any] = field(default_factory=lambda: np.zeros(TENTHS))
    right: np.ndarray[Any, Any] = field(default_factory=lambda: np.zeros(TENTHS))
    said: np.ndarray[Any, Any] = field(default_factory=lambda: np.zeros(TENTHS))
    squares: float = 0.0

    def add(self, probability: float, right: bool) -> None:
        """Take one conclusion."""
        place = min(int(probability * TENTHS), TENTHS - 1)
        self.number[place] += 1
        self.right[place] += right
        self.said[place] += probability
        self.squares += (probability - right) ** 2

    def __add__(self, other: Told) -> Told:
        return Told(
            self.number + other.number, self.right + other.right, self.said + other.said, self.squares + other.squares
        )

    @property
    def error(self) -> float:
        """The expected calibration error, in tenths."""
        return float(np.abs(self.right - self.said).sum() / max(self.number.sum(), 1))

    @property
    def brier(self) -> float:
        """The mean square of what was said less what came true."""
        return self.squares / max(float(self.number.sum()), 1.0)


@dataclass
class Outcome:
    """What came of one theory on one data set."""

    gains: dict[float, list[int]]
    hard: dict[float, list[int]]
    certain: tuple[int, int]
    """How much was concluded with certainty 1, and how much of that is true."""
    told: Told
    soft: Told
    """Without what is certain."""
    milliseconds: float
    rules: tuple[int, int, int]
    """Hard rules that are listed, demoted constraints, soft rules."""

    @property
    def means(self) -> list[float]:
        """The mean gain at each share."""
        return [float(np.mean(self.gains[share])) for share in SIMULATED]

    @property
    def errors(self) -> list[float]:
        """Its standard error at each share."""
        return [_error(self.gains[share]) for share in SIMULATED]

    @property
    def mean(self) -> float:
        """The mean gain over all shares."""
        return float(np.mean(self.means))

    @property
    def losses(self) -> list[float]:
        """The shares at which it clearly loses against predicting nothing, by all rules or by the hard ones alone."""
        return [
            share
            for share in SIMULATED
            if any(np.mean(row) < -2 * _error(row) for row in (self.gains[share], self.hard[share]))
        ]

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it as numbers and lists."""
        return {
            "gains": self.means,
            "errors": self.errors,
            "hard": [float(np.mean(self.hard[share])) for share in SIMULATED],
            "certain": self.certain,
            "calibration error": self.told.error,
            "calibration error, soft": self.soft.error,
            "brier": self.told.brier,
            "tenths": [self.told.number.tolist(), self.told.right.tolist(), self.told.said.tolist()],
            "milliseconds": self.milliseconds,
            "rules": self.rules,
        }


def _error(values: Sequence[int]) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def evaluate(theory: Theory, task: Task, repeats: int) -> Outcome:
    """Predict the test facts from evidence sets drawn from them, the same for every theory."""
    reasoner, truth = Reasoner(theory), frozenset(task.test)
    gains: dict[float, list[int]] = defaultdict(list)
    hard: dict[float, list[int]] = defaultdict(list)
    told, soft, seconds, certain = Told(), Told(), 0.0, [0, 0]
    for share in SIMULATED:
        for number in range(repeats):
            known = draw_known(task.test, number_of(task.test, share), 5, "test", str(share), str(number))
            evidence = Evidence(known)
            began = time.process_time()
            added = list(reasoner.predict(evidence).added)
            seconds += time.process_time() - began
            gain = first = 0
            for conclusion in added:
                right = conclusion.atom in truth
                gain += 1 if right else -1
                stated = conclusion.stated
                said = float(conclusion.certainty) if stated is None else stated.probability
                told.add(said, right)
                if conclusion.certainty.is_certain:
                    first += 1 if right else -1
                    certain = [certain[0] + 1, certain[1] + right]
                else:
                    soft.add(said, right)
            gains[share].append(gain)
            hard[share].append(first)
    rules = (len(theory.hard_listed), len(theory.demoted), len(theory.ranked))
    milliseconds = seconds / (repeats * len(SIMULATED)) * 1000
    return Outcome(gains, hard, (certain[0], certain[1]), told, soft, milliseconds, rules)


def learned(task: Task, keep: Path | None) -> tuple[Theory, float]:
    """The theory of a task and the CPU seconds that it took; one that is kept is not learned again."""
    file = None if keep is None else keep / f"{task.theory}.pl"
    if file is not None and file.exists():
        first = file.read_text().partition("\n")[0]
        return read_theory(file), float(first.removeprefix(LEARNED).split()[0]) if first.startswith(LEARNED) else 0.0
    began = time.process_time()
    theory = learn(task.train).theory
    seconds = time.process_time() - began
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{LEARNED}{seconds:.1f} CPU s\n{theory}")
    return theory, seconds


@dataclass
class Row:
    """A task, and what came of the theory that was learned for it and of the one before."""

    task: Task
    seconds: float
    now: Outcome
    before: Outcome | None

    @property
    def behind(self) -> float:
        """By which share of the mean gain of the code before it is behind that."""
        if self.before is None or self.before.mean <= 0:
            return 0.0
        return 1 - self.now.mean / self.before.mean


def run(given: argparse.Namespace) -> Iterator[Row]:
    """Each task in turn."""
    for task in tasks(given.data, given.sets, given.seeds):
        theory, seconds = learned(task, given.keep)
        before = None
        if given.before is not None and (file := given.before / f"{task.theory}.pl").exists():
            before = evaluate(read_theory(file), task, given.repeats)
        yield Row(task, seconds, evaluate(theory, task, given.repeats), before)


# Tables


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _head(*cells: str) -> str:
    return f"{_line(cells)}\n|{'---|' * len(cells)}"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def gains_row(row: Row) -> Iterator[str]:
    """Gains at each share, of the code before and now."""
    for name, outcome in (("before", row.before), ("now", row.now)):
        if outcome is not None:
            cells = [f"{mean:.1f} ± {error:.1f}" for mean, error in zip(outcome.means, outcome.errors, strict=True)]
            hard = float(np.mean([np.mean(outcome.hard[share]) for share in SIMULATED]))
            yield _line([row.task.name, name, *cells, f"{outcome.mean:.2f}", f"{hard:.2f}"])


def said_row(name: str, outcomes: Mapping[str, Sequence[Outcome]], seconds: float | None) -> Iterator[str]:
    """What was said and what came true, of the code before and now."""
    for when, some in outcomes.items():
        if not some:
            continue
        number, right = (sum(one.certain[place] for one in some) for place in (0, 1))
        told, soft = sum((one.told for one in some), Told()), sum((one.soft for one in some), Told())
        rules = " / ".join(map(str, some[0].rules)) if len(some) == 1 else ""
        cells = [_share(right, number), f"{number:,}", f"{told.error:.3f}", f"{soft.error:.3f}", f"{told.brier:.3f}"]
        took = "" if seconds is None or when == "before" else f"{seconds:.1f}"
        speed = f"{np.mean([one.milliseconds for one in some]):.1f}"
        yield _line([name, when, *cells, rules, took, speed])


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """Both tables: gains, and what was said."""
    yield _head("data", "code", *(f"{share:.0%}" for share in SIMULATED), "mean", "hard rules alone")
    for row in rows:
        yield from gains_row(row)
    yield ""
    columns = ("certainty 1 right", "of", "calibration error", "of soft rules", "Brier score")
    yield _head("data", "code", *columns, "hard / demoted / soft rules", "learning, CPU s", "ms per prediction")
    for row in rows:
        yield from said_row(row.task.name, both([row]), row.seconds)
    for name in dict.fromkeys(row.task.data for row in rows):
        family = [row for row in rows if row.task.data == name]
        if len(family) > 1:
            yield from said_row(f"**{name}**", both(family), None)
    yield from said_row("**all**", both(rows), None)


def both(rows: Sequence[Row]) -> dict[str, list[Outcome]]:
    """The outcomes of the code before, where there are some, and now."""
    return {"before": [row.before for row in rows if row.before is not None], "now": [row.now for row in rows]}


# Bars


def bars(rows: Sequence[Row]) -> Iterator[str]:
    """Which bars of the issue are met."""
    families: dict[str, list[Outcome]] = defaultdict(list)
    for row in rows:
        families[row.task.data].append(row.now)
    everything = [row.now for row in rows]
    exact = {name: precision(some) for name, some in families.items() if sum(one.certain[0] for one in some)}
    off = {name: sum((one.told for one in some), Told()).error for name, some in families.items()}
    losses = [f"{row.task.name} at {share:.0%}" for row in rows for share in row.now.losses]
    behind = [f"{row.task.name} {row.behind:.1%}" for row in rows if row.behind > 0.02]
    yield _head("bar", "measured", "met")
    yield from bar("certainty 1 right in 98.5 % pooled", precision(everything) >= 0.985, f"{precision(everything):.2%}")
    yield from worst("certainty 1 right in 95 % of each data set", exact, min, lambda value: value >= 0.95, "{:.1%}")
    pooled = sum((one.told for one in everything), Told()).error
    yield from bar("calibration error at most 0.03 pooled", pooled <= 0.03, f"{pooled:.3f}")
    yield from worst("calibration error at most 0.10 in each", off, max, lambda value: value <= 0.1, "{:.3f}")
    yield from bar("no clear loss at any share", not losses, ", ".join(losses) or "none")
    if any(row.before for row in rows):
        yield from bar("nowhere 2 % below the code before", not behind, ", ".join(behind) or "nowhere")


def precision(outcomes: Iterable[Outcome]) -> float:
    """How much of what is certain is true."""
    number, right = map(sum, zip(*(one.certain for one in outcomes), strict=True))
    return right / number if number else 1.0


def bar(name: str, met: bool, measured: str) -> Iterator[str]:
    """One bar."""
    yield _line([name, measured, "yes" if met else "no"])


def worst(
    name: str,
    values: Mapping[str, float],
    extreme: Callable[..., str],
    meets: Callable[[float], bool],
    form: str,
) -> Iterator[str]:
    """A bar for each data set: the worst of them, and all that do not meet it."""
    if not values:
        return
    missed = [name for name, value in values.items() if not meets(value)]
    shown = missed or [extreme(values, key=lambda key: values[key])]
    yield from bar(name, not missed, ", ".join(f"{key} {form.format(values[key])}" for key in shown))


# Randomised data


def is_across(clause: Clause) -> bool:
    """Does it speak about more than one predicate?"""
    return len({atom.predicate for atom in clause.atoms}) > 1


def said_by_types(theory: Theory) -> frozenset[Clause]:
    """The constraints between types, sure or not: types stay apart however constants are relabelled within them."""
    return frozenset() if theory.types is None else frozenset((*theory.types.hard, *theory.types.demoted))


def chance_table(given: argparse.Namespace) -> Iterator[str]:
    """What is learned where all that predicates have to do with each other is chance."""
    yield _head("randomised", "seeds", "with hard rules across predicates", "with soft rules", "such rules")
    for name in given.shuffle:
        hard, soft, shown = 0, 0, []
        for seed in range(given.shuffled):
            theory = learn(shuffled(DATA[name](given.data, 1)[0], seed)).theory
            typed = said_by_types(theory)
            found = [str(rule) for rule in theory.hard_listed if is_across(rule.clause) and rule.clause not in typed]
            across = [str(rule) for rule in theory.ranked if is_across(rule.clause)]
            hard, soft = hard + bool(found), soft + bool(across)
            shown += [f"`{rule}` (seed {seed})" for rule in found + across]
        yield _line([name, given.shuffled, hard, soft, ", ".join(shown) or "none"])


def main() -> None:
    """Print the tables and the bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument(
        "--sets", nargs="*", choices=list(DATA), default=list(DATA), metavar="NAME", help=", ".join(DATA)
    )
    parser.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3], help="of the halves and of generated data")
    parser.add_argument("--repeats", type=int, default=20, help="evidence sets at each share")
    parser.add_argument("--keep", type=Path, help="a folder for theories")
    parser.add_argument("--before", type=Path, help="a folder with theories of the code before")
    parser.add_argument("--shuffled", type=int, default=20, help="how often data are randomised")
    parser.add_argument("--shuffle", nargs="*", choices=list(DATA), default=["university"], help="what is randomised")
    parser.add_argument("--json", type=Path, help="a file for all numbers")
    parser.add_argument("--picture", type=Path, help="a file for the reliability of all sets together, as SVG")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for row in run(given):
        rows.append(row)
        print(*gains_row(row), *said_row(row.task.name, both([row]), row.seconds), sep="\n", flush=True)
    if rows:
        print("", *tables(rows), "", *bars(rows), "", sep="\n", flush=True)
    if given.shuffled:
        for line in chance_table(given):
            print(line, flush=True)
    if given.json is not None:
        numbers = [
            {"data": row.task.name, "seconds": row.seconds, "now": row.now.as_json}
            | ({} if row.before is None else {"before": row.before.as_json})
            for row in rows
        ]
        given.json.write_text(json.dumps(numbers, indent=1) + "\n")
    if given.picture is not None:
        pictures = {when: sum((one.told for one in some), Told()) for when, some in both(rows).items() if some}
        given.picture.write_text(draw({when: (t.number, t.right, t.said) for when, t in pictures.items()}))


if __name__ == "__main__":
    main()
