"""A set of bodies, and the question whether a body contains one of them."""

from __future__ import annotations

from collections import defaultdict

from possilog.logic.atom_space import bits

__all__ = ["SubsumingBodies"]


class SubsumingBodies:
    """Bodies as sets of atoms. Most have one or two atoms, and these are found without a search."""

    def __init__(self) -> None:
        self.single = 0
        """The atoms that are bodies by themselves."""
        self._pairs: dict[int, int] = defaultdict(int)
        self._larger: dict[int, list[int]] = defaultdict(list)

    def add(self, body: int) -> None:
        """Add a body."""
        atoms = list(bits(body))
        if len(atoms) == 1:
            self.single |= body
        elif len(atoms) == 2:
            self._pairs[atoms[0]] |= 1 << atoms[1]
        else:
            self._larger[atoms[0]].append(body)

    def contained_in(self, body: int) -> bool:
        """Does this body contain one of the bodies?"""
        if body & self.single:
            return True
        for atom in bits(body):
            if self._pairs.get(atom, 0) & body or any(b & body == b for b in self._larger.get(atom, ())):
                return True
        return False
