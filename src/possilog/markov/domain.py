"""What a network is about: evidence, the constants of each type, and a number for every ground atom."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from possilog.data import Database, Evidence
from possilog.data.rows import distinct, occurring
from possilog.errors import DataError, DataWarning, QueryError, listed
from possilog.files import AnyPath
from possilog.logic import Atom, Constant, Literal, Predicate
from possilog.markov.network import Declaration, Network, atoms_of, require_network
from possilog.printing import plural

__all__ = ["Domain", "Numbers", "consistent", "worlds"]

Numbers = npt.NDArray[np.int64]
"""Ground atoms by their numbers, or places of constants in their types."""

_MOST_ATOMS = 2**62
"""Ground atoms are numbered in 64 bits."""


def consistent(given: Evidence | Database | AnyPath | Iterable[Atom | Literal | str] | None) -> Evidence:
    """Evidence in whatever form it is given, or none; a world in which an atom is true and false does not exist."""
    known = Evidence() if given is None else Evidence.taken(given)
    if known.contradictory:
        raise DataError(
            f"the evidence says that {known.contradictory[0]} is true and that it is false; take one of the two out"
        )
    return known


def worlds(data: Evidence | Database | AnyPath | Iterable[Evidence | Database | AnyPath]) -> list[Evidence]:
    """One world to learn from, or several: databases, or files of facts."""
    if isinstance(data, Evidence | Database | str | os.PathLike):
        return [consistent(data)]
    if not isinstance(data, Iterable):
        raise DataError(f"a {type(data).__name__} was given; data are databases, or files of facts, one or several")
    given = [consistent(one) for one in data]
    if not given:
        raise DataError("there are no data to learn from; give a database at least")
    return given


class Domain:
    """The constants of each type, sorted, and the ground atoms over them, numbered predicate by predicate.

    A predicate's atoms come in the order of their arguments, so sorted numbers are sorted facts.
    """

    def __init__(self, declarations: Iterable[Declaration], constants: Mapping[str, Iterable[str]]) -> None:
        """Take the declared predicates and the constants of every type."""
        self.constants = {name: tuple(sorted(set(listed))) for name, listed in constants.items()}
        self._places = {name: {c: i for i, c in enumerate(listed)} for name, listed in self.constants.items()}
        self.declarations = {declaration.predicate: declaration for declaration in declarations}
        self.offsets: dict[Predicate, int] = {}
        self.shapes: dict[Predicate, tuple[int, ...]] = {}
        self.atoms = 0
        for predicate, declaration in self.declarations.items():
            self.offsets[predicate] = self.atoms
            self.shapes[predicate] = tuple(len(self.constants[name]) for name in declaration.types)
            self.atoms += math.prod(self.shapes[predicate])
        if self.atoms >= _MOST_ATOMS:
            raise QueryError(f"{self.atoms:.1e} ground atoms are more than can be numbered; take fewer constants")

    @classmethod
    def of(cls, network: Network, *evidence: Evidence) -> Domain:
        """The constants that a network lists or names, and those of the evidence, by the places where they stand."""
        require_network(network)
        found: dict[str, set[str]] = {name: set(network.constants.get(name, ())) for name in network.types}
        declared = {declaration.predicate: declaration for declaration in network.declarations}
        _take(found, declared, (atom for formula in network.formulas for atom in atoms_of(formula.sentence)))
        for given in evidence:
            _check(declared, given)
            _take(found, declared, given.denied)
            constants = given.facts.constants
            for predicate in given.facts.predicates:
                if predicate in declared:
                    for name, column in zip(declared[predicate].types, given.facts.rows(predicate), strict=True):
                        found[name].update(map(constants.__getitem__, occurring(column, len(constants)).tolist()))
        return cls(network.declarations, found)

    def size(self, type_name: str) -> int:
        """How many constants a type has."""
        return len(self.constants[type_name])

    def place(self, type_name: str, constant: str) -> int:
        """The place of a constant in its type."""
        return self._places[type_name][constant]

    def span(self, predicate: Predicate) -> tuple[int, int]:
        """The number of the predicate's first atom, and the one after that of its last."""
        return self.offsets[predicate], self.offsets[predicate] + math.prod(self.shapes[predicate])

    def numbers(self, predicate: Predicate, columns: Iterable[Numbers | int], count: int) -> Numbers:
        """The numbers of some atoms from the places of their arguments."""
        result = np.zeros(count, dtype=np.int64)
        for size, column in zip(self.shapes[predicate], columns, strict=True):
            result = result * size + column
        return result + self.offsets[predicate]

    def columns(self, predicate: Predicate, numbers: Numbers) -> list[Numbers]:
        """The places of the arguments of some atoms of a predicate."""
        rest, columns = numbers - self.offsets[predicate], []
        for size in reversed(self.shapes[predicate]):
            rest, column = np.divmod(rest, max(size, 1))
            columns.append(column)
        return columns[::-1]

    def atoms_numbered(self, numbers: Numbers) -> list[Atom]:
        """The atoms of some sorted numbers."""
        atoms = []
        for predicate, declaration in self.declarations.items():
            low, high = np.searchsorted(numbers, self.span(predicate))
            columns = self.columns(predicate, numbers[low:high])
            names = [self.constants[name] for name in declaration.types]
            for row in zip(*(column.tolist() for column in columns), strict=True) if columns else [()] * (high - low):
                atoms.append(Atom(predicate, tuple(Constant(names[i][place]) for i, place in enumerate(row))))
        return atoms

    def facts(self, database: Database) -> Numbers:
        """The sorted numbers of the facts of a database that are about declared predicates."""
        parts = [np.zeros(0, dtype=np.int64)]
        constants = database.constants
        for predicate, declaration in self.declarations.items():
            rows = database.rows(predicate)
            columns = []
            for name, column in zip(declaration.types, rows, strict=True):
                known = occurring(column, len(constants))
                places = map(self._places[name].__getitem__, map(constants.__getitem__, known.tolist()))
                place_of = np.zeros(len(constants), dtype=np.int64)
                place_of[known] = np.fromiter(places, np.int64, len(known))
                columns.append(place_of[column])
            parts.append(self.numbers(predicate, columns, rows.shape[1]))
        return distinct(np.concatenate(parts))

    def listed(self, atoms: Iterable[Atom]) -> Numbers:
        """The sorted numbers of some ground atoms of declared predicates."""
        numbers = []
        for atom in atoms:
            if atom.predicate in self.declarations:
                types = self.declarations[atom.predicate].types
                places = [self._places[name][term.name] for name, term in zip(types, atom.arguments, strict=True)]
                numbers.append(int(self.numbers(atom.predicate, places, 1)[0]))
        return distinct(np.array(numbers, dtype=np.int64))


def _take(found: dict[str, set[str]], declared: Mapping[Predicate, Declaration], atoms: Iterable[Atom]) -> None:
    for atom in atoms:
        if atom.predicate in declared:
            for name, term in zip(declared[atom.predicate].types, atom.arguments, strict=True):
                if isinstance(term, Constant):
                    found[name].add(term.name)


def _check(declared: Mapping[Predicate, Declaration], given: Evidence) -> None:
    """Evidence about what is not declared plays no part; with another arity it is surely wrong."""
    arities = {predicate.name: predicate.arity for predicate in declared}
    unknown = {*given.facts.predicates, *(atom.predicate for atom in given.denied)} - declared.keys()
    for predicate in sorted(unknown):
        if predicate.name in arities:
            raise DataError(
                f"{predicate.name} has {plural(predicate.arity, 'argument')} in the evidence and "
                f"{arities[predicate.name]} in the network; give it as many"
            )
    if unknown:
        it = "it" if len(unknown) == 1 else "them"
        message = f"the network does not declare {listed(sorted(unknown))}, so the evidence about {it} plays no part"
        warnings.warn(message, DataWarning, stacklevel=1)  # at one place, so that it is said once
