"""What a database speaks of: its predicates with their counts, the names of their arguments, and their types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from possilog.data.database import Database
from possilog.data.rows import distinct, occurring
from possilog.data.taking import Facts, facts_of
from possilog.errors import DataError, shortened
from possilog.logic import Predicate
from possilog.printing import Printed, plural

__all__ = ["Schema", "Signature", "infer_types", "schema"]


@dataclass(frozen=True, slots=True, repr=False)
class Signature(Printed):
    """A predicate, how many facts it has, and what is known of its arguments; nothing known is an empty tuple."""

    predicate: Predicate
    count: int
    arguments: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    def __str__(self) -> str:
        arguments = self.arguments or ("_",) * self.predicate.arity
        if self.types:
            arguments = tuple(map("{}: {}".format, arguments, self.types)) if self.arguments else self.types
        return f"{self.predicate.name}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """All predicates of a database, in order, and the number of its constants.

    It prints as the command line shows it.
    """

    signatures: tuple[Signature, ...]
    constants: int

    @property
    def facts(self) -> int:
        """The number of facts."""
        return sum(signature.count for signature in self.signatures)

    @property
    def types(self) -> dict[str, tuple[str, ...]]:
        """The types of the predicates that have some, by name."""
        return {signature.predicate.name: signature.types for signature in self.signatures if signature.types}

    def __iter__(self) -> Iterator[Signature]:
        return iter(self.signatures)

    def __len__(self) -> int:
        return len(self.signatures)

    def __getitem__(self, name: str) -> Signature:
        """The signature of the predicate of that name."""
        for signature in self.signatures:
            if signature.predicate.name == name:
                return signature
        raise DataError(f"there is no predicate {name!r} in the data; check its spelling")

    def __str__(self) -> str:
        lines = (f"{signature.count:>9,}  {signature}" for signature in self.signatures)
        return "\n".join([self._counts, *lines])

    def __repr__(self) -> str:
        return f"<Schema: {self._counts}>"

    @property
    def _counts(self) -> str:
        counts = (plural(self.facts, "fact"), plural(len(self), "predicate"), plural(self.constants, "constant"))
        return ", ".join(counts)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog schema --json`` prints."""
        predicates = [
            {
                "name": signature.predicate.name,
                "arity": signature.predicate.arity,
                "facts": signature.count,
                "arguments": signature.arguments,
                "types": signature.types,
            }
            for signature in self
        ]
        return {"facts": self.facts, "constants": self.constants, "predicates": predicates}


def schema(database: Facts, types: Mapping[str, Sequence[str]] | None = None) -> Schema:
    """The schema of a database: its predicates, their arguments, and their types if there are any.

    Parameters
    ----------
    database : Database, path of a file, dict of frames, or atoms
        The facts.
    types : dict of str to list of str, or None
        The types of arguments by predicate, for all predicates or for some.

    Returns
    -------
    Schema
        The predicates in order, with their counts.

    Raises
    ------
    DataError
        If types do not fit: a predicate is not there, has another number of arguments, or a constant would have two
        types; or if what is given are no facts.

    Examples
    --------
    >>> facts = ["advisedBy(ann, bob)", "professor(bob)"]
    >>> print(schema(facts, {"advisedBy": ["student", "professor"], "professor": ["professor"]}))
    2 facts, 2 predicates, 2 constants
            1  advisedBy(student, professor)
            1  professor(professor)
    """
    database = facts_of(database)
    if types is not None and not (isinstance(types, Mapping) and all(map(_are_names, types.values()))):
        shown = shortened(repr(types))
        raise DataError(f'types are lists of names by predicate, such as {{"old": ["person"]}}; {shown} is none')
    given = {name: tuple(some) for name, some in (types or {}).items()}
    _check(database, given)
    return Schema(
        tuple(
            Signature(p, database.count(p), database.argument_names(p), given.get(p.name, ()))
            for p in database.predicates
        ),
        len(database.names),
    )


