"""A database never changes, and says clearly what it does not take."""

import copy
import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from possilog.data import Builder, Database, read
from possilog.data.comparing import compared_pairs
from possilog.errors import ArityError, DataError, LanguageError
from possilog.logic import Atom, BuiltIn, Constant, Declared, Predicate, Variable, parse_atom, parse_clause, parse_query
from possilog.logic.spelling import plain, type_of

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
    with pytest.raises(ArityError, match=r"^r has 1 argument in one database and 2 in another; give the two"):
        of("r(a, b)") | of("r(a)")
    with pytest.raises(ArityError, match=r"^r has 1 argument in one fact and 2 in another; give the two"):
        of("r(a, b)", "r(a)")


GATES = Declared(
    {Predicate("gate", 2): ("flight", "gate"), Predicate("month", 2): ("flight", "month")}, frozenset({"gate"})
)


def declared() -> Database:
    facts = map(parse_atom, ["gate(f1, 3.0)", "gate(f2, 4)", "month(f1, 3)", "late(f1)"])
    return Database.of(facts, denied=[parse_atom("gate(f2, 3)"), parse_atom("late(f2)")], declared=GATES)


def test_constants_of_two_declared_types_are_two() -> None:
    database = declared()
    assert [(plain(name), type_of(name)) for name in database.constants if plain(name) == "3"] == [
        ("3", "gate"),
        ("3", "month"),
    ]
    assert [str(fact) for fact in database] == ["gate(f1, 3)", "gate(f2, 4)", "late(f1)", "month(f1, 3)"]
    assert GATES.atom(parse_atom("gate(f1, 3)")) in database
    assert [str(atom) for atom in database.denied] == ["gate(f2, 3)", "late(f2)"]


@pytest.mark.parametrize(
    "made",
    [
        lambda database: pickle.loads(pickle.dumps(database)),
        lambda database: database | Database((), {}),
        lambda database: Database((), {}) | database,
        lambda database: database.declare([]),
        lambda database: database.fragment(database.constants),
        lambda database: database.having_facts({p: database.rows(p) for p in database.predicates}),
    ],
)
def test_what_is_declared_and_denied_goes_along(made: object) -> None:
    database = declared()
    again = made(database)  # type: ignore[operator]
    assert again == database
    assert (again.types, again.numbers, again.denied) == (GATES.types, GATES.numbers, database.denied)
    part = database.fragment([name for name in database.constants if plain(name) != "3"])
    assert [str(atom) for atom in part.denied] == ["late(f2)"]
    assert database.without_denied() != database


def test_the_mark_of_types_is_in_no_name(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match=r"without U\+FDD0"):
        parse_atom('p("a\ufdd0b")')
    for name, text in ("a.db", 'p("a\ufdd0b")'), ("p.csv", "name\na\ufdd0b\n"), ("b.db", 'p("a\ufdd0")'):
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError, match=r"U\+FDD0"):
            read(tmp_path / name, header=True)


def test_databases_are_equal_if_facts_denials_and_constants_are() -> None:
    facts = [parse_atom("p(a)")]
    same, other = Database.of(facts, ["z"]), Database.of(facts, ["y"])
    assert same == Database.of(facts, ["z"])
    assert same != other and other != same
    assert same != Database.of(facts) and Database.of(facts) != same
    assert same != Database.of(facts, ["z"], denied=[parse_atom("q(a)")])
    assert same != "p(a)"


NUMBERS = (-7.0, -2.0, 0.0, 1.0, 2.5, 7.0, 12.0)


@pytest.mark.parametrize("bound", [0, 1, 1.5, 3, 100])
def test_numbers_near_each_other_are_those_that_differ_by_so_little(bound: float) -> None:
    numbers = np.array([*NUMBERS, np.nan])
    (_, _, nearness) = (literal.atom.predicate for literal in parse_query(f"p(X), p(Y), |X - Y| =< {bound}").literals)
    assert isinstance(nearness, BuiltIn)
    near = compared_pairs(nearness, ["x"] * len(numbers), numbers, np.full(len(numbers), np.nan))
    pairs = [(i, j) for i, one in enumerate(NUMBERS) for j, other in enumerate(NUMBERS) if abs(one - other) <= bound]
    assert {tuple(pair) for pair in near.T.tolist() if pair[0] != pair[1]} == {(i, j) for i, j in pairs if i != j}


def test_a_database_says_whether_a_comparison_holds() -> None:
    data = Database.of([parse_atom("p(a)")])
    (less,) = (atom.predicate for atom in parse_clause("q(X) :- p(X), p(Y), X < Y.").body[2:])
    for one, other in product(("2", "3", "a"), repeat=2):
        assert (Atom(less, (Constant(one), Constant(other))) in data) == ((one, other) == ("2", "3"))
    assert Atom(less, (Variable("X"), Constant("3"))) not in data
    assert "p(a)" not in data
