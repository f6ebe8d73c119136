"""Atoms over a few variables, numbered: by definition."""

from __future__ import annotations

from itertools import permutations

import pytest

from possilog.logic import Predicate, Variable, parse_clause
from possilog.logic.atom_space import AtomSpace, bits

PREDICATES = [Predicate("p", 1), Predicate("r", 2), Predicate("z", 0)]


@pytest.mark.parametrize("width", [0, 1, 2, 3, 4])
def test_atoms_that_extend_what_has_some_variables(width: int) -> None:
    """An atom extends if it has a variable that is used, and its new ones are the next, in order."""
    space = AtomSpace(PREDICATES, width)
    assert list(bits(0)) == [] and list(bits(0b1011000)) == [3, 4, 6]
    for used in range(width + 1):
        meant = []
        for number, (_, arguments) in enumerate(space.atoms):
            new = [a for place, a in enumerate(arguments) if a >= used and a not in arguments[:place]]
            if any(a < used for a in arguments) and all(a == used + place for place, a in enumerate(new)):
                meant.append(number)
        assert list(bits(space.extensions[used])) == meant


def test_atoms_with_their_variables_replaced() -> None:
    space = AtomSpace(PREDICATES, 3)
    for images in permutations(range(3)):
        for (predicate, arguments), became in zip(space.atoms, space.permuted(images), strict=True):
            assert became == 1 << space.number[predicate, tuple(images[a] for a in arguments)]


@pytest.mark.parametrize(
    ("text", "width", "count"),
    [
        ("p(X) :- r(X, Y).", 3, 6),
        ("p(X) :- r(X, Y).", 1, 0),
        ("p(X) :- q(X).", 3, 0),
        ("p(X) ; p(Y) :- r(X, Y), r(Y, X), r(X, Y).", 2, 2),
        ("z :- p(X).", 2, 2),
    ],
)
def test_clauses_on_the_variables(text: str, width: int, count: int) -> None:
    clause, space = parse_clause(text), AtomSpace(PREDICATES, width)
    found = list(space.groundings(clause))
    assert len(found) == count
    if count:
        named = [Variable(f"V{number}") for number in range(width)]
        meant = []
        for images in permutations(range(width), len(clause.variables)):
            ground = clause.substitute(dict(zip(clause.variables, (named[image] for image in images), strict=True)))
            atoms = [
                {space.number[a.predicate, tuple(map(named.index, a.arguments))] for a in some}  # type: ignore[arg-type]
                for some in (ground.body, ground.head)
            ]
            meant.append(tuple(sorted(numbers) for numbers in atoms))
        assert [(list(bits(body)), list(bits(head))) for body, head in found] == meant
