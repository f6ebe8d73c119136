"""Relations that hold both ways."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from possilog.data.database import Database, require_database
from possilog.data.rows import several
from possilog.errors import DataError, listed
from possilog.logic import Predicate

__all__ = ["with_mirrors"]


def with_mirrors(database: Database, names: Iterable[str]) -> Database:
    """The facts, and for some binary predicates also r(b, a) where there is r(a, b).

    >>> from possilog.logic import parse_atom
    >>> print(*with_mirrors(Database.of([parse_atom("near(rome, ostia)")]), ["near"]))
    near(ostia, rome) near(rome, ostia)
    """
    require_database(database)
    mirrored = {_binary(database, name) for name in several(names)}
    relations = {}
    for predicate in database.predicates:
        rows = database.rows(predicate)
        if predicate in mirrored:
            rows = np.unique(np.concatenate([rows, rows[::-1]], axis=1), axis=1)
        relations[predicate] = rows
    return database.having_facts(relations)


def _binary(database: Database, name: str) -> Predicate:
    for predicate in database.predicates:
        if predicate.name == name and predicate.arity == 2:
            return predicate
    binary = listed((predicate.name for predicate in database.predicates if predicate.arity == 2), 10) or "none"
    raise DataError(f"there are no facts of {name} with two arguments to be mirrored; those with two are: {binary}")
