"""All path rules of knowledge graphs: CPU time, and counts compared with SQL; then how well a few of them rank.

    python benchmarks/graphs.py [DATA...]

DATA are folders of ``../shared/data`` with train, valid and test triples. Supports and body sizes of drawn rules are
counted again by DuckDB.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import duckdb

from possilog import Database, Predicate, Theory, mine, read
from possilog.evaluation.links import rank_links
from possilog.learning.graph.rules import find_graph_rules
from possilog.logic import Atom, Clause, Variable
from possilog.structure import MinedRule

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
BARS = {"umls": 1.0, "kinships": 1.0, "wn18rr": 3.0, "fb15k-237": 15.0}
DRAWN = 500


def main(names: list[str]) -> None:
    """Measure each data set."""
    for name in names or list(BARS):
        train = read(next((SHARED / name).glob("train.tsv*")))
        began = time.process_time()
        found = mine(train, constants=False)
        seconds = time.process_time() - began
        bar = f", bar {BARS[name]:g}" if name in BARS else ""
        print(f"{name}: {len(found):,} rules in {seconds:.2f} CPU s{bar}", flush=True)
        compared(train, random.Random(0).sample(found.rules, min(DRAWN, len(found))))
        test, valid = (read(SHARED / name / f"{part}.tsv") for part in ("test", "valid"))
        for budget in (3, 10):
            began = time.process_time()
            chosen = find_graph_rules(train, per_head=budget, most=30 if name == "wn18rr" and budget == 3 else None)
            seconds = time.process_time() - began
            ranks = rank_links(Theory(judged=chosen.rules), train, test, valid).total.as_json
            measured = f"MRR {ranks['mrr']:.3f}, Hits@10 {ranks['hits']['10']:.3f}"
            print(f"  {budget} rules per head: {len(chosen.rules):,}, {measured}, {seconds:.1f} CPU s", flush=True)


def compared(train: Database, rules: list[MinedRule]) -> None:
    """Count some rules again in SQL; an error where a count differs."""
    connection = duckdb.connect()
    tables = {}
    for number, predicate in enumerate(train.predicates):
        tables[predicate] = f"r{number}"
        columns = dict(zip("st", train.rows(predicate), strict=True))
        connection.register("columns", columns)
        connection.execute(f"create table r{number} as select * from columns")
        connection.unregister("columns")
    for rule in rules:
        row = connection.execute(sql_of(rule.clause, tables)).fetchone()
        assert row == (rule.support, rule.body_size), (rule.rule, row, rule.support, rule.body_size)
    print(f"  {len(rules):,} drawn rules have the support and body size that SQL gives")


def sql_of(clause: Clause, tables: dict[Predicate, str]) -> str:
    """A query for the support and the body size, with distinct variables."""
    places: dict[Variable, list[str]] = {}
    for number, atom in enumerate(clause.body):
        for column, term in zip("st", variables(atom), strict=True):
            places.setdefault(term, []).append(f"b{number}.{column}")
    same = [f"{held[0]} = {other}" for held in places.values() for other in held[1:]]
    names = list(places)
    apart = [f"{places[a][0]} <> {places[b][0]}" for n, a in enumerate(names) for b in names[n + 1 :]]
    first, second = (places[term][0] for term in variables(clause.head[0]))
    joined = ", ".join(f"{tables[atom.predicate]} b{number}" for number, atom in enumerate(clause.body))
    body = f"select distinct {first} as s, {second} as t from {joined} where {' and '.join(same + apart)}"
    head = tables[clause.head[0].predicate]
    return f"with body as ({body}) select (select count(*) from body semi join {head} using (s, t)), count(*) from body"


def variables(atom: Atom) -> list[Variable]:
    """The arguments of an atom without constants."""
    return [term for term in atom.arguments if isinstance(term, Variable)]


if __name__ == "__main__":
    main(sys.argv[1:])
