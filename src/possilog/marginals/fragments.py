"""Many fragments of one database, quickly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

from possilog.data import Database
from possilog.logic import Predicate
from possilog.marginals.local import LocalExample, local_atom

__all__ = ["FragmentTable"]

Places = tuple[int, ...]
"""Some of the places 0, …, k - 1 of a k-subset, ascending."""

Shape = tuple[tuple[Predicate, Places], ...]
"""All facts that name exactly certain constants; each argument says which of these constants it is."""

PlaceCounts = tuple[tuple[Places, int], ...]
"""A fragment: where in the k-subset which shape stands. Equal signatures are equal local examples."""


class FragmentTable:
    """Fragments of a database (Definition 1) as local examples.

    The facts lie in a table by the set of constants they name, so that a fragment costs a few look-ups, whatever the
    number of facts; and all that is said of such a set is one number, so that fragments can be counted unmade.

    >>> from possilog.logic import parse_atom
    >>> fragments = FragmentTable(Database.of(map(parse_atom, ["fr(alice, bob)", "fr(bob, eve)", "sm(bob)"])))
    >>> print(fragments.local([0, 1]), fragments.local([1, 2]), fragments.local([0, 2]))
    {fr(1, 2), sm(2)} {fr(1, 2), sm(1)} {}
    """

    def __init__(self, database: Database) -> None:
        facts: dict[tuple[int, ...], list[tuple[Predicate, Places]]] = defaultdict(list)
        for predicate in database.predicates:
            for row in database.rows(predicate).T.tolist():
                named = tuple(sorted(set(row)))
                facts[named].append((predicate, tuple(named.index(number) for number in row)))
        numbers: dict[Shape, int] = {}
        self._shape_at = {named: numbers.setdefault(tuple(said), len(numbers)) for named, said in facts.items()}
        self._shapes = list(numbers)
        self._constants = len(database.constants)
        self._sizes = sorted({len(named) for named in facts})

    def local(self, subset: Sequence[int]) -> LocalExample:
        """The fragment of some constants, given by their numbers in ascending order, which become 1, …, k."""
        width = len(subset)
        return self._decode(self._signature(tuple(subset), self._places(width)), width)

    def count(self, width: int) -> Counter[LocalExample]:
        """For each isomorphism class, by its canonical form, from how many k-subsets it comes."""
        places = self._places(width)
        subsets = combinations(range(self._constants), width)
        signatures = Counter(self._signature(subset, places) for subset in subsets)
        classes: Counter[LocalExample] = Counter()
        for signature, number in signatures.items():
            classes[self._decode(signature, width).canonical] += number
        return classes

    def _places(self, width: int) -> list[Places]:
        """Where in a k-subset facts can stand."""
        return [places for size in self._sizes for places in combinations(range(width), size)]

    def _signature(self, subset: tuple[int, ...], places: Sequence[Places]) -> PlaceCounts:
        shape_at = self._shape_at
        found = ((where, shape_at.get(tuple([subset[place] for place in where]))) for where in places)
        return tuple([(where, shape) for where, shape in found if shape is not None])

    def _decode(self, signature: PlaceCounts, width: int) -> LocalExample:
        atoms = (
            local_atom(predicate, [where[argument] + 1 for argument in arguments])
            for where, shape in signature
            for predicate, arguments in self._shapes[shape]
        )
        return LocalExample.of(atoms, width)
