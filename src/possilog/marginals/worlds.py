"""All local examples of a width, up to isomorphism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from possilog.errors import QueryError
from possilog.logic import Atom, Predicate
from possilog.marginals.local import LocalExample, local_atom, numbers_of

__all__ = ["MOST_WORLDS", "isomorphism_classes", "local_atoms"]

MOST_WORLDS = 1 << 20
"""The most local examples that are gone through without being told to: a few seconds."""


def local_atoms(predicates: Sequence[Predicate], width: int) -> list[Atom]:
    """All ground atoms over the constants 1, …, k, repeated arguments included."""
    numbers = range(1, width + 1)
    return [local_atom(p, arguments) for p in predicates for arguments in product(numbers, repeat=p.arity)]


def isomorphism_classes(
    predicates: Sequence[Predicate], width: int, *, limit: int = MOST_WORLDS
) -> Iterator[LocalExample]:
    """The canonical local example of every isomorphism class over some predicates.

    >>> for example in isomorphism_classes([Predicate("sm", 1)], 2):
    ...     print(example)
    {}
    {sm(1)}
    {sm(1), sm(2)}
    """
    atoms = local_atoms(predicates, width)
    # The first comparison keeps a number with very many bits from being made.
    if len(atoms) > limit.bit_length() or 1 << len(atoms) > limit:
        raise QueryError(
            f"there are 2^{len(atoms)} local examples of width {width}, more than the limit of {limit:,}; "
            "take fewer predicates or a smaller width, or raise the limit"
        )
    return _first_of_each(atoms, width)


def _first_of_each(atoms: Sequence[Atom], width: int) -> Iterator[LocalExample]:
    """A local example is a row of bits, one for each atom; whatever is isomorphic to one that came is passed over."""
    swaps = _swaps(atoms, width)
    passed = bytearray(1 << len(atoms))
    for first in range(1 << len(atoms)):
        if passed[first]:
            continue
        passed[first] = 1
        waiting = [first]
        while waiting:
            true = _ones(waiting.pop())
            for swap in swaps:
                swapped = sum(1 << swap[number] for number in true)
                if not passed[swapped]:
                    passed[swapped] = 1
                    waiting.append(swapped)
        yield LocalExample.of((atoms[number] for number in _ones(first)), width).canonical


def _swaps(atoms: Sequence[Atom], width: int) -> list[list[int]]:
    """Where each atom goes when two neighbours among the constants change places; all renumberings come from these."""
    place = {atom: number for number, atom in enumerate(atoms)}
    swaps = []
    for one in range(1, width):
        new = {one: one + 1, one + 1: one}
        swaps.append([place[local_atom(a.predicate, [new.get(n, n) for n in numbers_of(a)])] for a in atoms])
    return swaps


def _ones(bits: int) -> list[int]:
    return [number for number in range(bits.bit_length()) if bits >> number & 1]
