"""Rules of columns, case by case: what is needless beside another rule, and from where on something is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from possilog.data import Database
from possilog.deadline import NEVER
from possilog.logic import Atom, Declared, Predicate, Variable, parse_clause
from possilog.structure.columns import ColumnRule, MiningSettings, Things, mine_columns, mine_trees, mining
from possilog.structure.columns.column_rules import without_needless
from possilog.structure.columns.mining import _Miner, _Mining, _telling
from possilog.structure.columns.row_conditions import SUBJECT, Quantity
from possilog.structure.columns.things import Truth

COLUMNS = {"colour": "colour", "shade": "colour", "age": "years", "room": "room", "team": "team", "seat": "room"}
TYPES: dict[Predicate, tuple[str, ...]] = {Predicate(name, 2): ("person", type) for name, type in COLUMNS.items()}
TYPES |= {Predicate("floor", 2): ("room", "floor"), Predicate("happy", 1): ("person",)}


def people(count: int) -> Database:
    """People with a cell in each column: rooms are called by numbers, and ages are some."""
    facts = [Atom.ground("floor", [f"R{number}", f"{number // 2}"]) for number in range(4)]
    for n in range(count):
        colour = ["red", "blue", "green", "white", "black", "brown"][n % 6]
        cells = {"colour": colour, "shade": colour, "age": str(30 + n % 3), "room": f"R{n % 4}", "team": "ab"[n % 2]}
        cells["seat"] = f"R{n // 2 % 4}"
        facts += [Atom.ground(name, [f"p{n:02}", value]) for name, value in cells.items()]
    facts += [Atom.ground("happy", [f"p{n:02}"]) for n in range(0, count, 2)]
    return Database.of(facts, declared=Declared(TYPES, frozenset({"years"})))


def counted(text: str, true: int, false: int = 0) -> ColumnRule:
    """A rule that is right and wrong so often."""
    cases = np.arange(true + false)
    return ColumnRule(parse_clause(text), cases < true, cases >= true)


ABOVE, BELOW = "colour(A, red) :- age(A, B), B >= 31.", "colour(A, blue) :- age(A, B), B < 31."
SHADE = "colour(A, B) :- shade(A, B)."
BY_AGE, BY_ROOM, BY_TEAM = (
    f"colour(A, B) :- {name}(A, C), {name}(D, C), colour(D, B)." for name in ("age", "room", "team")
)
ALONG = "seat(A, B) :- room(A, C), seat(C, B)."
RED, OF_AGE = "colour(A, red) :- shade(A, red).", "colour(A, red) :- age(A, 30)."


@pytest.mark.parametrize(
    ("rule", "true", "false", "whole", "kept"),
    [
        (RED, 75, 23, SHADE, False),
        (RED, 76, 22, SHADE, False),  # 0.77, which is not clearly more than 0.75
        (RED, 77, 21, SHADE, True),
        ("colour(A, red) :- shade(A, blue).", 70, 28, SHADE, True),
        (OF_AGE, 49, 51, BY_AGE, False),
        (OF_AGE, 50, 51, BY_AGE, True),
        ("colour(A, red) :- age(A, 30), team(A, a).", 20, 20, BY_AGE, True),
        ("colour(A, red) :- team(A, a).", 20, 20, BY_AGE, True),
        ("colour(A, red) :- room(A, \"R1\").", 20, 20, BY_ROOM, False),
        ("colour(A, red) :- team(A, a).", 20, 20, BY_TEAM, True),
        ("seat(A, \"R1\") :- room(A, \"R2\").", 20, 20, ALONG, True),
    ],
)  # fmt: skip
def test_what_a_rule_about_a_whole_column_says_is_not_said_of_one_value(
    rule: str, true: int, false: int, whole: str, kept: bool
) -> None:
    things = Things(people(12))
    found, others = [counted(rule, true, false)], [counted(whole, 8, 2)]
    assert others[0].confidence == 0.75
    assert without_needless(found, others, things) == (found if kept else [], others)
    assert without_needless(found, [], things) == (found, [])


@pytest.mark.parametrize(
    ("whole", "rules", "kept"),
    [
        (BY_AGE, [(ABOVE, range(9))], False),
        (BY_AGE, [(ABOVE, range(8))], True),
        (BY_AGE, [(ABOVE, range(5)), (BELOW, range(4, 9))], False),
        (BY_AGE, [(ABOVE, range(5)), (BELOW, range(4, 8))], True),
        (BY_AGE, [("colour(A, red) :- team(A, a), age(A, B), B >= 31.", range(10))], True),
        (BY_AGE, [("colour(A, red) :- age(A, 31), team(A, a).", range(10))], True),
        (BY_AGE, [], True),
        (BY_TEAM, [("colour(A, red) :- team(A, B), B >= 31.", range(10))], True),
        ("years(A, B) :- age(A, B).", [("years(A, 30) :- age(A, B), B >= 31.", range(10))], True),
    ],
)  # fmt: skip
def test_a_shared_number_is_needless_where_cuts_of_it_say_as_much(
    whole: str, rules: list[tuple[str, range]], kept: bool
) -> None:
    found = [
        ColumnRule(parse_clause(text), np.isin(np.arange(10), list(right)), np.zeros(10, bool)) for text, right in rules
    ]
    others = [counted(whole, 10)]
    assert without_needless(found, others, Things(people(12))) == (found, others if kept else [])


def mining_of(database: Database, target: str, **asked: object) -> _Mining:
    settings = MiningSettings(**asked)  # type: ignore[arg-type]
    return _Miner(database, settings, NEVER, None).mining(Predicate(target, 1 if target == "happy" else 2))


@pytest.mark.parametrize(
    ("rows", "asked", "least"),
    [
        (12, {}, 2),
        (36, {}, 3),
        (100, {}, 5),
        (100, {"otherwise": True}, 2),
        (144, {"otherwise": True}, 3),
        (36, {"otherwise": True}, 2),
        (100, {"otherwise": True, "least": 9}, 9),
        (100, {"least": 1}, 1),
    ],
)
def test_how_often_a_rule_has_to_be_right(rows: int, asked: dict[str, object], least: int) -> None:
    assert mining_of(people(rows), "colour", **asked)._least == least


def test_a_thing_that_has_a_number_for_a_name_is_said_only_where_that_is_nearly_always_right() -> None:
    database = people(40)
    rights = {name: mining_of(database, name)._least_right for name in ("room", "seat", "colour", "age", "happy")}
    assert rights == {"room": 0.9, "seat": 0.9, "colour": 0.5, "age": 0.5, "happy": 0.5}
    assert mining_of(database, "room", otherwise=True)._least_right == 0.5


@pytest.mark.parametrize(("target", "body", "most"), [("age", 3, 2), ("age", 1, 1), ("colour", 3, 3), ("happy", 3, 3)])
def test_what_decides_a_number_is_no_long_conjunction(target: str, body: int, most: int) -> None:
    assert mining_of(people(12), target, body=body)._body == most


def test_a_value_is_said_that_is_there_often_enough() -> None:
    named = {least: mining_of(people(13), "colour", least=least, constants=("colour.2",)) for least in (2, 3, 4)}
    heads = {least: [str(head.atom) for head in one._target.heads] for least, one in named.items()}
    assert [len(heads[least]) for least in heads] == [6, 1, 0]  # the thirteenth is the third red one
    assert heads[3] == ["colour(S, red)"]
    assert mining_of(people(13), "colour", least=2)._target.heads == []  # six are too many for so few things


@pytest.mark.parametrize(("rows", "found"), [(3, False), (4, False), (5, True), (6, True)])
def test_of_few_things_there_is_nothing_to_learn(rows: int, found: bool) -> None:
    rules = mine_columns(people(rows), MiningSettings((Predicate("colour", 2),), least=1))
    assert ("colour(A, B) :- shade(A, B)." in [str(rule.clause) for rule in rules]) is found
    asked = MiningSettings((Predicate("team", 2),), least=1, otherwise=True)
    assert bool(mine_columns(people(rows), asked)) is found
    assert bool(mine_trees(people(rows), asked)[0]) is found


def test_trees_are_for_values_that_are_no_numbers_and_for_two_of_them_or_more() -> None:
    for target, least, grown in (("team", 2, True), ("age", 2, False), ("colour", 3, False), ("colour", 2, True)):
        asked = MiningSettings((Predicate(target, 2),), constants=(f"{target}.2",), least=least, otherwise=True)
        assert bool(mine_trees(people(13), asked)[0]) is grown
    alone = Database.of(
        [Atom.ground("team", [f"p{n}", "ab"[n % 2]]) for n in range(9)], declared=Declared(TYPES, frozenset())
    )
    assert mine_trees(alone, MiningSettings((Predicate("team", 2),), otherwise=True)) == ([], [])


@pytest.mark.parametrize("seed", range(5))
def test_of_many_numbers_those_are_cut_that_go_with_the_head(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "MOST_NUMBERS", 3)
    rng = np.random.default_rng(seed)
    positive, asked = rng.random(12) < 0.5, rng.random(12) < 0.8
    numbers = []
    for place in range(7):
        drawn = np.where(rng.random(12) < 0.2, np.nan, rng.integers(0, 5, 12))
        atoms = (Predicate(f"n{place}", 2)(SUBJECT, Variable("V")),)
        numbers.append(Quantity(atoms, Variable("V"), drawn, False, f"n{place}", np.arange(12)))
    share = sum(positive[asked]) / sum(asked)
    goes = [
        abs(sum(float(one.ranks[n]) * (positive[n] - share) for n in range(12) if asked[n])) for one in numbers
    ]  # fmt: skip
    for many in range(8):
        best = sorted(range(many), key=lambda place: (-round(goes[place], 5), place))[:3]
        assert _telling(numbers[:many], asked, positive) == [numbers[place] for place in sorted(best)]
    assert _telling(numbers, np.zeros(12, bool), positive) == numbers[:3]


@pytest.mark.parametrize("wanted", [True, False])
def test_there_is_nothing_to_learn_where_only_one_answer_is_looked_at(wanted: bool) -> None:
    def rows(_: str, size: int) -> Truth:
        return np.asarray((np.arange(size) % 2 == 0) == wanted)

    asked = MiningSettings((Predicate("happy", 1),), least=1)
    assert mine_columns(people(12), asked, rows=rows) == []
    assert mine_columns(people(12), asked) != []


@pytest.mark.parametrize(("right", "said"), [(44, False), (45, False), (46, True)])
def test_a_rule_that_says_such_a_thing_is_right_more_than_nine_times_in_ten(right: int, said: bool) -> None:
    """So many of the fifty people of each team are in the team's room, and the others in that of the other team."""
    facts = [Atom.ground("floor", [f"R{number}", f"{number // 2}"]) for number in range(4)]
    for n in range(100):
        room = n % 2 if n // 2 < right else 1 - n % 2
        facts += [Atom.ground("team", [f"p{n:02}", "ab"[n % 2]]), Atom.ground("room", [f"p{n:02}", f"R{room}"])]
    database = Database.of(facts, declared=Declared(TYPES, frozenset({"years"})))
    found = [str(rule.clause) for rule in mine_columns(database, MiningSettings((Predicate("room", 2),)))]
    assert found == ['room(A, "R0") :- team(A, a).', 'room(A, "R1") :- team(A, b).'] * said


