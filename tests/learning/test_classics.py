"""Classic problems of inductive logic programming, made from their definitions: the textbook rule is found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pytest

from possilog import Reasoner, from_frames, learn
from possilog.data import Database
from possilog.errors import DataError
from possilog.learning import Learned
from possilog.logic import DEMOTED, Atom, canonical, isomorphic, parse_clause


def says(learned: Learned, text: str) -> bool:
    """Is a rule among the soft ones, whatever its variables are called?"""
    wanted = canonical(parse_clause(text))
    return wanted in {canonical(rule.clause) for rule in learned.theory.soft}


def told(true: Iterable[bool], things: Iterable[str], name: str) -> tuple[list[Atom], list[Atom]]:
    """What holds of each thing, and of which it is said not to."""
    pairs = [(bool(holds), Atom.ground(name, [thing])) for holds, thing in zip(true, things, strict=True)]
    return [atom for holds, atom in pairs if holds], [atom for holds, atom in pairs if not holds]


def trains(count: int, seed: int) -> Database:
    """Michalski's trains: a train is eastbound if it has a car that is short and closed."""
    rng = np.random.default_rng(seed)
    facts: list[Atom] = []
    east = []
    for train in range(count):
        cars = [(bool(rng.random() < 0.5), bool(rng.random() < 0.4)) for _ in range(rng.integers(2, 5))]
        east.append(any(short and closed for short, closed in cars))
        for number, (short, closed) in enumerate(cars):
            car = f"t{train}c{number}"
            facts += [Atom.ground("has_car", [f"t{train}", car]), Atom.ground("short" if short else "long", [car])]
            facts += [Atom.ground("closed" if closed else "open", [car])]
            facts += [Atom.ground("load", [car, ["circle", "triangle", "hexagon"][rng.integers(3)]])]
            facts += [Atom.ground("wheels", [car, str(rng.integers(2, 4))])]
    true, false = told(east, (f"t{train}" for train in range(count)), "eastbound")
    return Database.of(facts + true, denied=false)


@pytest.mark.parametrize("seed", range(2))
def test_eastbound_trains(seed: int) -> None:
    learned = learn(trains(60, seed), targets=["eastbound"])
    assert says(learned, "eastbound(T) :- has_car(T, C), short(C), closed(C).")


def test_grandparents() -> None:
    rng = np.random.default_rng(0)
    people = [[f"g{age}p{number}" for number in range(12)] for age in range(4)]
    born = [(age, child) for age in range(3) for child in people[age + 1]]
    parent = {(people[age][place], child) for age, child in born for place in rng.choice(12, 2, replace=False)}
    grandparent = {(a, d) for a, b in parent for c, d in parent if b == c}
    said = {"parent": parent, "grandparent": grandparent}
    facts = [Atom.ground(name, pair) for name, pairs in said.items() for pair in sorted(pairs)]
    learned = learn(Database.of(facts), targets=["grandparent"])
    assert says(learned, "grandparent(A, C) :- parent(A, B), parent(B, C).")


def test_grandparents_of_examples() -> None:
    """Some of those that are, and some that are not: of the others nothing is known."""
    rng = np.random.default_rng(1)
    people = [[f"g{age}p{number}" for number in range(10)] for age in range(4)]
    born = [(age, child) for age in range(3) for child in people[age + 1]]
    parent = {(people[age][place], child) for age, child in born for place in rng.choice(10, 2, replace=False)}
    grandparent = {(a, d) for a, b in parent for c, d in parent if b == c}
    everyone = [person for some in people for person in some]
    pairs = [(str(a), str(b)) for a, b in (rng.choice(everyone, 2, replace=False) for _ in range(60))]
    true = [Atom.ground("grandparent", pair) for pair in sorted(grandparent)[::3]]
    false = [Atom.ground("grandparent", pair) for pair in {*pairs} - grandparent]
    facts = [Atom.ground("parent", pair) for pair in sorted(parent)]
    learned = learn(Database.of(facts + true, denied=false), targets=["grandparent"])
    (rule,) = [rule.clause for rule in learned.theory.soft if rule.weight != DEMOTED]
    assert isomorphic(rule, parse_clause("grandparent(A, B) :- parent(A, C), parent(C, B)."))


