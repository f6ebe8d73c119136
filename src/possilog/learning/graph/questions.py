"""What a ranking is asked on training facts: for each fact r(h, t), who is at t, and who is at h?

Other facts of the relation are no wrong answers, so they are left out, as everywhere where rankings are measured. Nor
is what is true and missing in the data: the likelier that is, the less an answer counts as a wrong one. A
rule with distinct variables never uses the fact that it gives, so each fact is hidden from the rules that predict it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from possilog.data.rows import distinct, ranges
from possilog.learning.graph.missing import added_up, likely_true

__all__ = ["Questions", "questions"]

Ints = npt.NDArray[np.int32]
MOST_CELLS = 20_000_000
"""Candidate answers times rules, at most, in memory; questions that would be too many are not asked."""

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Questions:
    """Some questions, and the candidate answers (cells) that some rule concludes, question by question."""

    at: Ints
    """Where each question's cells begin."""
    answer: Ints
    """The cell of the right answer; -1 where no rule concludes it."""
    others: Ints
    """How many candidates no rule concludes."""
    concludes: npt.NDArray[np.uint8]
    """For each rule, which cells it concludes."""
    wrong: Floats
    """For each cell, how likely it is a wrong answer; 1 for the right one, whose place it is."""


def questions(
    facts: Longs,
    asked: Longs,
    rules: Sequence[Longs],
    nodes: int,
    *,
    backwards: bool,
    evidence: Sequence[float] | None = None,
) -> Questions:
    """Ask for the second constant of some facts, or for the first; pairs of constants are one number each, sorted.

    The facts that are asked about need not be sorted: the first of them are asked about if there are too many. Where
    it is known what each rule says for what it concludes, the best first, facts may be missing; else none is.
    """
    if backwards:
        facts, asked = np.sort(_swapped(facts, nodes)), _swapped(asked, nodes)
        rules = [np.sort(_swapped(pairs, nodes)) for pairs in rules]
    anchors, known = asked // nodes, facts // nodes
    wanted = np.zeros(nodes, dtype=bool)
    wanted[anchors] = True
    rules = [pairs[wanted[pairs // nodes]] for pairs in rules]
    every = distinct(np.concatenate(rules)) if rules else np.empty(0, dtype=np.int64)
    is_fact = np.isin(every, facts)
    # The cells of a question: what is concluded of its constant, without other facts.
    begin, end = (np.searchsorted(every // nodes, anchors, side) for side in ("left", "right"))
    length = end - begin
    few = np.cumsum(length) * len(rules) <= MOST_CELLS
    few[:1] = True
    asked, anchors, begin, length = asked[few], anchors[few], begin[few], length[few]
    pair = ranges(begin, length)
    question = np.repeat(np.arange(len(asked)), length)
    is_answer = every[pair] == asked[question]
    kept = ~is_fact[pair] | is_answer
    pair, question, is_answer = pair[kept], question[kept], is_answer[kept]
    at = np.searchsorted(question, np.arange(len(asked) + 1)).astype(np.int32)
    answer = np.full(len(asked), -1, dtype=np.int32)
    answer[question[is_answer]] = np.flatnonzero(is_answer)
    others_known = np.bincount(known, minlength=nodes)[anchors] - 1
    others = (nodes - others_known - np.diff(at)).astype(np.int32)
    conclusions = [np.searchsorted(every, pairs).astype(np.int32) for pairs in rules]
    wrong = np.ones(len(pair))
    if evidence is not None:
        likely = likely_true(added_up(conclusions, evidence, len(every)), is_fact)
        wrong[~is_answer] -= likely[pair[~is_answer]]
    return Questions(at, answer, others, _marked(conclusions, pair, len(every)), wrong)


def _marked(conclusions: Sequence[Ints], cells: Longs, atoms: int) -> npt.NDArray[np.uint8]:
    """For each rule, which cells it concludes; of all atoms, only those of the cells have a column."""
    column = np.full(atoms, -1, dtype=np.int32)
    column[cells] = 0
    asked = np.flatnonzero(column == 0)
    column[asked] = np.arange(len(asked))
    found = np.zeros((len(conclusions), len(asked)), dtype=np.uint8)
    for row, concluded in zip(found, conclusions, strict=True):
        places = column[concluded]
        row[places[places >= 0]] = 1
    return np.ascontiguousarray(found[:, column[cells]])


def _swapped(pairs: Longs, nodes: int) -> Longs:
    return pairs % nodes * nodes + pairs // nodes