@pytest.mark.parametrize("most", [11, 12, 13])
def test_of_many_rows_a_sample_is_looked_at(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "MOST_ROWS", most)
    rows = mining_of(people(12), "colour")._rows
    assert len(rows) == min(most, 12) and len({*rows.tolist()}) == len(rows)


def test_links_of_things_that_are_not_looked_at_say_nothing() -> None:
    """Only the last ten people visit towns, and only the first ten are looked at."""
    types = TYPES | {Predicate("visits", 2): ("person", "town"), Predicate("rain", 2): ("town", "years")}
    facts = [Atom.ground("rain", [f"t{n}", str(n)]) for n in range(6)]
    facts += [Atom.ground("visits", [f"p{n}", f"t{(n + more) % 6}"]) for n in range(10, 20) for more in (0, 1)]
    facts += [Atom.ground("team", [f"t{n}", "ab"[n % 2]]) for n in range(6)]
    types[Predicate("team", 2)] = ("town", "team")
    facts += [Atom.ground("happy", [f"p{n:02}"]) for n in range(0, 20, 2)]
    facts += [Atom.ground("shade", [f"p{n:02}", ["red", "blue"][n % 2]]) for n in range(20)]
    database = Database.of(facts, declared=Declared(types, frozenset({"years"})))
    asked = MiningSettings((Predicate("happy", 1),), least=2)
    found = mine_columns(database, asked, rows=lambda _, size: np.arange(size) < 10)
    assert [str(rule.clause) for rule in found] == ["happy(A) :- shade(A, red)."]


