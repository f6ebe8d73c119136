"""How well rules rank: filtered MRR and Hits@k of graphs against the number of rules, and AUC-PR of UWCSE's predicates.

    python benchmarks/ranking.py [--sets umls kinships wn18rr ...] [--uwcse THEORY]

Rules of a graph are mined (``possilog.structure.mine``) from its training facts and ordered by t / (t + f + 5); of each
relation the first 3, 10 and 30 are taken, then all. Standard splits; what is equally good has its mean rank. They are
not chosen together: that is what the preset ``graph`` of ``learn`` is for. The theory for UWCSE is learned on its
training facts, unless one is given. Prints tables for the README beside this file.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from possilog import learn, read, read_theory
from possilog.choices import Aggregate
from possilog.data import Database
from possilog.evaluation import rank_links, rank_predicates
from possilog.logic import Judged, Predicate, Theory
from possilog.structure import mine

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "umls": {"min_support": 2, "min_confidence": 0.01, "constants": False},
    "kinships": {"min_support": 2, "min_confidence": 0.01, "constants": False},
    "wn18rr": {"body": 3, "min_support": 2, "min_confidence": 0.01},
    "codex-m": {"min_support": 10, "min_confidence": 0.02},
    "fb15k-237": {"min_support": 10, "min_confidence": 0.02},
}
"""What is mined of each graph."""

PER_RELATION = (3, 10, 30, None)

BARS = {"PostQuals": 0.90, "PreQuals": 0.95, "PostGenerals": 0.95, "AdvisedBy": 0.20, "mean": 0.45}
"""AUC-PR that the issue asks for."""


def part(folder: Path, name: str) -> Database:
    """A part of a graph: training, validation or test facts."""
    return read(next(iter(sorted(folder.glob(f"{name}.tsv*")))))


def mined(train: Database, settings: Mapping[str, Any]) -> dict[Predicate, list[Judged]]:
    """All rules by head, best first."""
    found: dict[Predicate, list[Judged]] = defaultdict(list)
    for rule in sorted(mine(train, **settings).theory.judged, key=lambda rule: (-rule.confidence, -rule.true)):
        found[rule.clause.head[0].predicate].append(rule)
    return found


def curve(data: Path, name: str, sizes: Sequence[int | None], aggregate: Aggregate) -> None:
    """MRR and Hits@k of one graph, with so many rules for each relation."""
    train, valid, test = (part(data / name, which) for which in ("train", "valid", "test"))
    began = time.process_time()
    rules = mined(train, SETTINGS[name])
    took = time.process_time() - began
    said = ", ".join(f"{key} {value}" for key, value in SETTINGS[name].items())
    print(f"\n{name}: {len(train):,} facts; {sum(map(len, rules.values())):,} rules mined in {took:.1f} s ({said})\n")
    print("| rules per relation | rules | MRR | Hits@1 | Hits@3 | Hits@10 | CPU s |\n|---|---|---|---|---|---|---|")
    for size in sizes:
        theory = Theory(judged=tuple(rule for listed in rules.values() for rule in listed[:size]))
        began = time.process_time()
        found = rank_links(theory, train, test, valid, aggregate).as_json
        took = time.process_time() - began
        hits = " | ".join(f"{found['hits'][most]:.3f}" for most in ("1", "3", "10"))
        print(f"| {size or 'all'} | {found['rules']:,} | {found['mrr']:.3f} | {hits} | {took:.1f} |", flush=True)


def uwcse(data: Path, path: Path | None) -> None:
    """AUC-PR on UWCSE's test facts, one predicate hidden and everything else given."""
    test = read(data / "uwcse" / "paper" / "test.db")
    theory = learn(data / "uwcse" / "paper" / "train.db").theory if path is None else read_theory(path)
    asked = [predicate for predicate in test.predicates if test.count(predicate)]
    began = time.process_time()
    found = rank_predicates(theory, test, asked).as_json
    took = time.process_time() - began
    print(f"\nuwcse: {len(theory.ranked)} soft rules, {len(theory.judged)} further ones; ranked in {took:.1f} s\n")
    print("| predicate | AUC-PR | bar | AUC-ROC |\n|---|---|---|---|")
    for name, one in {**found["predicates"], "mean": found}.items():
        print(f"| {name} | {one['auc_pr']:.3f} | {BARS.get(name, '')} | {one['auc_roc']:.3f} |")


def main() -> None:
    """Run all that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--aggregate", choices=list(Aggregate), type=Aggregate, default=Aggregate.MAXIMUM)
    parser.add_argument("--uwcse", type=Path, metavar="THEORY", help="a theory learned on UWCSE, in place of learning")
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    arguments = parser.parse_args()
    for name in arguments.sets:
        curve(arguments.data, name, PER_RELATION, arguments.aggregate)
    uwcse(arguments.data, arguments.uwcse)


if __name__ == "__main__":
    main()
