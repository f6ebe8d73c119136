"""What is built of facts that are given in every way, by definition: each once, in order, and what was given again."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from possilog.data import Database, builder
from possilog.data.builder import Builder, Duplicates
from possilog.errors import ArityError
from possilog.logic import Atom, Predicate

ARITIES = {"p": 1, "q": 2, "r": 2, "s": 0}
WORDS = "abcde"


@pytest.mark.parametrize("at_once", [3, 1_000])
@pytest.mark.parametrize("seed", range(12))
def test_all_ways_to_add_facts(seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "AT_ONCE", at_once)
    rng, built, facts, denied = random.Random(seed), Builder(), list[tuple[str, int, Atom]](), set[Atom]()
    names, sources = set[str](), dict[str, None]()
    for _ in range(rng.randint(1, 8)):
        name, source, count = rng.choice("ppqqrrs"), rng.choice(["one", "two"]), rng.randint(1, 4)
        rows = [[rng.choice(WORDS) for _ in range(ARITIES[name])] for _ in range(count)]
        atoms, first = [Atom.ground(name, row) for row in rows], rng.randint(1, 9)
        names |= {word for row in rows for word in row}
        lines = list(range(first, first + count))
        match rng.choice(["rows", "flat", "columns", "coded", "listed", "database", "denied", "declared"]):
            case "flat":
                built.add_flat(name, ARITIES[name], (word for row in rows for word in row), lines, source)
            case "columns" if rows[0]:
                built.add_columns([name] * count, list(zip(*rows, strict=True)), lines, source)
            case "coded" if rows[0]:
                codes = [np.array([WORDS.index(row[place]) for row in rows]) for place in range(len(rows[0]))]
                built.add_coded(name, [(WORDS, each) for each in codes], np.array(lines), source)
            case "listed" if rows[0]:
                columns: list[Any] = [
                    (built.listed([row[place] for row in rows]), np.arange(count)) for place in range(len(rows[0]))
                ]
                built.add_coded(name, columns, np.array(lines), source)
            case "database":
                built.add_database(Database.of(atoms))
                atoms, source, lines = sorted(set(atoms)), "", [0] * count
            case "denied":
                built.deny(name, rows)
                denied |= {*atoms}
                continue
            case "declared":
                built.declare(word for row in rows for word in row)
                continue
            case _:
                built.add(name, rows, source=source, first_line=first)
        sources[source] = None
        facts += [(source, line, atom) for line, atom in zip(lines, atoms, strict=False)]
    assert built.count == len(facts) and {*built.constants} == names
    database = built.build()
    assert list(database) == sorted({atom for _, _, atom in facts}) and database.constants == tuple(sorted(names))
    assert database.denied == tuple(sorted(denied))
    assert _comparable(built.duplicates) == given_again(facts, list(sources))


def given_again(facts: list[tuple[str, int, Atom]], sources: list[str]) -> list[Any]:
    """Of equal facts all but that on the first line of the first source, counted, and the first line of these."""
    places = defaultdict[Atom, list[tuple[int, int]]](list)
    for source, line, atom in facts:
        places[atom].append((sources.index(source), line))
    again = defaultdict[tuple[Predicate, str], list[int]](list)
    for atom, given in places.items():
        for number, line in sorted(given)[1:]:
            again[atom.predicate, sources[number]].append(line)
    return sorted((*key, len(lines), min(lines)) for key, lines in again.items())


def _comparable(found: list[Duplicates]) -> list[Any]:
    return sorted((each.predicate, each.source, each.count, each.line) for each in found)


def test_one_predicate_has_one_number_of_arguments() -> None:
    built = Builder()
    built.add("p", [["a"]], source="t.csv", first_line=3)
    with pytest.raises(ArityError, match=r"u.csv:5: p has 2 arguments here and 1 at t.csv:3; give the two different"):
        built.add("p", [["a", "b"]], source="u.csv", first_line=5)
    with pytest.raises(ArityError, match=r"t.csv:9: q has 2 arguments here and 1 at t.csv:8"):
        built.add("q", [["a"], ["a", "b"]], source="t.csv", first_line=8)
    with pytest.raises(ArityError, match="p has 2 arguments here and 1 at"):
        built.deny("p", [["a", "b"]])
    plain = Builder()
    plain.add("p", [["a"]])
    with pytest.raises(ArityError, match="p has 2 arguments in one fact and 1 in another"):
        plain.add("p", [["a", "b"]])
    with pytest.raises(ArityError, match="p has 2 arguments in one database and 1 in another"):
        plain.add_database(Database.of([Atom.ground("p", ["a", "b"])]))
    plain.add("r", [["a"] * 1_000])
    with pytest.raises(ArityError, match="s has 1,001 arguments; give it at most 1,000"):
        plain.add("s", [["a"] * 1_001])


def test_facts_that_fit_into_no_number_are_sorted_all_the_same() -> None:
    rng = random.Random(3)
    rows = [[rng.choice("abcdefgh") for _ in range(22)] for _ in range(30)]
    built = Builder()
    built.add("wide", [*rows, *rows[:4]], source="t")
    assert [[term.name for term in atom.arguments] for atom in built.build()] == sorted(rows)
    assert built.duplicates == [Duplicates(Predicate("wide", 22), 4, "t", 31)]
