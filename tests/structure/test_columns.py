"""Rules of columns: counted as the definition says, and planted ones found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Declared,
    Literal,
    Predicate,
    Query,
    Variable,
    canonical,
    parse_clause,
)
from possilog.matching import Matcher
from possilog.structure.columns import ColumnRule, MiningSettings, Things, functional, mine_columns
from possilog.structure.columns.between import _are_comparable
from possilog.structure.columns.cuts import best_cuts, round_between
from possilog.structure.columns.row_conditions import RowCondition
from possilog.structure.columns.search import ConjunctionSearch, Matrix
from possilog.structure.columns.whole import whole_rules

TYPES = {
    Predicate("carrier", 2): ("flight", "carrier"),
    Predicate("delay", 2): ("flight", "delay"),
    Predicate("plane", 2): ("flight", "plane"),
    Predicate("maker", 2): ("plane", "maker"),
    Predicate("late", 1): ("flight",),
}
DECLARED = Declared(TYPES, frozenset({"delay"}))


def flights(rows: int, seed: int, noise: float = 0.0, hidden: float = 0.0) -> Database:
    """Flights that are late if EV flies an Embraer, or with a delay of 15 or more; some cells are empty."""
    rng = np.random.default_rng(seed)
    facts = [Atom.ground("maker", [f"p{n}", ["Embraer", "Boeing", "Airbus"][n % 3]]) for n in range(40)]
    denied: list[Atom] = []
    for number in range(rows):
        carrier, plane = ["EV", "AA", "UA"][rng.integers(3)], int(rng.integers(40))
        delay = int(rng.integers(0, 20))
        late = delay >= 15 or (carrier == "EV" and plane % 3 == 0)
        late ^= bool(rng.random() < noise)
        cells = {"carrier": carrier, "plane": f"p{plane}", "delay": str(delay)}
        facts += [Atom.ground(name, [f"f{number}", value]) for name, value in cells.items() if rng.random() >= hidden]
        if rng.random() >= hidden:
            (facts if late else denied).append(Atom.ground("late", [f"f{number}"]))
    return Database.of(facts, denied=denied, declared=DECLARED)


def by_definition(database: Database, clause: Clause) -> tuple[int, int]:
    """The heads that a rule covers, without those of which it is not known whether they are true."""
    head = clause.head[0]
    matcher, body = Matcher(database), Query(tuple(map(Literal, clause.body)))
    true = false = 0
    for match in matcher.projections(body, list(head.variables)):
        ground = head.substitute({Variable(name): Constant(value) for name, value in match.items()})
        if ground in database:
            true += 1
        elif head.predicate.arity == 1:
            false += ground in set(database.denied) or head.predicate not in database.denied_predicates
        else:
            false += any(fact.arguments[0] == ground.arguments[0] for fact in database.facts(head.predicate))
    return true, false


@settings(max_examples=budget(25), deadline=None)
@given(st.integers(20, 120), st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.4]), st.integers(1, 4))
def test_rules_are_counted_as_the_definition_says(rows: int, seed: int, hidden: float, least: int) -> None:
    database = flights(rows, seed, noise=0.1, hidden=hidden)
    for rule in mine_columns(database, MiningSettings(least=least))[:40]:
        assert (rule.true, rule.false) == by_definition(database, rule.clause), str(rule.clause)


def firm(people: int, seed: int, noise: float) -> Database:
    """People with a boss and a deputy, who may be one, or themselves; most are in the team of their boss."""
    rng = np.random.default_rng(seed)
    facts, teams = [], dict[int, str]()
    for number in range(people):
        boss, deputy = (int(rng.integers(max(12, number // 3))) for _ in range(2))
        teams[number] = teams.get(boss, "abc"[number % 3]) if rng.random() >= noise else "abc"[rng.integers(3)]
        cells = {"boss": f"p{boss}", "deputy": f"p{deputy}", "team": teams[number], "age": str(rng.integers(20, 60))}
        facts += [Atom.ground(name, [f"p{number}", value]) for name, value in cells.items() if rng.random() >= 0.1]
        facts += [Atom.ground("paid", [f"p{number}"])] if teams[number] == "a" else []
    types = {Predicate(name, 2): ("person", "person") for name in ("boss", "deputy")}
    types |= {Predicate("team", 2): ("person", "team"), Predicate("age", 2): ("person", "age")}
    return Database.of(facts, declared=Declared({**types, Predicate("paid", 1): ("person",)}, frozenset({"age"})))


@settings(max_examples=budget(15), deadline=None)
@given(st.integers(20, 90), st.integers(0, 10**6), st.integers(1, 3))
def test_variables_along_keys_stand_for_different_things(people: int, seed: int, least: int) -> None:
    database = firm(people, seed, noise=0.2)
    mined = mine_columns(database, MiningSettings(least=least))
    assert len({canonical(rule.clause) for rule in mined}) == len(mined), "no rule twice"
    for rule in mined[:60]:
        assert (rule.true, rule.false) == by_definition(database, rule.clause), str(rule.clause)


@pytest.mark.parametrize("seed", range(3))
def test_a_column_may_be_that_of_what_a_key_of_the_same_table_leads_to(seed: int) -> None:
    mined = mine_columns(firm(400, seed, noise=0.05))
    rules = {str(rule.clause) for rule in mined}
    assert "team(A, B) :- boss(A, C), team(C, B)." in rules
    assert "paid(A) :- boss(A, B), paid(B)." in rules
    assert not [rule for rule in rules if 'boss(A, "' in rule or "boss(A, p" in rule], "nobody is named"
    assert not [rule for rule in rules if rule.startswith("age")]


def test_what_another_rule_says_is_not_said_again() -> None:
    """A group depends on which side of 30 a number is, a carrier on a flight, and a seat on nothing."""
    rng = np.random.default_rng(4)
    facts = []
    for number in range(600):
        days, flight = int(rng.integers(60)), int(rng.integers(20))
        cells = {"days": str(days), "group": "long" if days >= 30 else "short", "flight": str(100 + 37 * flight)}
        cells |= {"carrier": f"c{flight * 7 % 5}", "seat": "ab"[rng.integers(2)], "other": "ab"[rng.integers(2)]}
        facts += [Atom.ground(name, [f"r{number}", value]) for name, value in cells.items()]
    types = {Predicate(name, 2): ("row", name) for name in ("days", "group", "flight", "carrier")}
    types |= {Predicate(name, 2): ("row", "seat") for name in ("seat", "other")}
    database = Database.of(facts, declared=Declared(types, frozenset({"days", "flight"})))
    assert {str(rule.clause) for rule in mine_columns(database) if rule.clause.head[0].predicate.name != "flight"} == {
        "group(A, long) :- days(A, B), B >= 30.",
        "group(A, short) :- days(A, B), B < 30.",
        "carrier(A, B) :- flight(A, C), flight(D, C), carrier(D, B).",
    }


def found_in(rules: list[ColumnRule], text: str) -> bool:
    wanted = canonical(DECLARED.clause(parse_clause(text)))
    return wanted in {canonical(rule.clause) for rule in rules}


@pytest.mark.parametrize("seed", range(3))
def test_planted_rules_are_found_with_their_constants_thresholds_and_joins(seed: int) -> None:
    rules = mine_columns(flights(600, seed, noise=0.03, hidden=0.05), MiningSettings(targets=(Predicate("late", 1),)))
    assert found_in(rules, "late(F) :- delay(F, D), D >= 15.")
    assert found_in(rules, 'late(F) :- carrier(F, "EV"), plane(F, P), maker(P, "Embraer").')
    assert {rule.clause.head[0].predicate.name for rule in rules} == {"late"}


def test_nothing_is_found_in_noise() -> None:
    rng = np.random.default_rng(5)
    facts = [Atom.ground("c", [f"t{n}", "xyz"[rng.integers(3)]]) for n in range(400)]
    facts += [Atom.ground("d", [f"t{n}", str(rng.integers(100))]) for n in range(400)]
    facts += [Atom.ground("u", [f"t{n}"]) for n in range(400) if rng.random() < 0.5]
    types = {Predicate("c", 2): ("t", "c"), Predicate("d", 2): ("t", "d"), Predicate("u", 1): ("t",)}
    assert mine_columns(Database.of(facts, declared=Declared(types, frozenset({"d"})))) == []


def test_what_facts_link_is_asked_of_one_linked_thing() -> None:
    rng = np.random.default_rng(2)
    facts, denied = list[Atom](), list[Atom]()
    for train in range(120):
        cars = [(bool(rng.integers(2)), bool(rng.integers(2))) for _ in range(3)]
        (facts if any(short and closed for short, closed in cars) else denied).append(
            Atom.ground("east", [f"t{train}"])
        )
        for number, (short, closed) in enumerate(cars):
            car = f"t{train}c{number}"
            facts.append(Atom.ground("car", [f"t{train}", car]))
            facts += [Atom.ground(name, [car]) for name, true in (("short", short), ("closed", closed)) if true]
    rules = mine_columns(Database.of(facts, denied=denied), MiningSettings(targets=(Predicate("east", 1),)))
    assert canonical(rules[0].clause) == canonical(parse_clause("east(T) :- car(T, C), short(C), closed(C)."))
    assert rules[0].false == 0


def test_a_target_may_be_its_own_condition_on_other_things() -> None:
    facts = [Atom.ground("region", [f"c{n}", "Europe" if n < 30 else "Asia"]) for n in range(60)]
    facts += [Atom.ground("borders", [f"c{n}", f"c{m}"]) for n in range(60) for m in (n - 1, n + 1) if 0 <= m < 60]
    types = {Predicate("region", 2): ("country", "region"), Predicate("borders", 2): ("country", "country")}
    database = Database.of(facts, declared=Declared(types))
    rules = {str(rule.clause) for rule in mine_columns(database)}
    assert 'region(A, "Europe") :- borders(A, B), region(B, "Europe").' in rules


def test_a_value_may_be_that_of_a_key_or_shared() -> None:
    facts = []
    for n in range(60):
        facts += [Atom.ground("customer", [f"o{n}", f"c{n % 20}"]), Atom.ground("ships", [f"o{n}", f"t{n % 20 % 9}"])]
        facts.append(Atom.ground("zone", [f"o{n}", f"z{n % 20 % 5}"]))
    facts += [Atom.ground("home", [f"c{n}", f"t{n % 9}"]) for n in range(20)]
    types = {Predicate("customer", 2): ("order", "customer"), Predicate("ships", 2): ("order", "town")}
    types |= {Predicate("home", 2): ("customer", "town"), Predicate("zone", 2): ("order", "zone")}
    database = Database.of(facts, declared=Declared(types))
    alone, shared_out = (
        [(str(rule.clause), rule.true, rule.false) for rule in mine_columns(database, jobs=jobs)] for jobs in (1, 2)
    )
    assert alone == shared_out
    rules = {clause for clause, _, _ in alone}
    assert "ships(A, B) :- customer(A, C), home(C, B)." in rules
    assert "zone(A, B) :- customer(A, C), customer(D, C), zone(D, B)." in rules


def test_limits_are_kept() -> None:
    database = flights(600, 0)
    late = (Predicate("late", 1),)
    named = mine_columns(database, MiningSettings(targets=late, excluded=("delay",)))
    assert not any("delay" in str(rule.clause) for rule in named)
    only = mine_columns(database, MiningSettings(targets=late, only=("delay",)))
    assert {str(rule.clause) for rule in only} == {"late(A) :- delay(A, B), B >= 15."}
    plain = mine_columns(database, MiningSettings(targets=late, constants=()))
    assert not any('"' in str(rule.clause) for rule in plain)
    assert mine_columns(database, MiningSettings(targets=late, least=10_000)) == []


def test_functional_predicates() -> None:
    facts = [Atom.ground("a", [f"t{n}", f"v{n % 2}"]) for n in range(4)]
    facts += [Atom.ground("b", ["t0", "v0"]), Atom.ground("b", ["t0", "v1"])]
    database = Database.of(facts)
    assert functional(database, database.predicates) == [Predicate("a", 2)]
    assert Things(database).functional == {Predicate("a", 2)}


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_round_numbers_are_between(low: float, width: float) -> None:
    high = low + width
    if high > low:
        assert low < round_between(low, high) <= high


def test_cuts_are_where_they_say_something_and_round() -> None:
    rng = np.random.default_rng(0)
    amounts = np.sort(np.round(rng.uniform(0, 200, 800), 2))
    assert best_cuts(amounts, amounts >= 49.99) == [50.0]
    assert best_cuts(amounts, (amounts >= 50) ^ (rng.random(800) < 0.05))[0] == pytest.approx(50, abs=2)
    assert best_cuts(amounts, rng.random(800) < 0.3) == []


def test_each_side_of_a_cut_has_enough_rows() -> None:
    rng, made = np.random.default_rng(5), 0
    for ends in (2, 3, 7, 20):
        numbers = np.sort(rng.random(300)) * 100
        positive = (np.arange(300) < ends) | (np.arange(300) >= 300 - ends)
        for least in (3, 5, 20):
            cuts = best_cuts(numbers, positive, least=least)
            sizes = np.diff([0, *np.searchsorted(numbers, cuts), 300])
            assert sizes.min() >= least
            made += len(cuts)
    assert made > 8


@pytest.mark.parametrize(("right", "wrong"), [(0, 0), (3, 1), (0, 4), (9, 0)])
def test_the_confidence_of_a_rule_is_that_of_one_more_right_and_one_more_wrong(right: int, wrong: int) -> None:
    truth = np.arange(13) < right
    rule = ColumnRule(parse_clause("p(X) :- q(X)."), truth, (np.arange(13) >= right) & (np.arange(13) < right + wrong))
    assert (rule.true, rule.false) == (right, wrong)
    assert rule.confidence == pytest.approx((right + 1) / (right + wrong + 2))


def test_rules_of_whole_columns_are_all_that_copy_or_share_a_value() -> None:
    """By definition: every column of the type, and every column behind a key, counted thing by thing."""
    rng = np.random.default_rng(2)
    types = {
        Predicate("home", 2): ("person", "city"),
        Predicate("birth", 2): ("person", "city"),
        Predicate("boss", 2): ("person", "person"),
        Predicate("team", 2): ("person", "team"),
        Predicate("seat", 2): ("team", "city"),
        Predicate("colour", 2): ("team", "bunting"),
    }
    cells: dict[str, dict[str, str]] = {predicate.name: {} for predicate in types}
    for number in range(4):
        cells["seat"][f"t{number}"], cells["colour"][f"t{number}"] = f"c{number % 3}", f"k{number}"
    for number in range(60):
        person, team = f"p{number}", f"t{rng.integers(4)}"
        seat = cells["seat"][team]
        for name, value in {
            "team": team,
            "home": seat if rng.random() < 0.9 else f"c{rng.integers(3)}",
            "birth": seat if rng.random() < 0.5 else f"c{rng.integers(3)}",
            "boss": f"p{rng.integers(60)}",
        }.items():
            if rng.random() < 0.9:
                cells[name][person] = value
    facts = [Atom.ground(name, pair) for name, column in cells.items() for pair in column.items()]
    things = Things(Database.of(facts, declared=Declared(types, frozenset())))
    whole = whole_rules(things, Predicate("home", 2), 3, lambda _: True)
    found = {str(one.clause): [one.true, one.false] for one in whole}
    wanted = {}
    for said, values in {
        "birth(A, B)": cells["birth"],
        "team(A, C), seat(C, B)": {one: cells["seat"][team] for one, team in cells["team"].items()},
        **{
            f"boss(A, C), {name}(C, B)": {
                one: cells[name][boss] for one, boss in cells["boss"].items() if boss in cells[name] and boss != one
            }
            for name in ("birth", "home")
        },
    }.items():
        asked = [cells["home"][one] == value for one, value in values.items() if one in cells["home"]]
        wanted[f"home(A, B) :- {said}."] = [sum(asked), len(asked) - sum(asked)]
    assert found == wanted
    unused = whole_rules(things, Predicate("home", 2), 3, lambda predicate: predicate.name != "seat")
    assert "home(A, B) :- team(A, C), seat(C, B)." not in {str(one.clause) for one in unused}


def test_names_of_keys_and_columns_that_can_be_compared() -> None:
    types = {Predicate(name, 2): ("boat", kind) for name, kind in {"long": "m", "wide": "m", "cost": "eur"}.items()}
    types |= {
        Predicate("near", 2): ("isle", "m"),
        Predicate("built", 2): ("boat", "day"),
        Predicate("sold", 2): ("boat", "d"),
    }
    facts = [Atom.ground("near", pair) for pair in (("i1", "7"), ("big", "8"))]
    for number in range(9):
        told = {"long": 20 + number, "wide": 5 + number, "cost": 1000 * number, "built": f"2001-01-0{number + 1}"}
        told["sold"] = f"2020-01-0{number + 1}"
        facts += [Atom.ground(name, [f"b{number}" if number else "anna", str(value)]) for name, value in told.items()]
    things = Things(Database.of(facts, declared=Declared(types, frozenset({"m", "eur", "day", "d"}))))
    assert things.is_numbered("boat") and not things.is_numbered("isle")  # one of two is not most
    assert not things.is_numbered("m")  # nothing is said of them
    long, wide, cost, built, sold = (
        things.column(Predicate(name, 2)) for name in ("long", "wide", "cost", "built", "sold")
    )
    assert _are_comparable(long, wide) and _are_comparable(built, sold)
    assert not _are_comparable(long, cost) and not _are_comparable(cost, long)
    assert not _are_comparable(long, built) and not _are_comparable(built, long)


@pytest.mark.parametrize("kinds", [12, 13])
def test_values_are_named_where_they_are_few_for_so_many_things(kinds: int) -> None:
    """Of sixty things a fifth, at most."""
    types = {Predicate("kind", 2): ("thing", "kind"), Predicate("good", 1): ("thing",)}
    facts = [Atom.ground("kind", [f"t{n}", f"k{n % kinds}"]) for n in range(60)]
    truth = [Atom.ground("good", [f"t{n}"]) for n in range(60)]
    good = {atom for n, atom in enumerate(truth) if n % kinds < 3}
    database = Database.of([*facts, *good], denied=set(truth) - good, declared=Declared(types, frozenset()))
    found = mine_columns(database, MiningSettings(targets=(Predicate("good", 1),), least=2))
    assert bool(found) == (kinds == 12)


def tasks(seed: int, unknown: int) -> Database:
    """Those that end soon are good, and others of one kind, too, with noise; and copies of which that is not known."""
    rng = np.random.default_rng(seed)
    types = {Predicate(name, 2): ("task", "hour") for name in ("begin", "end")} | {Predicate("good", 1): ("task",)}
    types |= {Predicate("kind", 2): ("task", "kind")}
    facts, denied = list[Atom](), list[Atom]()
    for number in range(200):
        begin, hours, kind = int(rng.integers(50)), int(rng.integers(10)), "abc"[rng.integers(3)]
        cells = {"begin": str(begin), "end": str(begin + hours), "kind": kind}
        cells = {name: value for name, value in cells.items() if rng.random() < 0.8}
        good = (hours <= 3 or (kind == "a" and hours <= 5)) ^ bool(rng.random() < 0.15)
        (facts if good else denied).append(Atom.ground("good", [f"t{number}"]))
        for copy in ["", *(f"x{copy}" for copy in range(unknown) if good)]:
            facts += [Atom.ground(name, [f"t{number}{copy}", value]) for name, value in cells.items()]
    return Database.of(facts, denied=denied, declared=Declared(types, frozenset({"hour"})))


@pytest.mark.parametrize("seed", range(1, 4))
def test_things_of_which_it_is_not_known_whether_the_head_holds_change_no_rule(seed: int) -> None:
    asked = MiningSettings(targets=(Predicate("good", 1),), least=5)
    rules, same = (
        [(str(rule.clause), rule.true, rule.false) for rule in mine_columns(tasks(seed, unknown), asked)]
        for unknown in (0, 4)
    )
    assert rules == same
    assert any("|B - C| =<" in text for text, _, _ in rules)


@pytest.mark.parametrize(("good", "found"), [(60, 0), (59, 0), (30, 2)])
def test_there_is_nothing_to_say_of_what_is_always_true(good: int, found: int) -> None:
    types = {Predicate("kind", 2): ("thing", "kind"), Predicate("good", 1): ("thing",)}
    facts = [Atom.ground("kind", [f"t{n}", f"k{n % 2}{n // 30}"]) for n in range(60)]
    facts += [Atom.ground("good", [f"t{n}"]) for n in range(good)]
    rules = mine_columns(Database.of(facts, declared=Declared(types)), MiningSettings(targets=(Predicate("good", 1),)))
    assert len(rules) == found


def test_numbers_are_cut_again_among_those_that_meet_a_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large ones of one kind are good, and small ones of another; of all, neither. No condition is there twice."""
    asked: list[list[tuple[Atom, ...]]] = []
    add = ConjunctionSearch.add

    def noted(search: ConjunctionSearch, more: list[RowCondition], stacked: Callable[..., Matrix]) -> None:
        asked.append([one.atoms for one in (*search.conditions, *more)])
        add(search, more, stacked)

    monkeypatch.setattr(ConjunctionSearch, "add", noted)
    types = {Predicate(name, 2): ("thing", name) for name in ("kind", "size", "age")} | {
        Predicate("good", 1): ("thing",)
    }
    facts = []
    for number in range(400):
        kind, size, age = "abcd"[number % 4], number * 37 % 100, 90 if number * 61 % 100 >= 80 else 10
        cells = {"kind": kind, "size": str(size), "age": str(age)}
        facts += [Atom.ground(name, [f"t{number}", value]) for name, value in cells.items()]
        good = (kind == "a" and size >= 50) or (kind == "b" and size < 50) or age == 90
        facts += [Atom.ground("good", [f"t{number}"])] * good
    database = Database.of(facts, declared=Declared(types, frozenset({"size", "age"})))
    target = (Predicate("good", 1),)
    rules = {str(rule.clause) for rule in mine_columns(database, MiningSettings(targets=target))}
    assert {"good(A) :- kind(A, a), size(A, B), B >= 50.", "good(A) :- kind(A, b), size(A, B), B < 50."} <= rules
    assert asked and all(len({*atoms}) == len(atoms) for atoms in asked)
    only = {str(rule.clause) for rule in mine_columns(database, MiningSettings(targets=target, body=1))}
    assert only and not any("size" in rule for rule in only)
