"""What is searched in small random worlds, whole: `answers` keeps it, as `tests/transcribing.py` says.

What a search keeps of all that is true is a matter of many small decisions. Each has worlds here in which it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from possilog.data import Database
from possilog.entailment import Saturation
from possilog.logic import Atom, Constant, Declared, Predicate, Threshold, Variable, parse_clause
from possilog.logic.atom_space import AtomSpace
from possilog.matching import Matcher
from possilog.structure import Limits, find_hard_rules, negatives
from possilog.structure.columns import ColumnRule, MiningSettings, Things, mine_columns, mine_trees
from possilog.structure.columns.conditions import Views, thresholds
from possilog.structure.columns.cuts import best_cuts, middle_between, round_between
from possilog.structure.columns.row_conditions import SUBJECT, Quantity, RowCondition, differing
from possilog.structure.columns.search import ConjunctionSearch
from possilog.structure.columns.things import Truth
from possilog.structure.columns.tree import TreeSearch
from possilog.structure.columns.whole import whole_rules
from possilog.structure.consistency import Consistency
from possilog.structure.examples import make_examples
from possilog.structure.horn import BeamSearch
from possilog.structure.negatives import find_negatives
from possilog.structure.surprise import Surprise
from transcribing import compare

PATHS = [pytest.param(path, id=path.stem) for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))]

BINARY = {
    "team": ("person", "team"),
    "age": ("person", "years"),
    "served": ("person", "years"),
    "pay": ("person", "pay"),
    "born": ("person", "birthday"),
    "hired": ("person", "day"),
    "boss": ("person", "person"),
    "firm": ("person", "firm"),
    "home": ("person", "town"),
    "seat": ("firm", "town"),
    "size": ("firm", "people"),
    "branch": ("firm", "branch"),
    "owner": ("firm", "person"),
    "knows": ("person", "person"),
    "visits": ("person", "town"),
    "near": ("town", "town"),
    "rain": ("town", "pay"),
    "word": ("person", "word"),
}
UNARY = {"happy": ("person",), "senior": ("person",), "large": ("firm",), "coast": ("town",)}
TYPES = {Predicate(name, len(types)): types for name, types in (BINARY | UNARY).items()}
NUMBERS = frozenset({"years", "pay", "birthday", "day", "people"})


def registry(seed: int, people: int) -> Database:
    """People, firms and towns, with what depends on what drawn by the seed; some cells are empty."""
    rng = np.random.default_rng(seed)
    towns, firms = int(rng.integers(4, 9)), int(rng.integers(3, 12))
    left_out = {*rng.choice(sorted(BINARY), int(rng.integers(0, 6)), replace=False).tolist()} - {"team"}
    empty, noise = float(rng.choice([0.0, 0.05, 0.2])), float(rng.choice([0.0, 0.05, 0.15]))
    facts, denied = list[Atom](), list[Atom]()

    def tell(name: str, *values: object) -> None:
        if name not in left_out and rng.random() >= empty:
            facts.append(Atom.ground(name, [str(value) for value in values]))

    def decide(name: str, thing: str, true: bool, known: float) -> None:
        if rng.random() < known:
            (facts if true ^ bool(rng.random() < noise) else denied).append(Atom.ground(name, [thing]))

    rain = [int(rng.integers(0, 9)) * 100 for _ in range(towns)]
    for town in range(towns):
        tell("rain", f"town{town}", rain[town])
        decide("coast", f"town{town}", rain[town] >= 500, 1.0)
        for other in {*rng.integers(0, towns, 2).tolist()}:
            tell("near", f"town{town}", f"town{other}")
    sizes, seats = rng.integers(1, 40, firms), rng.integers(0, towns, firms)
    for firm in range(firms):
        tell("size", f"F{firm}", sizes[firm])
        tell("seat", f"F{firm}", f"town{seats[firm]}")
        tell("branch", f"F{firm}", "mills" if sizes[firm] > 20 else ["shops", "farms"][firm % 2])
        tell("owner", f"F{firm}", f"p{rng.integers(people)}")
        decide("large", f"F{firm}", bool(sizes[firm] >= 20), 0.9)
    kind = int(rng.integers(4))
    for number in range(people):
        me, firm, team = f"p{number}", int(rng.integers(firms)), ["red", "blue", "green"][rng.integers(3)]
        age, boss = int(rng.integers(20, 30)), int(rng.integers(max(number, 3)))
        served = max(age - int(rng.integers(15, 25)), 0)
        home = seats[firm] if rng.random() >= 0.2 else rng.integers(towns)
        tell("team", me, team)
        tell("age", me, age)
        tell("served", me, served)
        tell("pay", me, 100 * (served // 2) + 50 * (team == "red"))
        tell("born", me, f"19{40 + age}-0{1 + number % 9}-1{number % 7}")
        tell("hired", me, f"19{60 + age // 2}-0{1 + served % 9}-11")
        tell("boss", me, f"p{boss}")
        tell("firm", me, f"F{firm}")
        tell("home", me, f"town{home}")
        tell("word", me, "red" if team == "red" else ["blue", "dark"][rng.integers(2)])
        for other in {*rng.integers(0, people, int(rng.integers(3))).tolist()}:
            tell("knows", me, f"p{other}")
        for town in {int(home), *rng.integers(0, towns, int(rng.integers(2))).tolist()}:
            tell("visits", me, f"town{town}")
        happy = [age >= 25 or team == "red", served > 4 and team != "blue", home == seats[firm], rain[home] >= 400]
        decide("happy", me, bool(happy[kind]), 0.9)
        decide("senior", me, served >= 6, 1.0)
    return Database.of(facts, denied=denied if seed % 2 else (), declared=Declared(TYPES, NUMBERS))


def shown(rules: list[ColumnRule]) -> Iterator[str]:
    """Each rule, how often it is right and wrong, and which kind it is."""
    for rule in rules:
        kind = "whole" if rule.is_whole else "otherwise" if rule.is_otherwise else "a rule"
        tried = "" if rule.tried is None else f", tried {rule.tried[0].sum()} {rule.tried[1].sum()}"
        yield f"{rule.clause}  {kind}, {rule.true} of {rule.true + rule.false}, outside {rule.outside}{tried}"


def asked(seed: int) -> MiningSettings:
    """What is searched, drawn by the seed."""
    rng = np.random.default_rng([seed, 1])
    named = [f"{name}.2" for name in BINARY if rng.random() < 0.6]
    return MiningSettings(
        excluded=("word",) if rng.random() < 0.3 else (),
        constants=tuple(named) if rng.random() < 0.3 else None,
        least=[None, 1, 2, 3, 5][rng.integers(5)],
        body=int(rng.choice([1, 2, 3, 3])),
        width=[None, None, 3][rng.integers(3)],
        otherwise=bool(rng.random() < 0.3),
    )


def mined(seed: int, people: int) -> Iterator[str]:
    """The rules of columns."""
    database = registry(seed, people)
    yield from shown(mine_columns(database, asked(seed), rows=some_rows(seed)))


def grown(seed: int, people: int) -> Iterator[str]:
    """Two decision trees."""
    database = registry(seed, people)
    target = Predicate(["team", "branch", "home", "word"][seed % 4], 2)
    if target not in database.predicates:
        target = Predicate("team", 2)
    settings = MiningSettings((target,), otherwise=True, body=2 + seed % 2)
    for tree in mine_trees(database, settings, rows=some_rows(seed)):
        yield from ("a tree", *shown(tree))


def some_rows(seed: int) -> Callable[[str, int], Truth] | None:
    """The rows that are looked at: in every third world not all."""
    return None if seed % 3 else lambda _, size: np.arange(size) % 4 > 0


def condition_lines(conditions: Iterable[RowCondition]) -> Iterator[str]:
    """What is asked, and of which things it holds: how many, and the sum of their places."""
    for one in conditions:
        places = np.flatnonzero(one.holds)
        marks = [name for name in ("of_number", "of_key") if getattr(one, name)] + [f"{len(one.parts)} parts"]
        told = ", ".join([one.column, one.linked, one.first.name, *marks, *(str(name) for name, _ in one.values)])
        led = "" if one.led is None else f" led {one.led[one.holds].sum()}"
        yield f"{', '.join(map(str, one.atoms))}  {len(places)} {places.sum()}{led} ({told})"


def conditions(seed: int, people: int) -> Iterator[str]:
    """All that can be asked of people, where a target is who is happy."""
    things, least, happy = Things(registry(seed, people)), 1 + seed % 3, Predicate("happy", 1)
    positive, known = things.said(happy), things.decided(happy)
    views = Views(things, least, lambda column: len(column.counted) < 6, lambda predicate: predicate != happy)
    plain, numbers = views.of_type("person")
    yield from condition_lines(plain)
    for number in numbers:
        yield f"{number.column} {number.is_date} {number.is_whole} {number.ranks.sum():.4f} {number.order.tolist()}"
    yield from condition_lines(thresholds(numbers, known, positive, least))
    yield from condition_lines(views.linked("person", positive, known))
    for kin in (frozenset({happy}), things.kin(Predicate("team", 2))):
        yield f"between two values, without {', '.join(sorted(one.name for one in kin))}"
        yield from condition_lines(views.between("person", kin).conditions(positive, known, plain))


def whole(seed: int, people: int) -> Iterator[str]:
    """The rules about whole columns, with what they say."""
    things = Things(registry(seed, people))
    for predicate in sorted(things.types, key=str):
        for one in whole_rules(things, predicate, [None, 3, 4][seed % 3], lambda other: other.name != "word"):
            yield f"{one.clause}  {one.true} {one.false} {one.says:.4f}"


def drawn_conditions(rng: np.random.Generator, rows: int) -> list[RowCondition]:
    """Conditions of all kinds, on a few columns, of which some are nearly the same."""
    found: list[RowCondition] = []
    keys = [Predicate(name, 2) for name in ("first", "second")]
    led = {key: rng.integers(0, int(rng.integers(2, 8)), rows) for key in keys}
    value = Variable("V")
    for number in range(int(rng.integers(8, 40))):
        column, first = f"c{rng.integers(12)}", keys[rng.integers(2)]
        holds = rng.random(rows) < rng.choice([0.1, 0.3, 0.5, 0.8])
        if found and rng.random() < 0.5:
            before = found[rng.integers(len(found))].holds
            holds = before & holds if rng.random() < 0.5 else before ^ (rng.random(rows) < 0.05)
        compared = Threshold.of([">=", "<"][number % 2], str(number))(value)
        atoms: tuple[Atom, ...] = (Predicate(column, 2)(SUBJECT, value), compared)
        if rng.random() < 0.6:
            atoms = (Predicate(column, 2)(SUBJECT, Constant(f"v{number}")),)
        kind = rng.random()
        parts = tuple(one.atoms for one in found[:2]) if kind < 0.15 else ()
        follows = led[first] if rng.random() < 0.4 else None
        linked = "link" if 0.15 < kind < 0.3 else ""
        marks = bool(rng.random() < 0.2), bool(rng.random() < 0.2)
        found.append(RowCondition(atoms, holds, column, first, linked, *marks, led=follows, parts=parts))
    return found


def conjunctions(seed: int, rows: int) -> Iterator[str]:
    """What is found where a head depends on some conjunctions, with noise."""
    rng = np.random.default_rng(seed)
    some = drawn_conditions(rng, rows)
    positive = np.zeros(rows, dtype=bool)
    for size in rng.integers(1, 4, int(rng.integers(1, 5))):
        positive |= np.logical_and.reduce([some[place].holds for place in rng.choice(len(some), size)])
    positive ^= rng.random(rows) < rng.choice([0.0, 0.03, 0.1])
    known = rng.random(rows) < rng.choice([0.8, 1.0])
    positive = positive & known
    if not positive.any() or positive.sum() == known.sum():
        return
    here = np.arange(rows)
    matrix = np.array([one.holds for one in some], dtype=np.float32)
    search = ConjunctionSearch(
        some, matrix, here, positive, known, int(rng.integers(1, 5)), int(rng.integers(1, 4)), as_list=seed % 4 == 0
    )
    if seed % 5 == 0:
        search.add(some[:1], lambda more: np.array([one.holds for one in more], dtype=np.float32))
    yield f"parents {search.parents()}"
    found = list(search.found())
    for members, (says, right) in search._kept.items():
        yield f"kept {members}: {says:.3f} {right:.3f}"
    for members, holds in found:
        yield f"{members}: {int((holds & positive).sum())} of {int((holds & known).sum())}"


def leaves(seed: int, rows: int) -> Iterator[str]:
    """The leaves of trees over things with few numbers, dates and conditions, of which many tell as much as others."""
    rng = np.random.default_rng(seed)
    some = drawn_conditions(rng, rows)[: int(rng.integers(0, 12))]
    numbers = []
    for place, name in enumerate(["age", "size", "born"][: int(rng.integers(4))]):
        drawn = rng.integers(0, 2 + seed % 5, rows) * [1.0, 0.5, 86_400.0][place]
        numbered = np.where(rng.random(rows) < rng.choice([0.0, 0.3]), np.nan, drawn)
        value, values = Variable(name.title()), 100 * place + rng.integers(0, 9, rows)
        atoms = (Predicate(name, 2)(SUBJECT, value),)
        numbers.append(Quantity(atoms, value, numbered, name == "born", name, values))
    kinds = int(rng.integers(2, 5))
    labels = np.eye(kinds + 1)[np.where(rng.random(rows) < 0.1, kinds, rng.integers(0, kinds, rows))]
    for one in some[:2]:
        labels[one.holds & (rng.random(rows) < 0.7)] = np.eye(kinds + 1)[seed % kinds]
    labels[rng.random(rows) < 0.1] = 0.0
    search = TreeSearch(
        some, numbers, labels, values=kinds, least=1 + seed % 3, depth=1 + seed % 4, differing=differing
    )
    for leaf in search.leaves():
        told = [f"{', '.join(map(str, one.atoms))} of {int(one.holds.sum())}" for one in leaf.conditions]
        yield f"{leaf.label} where {' and '.join(told) or 'nothing else'}, after {leaf.after}"


def cut_lines(seed: int, rows: int) -> Iterator[str]:
    """Round numbers between others, near and far, large and small; and where random columns are cut."""
    rng = np.random.default_rng(seed)
    for _ in range(rows):
        low = float(np.round(rng.normal() * 10.0 ** rng.integers(-4, 6), int(rng.integers(0, 5))))
        high = low + float(10.0 ** rng.integers(-3, 6) * rng.choice([1, 2, 0.5, 1.37]))
        middles = [middle_between(low, high, whole=whole) for whole in (True, False)]
        yield f"between {low!r} and {high!r}: {round_between(low, high)!r}, in the middle {middles}"
    for size in range(4, rows):
        numbers = np.sort(rng.integers(0, int(rng.integers(2, 30)), size) * rng.choice([0.5, 1.0, 3.0, 250.0]))
        positive = (numbers >= rng.choice(numbers)) ^ (numbers >= rng.choice(numbers)) ^ (rng.random(size) < 0.1)
        least = int(rng.integers(1, 6))
        yield f"{size} numbers, {least} on a side at least: {best_cuts(numbers, positive, least=least)}"


CLAUSES = """
:- p(X), q(X).          p(X) :- q(X).            q(X) :- p(X).           p(X) ; q(X).           :- u(X), p(X), q(X).
p(X) ; u(X) :- q(X).    u(X) :- p(X), q(X).      :- p(X).                p(X).                  :- r(X, X).
:- r(X, Y).             r(X, X).                 :- t(X, Y, X).          :- t(X, X, X).         :- t(X, Y, Z).
:- r(X, Y), r(X, Z).    :- r(X, Y), r(Z, Y).     :- r(X, Y), r(Y, X).    :- r(X, Y), s(X, Y).   :- r(X, Y), s(Y, X).
:- r(X, Y), s(Y, Z).    :- r(X, Y), r(Y, Z).     :- r(X, Y), s(Z, U).    :- r(X, Y), p(X).      :- r(X, Y), p(Y).
:- t(X, Y, Z), t(X, Y, U).   :- t(X, Y, Z), t(X, V, U).   :- t(X, Y, Z), t(V, Y, U).   :- t(X, Y, Z), r(X, Y).
:- t(X, Y, Z), t(Y, X, U).   :- t(X, X, Z), t(X, X, U).   :- r(X, X), p(X).            :- r(X, X), s(X, X).
r(X, Y) :- r(Y, X).     r(X, Y) :- s(X, Y).      s(X, Y) :- r(Y, X).     p(X) :- r(X, Y).       p(Y) :- r(X, Y).
r(X, Y) :- p(X).        r(X, X) :- p(X).         r(X, Y) :- t(X, Y, Z).  s(X, Y) :- t(Z, X, Y). t(X, Y, X) :- r(X, Y).
p(X) :- r(X, X).        r(X, Y) ; s(X, Y).       :- r(X, a0).            :- missing(X), p(X).   missing(X) :- p(X).
:- w(X), p(X).          w(X) :- p(X).            p(X) :- w(X).           :- p(X), q(X), v(X).   v(X) :- p(X).
r(X, Y) :- s(X, Y), p(X).    :- r(X, Y), p(X), q(Y).      p(X) :- r(X, Y), q(Y).    :- r(X, Y), r(Y, Z), r(Z, X).
"""


def surprises(seed: int, constants: int) -> Iterator[str]:
    """How much each clause of a small language would say, if it held: some columns fill their type, some are rare."""
    rng = np.random.default_rng(seed)
    names = [f"a{number}" for number in range(constants)]
    facts = [Atom.ground("w", [f"b{number}"]) for number in range(3)]
    for name, share in (("p", 0.3), ("q", 0.5), ("u", 0.7), ("v", 1.0)):
        facts += [Atom.ground(name, [one]) for one in names if rng.random() < share]
    for name, arity, size in (("r", 2, constants), ("s", 2, constants // 2), ("t", 3, constants)):
        facts += [Atom.ground(name, rng.choice(names, arity).tolist()) for _ in range(size)]
    surprise = Surprise(Database.of(facts))
    for clause in map(parse_clause, re.findall(r"\S.*?\.(?=\s)", CLAUSES)):
        tested = surprise.test(clause)
        yield f"{clause}  {tested.log_p:.4f} {tested.units}"


def hard_rules(seed: int, constants: int) -> Iterator[str]:
    """The hard rules of a few predicates, some of which depend on others, and what was searched for them."""
    rng = np.random.default_rng(seed)
    names = [f"a{number}" for number in range(constants)]
    facts = [Atom.ground(name, [one]) for name in "pq" for one in names if rng.random() < 0.5]
    facts += [Atom.ground("u", [one]) for one in names if (Atom.ground("p", [one]) in facts) == (seed % 2 == 0)]
    facts += [Atom.ground("w", [one]) for number, one in enumerate(names) if number % 3 == 0]
    pairs = [rng.choice(names, 2).tolist() for _ in range(constants)]
    facts += [Atom.ground("r", [*pair]) for one in pairs for pair in ([one, one[::-1]] if seed % 3 else [one])]
    facts += [Atom.ground("s", [one, names[(place + 1) % 5]]) for place, one in enumerate(names) if seed % 4]
    found = find_hard_rules(
        Database.of(facts),
        literals=1 + seed % 2,
        unary_literals=seed % 5,
        variables=[None, 2, 3][seed % 3],
        min_support=[0, 1, 3][seed // 2 % 3],
        seed=seed,
    )
    yield from (str(found), repr(found), "earned", *map(str, found.earned))
    for level in found.levels:
        yield f"{level.literals} {level.only_unary}: {level.candidates} candidates, {level.holding} hold, {level.share}"


def negatives_found(seed: int, constants: int) -> Iterator[str]:
    """Negatives that are drawn, a few at a time, where rules exclude some: how many, out of how many, and which."""
    rng = np.random.default_rng(seed)
    names = [f"a{number}" for number in range(constants)]
    pairs = [("r", 2, 2 * constants), ("t", 3, constants), ("p", 1, constants // 2), ("q", 1, constants // 3)]
    facts = [Atom.ground(name, rng.choice(names, arity).tolist()) for name, arity, size in pairs for _ in range(size)]
    database = Database.of(facts, constants=names)
    matcher = Matcher(database)
    rules = [
        ":- r(X, Y), q(X), q(Y).",
        ":- r(X, Y), r(Y, X), p(X).",
        ":- t(X, Y, Z), q(X).",
        "p(X) ; q(X) :- t(X, X, Y).",
    ]
    rules += [":- p(X), q(X).", ":- r(X, X).", "p(X) :- r(X, Y), q(Y)."]
    held = [rule for rule in map(parse_clause, rules) if not matcher.exists(rule.violation)]
    consistency = Consistency(database, held if seed % 3 else ())
    pair, triple = Predicate("r", 2), Predicate("t", 3)
    for predicate, count, distinct, limit in product((pair, triple), (0, 3, 20, 60), (True, False), (0, 40)):
        found = find_negatives(consistency, predicate, count, seed, distinct=distinct, limit=limit)
        told = f"{found.total} {'exactly' if found.exact else found.interval}, drawn {found.drawn} - {found.rejected}"
        places = found.rows.sum(axis=0).tolist()
        yield f"{predicate} {count} {distinct} {limit}: {len(found.rows)} of {told}, sum of places {places}"


def beams(seed: int, constants: int) -> Iterator[str]:
    """What a beam search finds of each predicate, and what became of the bodies that it generated."""
    rng = np.random.default_rng(seed)
    names = [f"a{number}" for number in range(constants)]
    few = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2), Predicate("s", 2)]
    facts = {Atom.ground("p", [name]) for name in names if rng.random() < 0.4}
    facts |= {Atom.ground("r", pair) for pair in permutations(names, 2) if rng.random() < 0.25}
    facts |= {Atom.ground("s", [x, y]) for x, y in permutations(names, 2) if Atom.ground("r", [y, x]) in facts}
    facts |= {Atom.ground("q", [fact.arguments[0].name]) for fact in facts if fact.predicate.name == "r" and seed % 2}
    facts |= {Atom.ground("q", [name]) for name in names if rng.random() < 0.3}
    if seed > 5:  # what holds both ways has half as many heads that differ
        facts |= {
            Atom.ground("r", [one.name for one in reversed(f.arguments)]) for f in facts if f.predicate.name == "r"
        }
    some = [fact for fact in sorted(facts) if rng.random() < 0.9 or (seed > 5 and fact.predicate.name == "r")]
    database = Database.of(some, constants=names)
    rules = [
        "r(X, Y) :- r(Y, X).",
        "q(X) :- p(X).",
        ":- p(X), q(X).",
        ":- r(X, X).",
        "s(X, Y) :- r(Y, X).",
        ":- r(X, Y), s(X, Y).",
    ]
    matcher = Matcher(database)
    hard = [rule for rule in map(parse_clause, rules) if not matcher.exists(rule.violation)]
    for target in few:
        examples = make_examples(Consistency(database, hard), target, negatives=30, positives=30, seed=seed)
        if examples.positives and len(examples.heads) > examples.positives:
            limits = Limits(width=3, body=2 + seed % 2, beam=[3, 50][seed % 2], repeats=2, min_support=1 + seed % 3)
            search = BeamSearch(database, Saturation(AtomSpace(few, 3), hard), target, examples, limits)
            for rule in search.rules():
                yield f"{search.clause(rule)}  {rule.positives} {rule.negatives} {rule.accuracy:.4f} {rule.exact}"
            yield f"{target}, more {search.more}, {search.counts}"


ANSWERS = {
    "beams": beams,
    "hard": hard_rules,
    "negatives": negatives_found,
    "surprises": surprises,
    "rules": mined,
    "tree": grown,
    "cuts": cut_lines,
    "leaves": leaves,
    "conditions": conditions,
    "whole": whole,
    "conjunctions": conjunctions,
}


def answer(question: str) -> str:
    """What is found: `rules 3 40` is about the world of seed 3 with 40 people."""
    what, seed, people = question.split()
    return "\n".join(ANSWERS[what](int(seed), int(people)))


@pytest.mark.parametrize("path", PATHS)
def test_what_is_found_in_small_worlds(
    path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, few in {"LEAST_DRAWS": 30, "MOST_DRAWS": 120, "BATCH": 16, "PILOT": 10, "SLOWER": 3}.items():
        monkeypatch.setattr(negatives, name, few)  # so that little is drawn at a time, and not for long
    compare(path, answer, request)
