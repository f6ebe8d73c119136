"""A proof as a graph: the conclusion at the top, below it what it follows from, and facts at the ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from possilog.escaping import escape_html, visible
from possilog.inference.proofs import Proof, say_rule
from possilog.inference.words import Words
from possilog.logic import Atom
from possilog.printing import plural
from possilog.report.overview.svg import picture

__all__ = ["draw_proof"]

MOST = 80
"""Atoms of a proof that is drawn; a longer one is told in words."""

_LETTER, _LINE, _GAP_X, _GAP_Y, _PAD = 7.1, 17.0, 18.0, 46.0, 10.0
_ACROSS = 26
"""Letters in a line."""

_LINES = 4


@dataclass(frozen=True, slots=True)
class _Box:
    """An atom of the proof, as it is placed."""

    part: Proof
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def draw_proof(proof: Proof, words: Words) -> str:
    """The picture of a proof; empty where it has too many atoms to be seen."""
    parts = proof.parts
    if len(parts) > MOST or proof.is_given:
        return ""
    boxes = _placed(_layers(proof), words)
    drawn = [*_edges(boxes, words), *(_box(box) for box in boxes.values())]
    width = max(box.x + box.width for box in boxes.values()) + 2
    height = max(box.y + box.height for box in boxes.values()) + 2
    facts = plural(len(proof.facts), "fact")
    said = f"proof of {visible(words.atom(proof.atom))} from {facts}; the list below says the same in words"
    return picture(width, height, said, [_TIP, *drawn], "proof")


_TIP = (
    '<defs><marker id="step" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z" class="tip"/></marker></defs>'
)


def _layers(proof: Proof) -> list[list[Proof]]:
    """Every atom below all that follow from it."""
    parts = {part.atom: part for part in proof.parts}
    depth: dict[Atom, int] = dict.fromkeys(parts, 0)
    for _ in parts:  # a proof has no circles, so no way through it has more steps than there are atoms
        for part in parts.values():
            for premise in part.premises:
                depth[premise.atom] = max(depth[premise.atom], depth[part.atom] + 1)
    layers: list[list[Proof]] = [[] for _ in range(max(depth.values()) + 1)]
    for atom, part in parts.items():
        layers[depth[atom]].append(part)
    return layers


def _placed(layers: list[list[Proof]], words: Words) -> dict[Atom, _Box]:
    sized = [[_sized(part, words) for part in layer] for layer in layers]
    widths = [sum(box.width for box in layer) + _GAP_X * (len(layer) - 1) for layer in sized]
    boxes = {}
    y = 2.0
    for layer, width in zip(sized, widths, strict=True):
        x = 2 + (max(widths) - width) / 2
        tallest = max(box.height for box in layer)
        for box in layer:
            boxes[box.part.atom] = _Box(box.part, box.lines, x, y, box.width, box.height)
            x += box.width + _GAP_X
        y += tallest + _GAP_Y
    return boxes


def _sized(part: Proof, words: Words) -> _Box:
    lines = wrap(visible(words.atom(part.atom)), _ACROSS) or [""]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"{lines[_LINES - 1][: _ACROSS - 1]}…"]
    width = max(70.0, 2 * _PAD + _LETTER * max(map(len, lines)))
    return _Box(part, tuple(lines), 0, 0, width, 2 * _PAD - 4 + _LINE * len(lines))


def _edges(boxes: dict[Atom, _Box], words: Words) -> Iterator[str]:
    for box in boxes.values():
        if box.part.rule is None:
            continue
        title = f"<title>{escape_html(say_rule(box.part.rule, words))}</title>"
        for premise in box.part.premises:
            below = boxes[premise.atom]
            x1, y1, x2, y2 = below.middle, below.y, box.middle, box.y + box.height + 2
            bend = (y1 - y2) / 2
            path = f"M{x1:.1f},{y1:.1f}C{x1:.1f},{y1 - bend:.1f} {x2:.1f},{y2 + bend:.1f} {x2:.1f},{y2:.1f}"
            yield f'<path d="{path}" class="feed" marker-end="url(#step)">{title}</path>'


def _box(box: _Box) -> str:
    kind = "fact" if box.part.is_given else "concluded"
    lines = "".join(
        f'<text x="{box.middle:.1f}" y="{box.y + _PAD + 9 + _LINE * number:.1f}" text-anchor="middle">'
        f"{escape_html(line)}</text>"
        for number, line in enumerate(box.lines)
    )
    return (
        f'<g class="{kind}"><rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="5"/><title>{escape_html(box.part.atom.as_fact)}</title>{lines}</g>'
    )
