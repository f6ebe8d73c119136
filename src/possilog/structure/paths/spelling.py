"""Rules from their codes: a path of codes as atoms, and a rule as text."""

from __future__ import annotations

from collections.abc import Sequence

from possilog.logic.spelling import spell_constant, spell_given, spell_predicate
from possilog.structure.paths.graph import Graph

__all__ = ["Speller", "closed_text"]

_VARIABLES = "ABCDEFGH"


class Speller:
    """Spells the rules of a graph. The head's variables are A and B, the others follow."""

    def __init__(self, graph: Graph) -> None:
        """Take the names of the graph."""
        self._names = [spell_predicate(predicate.name) for predicate in graph.predicates]
        self._constants = graph.database.constants

    def closed(self, head: int, *paths: Sequence[int]) -> str:
        """The rule of a head A to B, and of one or more paths from A to B."""
        return closed_text(self._names, head, *paths)

    def acyclic(self, head: int, constant: int, path: Sequence[int], end: int) -> str:
        """The rule of a head with a constant, and of a path from A to another one, or to anything (-1)."""
        last = _VARIABLES[len(path)] if end < 0 else spell_constant(self._constants[end])
        atoms = _steps(self._names, path, [*_VARIABLES[: len(path)], last])
        return f"{_atom(self._names, head, 'A', spell_constant(self._constants[constant]))} :- {', '.join(atoms)}."

    def bare(self, head: int, constant: int) -> str:
        """The rule that links everything to a constant."""
        return f"{_atom(self._names, head, 'A', spell_constant(self._constants[constant]))}."

    def fact(self, code: int, first: int, second: int) -> str:
        """A fact as files write it, from where a code leads to where it ends."""
        return _atom(self._names, code, spell_given(self._constants[first]), spell_given(self._constants[second]))


def closed_text(names: Sequence[str], head: int, *paths: Sequence[int]) -> str:
    """The rule of a head A to B, and of one or more paths from A to B; the relations have these names."""
    atoms, fresh = [], iter(_VARIABLES[2:])
    for path in paths:
        inner = [next(fresh) for _ in path[1:]]
        atoms += _steps(names, path, ["A", *inner, "B"])
    return f"{names[head]}(A, B) :- {', '.join(atoms)}."


def _steps(names: Sequence[str], path: Sequence[int], stops: Sequence[str]) -> list[str]:
    return [_atom(names, code, stops[place], stops[place + 1]) for place, code in enumerate(path)]


def _atom(names: Sequence[str], code: int, first: str, second: str) -> str:
    if code % 2:
        first, second = second, first
    return f"{names[code // 2]}({first}, {second})"
