"""Pictures of proofs: nothing stands outside, and lines of text stand one below the other in their boxes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from possilog import Reasoner, parse_theory
from possilog.explorer import drawing
from possilog.explorer.drawing import _layers, draw_proof
from possilog.inference import Local, Words
from transcribing import compare


def test_a_proof_is_drawn_inside_of_its_picture() -> None:
    theory = parse_theory("q(X) :- p(X, Y). r(X) :- q(X), s(X). t(X) :- r(X), q(X).")
    name = "somebody-with-a-name-of-many-letters-that-does-not-fit-into-one-line-of-a-box"
    why = Reasoner(theory).why(f"t({name})", [f"p({name}, b)", f"s({name})"], Local())
    assert why is not None and why.proof is not None
    drawn = draw_proof(why.proof, Words())
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn).groups())  # type: ignore[union-attr]
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)".*?</g>', drawn)
    texts = [re.findall(r'<text x="([\d.]+)" y="([\d.]+)"', one) for one in re.findall(r"<g class.*?</g>", drawn)]
    assert len(boxes) == len(texts) == 5 and max(map(len, texts)) > 1
    for (x, y, wide, high), lines in zip((map(float, box) for box in boxes), texts, strict=True):
        assert x >= 0 and y >= 0 and x + wide < width and y + high < height
        down = [float(place) for _, place in lines]
        assert all(x <= float(place) <= x + wide for place, _ in lines) and y < down[0] and down[-1] < y + high
        assert all(12 <= below - above <= 24 for above, below in pairwise(down))
    tops = [float(box[1]) for box in boxes]
    assert max(float(box[1]) + float(box[3]) for box in boxes) + 2 == height and len(set(tops)) == 4


def test_what_follows_stands_above_all_that_it_rests_on() -> None:
    theory = parse_theory("b(X) :- a(X). c(X) :- b(X). d(X) :- c(X). e(X) :- a(X), d(X). f(X) :- a(X), e(X), b(X).")
    why = Reasoner(theory).why("f(x)", ["a(x)"], Local())
    assert why is not None and why.proof is not None
    layer = {part.atom: place for place, layer in enumerate(_layers(why.proof)) for part in layer}
    assert len(layer) == 6 and all(
        layer[part.atom] < layer[premise.atom] for part in why.proof.parts for premise in part.premises
    )


def test_what_is_given_or_too_large_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    reasoner = Reasoner(parse_theory("b(X) :- a(X)."))
    given, derived = (reasoner.why(f"{name}(x)", ["a(x)"], Local()) for name in "ab")
    assert given is not None and derived is not None and given.proof is not None and derived.proof is not None
    assert not draw_proof(given.proof, Words()) and draw_proof(derived.proof, Words())
    for most, is_drawn in ((1, False), (2, True)):
        monkeypatch.setattr(drawing, "MOST", most)
        assert bool(draw_proof(derived.proof, Words())) == is_drawn


def test_proofs_are_drawn_as_they_were(request: pytest.FixtureRequest) -> None:
    rules = "q(X) :- p(X, Y). 0.9 :: r(X) :- q(X), s(X). t(X) :- r(X), q(X), u. v(X) :- w(X, Y), q(Y), u."
    reasoner = Reasoner(parse_theory(rules))

    def ask(line: str) -> str:
        """The proof of an atom about a name of so many letters, and spaces between words of so many."""
        predicate, letters, word = line.split()
        text = "abcdefghijklmnopqrstuvwxyz" * 6
        name = " ".join(text[at : at + int(word)] for at in range(0, int(letters), int(word)))[: int(letters)]
        facts = [f'p("{name}", b)', f's("{name}")', "u", f'w("{name}", c)', "p(c, b)"]
        why = reasoner.why(f'{predicate}("{name}")', facts, Local())
        assert why is not None and why.proof is not None
        return re.sub(r"(?<=>)(?=<[^/])", "\n", draw_proof(why.proof, Words()))

    compare(Path(__file__).with_name("proofs.txt"), ask, request)