def _are_names(given: object) -> bool:
    return isinstance(given, list | tuple) and all(isinstance(name, str) for name in given)


def infer_types(database: Facts) -> dict[str, tuple[str, ...]]:
    """Types by merging argument positions that share constants, and those that share with these, and so on.

    A type is called like the first of its arguments that has a name of its own, else like its first position.

    Parameters
    ----------
    database : Database, path of a file, dict of frames, or atoms
        The facts.

    Returns
    -------
    dict of str to tuple of str
        The types of arguments by predicate, as ``schema`` takes them.

    Raises
    ------
    DataError
        If what is given are no facts.

    Examples
    --------
    >>> infer_types(["advises(ann, bob)", "professor(ann)", "teaches(ann, logic)"])
    {'advises': ('advises.1', 'advises.2'), 'professor': ('advises.1',), 'teaches': ('advises.1', 'teaches.2')}
    """
    database = facts_of(database)
    positions = [(predicate, place) for predicate in database.predicates for place in range(predicate.arity)]
    root = _merged(database, positions)
    members: dict[int, list[tuple[Predicate, int]]] = {}
    for position, number in zip(positions, root, strict=True):
        members.setdefault(number, []).append(position)
    names: dict[int, str] = {}
    taken: set[str] = set()
    for number in sorted(members):
        names[number] = _type_name(database, members[number], taken)
        taken.add(names[number])
    named = iter(names[number] for number in root)
    return {predicate.name: tuple(next(named) for _ in range(predicate.arity)) for predicate in database.predicates}


def _merged(database: Database, positions: Sequence[tuple[Predicate, int]]) -> list[int]:
    """For each position the first one of its class (union-find)."""
    parent = list(range(len(positions)))

    def find(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    seen_at = np.full(len(database.names), -1, dtype=np.int32)
    for number, (predicate, place) in enumerate(positions):
        constants = occurring(database.rows(predicate)[place], len(seen_at))
        before = seen_at[constants]
        for other in distinct(before[before >= 0]).tolist():
            first, second = sorted((find(number), find(other)))
            parent[second] = first
        seen_at[constants] = find(number)  # not the number itself: so the next ones meet few different numbers
    return [find(number) for number in range(len(positions))]


def _type_name(database: Database, members: Sequence[tuple[Predicate, int]], taken: set[str]) -> str:
    for predicate, place in members:
        arguments = database.argument_names(predicate)
        if arguments and arguments[place] not in taken:
            return arguments[place]
    predicate, place = members[0]
    return f"{predicate.name}.{place + 1}"


def _check(database: Database, types: Mapping[str, tuple[str, ...]]) -> None:
    predicates = {predicate.name: predicate for predicate in database.predicates}
    for name, some in types.items():
        if name not in predicates:
            raise DataError(f"types are given for {name!r}, which is not in the data; check its spelling")
        if some and len(some) != predicates[name].arity:
            raise DataError(f"{predicates[name]} needs {predicates[name].arity} types, and {len(some)} are given")
    positions = [(name, place) for name, some in types.items() for place in range(len(some))]
    seen_at = np.full(len(database.names), -1, dtype=np.int32)
    for number, (name, place) in enumerate(positions):
        constants = occurring(database.rows(predicates[name])[place], len(seen_at))
        for other in distinct(seen_at[constants]).tolist():
            if other >= 0 and types[positions[other][0]][positions[other][1]] != types[name][place]:
                first = database.constants[constants[seen_at[constants] == other][0]]
                raise DataError(_two_types(first, types, positions[other], (name, place)))
        seen_at[constants] = number


def _two_types(
    constant: str, types: Mapping[str, tuple[str, ...]], one: tuple[str, int], other: tuple[str, int]
) -> str:
    (name, place), (other_name, other_place) = one, other
    return (
        f"the constant {constant!r} has type {types[name][place]} at {name}.{place + 1} and type "
        f"{types[other_name][other_place]} at {other_name}.{other_place + 1}; give both positions one type"
    )
