"""All path rules of knowledge graphs: CPU time, and counts compared with SQL; then how well a few of them rank.

    python benchmarks/graphs.py [DATA...]

DATA are folders of ``../shared/data`` with train, valid and test triples. Supports and body sizes of drawn rules are
counted again by DuckDB, and on the small ones it makes the list of all rules itself, by their definition, with distinct
variables and without, as AMIE counts.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import duckdb

from possilog import Database, Predicate, Theory, mine, read
from possilog.choices import Aggregate
from possilog.evaluation.links import rank_links
from possilog.learning.graph.rules import find_graph_rules
from possilog.logic import Atom, Clause, Variable
from possilog.structure import MinedRule

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
BARS = {"umls": 1.0, "kinships": 1.0, "wn18rr": 3.0, "fb15k-237": 15.0}
BODY = {"umls": 3, "kinships": 3}
"""Atoms in a path, where rules are chosen: what ``learn --preset graph`` takes by itself."""

DRAWN = 500
LISTED = ("umls", "kinships")
"""Where SQL lists all rules."""

Body = tuple[int, ...] | frozenset[int]
"""A path as the codes of its relations, twice a relation's number, and one more where it is walked backwards; or the
codes of atoms side by side."""


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
        if name in LISTED:
            for coincide in (False, True):
                all_there(train, coincide)
        test, valid = (read(SHARED / name / f"{part}.tsv") for part in ("test", "valid"))
        for budget in (3, 10):
            began = time.process_time()
            most = 30 if name == "wn18rr" and budget == 3 else None
            chosen = find_graph_rules(
                train, per_head=budget, most=most, body=BODY.get(name, 2), constants=name == "wn18rr"
            )
            seconds = time.process_time() - began
            theory = Theory(judged=chosen.rules, aggregate=Aggregate.NOISY_OR)  # as the choice takes them together
            ranks = rank_links(theory, train, test, valid).total.as_json
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


def all_there(train: Database, coincide: bool) -> None:
    """List all rules in SQL, and compare them with what is mined; an error where a rule or a count differs."""
    connection = duckdb.connect()
    connection.execute("create table e (c integer, x integer, y integer)")
    for number, predicate in enumerate(train.predicates):
        first, second = train.rows(predicate)
        for code, x, y in ((2 * number, first, second), (2 * number + 1, second, first)):
            connection.register("columns", {"x": x, "y": y})
            apart = "" if coincide else "where x <> y"
            connection.execute(f"insert into e select {code}, x, y from columns {apart}")
            connection.unregister("columns")
    apart = "" if coincide else "where a.x <> b.y"
    bodies = (
        "select c as c1, -1 as c2, x, y from e",
        f"select distinct a.c as c1, b.c as c2, a.x, b.y from e a join e b on a.y = b.x {apart}",
        "select a.c as c1, -2 - b.c as c2, a.x, a.y from e a join e b on a.x = b.x and a.y = b.y and a.c < b.c",
    )
    listed: dict[tuple[int, Body], tuple[int, int]] = {}
    for body in bodies:
        rows = connection.execute(
            f"with body as ({body}), size as (select c1, c2, count(*) as n from body group by all), "
            "support as (select h.c, c1, c2, count(*) as m from body join e h using (x, y) where h.c % 2 = 0 "
            "group by all) select c, c1, c2, m, n from support join size using (c1, c2) where m >= 10 and m >= 0.1 * n"
        ).fetchall()
        for head, one, other, support, size in rows:
            key: Body = (one,) if other == -1 else (one, other) if other >= 0 else frozenset((one, -2 - other))
            if head not in (key if isinstance(key, frozenset) or len(key) == 1 else ()):
                listed[head, key] = support, size
    found = {
        codes_of(rule.clause, train): (rule.support, rule.body_size)
        for rule in mine(train, constants=False, coincide=coincide)
    }
    assert found == listed, sorted(set(map(str, found.items())) ^ set(map(str, listed.items())))[:5]
    print(
        f"  all {len(listed):,} rules that SQL lists are mined, and no others ({'as AMIE' if coincide else 'distinct'})"
    )


def codes_of(clause: Clause, train: Database) -> tuple[int, Body]:
    """A rule h(A, B) in codes."""
    number = {predicate: 2 * place for place, predicate in enumerate(train.predicates)}
    begin, end = variables(clause.head[0])
    stops, codes = [begin], []
    together = all(set(variables(atom)) == {begin, end} for atom in clause.body)
    for atom in clause.body:
        first, second = variables(atom)
        here = begin if together else stops[-1]
        codes.append(number[atom.predicate] + (first != here))
        stops.append(second if first == here else first)
    head = number[clause.head[0].predicate]
    return head, frozenset(codes) if together and len(codes) == 2 else tuple(codes)


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
