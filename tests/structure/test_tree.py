"""Decision trees as lists of rules: the first condition is the one that tells most, and every row is decided."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.logic import Atom, Constant, Declared, Literal, Predicate, Query, Variable
from possilog.matching import Matcher
from possilog.structure.columns import ColumnRule, MiningSettings, mine_trees

TYPES = {Predicate(name, 2): ("row", name) for name in ("colour", "size", "class")}
ROWS = st.lists(
    st.tuples(st.sampled_from(["red", "green", None]), st.sampled_from([1, 2, 3, 4, None]), st.sampled_from("abc")),
    min_size=6,
    max_size=14,
)

Row = tuple[str | None, int | None, str]


def tree(rows: list[Row], body: int) -> tuple[Database, list[ColumnRule]]:
    facts = [
        Atom.ground(name, [f"r{number:02}", str(value)])
        for number, row in enumerate(rows)
        for name, value in zip(("colour", "size", "class"), row, strict=True)
        if value is not None
    ]
    database = Database.of(facts, declared=Declared(TYPES, frozenset({"size"})))
    asked = MiningSettings(targets=(Predicate("class", 2),), otherwise=True, body=body, least=1)
    return database, mine_trees(database, asked)[0]


def said(database: Database, rules: list[ColumnRule], row: int) -> str | None:
    """What the first rule that holds says of a row."""
    thing = Constant(f"r{row:02}")
    for rule in rules:
        body = [atom.substitute({Variable("A"): thing}) for atom in rule.clause.body]
        if Matcher(database).exists(Query(tuple(map(Literal, body)))):
            return str(rule.clause.head[0].arguments[1])
    return None


def mixed(labels: list[str]) -> float:
    """Gini's index, times the number of labels: how many would be wrong, if each were said of another at random."""
    return len(labels) - sum(labels.count(label) ** 2 for label in set(labels)) / max(len(labels), 1)


@settings(max_examples=budget(30), deadline=None)
@given(ROWS)
def test_the_first_condition_tells_most_and_counts_are_right(rows: list[Row]) -> None:
    _, rules = tree(rows, body=1)
    if not rules:
        return
    labels = [row[2] for row in rows]
    parts = [[row[0] == value for row in rows] for value in ("red", "green")]
    parts += [[row[1] is not None and row[1] >= cut for row in rows] for cut in (2, 3, 4)]
    parts += [[row[1] is not None and row[1] < cut for row in rows] for cut in (2, 3, 4)]
    left = [
        mixed([one for one, met in zip(labels, part, strict=True) if met])
        + mixed([one for one, met in zip(labels, part, strict=True) if not met])
        for part in parts
        if 0 < sum(part) < len(part)
    ]
    met = [bool(one) for one in rules[0].right | rules[0].wrong]
    if len(rules) == 2:
        chosen = mixed([one for one, here in zip(labels, met, strict=True) if here])
        chosen += mixed([one for one, here in zip(labels, met, strict=True) if not here])
        assert chosen <= min(left) + 1e-9


@settings(max_examples=budget(30), deadline=None)
@given(ROWS)
def test_each_rule_is_counted_where_it_holds_and_every_row_is_decided(rows: list[Row]) -> None:
    database, rules = tree(rows, body=3)
    for place, row in enumerate(rows):
        decided = next((rule for rule in rules if (rule.right | rule.wrong)[place]), None)
        assert (None if decided is None else str(decided.clause.head[0].arguments[1])) == said(database, rules, place)
        if decided is not None:
            assert bool(decided.right[place]) == (str(decided.clause.head[0].arguments[1]) == row[2])
    if rules and all(row[0] is not None and row[1] is not None for row in rows):
        assert all(said(database, rules, place) is not None for place in range(len(rows)))


@pytest.mark.parametrize("body", [1, 2, 3])
def test_three_classes_of_two_conditions(body: int) -> None:
    rows: list[Row] = [(colour, size, "a" if colour == "red" else "b" if size >= 3 else "c")
                       for colour in ("red", "green") for size in (1, 2, 3, 4) for _ in range(3)]  # fmt: skip
    database, rules = tree(rows, body)
    right = sum(said(database, rules, place) == row[2] for place, row in enumerate(rows))
    assert right == (18 if body == 1 else 24)
    if body > 1:
        assert [str(rule.clause) for rule in rules] == [
            "class(A, a) :- colour(A, red).",
            "class(A, b) :- colour(A, green), size(A, B), B >= 3.",
            "class(A, c) :- colour(A, green), size(A, B), B < 3.",
        ]


@pytest.mark.parametrize("seed", range(6))
def test_the_finer_tree_parts_rows_as_scikit_learn_does(seed: int) -> None:
    """Where no two conditions tell as much, as in this many rows of numbers."""
    trees = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(400, 4))
    labels = np.array([f"k{int(n[0] > 0.2) + int(n[1] + n[2] > 0.5)}" for n in numbers])
    labels[rng.random(400) < 0.2] = "k0"
    types = {Predicate(name, 2): ("row", name) for name in ("x0", "x1", "x2", "x3", "class")}
    cells = {f"x{place}": numbers[:, place] for place in range(4)}
    facts = [
        Atom.ground(name, [f"r{n:03}", repr(float(v))]) for name, column in cells.items() for n, v in enumerate(column)
    ]
    facts += [Atom.ground("class", [f"r{n:03}", label]) for n, label in enumerate(labels)]
    database = Database.of(facts, declared=Declared(types, frozenset(cells)))
    settings = MiningSettings(targets=(Predicate("class", 2),), otherwise=True)
    coarse, fine = mine_trees(database, settings)
    said = [
        next(str(rule.clause.head[0].arguments[1]) for rule in fine if (rule.right | rule.wrong)[n]) for n in range(400)
    ]
    theirs = trees.DecisionTreeClassifier(max_depth=3, random_state=0).fit(numbers, labels)
    assert said == list(theirs.predict(numbers))
    assert len(fine) <= theirs.get_n_leaves()
    assert len(coarse) <= len(fine) and all(rule.true + rule.false >= 3 for rule in coarse)


def test_what_is_said_of_the_rest_is_about_the_same_column() -> None:
    """All that is not red has tint z, and no single colour; the colour was asked about."""
    facts = []
    for n in range(18):
        colour, other = ["red", "green", "blue"][n % 3], n // 3 % 2
        cells = {"colour": colour, "tint": "xy"[other] if colour == "red" else "z"}
        cells["class"] = "a" if colour == "red" else "bc"[other]
        facts += [Atom.ground(name, [f"r{n:02}", value]) for name, value in cells.items()]
    types = {Predicate(name, 2): ("row", name) for name in ("colour", "tint", "class")}
    asked = MiningSettings(targets=(Predicate("class", 2),), otherwise=True, body=1, least=1)
    rules = mine_trees(Database.of(facts, declared=Declared(types)), asked)[0]
    assert [str(rule.clause) for rule in rules] == ["class(A, a) :- colour(A, red).", "class(A, b) :- colour(A, B)."]
