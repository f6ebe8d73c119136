"""All atoms over a few variables, numbered, so that a set of atoms is one integer with a bit for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import permutations, product

from possilog.logic.atoms import Predicate, Term
from possilog.logic.clauses import Clause

__all__ = ["AtomSpace", "bits"]


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class AtomSpace:
    """The atoms of some predicates over the variables 0, 1, … width - 1, repeated arguments included.

    >>> space = AtomSpace([Predicate("p", 1), Predicate("r", 2)], 2)
    >>> [(predicate.name, arguments) for predicate, arguments in space.atoms]
    [('p', (0,)), ('p', (1,)), ('r', (0, 0)), ('r', (0, 1)), ('r', (1, 0)), ('r', (1, 1))]
    """

    def __init__(self, predicates: Iterable[Predicate], width: int) -> None:
        self.width = width
        self.atoms = [(p, arguments) for p in sorted(predicates) for arguments in product(range(width), repeat=p.arity)]
        self.number = {atom: number for number, atom in enumerate(self.atoms)}

    def permuted(self, images: Sequence[int]) -> list[int]:
        """For each atom the bit of the atom that it becomes when each variable is replaced by its image."""
        return [1 << self.number[p, tuple(images[a] for a in arguments)] for p, arguments in self.atoms]

    @cached_property
    def extensions(self) -> list[int]:
        """For each number of variables, the atoms that have one of the first so many, and new ones only in order."""
        return [self._extensions(used) for used in range(self.width + 1)]

    def _extensions(self, used: int) -> int:
        mask = 0
        for number, (_, arguments) in enumerate(self.atoms):
            new = list(dict.fromkeys(a for a in arguments if a >= used))
            if len(new) < len(set(arguments)) and new == list(range(used, used + len(new))):
                mask |= 1 << number
        return mask

    def groundings(self, clause: Clause) -> Iterator[tuple[int, int]]:
        """The clause on the variables, distinct ones for distinct ones: its body and its head as sets of atoms.

        There is none where the clause has too many variables or speaks of a predicate that is not here.
        """
        for images in permutations(range(self.width), len(clause.variables)):
            place: dict[Term, int] = dict(zip(clause.variables, images, strict=True))
            try:
                body, head = (
                    sum({1 << self.number[a.predicate, tuple(place[t] for t in a.arguments)] for a in atoms})
                    for atoms in (clause.body, clause.head)
                )
            except KeyError:
                return
            yield body, head
