"""What tables leave open: an empty cell says neither that its column has a value there nor that it has not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from possilog.data.database import Database
from possilog.data.rows import Column
from possilog.logic import Atom, Predicate
from possilog.logic.mapping import Becomes, MappedColumn

__all__ = ["EmptyCells", "columns_of"]


def columns_of(database: Database) -> Mapping[Predicate, Column]:
    """Of each predicate that is a column of a table: the things whose cells are not empty, by number."""
    return {predicate: _told(database, predicate, column) for predicate, column in _columns(database)}


def _columns(database: Database) -> Iterator[tuple[Predicate, MappedColumn]]:
    for table in () if database.mapping is None else database.mapping.tables:
        for predicate, _, column in table.signatures:
            if column is not None:
                yield predicate, column


def _told(database: Database, predicate: Predicate, column: MappedColumn) -> Column:
    true = database.rows(predicate)[0]
    if column.becomes is Becomes.YES:  # where "no" is said as well as "yes"
        true = np.concatenate([true, database.denied_rows(predicate)[0]])
    told: Column = np.unique(true)
    return told


class EmptyCells:
    """The atoms about empty cells of a database: nobody knows whether they are true.

    >>> from pandas import DataFrame
    >>> from possilog.data import from_frames
    >>> from possilog.logic import parse_atom
    >>> pets = ["cat", None, "dog", "cat", "dog", "cat"]
    >>> people = DataFrame({"person": list("abcdef"), "pet": pets, "child": ["yes", "no"] * 3})
    >>> facts = from_frames({"people": people})
    >>> empty = EmptyCells(facts)
    >>> [facts.declared.atom(parse_atom(f"pet({person}, dog)")) in empty for person in "abc"]
    [False, True, False]
    """

    def __init__(self, database: Database) -> None:
        """Take facts; those that were no tables have no cells."""
        self._database = database
        self._told = {predicate: set(told.tolist()) for predicate, told in columns_of(database).items()}

    def __contains__(self, atom: Atom) -> bool:
        told = self._told.get(atom.predicate)
        return told is not None and self._database.number(atom.arguments[0].name) not in told
