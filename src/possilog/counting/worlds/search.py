"""An exact counter of our own, for problems of moderate size: it needs nothing to be installed.

DPLL for counting (Bayardo and Pehoushek 2000; Sang et al. 2004): decide an atom, propagate, count the independent parts
that are left by themselves, and remember the number of each. Parts are remembered up to the numbers of their atoms, so
that what happens to one constant is not counted again for the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator

from possilog.counting.worlds.components import split
from possilog.counting.worlds.formula import GroundFormula
from possilog.deadline import NEVER, Deadline

__all__ = ["count_models"]

REMEMBERED = 1_000_000
"""The most literals of parts that are remembered: some hundred megabytes. Then remembering begins anew."""


def count_models(formula: GroundFormula, stop: Deadline = NEVER) -> int | None:
    """The number of models; None where the time is not enough.

    >>> count_models(GroundFormula(4, ((1, 2), (-2, 3))))
    8
    """
    known: dict[GroundFormula, int] = {}
    remembered = 0
    # Generators on a stack of our own: a decision within a decision a thousand deep is no recursion error.
    waiting = [(formula, _models(formula))]
    answer: int | None = None
    while waiting:
        if stop():
            return None
        part, models = waiting[-1]
        try:
            wanted = models.send(answer)
        except StopIteration as finished:
            answer = known[part] = finished.value
            waiting.pop()
            remembered += sum(map(len, part.clauses))
            if remembered > REMEMBERED:
                known, remembered = {}, 0
        else:
            answer = known.get(wanted)
            if answer is None:
                waiting.append((wanted, _models(wanted)))
    return answer


def _models(formula: GroundFormula) -> Generator[GroundFormula, int | None, int]:
    """The number of models, from those of smaller formulas, which it asks for one by one."""
    if not formula.clauses:
        return 1 << formula.atoms
    if len(formula.clauses) == 1:  # all but those in which every literal is false
        return (1 << formula.atoms) - (1 << formula.atoms - len(formula.clauses[0]))
    atom = _most_telling(formula)
    total = 0
    for literal in (atom, -atom):
        found = split(GroundFormula(formula.atoms, ((literal,), *formula.clauses)))
        if found is not None:
            total += yield from _product(found.free, found.parts)
    return total


def _product(free: int, parts: tuple[tuple[GroundFormula, int], ...]) -> Generator[GroundFormula, int | None, int]:
    product = 1 << free
    for part, times in parts:
        models = yield part
        assert models is not None
        product *= models**times
        if not product:
            break
    return product


def _most_telling(formula: GroundFormula) -> int:
    """The atom that occurs in the most clauses, short ones above all: deciding it leaves the least."""
    weights: dict[int, float] = defaultdict(float)
    for clause in formula.clauses:
        for literal in clause:
            weights[abs(literal)] += 0.5 ** len(clause)
    # An empty clause has no atom; deciding any atom then shows that there is no model.
    return max(weights, key=weights.__getitem__, default=1)
