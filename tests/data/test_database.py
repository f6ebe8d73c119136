"""A database never changes, and says clearly what it does not take."""

import copy
import pickle

import numpy as np
import pytest

from possilog.data import Builder, Database
from possilog.errors import ArityError, DataError
from possilog.logic import Predicate, parse_atom

R = Predicate("r", 2)


def of(*facts: str) -> Database:
    return Database.of(map(parse_atom, facts))


def test_constants_stay() -> None:
    with pytest.raises(AttributeError):
        of("r(a, b)").constants = ("c", "d")  # type: ignore[misc]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda database: pickle.loads(pickle.dumps(database))])
def test_rows_stay_in_copies_too(copied: object) -> None:
    builder = Builder()
    builder.add("r", [["a", "b"]])
    builder.name_arguments("r", ["who", "whom"])
    database = builder.build()
    database.index(R, (1, 0))
    assert callable(copied)
    for one in (database, copied(database)):
        assert one == database
        assert one.argument_names(R) == ("who", "whom")
        for rows in (one.rows(R), one.index(R, (0, 1)).columns[0], one.index(R, (1, 0)).columns[0]):
            with pytest.raises(ValueError, match="read-only"):
                rows[...] = 0


def test_the_rows_of_the_caller_are_left_alone() -> None:
    rows = np.array([[0], [1]], dtype=np.int32)
    database = Database(["a", "b"], {R: rows})
    rows[...] = 0
    assert database == of("r(a, b)")


def test_one_name_is_not_several_constants() -> None:
    database = of("r(a, b)")
    for take in (database.declare, database.fragment, Builder().declare, lambda name: Database.of([], name)):
        with pytest.raises(DataError, match=r"'ab' is one name where several .* write \['ab'\]"):
            take("ab")


def test_an_arity_clash_names_both() -> None:
    with pytest.raises(ArityError, match=r"^r has 1 arguments in one database and 2 in another; give the two"):
        of("r(a, b)") | of("r(a)")
    with pytest.raises(ArityError, match=r"^r has 1 arguments in one fact and 2 in another; give the two"):
        of("r(a, b)", "r(a)")
