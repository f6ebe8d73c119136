"""What small random theories conclude, and why, whole: `answers` keeps it, as `tests/transcribing.py` says.

Where rules contradict each other, or a rule has alternatives, the answer depends on many small decisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from possilog.inference import Fragments, Global, Local, Reasoner
from possilog.logic import parse_theory
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]
HORN = [
    "p(X) :- e(X, Y).",
    "p(Y) :- e(X, Y), q(X).",
    "q(X) :- p(X).",
    "q(X) :- r(X, Y), p(Y).",
    "r(X, Y) :- e(X, Y), p(X).",
    "r(Y, X) :- r(X, Y).",
    "r(X, Z) :- r(X, Y), e(Y, Z).",
    "s(X) :- r(X, a).",
    "s(a) :- q(X), p(X).",
    "t :- s(X), q(X).",
]
CONSTRAINTS = [":- p(X), q(X).", ":- r(X, Y), s(Y).", ":- s(X), q(X).", ":- r(X, Y), r(Y, X).", ":- t."]
ALTERNATIVES = ["p(X) ; s(X) :- e(X, Y).", "q(X) ; q(Y) :- r(X, Y).", "p(X) ; q(X) ; s(X) :- u(X)."]
WAYS: list[Global | Local | Fragments] = [
    Global(),
    Global(repair=True),
    Local(),
    Fragments(),
    Fragments(width=2),
    Fragments(width=3, votes=0.5),
]
MORE: list[Global | Local] = [Global(negatives=True), Local(joint="fewest"), Local(repair=False)]


def world(seed: int, constants: int) -> tuple[Reasoner, list[str]]:
    """Rules, of which every second seed has some with alternatives, and facts, some of them denied."""
    chance = Random(seed)
    chosen = chance.sample(HORN, 5) + chance.sample(CONSTRAINTS, 2) + chance.sample(ALTERNATIVES, 2 * (seed % 2))
    chance.shuffle(chosen)
    weights = sorted((chance.choice([1, 2, 2, 3, 4]) for _ in chosen[1:]), reverse=True)
    text = [chosen[0], *(f"0.{5 + weight} :: {rule}" for weight, rule in zip(weights, chosen[1:], strict=True))]
    names = "abcdefg"[:constants]
    facts = {f"e({chance.choice(names)}, {chance.choice(names)})" for _ in range(constants + 1)}
    facts |= {f"{chance.choice('pqu')}({chance.choice(names)})" for _ in range(2)}
    facts |= {f"not {chance.choice('pqs')}({chance.choice(names)})" for _ in range(seed % 3)}
    return Reasoner(parse_theory(" ".join(text))), sorted(
        facts - {fact.removeprefix("not ") for fact in facts if fact.startswith("not ")}
    )


def told(seed: int, constants: int) -> Iterator[str]:
    """What is concluded in each way, and for every third atom why, or why not."""
    reasoner, known = world(seed, constants)
    yield f"{reasoner.theory}{' '.join(known)}"
    for how in (*WAYS, *MORE):
        found = reasoner.predict(known, how)
        yield f"-- {how}: kept {found.strata_kept}, cut {found.cut}, consistent {found.consistent}"
        yield from (f"{one} {' '.join(one.fragment)}" for one in found.added)
        yield from (f"conflict {conflict}" for conflict in found.conflicts)
        yield from (f"excluded {one}" for one in found.excluded)
    names = "abcdefg"[:constants]
    for number, atom in enumerate(f"{name}({one})" for name in "pqs" for one in names):
        if number % 3 == seed % 3:
            for how in WAYS[seed % 2 :: 2]:
                yield f"-- {atom}, {how}"
                yield f"{reasoner.why(atom, known, how)}"
                yield f"{reasoner.why_not(atom, known, how)}"


def answer(question: str) -> str:
    """`told 3 4` is about the rules of seed 3 and four constants."""
    _, seed, constants = question.split()
    return "\n".join(told(int(seed), int(constants)))


@pytest.mark.parametrize("path", PATHS)
def test_what_random_theories_conclude(path: Path, request: pytest.FixtureRequest) -> None:
    compare(path, answer, request)
