"""Classic problems of inductive logic programming, made from their definitions: the textbook rule is found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from possilog import learn
from possilog.data import Database
from possilog.learning import Learned
from possilog.logic import Atom, Declared, Predicate, canonical, parse_clause


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


def test_king_rook_king() -> None:
    """Black's king is in check, so that the position is illegal with white to move, on the rook's file or rank."""
    rng = np.random.default_rng(0)
    facts: list[Atom] = []
    illegal = []
    for board in range(200):
        rook, king = rng.integers(0, 8, 2), rng.integers(0, 8, 2)
        illegal.append(bool((rook == king).any()))
        for piece, (file, rank) in (("rook", rook), ("king", king)):
            facts.append(Atom.ground(f"{piece}_file", [f"b{board}", "abcdefgh"[file]]))
            facts.append(Atom.ground(f"{piece}_rank", [f"b{board}", f"r{rank + 1}"]))
    true, false = told(illegal, (f"b{board}" for board in range(200)), "illegal")
    learned = learn(Database.of(facts + true, denied=false), targets=["illegal"])
    assert says(learned, "illegal(B) :- rook_file(B, F), king_file(B, F).")
    assert says(learned, "illegal(B) :- rook_rank(B, R), king_rank(B, R).")


def test_mutagenesis() -> None:
    """A molecule is active if one of its atoms is a nitrogen of a charge of 0.8 or more."""
    rng = np.random.default_rng(1)
    facts: list[Atom] = []
    active = []
    for molecule in range(150):
        atoms = [("cno"[rng.integers(3)], round(float(rng.uniform(-1, 1)), 2)) for _ in range(6)]
        active.append(any(element == "n" and charge >= 0.8 for element, charge in atoms))
        for number, (element, charge) in enumerate(atoms):
            atom = f"m{molecule}a{number}"
            facts += [Atom.ground("atom", [f"m{molecule}", atom]), Atom.ground("element", [atom, element])]
            facts.append(Atom.ground("charge", [atom, str(charge)]))
    true, false = told(active, (f"m{molecule}" for molecule in range(150)), "active")
    types = {Predicate("atom", 2): ("molecule", "atom"), Predicate("element", 2): ("atom", "element")}
    others = {Predicate("charge", 2): ("atom", "charge"), Predicate("active", 1): ("molecule",)}
    declared = Declared({**types, **others}, frozenset({"charge"}))
    learned = learn(Database.of(facts + true, denied=false, declared=declared), targets=["active"])
    best = learned.theory.soft[0].clause
    shown = [str(atom) for atom in best.body]
    assert {"atom(A, B)", "element(B, n)"} <= set(shown)
    threshold = next(atom.predicate for atom in best.body if atom.predicate.name.startswith(">="))
    assert float(threshold.name.split()[1]) == pytest.approx(0.8, abs=0.05)
