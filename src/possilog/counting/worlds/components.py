"""Take a counting problem apart: the numbers of models of parts that share no atom are multiplied."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from possilog.counting.limits import require_time
from possilog.counting.worlds.formula import GroundFormula, NumberedClause, Worlds
from possilog.deadline import NEVER, Deadline
from possilog.logic import Clause
from possilog.logic.parts import connected_parts

__all__ = ["Components", "apart", "propagate", "renumbered", "split", "split_by_predicates"]


@dataclass(frozen=True, slots=True)
class Components:
    """A formula in independent parts, and how many atoms are free to be true or false.

    Parts that are the same but for the numbers of their atoms are one, with how often it occurs: constants are alike,
    so this is common.
    """

    free: int
    parts: tuple[tuple[GroundFormula, int], ...]


def split(formula: GroundFormula, stop: Deadline = NEVER) -> Components | None:
    """Decide the atoms that have to be true or false, and split the rest; None where there is no model.

    TimeoutError when ``stop`` says so.

    >>> split(GroundFormula(7, ((1,), (-1, 2, 3), (4, 5), (-6,))))
    Components(free=1, parts=((GroundFormula(atoms=2, clauses=((1, 2),)), 2),))
    """
    found = propagate(formula.clauses)
    if found is None:
        return None
    decided, clauses = found
    left = {abs(literal) for clause in clauses for literal in clause}
    parts: Counter[GroundFormula] = Counter()
    for part in apart(clauses):
        require_time(stop)
        parts[renumbered(part)] += 1
    return Components(formula.atoms - decided - len(left), tuple(parts.items()))


def split_by_predicates(worlds: Worlds) -> tuple[int, list[Worlds]]:
    """The same before grounding: how many atoms no clause speaks of, and parts that share no predicate."""
    spoken = [clause for clause in worlds.clauses if clause.atoms]
    empty = tuple(clause for clause in worlds.clauses if not clause.atoms)
    groups = connected_parts(spoken, lambda clause: {atom.predicate for atom in clause.atoms})
    parts = [_part(worlds, group) for group in groups]
    free = worlds.atoms - sum(part.atoms for part in parts)
    return free, parts + ([Worlds((), worlds.width, empty)] if empty else [])


def _part(worlds: Worlds, clauses: Sequence[Clause]) -> Worlds:
    used = {atom.predicate for clause in clauses for atom in clause.atoms}
    return Worlds(tuple(p for p in worlds.predicates if p in used), worlds.width, tuple(clauses))


def propagate(
    clauses: Iterable[NumberedClause], assumed: Iterable[int] = ()
) -> tuple[int, list[NumberedClause]] | None:
    """Unit propagation: how many atoms it decides, and the clauses that are left; None where they contradict.

    >>> propagate([(1, 2), (-2, 3), (-3, 4, 5)], [-1])
    (3, [(4, 5)])
    """
    true = set(assumed)
    left = list(clauses)
    while True:
        before = len(true)
        following = []
        for clause in left:
            if true.isdisjoint(clause):
                open_literals = [literal for literal in clause if -literal not in true]
                if len(open_literals) > 1:
                    following.append(clause if len(open_literals) == len(clause) else tuple(open_literals))
                elif open_literals:
                    true.add(open_literals[0])
                else:
                    return None
        left = following
        if len(true) == before:
            return before, left


def apart(clauses: Sequence[NumberedClause]) -> list[list[NumberedClause]]:
    """The clauses in parts that share no atom."""
    root: dict[int, int] = {}

    def find(atom: int) -> int:
        while root[atom] != atom:
            root[atom] = atom = root[root[atom]]
        return atom

    for clause in clauses:
        first = find(root.setdefault(abs(clause[0]), abs(clause[0])))
        for literal in clause[1:]:
            root[find(root.setdefault(abs(literal), abs(literal)))] = first
    parts: dict[int, list[NumberedClause]] = defaultdict(list)
    for clause in clauses:
        parts[find(abs(clause[0]))].append(clause)
    return list(parts.values())


def renumbered(clauses: Iterable[NumberedClause]) -> GroundFormula:
    """The formula of some clauses, with their atoms numbered anew from 1, in the same order."""
    listed = list(clauses)
    atoms = sorted({abs(literal) for clause in listed for literal in clause})
    number = {atom: place for place, atom in enumerate(atoms, 1)}
    number |= {-atom: -place for atom, place in number.items()}
    return GroundFormula(len(atoms), tuple(sorted({tuple(sorted(number[x] for x in clause)) for clause in listed})))
