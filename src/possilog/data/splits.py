"""One database cut into several by its constants, or some of its facts drawn at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.data.rows import Built, Rows
from possilog.errors import DataError
from possilog.logic import Predicate

__all__ = ["Split", "draw_facts", "keep_predicates", "require_known", "split_groups", "split_halves"]

_SHARED = -1


@dataclass(frozen=True, slots=True)
class Split:
    """The parts of a database, what they are called, and how many facts lie across parts and so are in none."""

    parts: tuple[Database, ...]
    names: tuple[str, ...]
    crossing: int


def split_halves(database: Database, seed: int) -> Split:
    """Cut the constants at random into two halves of equal size (one more in the first, if their number is odd).

    So did the paper's authors with Yeast. Each part has the constants of its half and the facts wholly inside it; facts
    across the halves are dropped and counted. A fact without arguments is in both.

    >>> from possilog.logic import parse_atom
    >>> halves = split_halves(Database.of(parse_atom(f"next(n{i}, n{i + 1})") for i in range(9)), seed=0)
    >>> [len(part.constants) for part in halves.parts], sum(map(len, halves.parts)) + halves.crossing
    ([5, 5], 9)
    """
    count = len(database.constants)
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    group = np.zeros(count, dtype=np.int32)
    group[numbers[(count + 1) // 2 :]] = 1
    return _split(database, group, ("first", "second"))


def split_groups(database: Database, groups: Mapping[str, str]) -> Split:
    """Cut a database by the groups of its constants, one part a group, in the order of the groups' names.

    A constant without a group is shared. A part has the constants of its group, the facts in which they occur with no
    others but shared ones, the facts with shared constants only, and the shared constants of all these facts. Facts
    with constants of two groups are dropped and counted. At least one constant must have a group.

    >>> from possilog.logic import parse_atom
    >>> facts = ["likes(ann, bob)", "likes(bob, eve)", "level(ann, high)", "level(eve, high)"]
    >>> split = split_groups(Database.of(map(parse_atom, facts)), {"ann": "ai", "bob": "ai", "eve": "theory"})
    >>> for name, part in zip(split.names, split.parts):
    ...     print(name, *part)
    ai level(ann, high) likes(ann, bob)
    theory level(eve, high)
    >>> split.crossing
    1
    """
    names = tuple(sorted(set(groups.values())))
    if not names:
        raise DataError("there are no groups to split by; give at least one constant a group")
    require_known(database, groups)
    group = np.full(len(database.constants), _SHARED, dtype=np.int32)
    for constant, name in groups.items():
        group[database.number(constant)] = names.index(name)
    return _split(database, group, names)


def require_known(database: Database, groups: Mapping[str, str]) -> None:
    """A constant that has a group must be in the data: it may be misspelt."""
    for constant, name in groups.items():
        if database.number(constant) is None:
            raise DataError(f"the constant {constant!r} of group {name!r} is not in the data; check its spelling")


def keep_predicates(database: Database, predicates: Iterable[Predicate]) -> Database:
    """The facts of some predicates, over all constants."""
    kept = list(predicates)
    return database.having_facts({predicate: database.rows(predicate) for predicate in kept})


def draw_facts(database: Database, size: int, chance: np.random.Generator) -> Database:
    """So many of the facts, drawn at random, over their own constants."""
    chosen = np.zeros(len(database), dtype=bool)
    chosen[chance.choice(len(database), size=size, replace=False)] = True
    relations, start = {}, 0
    for predicate in database.predicates:
        rows = database.rows(predicate)
        found = rows[:, chosen[start : start + rows.shape[1]]]
        start += rows.shape[1]
        if found.shape[1]:
            relations[predicate] = found
    return _part(database, np.zeros(len(database.constants), dtype=bool), relations)


def _split(database: Database, group: npt.NDArray[np.int32], names: tuple[str, ...]) -> Split:
    """``group`` has the number of each constant's part, or _SHARED."""
    parts: list[dict[Predicate, Rows]] = [{} for _ in names]
    crossing = 0
    for predicate in database.predicates:
        rows = database.rows(predicate)
        of = group[rows]
        highest = of.max(axis=0, initial=_SHARED)
        lowest = np.where(of == _SHARED, len(names), of).min(axis=0, initial=len(names))
        across = lowest < highest
        crossing += int(np.count_nonzero(across))
        for number, part in enumerate(parts):
            part[predicate] = rows[:, ~across & ((highest == number) | (highest == _SHARED))]
    return Split(tuple(_part(database, group == number, part) for number, part in enumerate(parts)), names, crossing)


def _part(database: Database, kept: npt.NDArray[np.bool_], relations: Mapping[Predicate, Rows]) -> Database:
    """The database of some of the facts, over the constants to keep and those of the facts."""
    kept = kept.copy()
    for rows in relations.values():
        kept[rows] = True
    renumber = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, np.int32(-1))
    return database.having(
        [database.constants[number] for number in np.flatnonzero(kept).tolist()],
        Built({predicate: renumber[rows] for predicate, rows in relations.items()}),  # as sorted as they were
        renumber,
    )
