"""What tables leave open: an empty cell says neither that its column has a value there nor that it has not.

Where a column says "yes" and never "no", it is a list of what is ticked, and an empty cell is a "no".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from possilog.data.database import Database
from possilog.data.rows import Column, distinct
from possilog.logic import Atom, Predicate
from possilog.logic.mapping import Becomes, MappedColumn

__all__ = ["EmptyCells", "filled_cells"]


def filled_cells(database: Database) -> Mapping[Predicate, Column]:
    """Of each predicate that is a column with empty cells: the things whose cells are not empty, by number."""
    return {predicate: _told(database, predicate, column) for predicate, column in _columns(database)}


def _columns(database: Database) -> Iterator[tuple[Predicate, MappedColumn]]:
    for table in () if database.mapping is None else database.mapping.tables:
        for predicate, _, column in table.signatures:
            if column is not None and not _is_ticked(database, predicate, column):
                yield predicate, column


def _is_ticked(database: Database, predicate: Predicate, column: MappedColumn) -> bool:
    return column.becomes is Becomes.YES and predicate not in database.denied_predicates


def _told(database: Database, predicate: Predicate, column: MappedColumn) -> Column:
    true = database.rows(predicate)[0]
    if column.becomes is Becomes.YES:
        true = np.concatenate([true, database.denied_rows(predicate)[0]])
    told: Column = distinct(true)
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
        self._told = {predicate: set(told.tolist()) for predicate, told in filled_cells(database).items()}

    def __contains__(self, atom: object) -> bool:
        if not isinstance(atom, Atom) or atom.predicate not in self._told:
            return False
        return self._database.number(atom.arguments[0].name) not in self._told[atom.predicate]
