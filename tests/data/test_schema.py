"""Schemas: counts, names and types, given or inferred."""

from itertools import combinations

import pytest
from hypothesis import given

from possilog.data import Builder, Database, infer_types, read, schema
from possilog.errors import DataError
from possilog.logic import Predicate, parse_atom
from shared import shared_data
from strategies import databases


def of(*facts: str) -> Database:
    return Database.of(map(parse_atom, facts))


def test_a_schema_says_what_there_is() -> None:
    builder = Builder()
    builder.add("advisedBy", [["ann", "bob"], ["cec", "bob"]])
    builder.name_arguments("advisedBy", ["student", "professor"])
    builder.add("smokes", [["bob"]])
    found = schema(builder.build())
    assert (len(found), found.facts, found.constants) == (2, 3, 3)
    assert found["smokes"].predicate == Predicate("smokes", 1)
    assert repr(found) == "<Schema: 3 facts, 2 predicates, 3 constants>"
    assert str(found).splitlines() == [
        "3 facts, 2 predicates, 3 constants",
        "        2  advisedBy(student, professor)",
        "        1  smokes(_)",
    ]
    assert found == schema(builder.build())
    with pytest.raises(DataError, match="no predicate 'advised'"):
        found["advised"]


def test_types_are_named_by_arguments_where_known() -> None:
    builder = Builder()
    builder.add("advisedBy", [["ann", "bob"]])
    builder.add("teaches", [["bob", "logic"]])
    builder.name_arguments("teaches", ["professor", "course"])
    types = infer_types(builder.build())
    assert types == {"advisedBy": ("advisedBy.1", "professor"), "teaches": ("professor", "course")}
    typed = schema(builder.build(), types)
    assert typed.types == types
    assert str(typed["teaches"]) == "teaches(professor: professor, course: course)"


def test_two_types_of_one_name_are_told_apart() -> None:
    builder = Builder()
    for name, rows in {"p": [["a", "b"]], "q": [["c", "d"]]}.items():
        builder.add(name, rows)
        builder.name_arguments(name, ["from", "to"])
    assert infer_types(builder.build()) == {"p": ("from", "to"), "q": ("q.1", "q.2")}


@given(databases())
def test_positions_share_a_type_if_and_only_if_they_are_linked(database: Database) -> None:
    types = infer_types(database)
    constants: dict[tuple[str, int], set[object]] = {}
    for predicate in database.predicates:
        for place in range(predicate.arity):
            constants[predicate.name, place] = {fact.arguments[place] for fact in database.facts(predicate)}
    linked = {position: {position} for position in constants}
    for _ in constants:  # as often as a chain can be long
        for one, other in combinations(constants, 2):
            if constants[one] & constants[other] or linked[one] & linked[other]:
                linked[one] |= linked[other]
                linked[other] |= linked[one]
    for one, other in combinations(constants, 2):
        same = types[one[0]][one[1]] == types[other[0]][other[1]]
        assert same == (other in linked[one])
    assert schema(database, types).types == {name: some for name, some in types.items() if some}


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"likes": ["person"]}, r"likes/2 needs 2 types, and 1 are given"),
        ({"love": ["person", "person"]}, r"'love', which is not in the data"),
        (
            {"likes": ["person", "person"], "cat": ["animal"]},
            r"the constant 'tom' has type person at likes.2 and type animal at cat.1",
        ),
        ({"likes": ["person", "animal"]}, r"the constant 'bob' has type person at likes.1 and type animal at likes.2"),
    ],
)
def test_types_that_do_not_fit(types: dict[str, list[str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        schema(of("likes(ann, bob)", "likes(bob, tom)", "cat(tom)"), types)


def test_types_may_be_given_for_some() -> None:
    found = schema(of("likes(ann, bob)", "cat(tom)"), {"cat": ("animal",)})
    assert found["likes"].types == ()
    assert found["cat"].types == ("animal",)


def test_types_of_real_data() -> None:
    types = infer_types(read(shared_data("yeast/yeast.db")))
    assert len({name for some in types.values() for name in some}) == 7
    assert types["interaction"] == (types["complex"][0],) * 2
