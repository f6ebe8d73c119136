"""Parts of the data that can be held out: constants that belong together stay together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from possilog.chance import generator
from possilog.data import Database
from possilog.data.splits import split_groups
from possilog.deadline import NEVER, Deadline

__all__ = ["Part", "cut", "file_groups", "find_groups", "find_parts", "find_splits"]

_LARGEST = 3_000
"""A part needs no more facts than these: they are predicted many times over."""

_SMALLEST = 300
"""Parts of large data should have at least this many facts; smaller data are not dealt out where they can be cut."""

_MOST = 0.5
"""A part with more than this share of the facts leaves too little to learn from without it."""

_MAJORITY = 0.5
"""A constant that is tied to several groups goes to the one that has more than this share of its facts."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the data that is held out, and what is left without it."""

    name: str
    facts: Database
    rest: Database


def find_splits(
    database: Database, number: int, count: int, seed: int, stop: Deadline = NEVER
) -> list[tuple[Part, ...]]:
    """Several ways to find parts; where few facts cross parts in one way only, there are fewer than asked for.

    OutOfTime as soon as ``stop`` says so.
    """
    splits: dict[frozenset[tuple[str, ...]], tuple[Part, ...]] = {}
    for place in range(number):
        parts = find_parts(database, count, seed + place, f"part-{place + 1}", stop)
        if len(parts) > 1:
            splits.setdefault(frozenset(tuple(part.rest.constants) for part in parts), parts)
    return list(splits.values())


def find_parts(database: Database, count: int, seed: int, prefix: str, stop: Deadline = NEVER) -> tuple[Part, ...]:
    """A number of parts that few facts cross. Together they are all the data, unless these are large.

    OutOfTime as soon as ``stop`` says so.
    """
    pieces = max(count, len(database) // _LARGEST)
    while True:
        parts = cut(database, find_groups(database, pieces, seed, stop), prefix, count, stop)
        if pieces == count or (len(parts) == count and min(len(part.facts) for part in parts) >= _SMALLEST):
            return parts
        # Where everything hangs together, small pieces have hardly any facts.
        pieces = max(count, pieces // 4)


def cut(
    database: Database, groups: Mapping[str, str], prefix: str, most: int | None = None, stop: Deadline = NEVER
) -> tuple[Part, ...]:
    """The parts of a database, one for each group: what is left has the facts about none of the group's constants.

    Groups without facts, or without which no facts are left, make no part. ``most`` bounds the number of parts.
    OutOfTime as soon as ``stop`` says so.
    """
    parts = []
    for number, name in enumerate(stop.each(sorted(set(groups.values()))[:most]), start=1):
        sides = {constant: "in" if group == name else "out" for constant, group in groups.items()}
        split = split_groups(database, sides)
        found = dict(zip(split.names, split.parts, strict=True))
        if all(len(found.get(side, ())) for side in ("in", "out")):
            parts.append(Part(f"{prefix}-{number}", found["in"], found["out"]))
    return tuple(parts)


def file_groups(files: Mapping[str, Database]) -> dict[str, str]:
    """Each file is a group: its constants, but for those that other files have too, which are shared.

    Files without a predicate in common are no groups: they are tables that say different things of the same constants.

    >>> from possilog.logic import parse_atom
    >>> north, south = (Database.of([parse_atom(text)]) for text in ("near(bergen, sea)", "near(oslo, sea)"))
    >>> file_groups({"north.db": north, "south.db": south})
    {'bergen': 'north.db', 'oslo': 'south.db'}
    """
    said = Counter(predicate for database in files.values() for predicate in database.predicates)
    if max(said.values(), default=0) <= 1:
        return {}
    files_of = Counter(constant for database in files.values() for constant in database.constants)
    return {
        constant: name for name, database in files.items() for constant in database.constants if files_of[constant] == 1
    }


def find_groups(database: Database, count: int = 3, seed: int = 0, stop: Deadline = NEVER) -> dict[str, str]:
    """Put the constants of a database into groups that few facts cross.

    Constants of one fact are joined, those with few facts first, as long as no cluster gets larger than half a group.
    Clusters are dealt out to the groups. What is left are constants with many facts: each goes to the group where most
    of its facts are; one that is tied to all of them alike, such as a value that many have, gets no group and so is
    shared. Where everything hangs together too closely for that, constants are dealt out at random. OutOfTime as soon
    as ``stop`` says so.
    """
    listed = (database.rows(predicate).T.tolist() for predicate in stop.each(database.predicates))
    facts = [row for rows in listed for row in set(map(tuple, rows))]
    around: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for row in stop.each(facts):
        for constant in set(row):
            around[constant].append(row)
    # Ties are broken at random, so that another seed gives another split.
    rank = generator(seed, "groups").permutation(len(database.constants)).tolist()
    order = sorted(around, key=lambda constant: (len(around[constant]), rank[constant]))
    clusters = _clusters(stop.each(order), around, max(1, len(order) // (2 * count)))
    group = _dealt(clusters, count)
    for constant in stop.each(order):
        if constant not in group:
            _join_majority(constant, around[constant], group)
    if len(set(group.values())) < count or (len(facts) >= _SMALLEST and _is_uneven(group, facts)):
        group = {constant: rank[constant] % count for constant in order}
    return {database.constants[constant]: str(number) for constant, number in sorted(group.items())}


def _is_uneven(group: Mapping[int, int], facts: Sequence[tuple[int, ...]]) -> bool:
    """Does one group have most facts? Without it, there would be little to learn from."""
    inside: Counter[int] = Counter()
    for row in facts:
        groups = {group[constant] for constant in row if constant in group}
        inside.update(groups if len(groups) == 1 else ())
    return max(inside.values(), default=0) > _MOST * len(facts)


def _clusters(order: Iterable[int], around: dict[int, list[tuple[int, ...]]], largest: int) -> list[list[int]]:
    """Join constants that share facts; one that would make a cluster too large is left out."""
    cluster: dict[int, list[int]] = {}
    for constant in order:
        near = {id(c): c for row in around[constant] for other in row if (c := cluster.get(other)) is not None}
        if 1 + sum(map(len, near.values())) > largest:
            continue
        joined = [constant, *(member for members in near.values() for member in members)]
        for member in joined:
            cluster[member] = joined
    return list({id(members): members for members in cluster.values()}.values())


def _dealt(clusters: list[list[int]], count: int) -> dict[int, int]:
    """The largest cluster first, each to the group that has least so far."""
    sizes = [0] * count
    group = {}
    for members in sorted(clusters, key=len, reverse=True):
        number = sizes.index(min(sizes))
        sizes[number] += len(members)
        group.update(dict.fromkeys(members, number))
    return group


def _join_majority(constant: int, facts: list[tuple[int, ...]], group: dict[int, int]) -> None:
    tied = Counter(number for row in facts for number in {group[other] for other in row if other in group})
    if tied and max(tied.values()) > _MAJORITY * sum(tied.values()):
        group[constant] = min(tied, key=lambda number: (-tied[number], number))
