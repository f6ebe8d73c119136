"""Networks that are learned from small random worlds, whole: `answers` keeps them, as `tests/transcribing.py` says.

A search is many small decisions, and none of them has a definition but the code: which clauses are judged, tried, kept,
thrown out again, and when it ends.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from possilog.data import Database
from possilog.logic import Atom
from possilog.markov import LearningSettings, learn_network
from possilog.progress import Step
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]
WAYS = {
    "plain": LearningSettings(max_vars=2, max_length=2, prior=2.0),
    "narrow": LearningSettings(max_vars=2, max_length=3, beam=1, reevaluated=2, prior=2.0, most_judged=180),
    "dear": LearningSettings(max_vars=3, max_length=2, penalty=0.05, prior=1.0, most_judged=90, min_weight=0.2),
    "few": LearningSettings(max_vars=2, max_length=3, most_judged=40, samples=8, prior=2.0),
}


def world(chance: random.Random, people: int) -> Database:
    """Who is old often is rich; who knows somebody is known; pets are owned by the rich."""
    names, pets = [f"N{number}" for number in range(people)], ["Rex", "Tom"]
    old = [name for name in names if chance.random() < 0.5]
    rich = [name for name in names if chance.random() < (0.8 if name in old else 0.2)]
    facts = [Atom.ground("Old", [name]) for name in old] + [Atom.ground("Rich", [name]) for name in rich]
    for one in names:
        for other in names:
            if chance.random() < 0.15:
                facts += [Atom.ground("Knows", [one, other])] + [Atom.ground("Knows", [other, one])]
        facts += [Atom.ground("Owns", [one, pet]) for pet in pets if chance.random() < (0.6 if one in rich else 0.1)]
    return Database.of(facts)


def networks(seed: int, way: str) -> Iterator[str]:
    """What is told on the way, and what is learned."""
    chance = random.Random(seed)
    told: list[Step] = []
    data = [world(chance, people) for people in ((6,) if seed % 2 else (5, 4))]
    learned = learn_network(data, settings=replace(WAYS[way], seed=seed), progress=told.append)
    yield from (step.doing for step in told)
    for formula in learned.network.formulas:
        yield f"  {formula.weight or 0:+.2f} {replace(formula, weight=None)}"
    counts = f"{learned.rounds} rounds, {learned.judged} judged, {learned.skipped} skipped"
    yield f"{counts}, {'complete' if learned.complete else 'cut short'}, {learned.weights.rows} kinds of atoms"
    yield f"likelihood {learned.weights.log_likelihood:.3f}, objective {learned.weights.objective:.3f}"


def answer(question: str) -> str:
    """`networks 3 plain` is what is learned from the world of seed 3 in that way."""
    _, seed, way = question.split()
    return "\n".join(networks(int(seed), way))


@pytest.mark.parametrize("path", PATHS)
def test_what_is_learned_from_random_worlds(path: Path, request: pytest.FixtureRequest) -> None:
    compare(path, answer, request)
