"""How random data are put into groups and parts, whole: `answers` keeps it, as `tests/transcribing.py` says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from possilog.data import Database
from possilog.learning import groups
from possilog.learning.groups import file_groups, find_groups, find_parts
from possilog.logic import Atom
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]


def villages(seed: int, people: int) -> Database:
    """People who know those of their own village, more or less, and speak languages; one village may be the largest."""
    chance = Random(seed)
    villages, loyal = chance.randint(2, 6), chance.choice([0.6, 0.9, 1.0])
    largest = chance.choice([0.0, 0.5])
    home = [0 if chance.random() < largest else chance.randrange(villages) for _ in range(people)]
    facts = []
    for one in range(people):
        near = [other for other in range(people) if other != one and home[other] == home[one]]
        for _ in range(chance.randint(0, 3)):
            other = chance.choice(near) if near and chance.random() < loyal else chance.randrange(people)
            facts.append(Atom.ground("knows", [f"p{one:02}", f"p{other:02}"]))
        spoken = f"l{home[one]}" if chance.random() < loyal else "english"
        facts.append(Atom.ground("speaks", [f"p{one:02}", spoken]))
    return Database.of(facts)


def listed(found: dict[str, str]) -> str:
    """The members of each group."""
    ordered = sorted(found.items(), key=lambda pair: pair[::-1])
    return "; ".join(" ".join(name for name, _ in some) for _, some in groupby(ordered, key=lambda pair: pair[1]))


def grouped(seed: int, people: int) -> Iterator[str]:
    """Groups, those of files, and how large the parts are that are held out and what is left."""
    database = villages(seed, people)
    for count in (2, 3, 4):
        yield f"{count} groups: {listed(find_groups(database, count, seed))}"
        parts = find_parts(database, count, seed, "part")
        yield f"parts: {', '.join(f'{part.name} {len(part.facts)} {len(part.rest)}' for part in parts)}"
    files = {f"file{number}": villages(seed + number, 6) for number in range(3)}
    yield f"files: {listed(file_groups(files))}"


def answer(question: str) -> str:
    """`grouped 3 40` is about the villages of seed 3 with 40 people."""
    _, seed, people = question.split()
    return "\n".join(grouped(int(seed), int(people)))


@pytest.mark.parametrize("path", PATHS)
def test_how_villages_are_parted(path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_LARGEST", 9)  # as if there were much data
    monkeypatch.setattr(groups, "_SMALLEST", 6)
    compare(path, answer, request)