@pytest.mark.parametrize("bound", [11, 12, 13, 14])
def test_what_is_true_of_things_that_are_not_looked_at_moves_no_cut(bound: int) -> None:
    """Of the first twenty those are happy who visit towns with much rain; the others know more exactly how much."""
    types = TYPES | {Predicate("visits", 2): ("person", "town"), Predicate("rain", 2): ("town", "years")}
    rain = [*range(10), *range(15, 25), *([10, 11, 12, 13, 14] * 8)]
    facts = [Atom.ground("rain", [f"t{n:02}", str(much)]) for n, much in enumerate(rain)]
    facts += [Atom.ground("visits", [f"p{n:02}", town]) for n in range(len(rain)) for town in ("t00", f"t{n:02}")]
    facts += [Atom.ground("happy", [f"p{n:02}"]) for n, much in enumerate(rain) if much >= bound]
    database = Database.of(facts, declared=Declared(types, frozenset({"years"})))
    asked = MiningSettings((Predicate("happy", 1),), least=2)
    found = mine_columns(database, asked, rows=lambda _, size: np.arange(size) < 20)
    assert [str(rule.clause) for rule in found] == ["happy(A) :- visits(A, B), rain(B, C), C >= 10."]


def test_numbers_that_nobody_declared_are_types_of_which_all_look_so() -> None:
    facts = [Atom.ground("age", [f"p{n}", str(20 + n)]) for n in range(5)]
    facts += [Atom.ground("mark", [f"p{n}", ["1", "2", "none"][n % 3]]) for n in range(5)]
    things = Things(Database.of(facts))
    ages, marks = (things.types[Predicate(name, 2)][1] for name in ("age", "mark"))
    assert things.numbers == {ages} and ages != marks
    assert things.column(Predicate("age", 2)).is_number and not things.column(Predicate("mark", 2)).is_number
