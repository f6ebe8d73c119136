"""What is measured of small random worlds, whole: `answers` keeps it, as `tests/transcribing.py` says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from pprint import pformat

import numpy as np
import pytest

from possilog.choices import Aggregate
from possilog.data import Database
from possilog.evaluation.datasets import DataSet, Scale, scale_for
from possilog.evaluation.experiment import Experiment
from possilog.evaluation.links import rank_links
from possilog.evaluation.models import MarkovModel, Model, TheoryModel
from possilog.evaluation.protocol import Protocol
from possilog.evaluation.ranking import predicate_area, rank_predicates
from possilog.evaluation.reading import read_alone, size_of, two_kinds
from possilog.evaluation.reliability import Said, reliability_of
from possilog.logic import Atom, Predicate, parse_theory
from possilog.markov import parse_mln
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]

THEORY = parse_theory(
    """
    :- Student(X), Professor(X).
    Student(X) :- advises(Y, X).
    0.95 :: Professor(X) :- advises(X, Y).
    0.9 :: near(X, Y) :- near(Y, X).
    0.85 :: Student(X) :- reads(X, Y).
    0.8 :: near(X, Z) :- near(X, Y), near(Y, Z).
    0.7 :: reads(X, Z) :- advises(Y, X), reads(Y, Z).
    0.6 :: Adjunct(X) :- Professor(X), reads(X, Y).
    0.55 :: Professor(X) ; Student(X) :- near(X, Y).
    0.5 :: Busy(X).
    """
)
AUTHORS = parse_theory(
    ":- Student(X), Professor(X). 0.9 :: Professor(A) :- advises(A, B). 0.8 :: reads(X, Y) :- near(X, Y)."
)
NETWORK = """
Student(person)
Professor(person)
Adjunct(person)
Busy(person)
advises(person, person)
near(person, person)
reads(person, book)
-2 Student(x)
-1.5 Professor(x)
-3 !Student(x) v Adjunct(x) v Professor(x)
2.5 !advises(x, y) v Professor(x)
1.5 !near(x, y) v near(y, x)
-0.5 near(x, y)
-1 reads(x, y)
!Student(x) v !Professor(x).
0 Busy(x)
"""
"""It has formulas of every sign, one that is hard and one that says nothing."""


def department(seed: int) -> Database:
    """People who advise, read and live near each other; drawn by the seed."""
    rng = np.random.default_rng(seed)
    facts = set[tuple[str, ...]]()
    people = [f"p{number}" for number in range(9)]
    for number, one in enumerate(people):
        kind = "Professor" if number < 3 else "Student"
        facts |= {(kind, one)} if rng.random() < 0.8 else set()
        facts |= {("Adjunct", one)} if number < 2 and rng.random() < 0.7 else set()
        facts |= {("Busy", one)} if rng.random() < 0.2 else set()
        facts |= {("advises", people[rng.integers(3)], one)} if number >= 3 and rng.random() < 0.8 else set()
        facts |= {("reads", one, f"b{book}") for book in rng.integers(0, 4, 2)}
        if rng.random() < 0.6:
            other = people[rng.integers(9)]
            facts |= {("near", one, other)} | ({("near", other, one)} if rng.random() < 0.8 else set())
    return Database.of(Atom.ground(name, arguments) for name, *arguments in sorted(facts))


def shown(found: object) -> str:
    """What comes back from JSON, rounded to what every machine agrees on."""
    rounded = json.loads(json.dumps(found), parse_float=lambda text: round(float(text), 9))
    return pformat(rounded, width=140, compact=True, sort_dicts=False) + "\n"


def scale(name: str, facts: str, *how: str) -> str:
    """How much is measured of so many facts."""
    test = Database.of(Atom.ground("p", [f"c{number}"]) for number in range(int(facts)))
    found = scale_for(name, test, quick="quick" in how, seed=3, repeats=7 if "repeats" in how else None)
    return f"{found}\n" if len(found.curve) < 30 else f"{found}\n".replace(f"{found.curve}", _ends(found.curve))


def _ends(curve: tuple[int, ...]) -> str:
    return f"{len(curve)} from {curve[:3]} to {curve[-2:]}"


def links(seed: str, aggregate: str) -> str:
    """The ranks of a half of some facts by the other."""
    facts = [atom for atom in department(int(seed)) if atom.predicate.arity == 2]
    train, test, valid = (Database.of(facts[start::3]) for start in range(3))
    found = rank_links(THEORY, train, test, valid, Aggregate(aggregate))
    return f"{found}\n{found!r}\n{shown(found.as_json)}"


def areas(seed: str, *train: str) -> str:
    """The areas of all predicates, by lists of rules and by certainty, and by the odds of a network."""
    test = department(int(seed))
    known = department(int(train[0])) if train else None
    found = rank_predicates(THEORY, test, test.predicates, known)
    models: list[Model] = [TheoryModel("theory", THEORY), MarkovModel("network", parse_mln(NETWORK))]
    each = {str(p): [predicate_area(model, test, p) for model in models] for p in test.predicates}
    groups = {str(p): list(ranked.groups) for p, ranked in found.predicates.items()}
    return f"{found}\n{found!r}\n{shown(found.as_json)}{shown(groups)}{shown(each)}"


def readings(seed: str) -> str:
    """Each formula of a theory and a network read alone, and how much there is to read."""
    test = department(int(seed))
    evidence = Protocol(test, (8, 20), 2, int(seed)).evidence
    models: list[Model] = [TheoryModel("theory", THEORY), MarkovModel("network", parse_mln(NETWORK))]
    found = [(size_of(model), read_alone(model, test, evidence)) for model in models]
    return shown([[size and size.as_json, *(one.as_json for one in read)] for size, read in found])


def kinds(one: str, other: str) -> str:
    """What a network says of somebody who may be of two kinds."""
    return shown([world.as_json for world in two_kinds(parse_mln(NETWORK), one, other)])


def reliability(seed: str, number: str) -> str:
    """What was said and what came true, of so many conclusions."""
    rng = np.random.default_rng(int(seed))
    said = rng.integers(0, 21, int(number)) / 20
    told = [Said(Predicate("pq"[n % 2], 1), float(p), bool(rng.random() < p * p)) for n, p in enumerate(said)]
    found = reliability_of(told)
    assert found is not None
    return f"{found.plot()}\n{shown(found.as_json)}"


@pytest.mark.parametrize("path", PATHS)
def test_what_is_measured_is_what_was(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")

    def results(seed: str, *given: str) -> str:
        """An experiment with every model that there is; versions are not part of it."""
        train, test = department(int(seed)), department(int(seed) + 100)
        if "pairs" in given:
            train, test = (Database.of(atom for atom in facts if atom.predicate.arity == 2) for facts in (train, test))
        network, authors = (parse_mln(NETWORK), AUTHORS) if "published" in given else (None, None)
        data = DataSet("department", train, test, authors, network, ("drawn",))
        plan = Scale((5, 15), 4, (2, 6, 10), (5,), network_seconds=1e9, world_seconds=60.0, network_clauses=1)
        found = Experiment(data, plan, tmp_path / seed / "-".join(given), THEORY).results
        return f"{found.plot()}\n{shown(found.as_json | {'versions': sorted(found.versions)})}"

    asking: dict[str, Callable[..., str]] = {
        one.__name__: one for one in (scale, links, areas, readings, kinds, reliability, results)
    }
    compare(path, lambda line: asking[line.split()[0]](*line.split()[1:]), request)
