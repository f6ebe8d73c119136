"""Pictures of proofs: nothing stands outside, and lines of text stand one below the other in their boxes."""

from __future__ import annotations

import re
from itertools import pairwise

from possilog import Reasoner, parse_theory
from possilog.explorer.drawing import draw_proof
from possilog.inference import Local, Words


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