def positions(count: int, seed: int) -> pd.DataFrame:
    """Two kings and a rook; it is illegal that black's king is on a line of the rook or near the other king."""
    rng = np.random.default_rng(seed)
    names = [f"{piece}_{line}" for piece in ("white", "rook", "black") for line in ("file", "rank")]
    table = pd.DataFrame(rng.integers(1, 9, (count, 6)), columns=names)
    lines = (table.rook_file == table.black_file) | (table.rook_rank == table.black_rank)
    near = (abs(table.white_file - table.black_file) <= 1) & (abs(table.white_rank - table.black_rank) <= 1)
    return table.assign(illegal=lines | near)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore:.*illegal is not known")
def test_king_rook_king(seed: int) -> None:
    learned = learn({"positions": positions(600, seed)}, targets=["illegal"])
    assert {str(rule.clause) for rule in learned.theory.soft} == {
        "illegal(A) :- black_file(A, B), rook_file(A, C), B = C.",
        "illegal(A) :- black_rank(A, B), rook_rank(A, C), B = C.",
        "illegal(A) :- black_file(A, B), white_file(A, C), |B - C| =< 1, "
        "black_rank(A, D), white_rank(A, E), |D - E| =< 1.",
    }
    new = positions(200, seed + 10)
    asked = from_frames({"positions": new.drop(columns="illegal")}, mapping=learned.theory.mapping)
    predicted = [one for one in Reasoner(learned.theory).predict(asked) if one.atom.predicate.name == "illegal"]
    assert len(predicted) == int(new.illegal.sum())


def test_king_rook_king_by_facts() -> None:
    """Without types, and with facts that say which lines are beside each other."""
    names = {"file": "-abcdefgh", "rank": "-12345678"}
    pairs = [(line[n], line[n + 1]) for line in names.values() for n in range(1, 8)]
    facts = [Atom.ground("beside", pair) for one in pairs for pair in (one, one[::-1])]
    table = positions(600, 0)
    boards = [f"b{number}" for number in range(600)]
    for name in table.columns[:-1]:
        line = names[name.partition("_")[2]]
        facts += [Atom.ground(name, [board, line[at]]) for board, at in zip(boards, table[name], strict=True)]
    true, false = told(table.illegal, boards, "illegal")
    learned = learn(Database.of(facts + true, denied=false), targets=["illegal"])
    assert says(learned, "illegal(B) :- rook_file(B, F), black_file(B, F).")
    assert says(learned, "illegal(B) :- rook_rank(B, R), black_rank(B, R).")
    files = "black_file(B, F), white_file(B, G), beside(F, G)"
    ranks = "black_rank(B, R), white_rank(B, S), beside(R, S)"
    assert says(learned, f"illegal(B) :- {files}, {ranks}.")


@pytest.mark.parametrize("seed", range(2))
def test_mutagenesis(seed: int) -> None:
    """A molecule is active if one of its atoms is a nitrogen of a charge of 0.6 or more."""
    rng = np.random.default_rng(seed)
    facts: list[Atom] = []
    active = []
    for molecule in range(120):
        atoms = [("cnoh"[rng.integers(4)], round(float(rng.uniform(-1, 1)), 2)) for _ in range(8)]
        active.append(any(element == "n" and charge >= 0.6 for element, charge in atoms))
        for number, (element, charge) in enumerate(atoms):
            atom = f"m{molecule}a{number}"
            facts += [Atom.ground("atom", [f"m{molecule}", atom]), Atom.ground("element", [atom, element])]
            facts += [
                Atom.ground("charge", [atom, str(charge)]),
                Atom.ground("kind", [atom, str(rng.integers(20, 40))]),
            ]
            facts += [Atom.ground("bond", [f"m{molecule}a{number - 1}", atom])] if number else []
    true, false = told(active, (f"m{molecule}" for molecule in range(120)), "active")
    learned = learn(Database.of(facts + true, denied=false), targets=["active"])
    (rule,) = [rule.clause for rule in learned.theory.soft if rule.weight != DEMOTED]
    assert [str(atom) for atom in rule.body[:-1]] == ["atom(A, B)", "element(B, n)", "charge(B, C)"]
    assert float(rule.body[-1].predicate.name.removeprefix(">= ")) == pytest.approx(0.6, abs=0.05)


def test_positions_as_facts_of_six_arguments_are_refused_at_once() -> None:
    rng = np.random.default_rng(0)
    rows = {tuple(map(str, rng.integers(0, 8, 6))) for _ in range(200)}
    true, false = (
        [Atom.ground("illegal", row) for row in rows if (row[2] == row[4]) == side] for side in (True, False)
    )
    with pytest.raises(DataError, match="none about illegal/6; give its facts as a table"):
        learn(Database.of(true, denied=false), targets=["illegal"])
